//! Step 6: unpaid orders end at their deadline, each in its own short transaction; any number of workers
//! may sweep at once.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::release;
use crate::catalog::Catalog;
use crate::gate::Gate;
use crate::ledger::orders::{self, CancelOutcome, Ended};
use crate::ledger::{Ledger, LedgerError};
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
            let ended = match self.sweep(&stop).await {
                Ok(ended) => ended,
                Err(error) => {
                    tracing::warn!(%error, "unpaid orders are left for the next sweep");
                    0
                }
            };
            if ended > 0 {
                tracing::info!(ended, "unpaid orders ended");
            }
            // After a full page there are more.
            let pause = if ended == PAGE { Duration::ZERO } else { EVERY };
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One page of due orders; tells how many it ended.
    async fn sweep(&self, stop: &CancellationToken) -> Result<i64, LedgerError> {
        let mut ended_now = 0;
        for order_no in orders::due(&self.ledger, PAGE).await? {
            if stop.is_cancelled() {
                break;
            }
            match orders::expire(&self.ledger, order_no).await {
                Ok(CancelOutcome::Cancelled(ended)) => {
                    ended_now += 1;
                    self.release(ended);
                }
                // Another worker, a payment or the shopper was quicker; the update says.
                Ok(_) => {}
                // One order whose row is held by somebody does not stop its neighbours.
                Err(error) => tracing::warn!(%order_no, %error, "an unpaid order is left"),
            }
        }
        Ok(ended_now)
    }

    /// Not waited for: a gate that is away must not hold up the other orders' end.
    fn release(&self, ended: Ended) {
        let Some(listing) = self.catalog.snapshot().get(ended.order.activity_id) else { return };
        let gate = self.gate.clone();
        tokio::spawn(async move {
            release::cancelled(&gate, &listing.activity, &ended, CancelReason::Unpaid).await;
        });
    }
}
