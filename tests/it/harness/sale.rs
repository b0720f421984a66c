//! A sale as a test describes it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// What a test publishes by `App::sale`.
#[derive(Debug, Clone)]
pub(crate) struct Sale {
    pub(crate) stock: i64,
    pub(crate) price: i64,
    pub(crate) captcha: bool,
    pub(crate) rebuy: bool,
    pub(crate) rate: i64,
    pub(crate) pay_within_s: i64,
    pub(crate) title: String,
    pub(crate) product: String,
    pub(crate) starts_at: DateTime<Utc>,
    pub(crate) ends_at: DateTime<Utc>,
}

impl Sale {
    /// Open from now, for an hour, without a captcha.
    pub(crate) fn of(stock: i64) -> Self {
        let now = Utc::now();
        Self {
            stock,
            price: 1999,
            captcha: false,
            rebuy: true,
            rate: 1000,
            pay_within_s: 900,
            title: "Kettles at noon".into(),
            product: "Kettle".into(),
            starts_at: now - TimeDelta::seconds(1),
            ends_at: now + TimeDelta::hours(1),
        }
    }

    /// Opens only after this time.
    pub(crate) fn opening_in(mut self, time: Duration) -> Self {
        self.starts_at = Utc::now() + TimeDelta::from_std(time).unwrap();
        self
    }
}
