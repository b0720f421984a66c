//! Seckill: a flash-sale server.

pub mod account;
pub mod captcha;
pub mod catalog;
pub mod config;
pub mod gate;
pub mod purchase;
pub mod sale;
pub mod web;
