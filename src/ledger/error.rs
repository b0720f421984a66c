//! What can go wrong at the ledger, and what it means for the caller.

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error as DieselError};

use crate::sale::activity::Status;
use crate::sale::error::Class;

/// A call of the ledger that gave no answer, or a refusal.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The address cannot be used; nothing was tried.
    #[error("the ledger's address is not usable: {0}")]
    Misconfigured(String),
    /// No connection within the check-out time: the server is away or all connections are busy.
    #[error("no connection to the ledger: {0}")]
    Unavailable(String),
    /// Begun and not answered within the call time-out; it may yet have been carried out.
    #[error("the ledger did not answer in time")]
    TimedOut,
    /// The connection broke while a step was under way; it may have been carried out.
    #[error("the connection to the ledger was lost: {0}")]
    ConnectionLost(String),
    /// The server chose this transaction to end a deadlock, and again after some repetitions.
    #[error("the ledger ended a deadlock at this step's expense")]
    Deadlock,
    /// A row stayed locked longer than the lock time-out.
    #[error("a row of the ledger stayed locked for too long")]
    LockTimeout,
    /// The server stopped a statement at the statement time-out.
    #[error("the ledger stopped a statement that took too long")]
    StatementTimeout,
    /// Another run of the migrations holds their lock for longer than the bounded wait.
    #[error("another migration is under way")]
    MigrationUnderWay,
    /// A migration was refused.
    #[error("a migration failed: {0}")]
    Migration(String),
    /// The activity's lock has gone to another holder since this fence was taken.
    #[error("the activity's lock was lost to another holder")]
    Fenced,
    /// No such row.
    #[error("not in the ledger")]
    NotFound,
    /// The row's state does not allow the change.
    #[error("{0}")]
    Conflict(Conflict),
    /// A unique key holds another row with this value.
    #[error("already in the ledger: {0}")]
    Duplicate(String),
    /// A CHECK, a foreign key or a column's size refused the row.
    #[error("a rule of the ledger refused the row: {0}")]
    Violation(String),
    /// A row holds what this program does not understand.
    #[error("unreadable row in the ledger: {0}")]
    Unreadable(String),
    /// The step itself panicked.
    #[error("a step at the ledger broke off")]
    Panicked,
    /// Whatever the client library says else.
    #[error("the ledger refused: {0}")]
    Other(DieselError),
}

/// Why a change of an activity was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// Not from this state.
    #[error("the activity is {0}")]
    Status(Status),
    /// An activity with orders cannot be withdrawn.
    #[error("the activity has orders")]
    HasOrders,
    /// The gate was filled by somebody else in between.
    #[error("the gate's epoch is {0}, not the expected one")]
    Epoch(i64),
    /// A sale with orders to be paid cannot be settled.
    #[error("the activity has orders that are not paid yet")]
    Pending,
    /// Somebody else has edited it since; this is its version now.
    #[error("the activity was changed in between")]
    Version(i64),
    /// This stock change's id was used for something else.
    #[error("a different stock change has this id")]
    ChangeId,
}

impl LedgerError {
    /// What the failure means for the step.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::TimedOut | Self::ConnectionLost(_) => Class::Unknown,
            Self::Misconfigured(_)
            | Self::Fenced
            | Self::NotFound
            | Self::Conflict(_)
            | Self::Duplicate(_)
            | Self::Violation(_) => Class::Reject,
            Self::Unreadable(_) | Self::Panicked | Self::Migration(_) => Class::Bug,
            // What is not recognised may pass: never drop an order over it.
            Self::Unavailable(_)
            | Self::Deadlock
            | Self::LockTimeout
            | Self::StatementTimeout
            | Self::MigrationUnderWay
            | Self::Other(_) => Class::Retry,
        }
    }

    /// A short word for metrics and logs.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Misconfigured(_) => "misconfigured",
            Self::Unavailable(_) => "unavailable",
            Self::TimedOut => "timed_out",
            Self::ConnectionLost(_) => "connection_lost",
            Self::Deadlock => "deadlock",
            Self::LockTimeout => "lock_timeout",
            Self::StatementTimeout => "statement_timeout",
            Self::MigrationUnderWay => "migration_under_way",
            Self::Migration(_) => "migration",
            Self::Fenced => "fenced",
            Self::NotFound => "not_found",
            Self::Conflict(_) => "conflict",
            Self::Duplicate(_) => "duplicate",
            Self::Violation(_) => "violation",
            Self::Unreadable(_) => "unreadable",
            Self::Panicked => "panicked",
            Self::Other(_) => "other",
        }
    }
}

impl From<DieselError> for LedgerError {
    fn from(error: DieselError) -> Self {
        match error {
            DieselError::NotFound => Self::NotFound,
            DieselError::DatabaseError(kind, info) => from_server(kind, info),
            // The commit went out and its answer did not come back.
            DieselError::RollbackErrorOnCommit { commit_error, .. } => {
                Self::ConnectionLost(commit_error.to_string())
            }
            other => Self::Other(other),
        }
    }
}

type Information = Box<dyn DatabaseErrorInformation + Send + Sync>;

/// Diesel types a few of the server's error numbers and hides the others, so the rest is told by its
/// text. A text in another language falls to `Other`, which is tried again.
fn from_server(kind: DatabaseErrorKind, info: Information) -> LedgerError {
    let text = info.message().to_owned();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match kind {
        DatabaseErrorKind::SerializationFailure => LedgerError::Deadlock,
        DatabaseErrorKind::UniqueViolation => LedgerError::Duplicate(text),
        DatabaseErrorKind::ForeignKeyViolation | DatabaseErrorKind::CheckViolation => {
            LedgerError::Violation(text)
        }
        DatabaseErrorKind::ClosedConnection => LedgerError::ConnectionLost(text),
        _ if says(&["Lost connection", "gone away", "Connection was killed"]) => {
            LedgerError::ConnectionLost(text)
        }
        _ if says(&["Lock wait timeout"]) => LedgerError::LockTimeout,
        _ if says(&["max_statement_time", "maximum statement execution time"]) => {
            LedgerError::StatementTimeout
        }
        // MariaDB's number for a refused CHECK differs from MySQL's.
        _ if says(&["Data too long", "Out of range value"])
            || (text.starts_with("CONSTRAINT ") && text.contains(" failed for ")) =>
        {
            LedgerError::Violation(text)
        }
        kind => LedgerError::Other(DieselError::DatabaseError(kind, info)),
    }
}
