//! The balance sheet of each sale. The units are those of the moment; the orders are taken from the last
//! sample of the sale's history, since counting a million of them takes longer than anybody waits for a page.

use futures_util::future::try_join_all;

use crate::back_office::{BackOffice, BackOfficeError};
use crate::ledger::{activities, orders, samples};
use crate::sale::activity::Activity;
use crate::sale::ids::ActivityId;

/// The books of a sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleSheet {
    /// The sale; its units are the ledger's.
    pub activity: Activity,
    /// When the orders were counted, ms since the epoch. `None`: just now.
    pub counted_at_ms: Option<i64>,
    /// Orders to be paid.
    pub pending: i64,
    /// Orders paid.
    pub paid: i64,
    /// Orders cancelled.
    pub cancelled: i64,
    /// Units that no order held when the orders were counted, by the ledger.
    pub remain_then: i64,
    /// Units left and units held at the gate, when it holds the sale.
    pub gate: Option<(i64, i64)>,
}

impl SaleSheet {
    /// Units that an order holds.
    #[must_use]
    pub const fn sold(&self) -> i64 {
        self.activity.total_stock - self.activity.remain_stock
    }

    /// Units of the ledger that neither are left nor belong to an order; with a minus, that do both.
    #[must_use]
    pub const fn ledger_difference(&self) -> i64 {
        self.activity.total_stock - self.remain_then - self.pending - self.paid
    }

    /// Units that the gate has more than the sale. `None`: it does not hold the sale.
    #[must_use]
    pub fn gate_difference(&self) -> Option<i64> {
        self.gate.map(|(stock, holders)| stock + holders - self.activity.total_stock)
    }

    /// Units on their way from the gate to the ledger, or with a minus back from it.
    #[must_use]
    pub fn underway(&self) -> Option<i64> {
        self.gate.map(|(_, holders)| holders - self.sold())
    }
}

impl BackOffice {
    /// The books of the newest sales; `before` goes on after the last one of a page.
    pub async fn sale_sheets(
        &self,
        before: Option<ActivityId>,
        limit: i64,
    ) -> Result<Vec<SaleSheet>, BackOfficeError> {
        let sales = activities::list(&self.ledger, before, limit).await?;
        try_join_all(sales.into_iter().map(|activity| self.sheet(activity))).await
    }

    async fn sheet(&self, activity: Activity) -> Result<SaleSheet, BackOfficeError> {
        let gate =
            if activity.status.lives_at_gate() { self.gate_figures(&activity).await } else { None };
        let sheet = match samples::last(&self.ledger, activity.id).await? {
            Some(sample) => SaleSheet {
                counted_at_ms: Some(sample.at_ms),
                pending: sample.pending,
                paid: sample.paid,
                cancelled: sample.cancelled,
                remain_then: sample.remain_stock,
                gate,
                activity,
            },
            None => self.counted(activity, gate).await?,
        };
        // The stock may have been changed since; then, and when something is wrong, it is worth the time.
        match sheet.ledger_difference() {
            0 => Ok(sheet),
            _ => self.counted(sheet.activity, sheet.gate).await,
        }
    }

    async fn counted(
        &self,
        activity: Activity,
        gate: Option<(i64, i64)>,
    ) -> Result<SaleSheet, BackOfficeError> {
        let balance = orders::balance(&self.ledger, activity.id).await?;
        let (activity, counts) = balance.ok_or(BackOfficeError::NotFound(activity.id))?;
        Ok(SaleSheet {
            counted_at_ms: None,
            pending: counts.pending_payment,
            paid: counts.paid,
            cancelled: counts.cancelled,
            remain_then: activity.remain_stock,
            gate,
            activity,
        })
    }
}
