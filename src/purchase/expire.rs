//! Step 6: unpaid orders end at their deadline, each in its own short transaction; any number of workers
//! may sweep at once.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::release;
use crate::catalog::Catalog;
use crate::gate::Gate;
use crate::ledger::{Ledger, LedgerError, orders, orders::CancelOutcome};
use crate::sale::order::CancelReason;

/// How often due orders are looked for.
const EVERY: Duration = Duration::from_secs(1);
/// How many are read at once.
const PAGE: i64 = 200;

/// The sweep of unpaid orders.
#[derive(Debug)]
pub struct Sweep {
    /// The gate, where units come back.
    pub gate: Gate,
    /// The ledger, which says what is due, by its own clock.
    pub ledger: Ledger,
    /// Which activities there are.
    pub catalog: Catalog,
}

impl Sweep {
    /// Sweeps until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        loop {
            match self.sweep(&stop).await {
                Ok(0) => {}
                Ok(ended) => tracing::info!(ended, "unpaid orders ended"),
                Err(error) => tracing::warn!(%error, "unpaid orders are left for the next sweep"),
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn sweep(&self, stop: &CancellationToken) -> Result<usize, LedgerError> {
        let mut ended_now = 0;
        for order_no in orders::due(&self.ledger, PAGE).await? {
            if stop.is_cancelled() {
                break;
            }
            // Another worker, a payment or the shopper may have been quicker; the update says.
            if let CancelOutcome::Cancelled(ended) = orders::expire(&self.ledger, order_no).await? {
                ended_now += 1;
                if let Some(listing) = self.catalog.snapshot().get(ended.order.activity_id) {
                    let reason = CancelReason::Unpaid;
                    release::cancelled(&self.gate, &listing.activity, &ended, reason).await;
                }
            }
        }
        Ok(ended_now)
    }
}
