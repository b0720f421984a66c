//! What a process tells about itself: logs, metrics, health.

mod health;
mod logs;
mod metrics;

pub use self::metrics::{Kind, METRICS, Metric, Of, begin};
pub use health::{Check, OpsServer};
pub use logs::{LogFormat, start_logs};
