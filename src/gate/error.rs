//! What can go wrong when the gate is asked.

use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::sale::error::Class;

/// A failed call of the gate.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// No connection, or the server cannot work at the moment: nothing was carried out.
    #[error("the gate cannot be asked: {0}")]
    Unavailable(String),
    /// No answer in time, or the connection broke: it may have been carried out.
    #[error("the gate did not answer: {0}")]
    NoAnswer(String),
    /// Redis is full and, as it must with `noeviction`, refuses to write.
    #[error("the gate is out of memory")]
    OutOfMemory,
    /// The address is not one of a Redis.
    #[error("the gate's address is wrong: {0}")]
    Address(String),
    /// Redis refused a command or script.
    #[error("the gate refused: {0}")]
    Refused(String),
    /// An answer that the scripts do not give.
    #[error("the gate gave an unreadable answer: {0}")]
    Unreadable(String),
}

impl GateError {
    /// What it means for the caller.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Unavailable(_) | Self::OutOfMemory => Class::Retry,
            Self::NoAnswer(_) => Class::Unknown,
            Self::Address(_) | Self::Refused(_) | Self::Unreadable(_) => Class::Bug,
        }
    }

    /// A short word for metrics.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "gate_unavailable",
            Self::NoAnswer(_) => "gate_no_answer",
            Self::OutOfMemory => "gate_out_of_memory",
            Self::Address(_) => "gate_address",
            Self::Refused(_) => "gate_refused",
            Self::Unreadable(_) => "gate_unreadable",
        }
    }

    /// A failure while the connection was made: nothing was sent yet.
    pub(super) fn unreached(error: RedisError) -> Self {
        match Self::from(error) {
            Self::NoAnswer(text) => Self::Unavailable(text),
            other => other,
        }
    }

    pub(super) fn unreadable(answer: impl std::fmt::Debug) -> Self {
        Self::Unreadable(format!("{answer:?}"))
    }
}

impl From<RedisError> for GateError {
    fn from(error: RedisError) -> Self {
        let text = error.to_string();
        match error.kind() {
            ErrorKind::Server(
                ServerErrorKind::BusyLoading
                | ServerErrorKind::TryAgain
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly,
            )
            | ErrorKind::ClusterConnectionNotFound => Self::Unavailable(text),
            // It takes no writes (no disk, too few replicas) or is busy with a script that does not end.
            _ if matches!(error.code(), Some("MISCONF" | "NOREPLICAS" | "BUSY")) => {
                Self::Unavailable(text)
            }
            ErrorKind::InvalidClientConfig => Self::Address(text),
            _ if error.code() == Some("OOM") || text.contains("OOM ") => Self::OutOfMemory,
            _ if error.is_connection_refusal() => Self::Unavailable(text),
            _ if error.is_timeout() || error.is_connection_dropped() || error.is_io_error() => {
                Self::NoAnswer(text)
            }
            ErrorKind::Parse | ErrorKind::UnexpectedReturnType => Self::Unreadable(text),
            _ => Self::Refused(text),
        }
    }
}
