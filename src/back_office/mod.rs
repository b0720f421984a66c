//! What an admin does: draft, edit, publish, pause, adjust, end; from the commands and from the console.
//!
//! Each is several steps at several places (change the ledger, fill or configure the gate), so each runs
//! under the activity's lock ([`lock`]). The reconciler's keeper stands on the same steps ([`fill`]): a
//! sale is filled in one way, whoever does it.

mod adjust;
mod audit;
mod balance;
mod draft;
mod export;
mod figures;
pub mod fill;
pub mod live;
pub mod lock;
pub mod ops;
pub mod products;
mod publish;
mod search;
pub mod watch;

use std::time::Duration;

use crate::gate::filling::{FillingError, GateTerms};
use crate::gate::{Gate, GateError};
use crate::ledger::{Ledger, LedgerError};
use crate::sale::activity::{Activity, Status};
use crate::sale::error::Class;
use crate::sale::ids::ActivityId;
use crate::sale::plan::Fault;

pub use adjust::Adjusted;
pub use audit::{AuditFilter, AuditRow, Change};
pub use balance::{Balance, OrderCounts, state_word};
pub use draft::NamedProduct;
pub use export::{Exported, Orders};
pub use figures::Figures;
pub use products::ProductError;
pub use search::{ProductChoice, Search};

/// The back office. Cheap to clone.
#[derive(Debug, Clone)]
pub struct BackOffice {
    pub(crate) gate: Gate,
    pub(crate) ledger: Ledger,
    terms: Terms,
}

/// How the back office works.
#[derive(Debug, Clone)]
pub struct Terms {
    /// What the site adds to a sale's own configuration.
    pub gate: GateTerms,
    /// How long before its start a sale is put into the gate, ms.
    pub preheat_before_ms: i64,
    /// Life of an activity's lock: about three times the work's longest.
    pub lock_life: Duration,
    /// How long somebody waits for the lock before they are told that it is busy.
    pub lock_wait: Duration,
    /// Names this process as an owner of locks.
    pub owner: String,
}

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum BackOfficeError {
    /// Somebody else is changing the activity.
    #[error("activity {0} is being changed by somebody else; try again in a moment")]
    Busy(ActivityId),
    /// The node stops; another one answers.
    #[error("the node is being stopped")]
    Stopping,
    /// There is no such activity.
    #[error("there is no activity {0}")]
    NotFound(ActivityId),
    /// The plan breaks rules.
    #[error("{}", told(.0))]
    Faults(Vec<Fault>),
    /// Somebody else changed the activity since it was looked at; this is how it is now.
    #[error("activity {} was changed by somebody else in between", .0.id)]
    Changed(Box<Activity>),
    /// The activity's state does not lead there.
    #[error("activity {id} is {status}; it cannot become {to}")]
    State {
        /// Which activity.
        id: ActivityId,
        /// What it is.
        status: Status,
        /// What it was to become.
        to: Status,
    },
    /// Nothing about the activity can change any more.
    #[error("activity {id} is {status}; it cannot change any more")]
    Over {
        /// Which activity.
        id: ActivityId,
        /// What it is.
        status: Status,
    },
    /// Somebody has a unit or an order; what is withdrawn has none.
    #[error("the activity has orders")]
    HasOrders(ActivityId),
    /// The id of a change of the stock belongs to another change.
    #[error("a different stock change has this id")]
    ChangeId,
    /// A step broke off; a fault of ours.
    #[error("a step of the back office broke off")]
    BrokenOff,
    /// Only what has begun can be ended.
    #[error("activity {0} has not begun; withdraw it with `cancel`")]
    NotBegun(ActivityId),
    /// About a product.
    #[error(transparent)]
    Product(#[from] ProductError),
    /// What was asked for makes no sense; says why.
    #[error("{0}")]
    Invalid(String),
    /// The gate said no, or could not be asked.
    #[error(transparent)]
    Filling(#[from] FillingError),
    /// The gate could not be asked.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The ledger said no, or could not be asked.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl BackOfficeError {
    /// What it means for the caller.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Busy(_) | Self::Stopping | Self::Filling(FillingError::Refused(_)) => {
                Class::Retry
            }
            Self::NotFound(_)
            | Self::Faults(_)
            | Self::Changed(_)
            | Self::State { .. }
            | Self::Over { .. }
            | Self::NotBegun(_)
            | Self::HasOrders(_)
            | Self::ChangeId
            | Self::Product(_)
            | Self::Invalid(_) => Class::Reject,
            Self::BrokenOff => Class::Bug,
            Self::Gate(error) | Self::Filling(FillingError::Gate(error)) => error.class(),
            Self::Ledger(error) => error.class(),
        }
    }

    /// A short word for metrics.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Busy(_) => "busy",
            Self::Stopping => "stopping",
            Self::NotFound(_) => "not_found",
            Self::Faults(_) | Self::ChangeId | Self::Invalid(_) => "invalid",
            Self::Changed(_) => "changed",
            Self::Product(error) => error.label(),
            Self::State { .. } | Self::Over { .. } | Self::NotBegun(_) | Self::HasOrders(_) => {
                "wrong_state"
            }
            Self::Filling(FillingError::Refused(_)) => "filling_refused",
            Self::BrokenOff => "broken_off",
            Self::Gate(error) | Self::Filling(FillingError::Gate(error)) => error.label(),
            Self::Ledger(error) => error.label(),
        }
    }
}

fn told(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}

impl BackOffice {
    /// A back office at these places.
    #[must_use]
    pub const fn new(gate: Gate, ledger: Ledger, terms: Terms) -> Self {
        Self { gate, ledger, terms }
    }
}
