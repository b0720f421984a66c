//! Seckill: a flash-sale server.

pub mod config;
pub mod gate;
pub mod sale;
