//! The roles of a process: wiring and graceful stop, nothing else.
//!
//! A role holds only what it needs: the web role has no connection to the queue.

mod demo;
mod places;
mod reconciler;
pub mod serve;
pub mod up;
mod web;
mod worker;

use std::{io, net::SocketAddr};

use crate::account::AccountError;
use crate::back_office::BackOfficeError;
use crate::config::ConfigError;
use crate::gate::GateError;
use crate::ledger::LedgerError;
use crate::queue::QueueError;
use crate::reconcile::round::RoundError;
use crate::stack::StackError;

pub use places::{Places, identity};
pub(crate) use places::{accounts, gallery, gate, ledger, queue};
pub use reconciler::reconcile_once;
pub use serve::{Roles, serve};
pub use up::{UpOptions, up};
pub(crate) use web::provider;

/// Why a role could not start, or ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub enum RoleError {
    /// See its message.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// See its message.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// See its message.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// See its message.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// See its message.
    #[error(transparent)]
    Stack(#[from] StackError),
    /// See its message.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// See its message.
    #[error(transparent)]
    BackOffice(#[from] BackOfficeError),
    /// See its message.
    #[error(transparent)]
    Round(#[from] RoundError),
    /// An address is taken, or not ours to listen on.
    #[error("cannot listen on {address} ({key}): {error}")]
    Bind {
        /// The setting that names it.
        key: &'static str,
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// Files or sockets.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Whatever else keeps a role from starting; says what to do.
    #[error("{0}")]
    Other(String),
}
