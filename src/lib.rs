//! Seckill: a flash-sale server.

pub mod account;
pub mod config;
pub mod gate;
pub mod ledger;
pub mod sale;
