//! How long orders took, counted in steps, so that what several workers counted adds up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Each step is longer than the one before by a fifth: a quantile is right to that.
const GROWTH: f64 = 1.2;
/// About a week, ms; whatever is longer counts as this.
const LONGEST_MS: f64 = 604_800_000.0;

/// Lengths of time by step. Small, however many were counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lags(BTreeMap<u8, u32>);

impl Lags {
    /// Counts one, ms. A clock that was set back makes it nothing.
    pub fn add(&mut self, lag_ms: i64) {
        let count = self.0.entry(step_of(lag_ms)).or_default();
        *count = count.saturating_add(1);
    }

    /// Counts all of another's.
    pub fn add_all(&mut self, other: &Self) {
        for (step, more) in &other.0 {
            let count = self.0.entry(*step).or_default();
            *count = count.saturating_add(*more);
        }
    }

    /// How many were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.values().map(|count| u64::from(*count)).sum()
    }

    /// The length, ms, that so many in a hundred did not exceed. `None`: nothing was counted.
    #[must_use]
    pub fn quantile(&self, percent: u8) -> Option<i64> {
        let wanted = (self.count() * u64::from(percent.min(100))).div_ceil(100).max(1);
        let mut seen = 0;
        for (step, count) in &self.0 {
            seen += u64::from(*count);
            if seen >= wanted {
                return Some(longest_of(*step));
            }
        }
        None
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "between 0 and 120 by the clamp"
)]
fn step_of(lag_ms: i64) -> u8 {
    let lag_ms = (lag_ms as f64).clamp(1.0, LONGEST_MS);
    (lag_ms.ln() / GROWTH.ln()).ceil() as u8
}

#[allow(clippy::cast_possible_truncation, reason = "a week of milliseconds is far from the end")]
fn longest_of(step: u8) -> i64 {
    GROWTH.powi(i32::from(step.min(120))).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_a_fifth() {
        let mut lags = Lags::default();
        assert_eq!(lags.quantile(50), None);
        for lag_ms in 1..=1000 {
            lags.add(lag_ms);
        }
        for (percent, exact) in [(50, 500), (99, 990), (100, 1000)] {
            let found = lags.quantile(percent).unwrap();
            assert!((exact..=exact * 6 / 5 + 1).contains(&found), "{percent}: {found}");
        }
        assert_eq!(lags.quantile(0), Some(1));
    }

    #[test]
    fn odd_lengths_are_counted_too() {
        let mut lags = Lags::default();
        for lag_ms in [i64::MIN, -5, 0, i64::MAX] {
            lags.add(lag_ms);
        }
        assert_eq!(lags.count(), 4);
        assert_eq!(lags.quantile(75), Some(1));
        assert!(lags.quantile(100).unwrap() > 500_000_000);
    }

    #[test]
    fn what_two_counted_adds_up() {
        let (mut one, mut two) = (Lags::default(), Lags::default());
        for _ in 0..98 {
            one.add(10);
        }
        two.add(5000);
        two.add(5000);
        one.add_all(&two);
        assert_eq!(one.count(), 100);
        assert!(one.quantile(50).unwrap() < 13 && one.quantile(99).unwrap() >= 5000);
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<Lags>(&text).unwrap(), one);
    }
}
