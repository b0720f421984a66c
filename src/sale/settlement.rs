//! What came of a sale, once and for all.

use super::demand::Outcomes;

/// The end of a sale in figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// Units that the sale had.
    pub total_stock: i64,
    /// Units that nobody bought.
    pub remain_stock: i64,
    /// Shoppers who asked to buy.
    pub participants: i64,
    /// Orders paid.
    pub paid: i64,
    /// Orders cancelled.
    pub cancelled: i64,
    /// Orders refused by the ledger.
    pub rejected: i64,
    /// Orders lost with a former filling of the gate.
    pub lost: i64,
    /// How requests were answered; `None`: the gate had lost it.
    pub outcomes: Option<Outcomes>,
    /// When, ms since the epoch.
    pub settled_at_ms: i64,
}
