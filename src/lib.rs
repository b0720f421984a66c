//! Seckill: a flash-sale server.

pub mod sale;
