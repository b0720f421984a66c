//! What an admin sees of an activity's state: the ledger's word with the clock's part in it.

use std::{fmt, str::FromStr};

use super::activity::{Activity, Phase, Status};

/// Where an activity stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Being prepared.
    Draft,
    /// Published, not yet open.
    Upcoming,
    /// Can be bought.
    Open,
    /// Stopped for the moment, before or in its window.
    Paused,
    /// Over; orders may still be paid or expire.
    Ended,
    /// Over, and nothing can change any more.
    Settled,
    /// Withdrawn before the first order.
    Cancelled,
}

impl Stage {
    /// All of them, in the order of a life.
    pub const ALL: [Self; 7] = [
        Self::Draft,
        Self::Upcoming,
        Self::Open,
        Self::Paused,
        Self::Ended,
        Self::Settled,
        Self::Cancelled,
    ];

    /// Of an activity at `now_ms`, by the server's clock.
    #[must_use]
    pub fn of(activity: &Activity, now_ms: i64) -> Self {
        match activity.status {
            Status::Draft => Self::Draft,
            Status::Settled => Self::Settled,
            Status::Cancelled => Self::Cancelled,
            Status::Scheduled | Status::Paused | Status::Ended => match activity.phase(now_ms) {
                Phase::Upcoming => Self::Upcoming,
                Phase::Open => Self::Open,
                Phase::Paused => Self::Paused,
                Phase::Ended | Phase::Hidden => Self::Ended,
            },
        }
    }

    /// The word in addresses and for the style sheet.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Upcoming => "upcoming",
            Self::Open => "open",
            Self::Paused => "paused",
            Self::Ended => "ended",
            Self::Settled => "settled",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A word that names no stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a stage of an activity")]
pub struct UnknownStage;

impl FromStr for Stage {
    type Err = UnknownStage;
    fn from_str(text: &str) -> Result<Self, UnknownStage> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == text).ok_or(UnknownStage)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::activity::tests::sale;
    use super::*;

    #[test]
    fn the_clock_has_its_part_in_the_stage_of_what_is_published() {
        let at = |status, now_ms| Stage::of(&Activity { status, ..sale() }, now_ms);
        for now_ms in [0, 1_500_000, 3_000_000] {
            assert_eq!(at(Status::Draft, now_ms), Stage::Draft);
            assert_eq!(at(Status::Ended, now_ms), Stage::Ended);
            assert_eq!(at(Status::Settled, now_ms), Stage::Settled);
            assert_eq!(at(Status::Cancelled, now_ms), Stage::Cancelled);
        }
        assert_eq!(at(Status::Scheduled, 999_999), Stage::Upcoming);
        assert_eq!(at(Status::Scheduled, 1_000_000), Stage::Open);
        assert_eq!(at(Status::Scheduled, 2_000_000), Stage::Ended);
        assert_eq!(at(Status::Paused, 0), Stage::Paused);
        assert_eq!(at(Status::Paused, 2_000_000), Stage::Ended);
    }

    #[test]
    fn each_word_is_its_stage() {
        for stage in Stage::ALL {
            assert_eq!(stage.as_str().parse(), Ok(stage));
        }
        assert_eq!("Open".parse::<Stage>(), Err(UnknownStage));
    }
}
