//! What a process tells about itself: logs, metrics, health.

mod health;
mod logs;

pub use health::{Check, OpsServer};
pub use logs::{LogFormat, start_logs};
