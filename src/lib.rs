//! Seckill, a flash-sale server.

pub mod captcha;
pub mod web;
