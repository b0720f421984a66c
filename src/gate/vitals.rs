//! How the Redis server does, by its own words; on a cluster, one of its nodes.

use std::time::Instant;

use redis::Value;

use super::conn::Gate;
use super::error::GateError;
use crate::sale::pipeline::GateFigures;

impl Gate {
    /// Asks the server how it does.
    pub async fn vitals(&self) -> Result<GateFigures, GateError> {
        let begun = Instant::now();
        self.ping().await?;
        let latency_us = i64::try_from(begun.elapsed().as_micros()).unwrap_or(i64::MAX);
        let info: String = self.ask_one_node(&redis::cmd("INFO")).await?;
        let slow: i64 = self.ask_one_node(redis::cmd("SLOWLOG").arg("LEN")).await?;
        let last: Vec<Vec<Value>> =
            self.ask_one_node(redis::cmd("SLOWLOG").arg("GET").arg(1)).await?;
        let info = Info(&info);
        // An entry begins with its number and its time.
        let slow_at_s = match last.first().and_then(|entry| entry.get(1)) {
            Some(Value::Int(at_s)) => Some(*at_s),
            _ => None,
        };
        let now_s = info.number("server_time_usec") / 1_000_000;
        Ok(GateFigures {
            slow,
            slow_ago_s: slow_at_s.map(|at_s| now_s.saturating_sub(at_s).max(0)),
            latency_us,
            ..info.figures()
        })
    }
}

/// The answer to `INFO`: a line for each figure.
struct Info<'a>(&'a str);

impl Info<'_> {
    fn text(&self, name: &str) -> &str {
        let mut lines = self.0.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(found, _)| *found == name).map_or("", |(_, value)| value.trim())
    }

    fn number(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or_default()
    }

    fn figures(&self) -> GateFigures {
        GateFigures {
            ops_per_s: self.number("instantaneous_ops_per_sec"),
            memory: self.number("used_memory"),
            memory_bound: self.number("maxmemory"),
            policy: self.text("maxmemory_policy").to_owned(),
            evicted: self.number("evicted_keys"),
            append_only: self.number("aof_enabled") == 1,
            writes_ok: self.text("aof_last_write_status") != "err",
            ..GateFigures::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_their_whole_name() {
        let info = "# Memory\r\nused_memory:1024\r\nused_memory_rss:9\r\nmaxmemory:0\r\n\
                    maxmemory_policy:allkeys-lru\r\nevicted_keys:3\r\naof_enabled:1\r\n\
                    aof_last_write_status:err\r\ninstantaneous_ops_per_sec:42\r\n";
        let figures = Info(info).figures();
        assert_eq!(
            figures,
            GateFigures {
                ops_per_s: 42,
                memory: 1024,
                policy: "allkeys-lru".into(),
                evicted: 3,
                append_only: true,
                writes_ok: false,
                ..GateFigures::default()
            }
        );
        assert_eq!(Info("").figures().policy, "");
    }
}
