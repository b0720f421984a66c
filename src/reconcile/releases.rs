//! Releases that were missed: an order that the ledger has cancelled, whose unit the gate still holds.
//!
//! Between the ledger's word and the gate's hearing of it a process may end, or the gate be away. So the
//! releases of what was cancelled lately are repeated, which harms nobody: a release acts only on an entry
//! that names the order.

use std::time::Duration;

use chrono::Utc;
use futures_util::{StreamExt as _, stream};
use tokio_util::sync::CancellationToken;

use crate::catalog::Catalog;
use crate::gate::release::{Released, Return};
use crate::gate::{Gate, GateError, keys::Keys};
use crate::ledger::orders::{self, Cancelled};
use crate::ledger::{Ledger, LedgerError};
use crate::sale::order::OrderState;

/// How often it looks; a missed unit is sellable again within a minute.
const EVERY: Duration = Duration::from_secs(20);
/// How far back the first look of a process goes, ms: longer than a gate's keys may be without a worker.
const FIRST_LOOK_MS: i64 = 24 * 3_600_000;
/// How much one look overlaps the one before, ms: clocks differ, and a commit may show late.
const OVERLAP_MS: i64 = 60_000;
/// Orders read at once, and released at the same time.
const PAGE: i64 = 500;
const AT_ONCE: usize = 32;

/// The repetition of releases.
#[derive(Debug, Clone)]
pub struct Releases {
    /// Where units come back.
    pub gate: Gate,
    /// What says which orders hold none.
    pub ledger: Ledger,
    /// Which sales there are.
    pub catalog: Catalog,
}

#[derive(Debug, thiserror::Error)]
enum ReleasesError {
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a sale is being restored")]
    Restoring,
}

impl Releases {
    /// Looks until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        let mut since_ms = Utc::now().timestamp_millis() - FIRST_LOOK_MS;
        loop {
            let begun_ms = Utc::now().timestamp_millis();
            match self.repeat(since_ms).await {
                // Only a whole look moves the window on; what the gate could not take is asked again.
                Ok(()) => since_ms = begun_ms - OVERLAP_MS,
                Err(error) => tracing::warn!(%error, "releases are repeated again later"),
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn repeat(&self, since_ms: i64) -> Result<(), ReleasesError> {
        let mut place = (since_ms, 0);
        let mut done = Ok(());
        loop {
            let page = orders::cancelled_since(&self.ledger, place, PAGE).await?;
            let Some(last) = page.last() else { return done };
            place = last.place;
            let mut releasing = stream::iter(page)
                .map(|order| async move { self.release(&order).await })
                .buffer_unordered(AT_ONCE);
            while let Some(released) = releasing.next().await {
                // A sale that is being restored does not hold up the others.
                done = done.and(released);
            }
        }
    }

    async fn release(&self, order: &Cancelled) -> Result<(), ReleasesError> {
        let Some(listing) = self.catalog.snapshot().get(order.activity_id) else { return Ok(()) };
        let activity = &listing.activity;
        if !activity.status.lives_at_gate() {
            return Ok(());
        }
        let bucket = activity.bucket_of(order.user_id);
        let Some(how) = Return::of(OrderState::Cancelled, None, activity, bucket) else {
            return Ok(());
        };
        let keys = Keys::of(activity.id, bucket);
        match self.gate.release(&keys, order.user_id, order.order_no, how).await? {
            Released::Done => {
                tracing::warn!(order_no = %order.order_no, "a missed release was made good");
                metrics::counter!("seckill_releases_total", "reason" => "missed").increment(1);
                metrics::counter!("seckill_reconcile_differences_total", "kind" => "held")
                    .increment(1);
                Ok(())
            }
            Released::Nothing => Ok(()),
            // A sale that has ended and whose keys are gone has nothing to release.
            Released::NotLoaded if activity.closes_ms() < Utc::now().timestamp_millis() => Ok(()),
            Released::NotLoaded => Err(ReleasesError::Restoring),
        }
    }
}
