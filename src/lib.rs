//! Seckill: a flash-sale server.

pub mod gate;
pub mod sale;
pub mod stack;
