//! Seckill: a flash-sale server.

pub mod queue;
pub mod sale;
