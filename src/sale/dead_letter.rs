//! What becomes of a message that nobody could record.

use std::str::FromStr;

/// Where a dead letter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LetterState {
    /// Nobody has decided.
    Waiting,
    /// A worker is to send it again.
    Replay,
    /// It was sent again; had it failed again, it would be waiting.
    Replayed,
    /// A worker is to put it away.
    Discard,
    /// It was put away. The row stays.
    Discarded,
}

/// A word that names no state of a dead letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a state of a dead letter")]
pub struct UnknownState;

impl LetterState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::Waiting, Self::Replay, Self::Replayed, Self::Discard, Self::Discarded];

    /// The word kept in the ledger.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Replay => "replay",
            Self::Replayed => "replayed",
            Self::Discard => "discard",
            Self::Discarded => "discarded",
        }
    }
}

impl FromStr for LetterState {
    type Err = UnknownState;
    fn from_str(text: &str) -> Result<Self, UnknownState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(UnknownState)
    }
}
