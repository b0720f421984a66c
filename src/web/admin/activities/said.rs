//! What a page says of the change before it: kept in the session until the next look at the activity, so
//! that no address can make it say what did not happen.

use actix_session::Session;
use serde::{Deserialize, Serialize};

use crate::back_office::Adjusted;
use crate::sale::ids::ActivityId;
use crate::web::text::{Message, key};

const KEY: &str = "said";

/// What was done to an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Said {
    /// A draft was made.
    Created,
    /// A draft was made after another activity.
    Copied(i64),
    /// Its terms were changed.
    Saved,
    /// It was published.
    Scheduled,
    /// It was stopped for the moment.
    Paused,
    /// It goes on.
    Resumed,
    /// It was closed.
    Ended,
    /// It was withdrawn.
    Cancelled,
    /// Its units changed; signed.
    Adjusted {
        /// By how many it was to be.
        asked: i64,
        /// By how many it was.
        changed: i64,
        /// How many there are now.
        total: i64,
    },
}

impl Said {
    /// The true figures of a change of the stock.
    pub(super) const fn adjusted(asked: i64, done: Adjusted) -> Self {
        Self::Adjusted { asked, changed: done.changed, total: done.total }
    }

    /// In words.
    pub(super) fn message(self) -> Message {
        match self {
            Self::Created => key("said-created"),
            Self::Copied(of) => key("said-copied").with("of", of.to_string()),
            Self::Saved => key("said-saved"),
            Self::Scheduled => key("said-scheduled"),
            Self::Paused => key("said-paused"),
            Self::Resumed => key("said-resumed"),
            Self::Ended => key("said-ended"),
            Self::Cancelled => key("said-cancelled"),
            Self::Adjusted { asked, changed, total } => {
                let message = match changed {
                    0 => key("said-nothing-free"),
                    1.. => key("said-added"),
                    _ if changed == asked => key("said-taken"),
                    _ => key("said-partly-taken").with("asked", asked.saturating_abs()),
                };
                message.with("changed", changed.saturating_abs()).with("total", total)
            }
        }
    }

    /// To be said when the activity is looked at next.
    pub(super) fn keep(self, session: &Session, id: ActivityId) {
        if let Err(error) = session.insert(KEY, (id, self)) {
            tracing::warn!(%error, "the session does not keep what was done");
        }
    }

    /// What is to be said of this activity, once.
    pub(super) fn take(session: &Session, id: ActivityId) -> Option<Self> {
        let (of, said) = session.get::<(ActivityId, Self)>(KEY).ok().flatten()?;
        session.remove(KEY);
        (of == id).then_some(said)
    }
}
