//! What each process tells of itself once a second, and what follows from many of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lag::Lags;

/// A process that told nothing for so long has fallen silent, ms.
pub const SILENT_AFTER_MS: i64 = 5000;
/// Length of a step of the history, ms.
pub const STEP_MS: i64 = 2000;

/// One process at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pulse {
    /// `web`, `worker` or `all`.
    pub role: String,
    /// Its connections to the ledger.
    pub pool: PoolFigures,
    /// What it does behind the gate, if it does.
    pub work: Option<Work>,
}

/// The connections of a process to the ledger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolFigures {
    /// Connections at most.
    pub size: u32,
    /// Calls that have one.
    pub in_use: u32,
    /// Calls that wait for one.
    pub waiting: u32,
}

/// What a worker knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The queues. `None`: the broker does not answer.
    pub queue: Option<QueueFigures>,
    /// Orders recorded since the process began.
    pub recorded: i64,
    /// From admission to the ledger, in the last seconds.
    pub lags: Lags,
}

/// The queues as the broker tells of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueFigures {
    /// Reservations ready for delivery.
    pub orders: u32,
    /// Dead letters on their way to the ledger.
    pub dead: u32,
    /// Recorders that listen.
    pub consumers: u32,
}

/// A point of a worker's past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// When, by the gate's clock, ms since the epoch.
    pub at_ms: i64,
    /// Orders recorded since the process began.
    pub recorded: i64,
    /// Reservations in the queue.
    pub queued: Option<i64>,
    /// Reservations in the outboxes.
    pub outbox: Option<i64>,
}

/// A process, and when it was heard last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// Its name among all that ever were.
    pub process: String,
    /// What it said.
    pub pulse: Pulse,
    /// How long ago, ms, by the gate's clock.
    pub ago_ms: i64,
}

impl Heard {
    /// Whether it should have been heard since.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.ago_ms > SILENT_AFTER_MS
    }
}

/// All workers together in one step of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Step {
    /// When it began, ms since the epoch.
    pub at_ms: i64,
    /// Orders recorded in it.
    pub recorded: i64,
    /// The most reservations in the queue.
    pub queued: Option<i64>,
    /// The most reservations in the outboxes.
    pub outbox: Option<i64>,
}

/// Puts the pasts of workers together, step by step until now; a step of which nobody told has no orders.
/// The last step is left out while it lasts.
#[must_use]
pub fn together(pasts: &[Vec<Moment>], now_ms: i64) -> Vec<Step> {
    let step_of = |at_ms: i64| at_ms.div_euclid(STEP_MS);
    let mut steps: BTreeMap<i64, Step> = BTreeMap::new();
    for past in pasts {
        let mut before: Option<&Moment> = None;
        for moment in past {
            let step = steps.entry(step_of(moment.at_ms)).or_default();
            let more = before.map_or(0, |before| moment.recorded.saturating_sub(before.recorded));
            step.recorded = step.recorded.saturating_add(more.max(0));
            step.queued = step.queued.max(moment.queued);
            step.outbox = step.outbox.max(moment.outbox);
            before = Some(moment);
        }
    }
    let (Some(first), Some(last)) = (steps.keys().next(), steps.keys().next_back()) else {
        return Vec::new();
    };
    // A clock that was set must not fill the memory.
    let end = step_of(now_ms).clamp(*last, last.saturating_add(1000));
    (*first..end)
        .map(|number| {
            let step = steps.get(&number).copied().unwrap_or_default();
            Step { at_ms: number.saturating_mul(STEP_MS), ..step }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(at_ms: i64, recorded: i64, queued: i64) -> Moment {
        Moment { at_ms, recorded, queued: Some(queued), outbox: None }
    }

    #[test]
    fn pasts_of_several_workers_add_up() {
        let one = vec![moment(0, 100, 5), moment(1000, 110, 9), moment(2000, 130, 1)];
        let two = vec![moment(500, 7, 9), moment(1500, 9, 3), moment(2500, 9, 0)];
        let steps = together(&[one, two], 4000);
        let recorded: Vec<i64> = steps.iter().map(|step| step.recorded).collect();
        assert_eq!(recorded, [12, 20]);
        assert_eq!((steps[0].queued, steps[1].queued), (Some(9), Some(1)));
        assert_eq!(steps[1].at_ms, 2000);
    }

    #[test]
    fn silence_is_a_line_at_nothing() {
        let steps = together(&[vec![moment(0, 0, 4), moment(1999, 50, 4)]], 9000);
        let recorded: Vec<i64> = steps.iter().map(|step| step.recorded).collect();
        assert_eq!(recorded, [50, 0, 0, 0]);
        assert_eq!(steps[1].queued, None);
        assert!(together(&[], 9000).is_empty());
        assert!(together(&[vec![moment(0, 0, 4)]], i64::MAX).len() <= 1001);
    }

    #[test]
    fn silent_is_who_missed_several() {
        let heard = |ago_ms| Heard { process: "1".into(), pulse: Pulse::default(), ago_ms };
        assert!(!heard(1500).is_silent());
        assert!(heard(5001).is_silent());
    }
}
