//! The desk: everything that pages may ask of the purchase path. It knows the gate and the ledger; the
//! queue is none of its business.

use std::{sync::Arc, time::Duration};

use super::collect::{AskError, Collector};
use super::tally::Tally;
use crate::catalog::Catalog;
use crate::gate::{Gate, GateError};
use crate::ledger::{Ledger, LedgerError};
use crate::payment::ProviderError;
use crate::sale::error::Class;
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::order_number::{OrderNo, OrderNumbers};

/// The desk. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Desk {
    pub(super) gate: Gate,
    pub(super) ledger: Ledger,
    pub(super) catalog: Catalog,
    pub(super) numbers: Arc<OrderNumbers>,
    pub(super) ticket_life: Duration,
    pub(super) tally: Tally,
    pub(super) collector: Collector,
}

/// The desk could not tell.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The gate could not be asked.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The ledger could not be asked.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The payment's provider could not be asked.
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

impl From<AskError> for DeskError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Provider(error) => error.into(),
            AskError::Ledger(error) => error.into(),
        }
    }
}

impl DeskError {
    /// What it means for the caller.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Gate(error) => error.class(),
            Self::Ledger(error) => error.class(),
            Self::Provider(error) => error.class(),
        }
    }

    /// A short word for metrics.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Gate(error) => error.label(),
            Self::Ledger(error) => error.label(),
            Self::Provider(error) => error.label(),
        }
    }
}

impl Desk {
    /// A desk at these places. `ticket_life` is how long a ticket lives, `collector` takes the money, `tally`
    /// counts the answers.
    #[must_use]
    pub fn new(
        gate: Gate,
        ledger: Ledger,
        catalog: Catalog,
        numbers: Arc<OrderNumbers>,
        ticket_life: Duration,
        collector: Collector,
        tally: Tally,
    ) -> Self {
        Self { gate, ledger, catalog, numbers, ticket_life, tally, collector }
    }

    /// Whoever takes what the payment's provider tells.
    #[must_use]
    pub const fn collector(&self) -> &Collector {
        &self.collector
    }

    /// Which activity this number of this shopper belongs to, told by its MAC alone. `None`: it is made
    /// up, altered or another shopper's.
    pub(super) fn activity_of(&self, shopper: UserId, order_no: OrderNo) -> Option<ActivityId> {
        self.numbers.activity_of(order_no, shopper, self.catalog.snapshot().ids())
    }
}

pub(super) fn now_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}
