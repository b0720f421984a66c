//! Logs to standard error, as text or JSON lines.

use std::io::IsTerminal as _;

use tracing_subscriber::{EnvFilter, fmt};

/// How a log line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

/// Starts the logs as `SECKILL_LOG` (a filter; else `usual`) and `SECKILL_LOG_FORMAT` say.
///
/// # Errors
/// A line that names the variable that is wrong.
pub fn start_logs(usual: &str) -> Result<(), String> {
    let filter = std::env::var("SECKILL_LOG").unwrap_or_else(|_| usual.to_owned());
    let filter = EnvFilter::try_new(&filter)
        .map_err(|error| format!("SECKILL_LOG={filter:?} is not a filter like `info`: {error}"))?;
    let format = match std::env::var("SECKILL_LOG_FORMAT").as_deref() {
        Ok("json") => LogFormat::Json,
        Ok("text" | "") | Err(_) => LogFormat::Text,
        Ok(other) => return Err(format!("SECKILL_LOG_FORMAT={other:?} must be text or json")),
    };
    let colours = std::io::stderr().is_terminal();
    let lines = fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Text => lines.with_target(false).try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    started.map_err(|error| error.to_string())
}
