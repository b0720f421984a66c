//! Step 6: unpaid orders end at their deadline, each in its own short transaction; any number of workers
//! may sweep at once.

use std::collections::HashMap;
use std::future::ready;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio_util::sync::CancellationToken;

use super::collect::{AskError, Collector};
use super::desk::{Desk, DeskError};
use super::release;
use crate::catalog::Catalog;
use crate::gate::Gate;
use crate::ledger::orders::{self, CancelOutcome, Due, Ended};
use crate::ledger::{Ledger, LedgerError, payments};
use crate::sale::actor::Actor;
use crate::sale::order::CancelReason;
use crate::sale::order_number::OrderNo;
use crate::sale::payment::Payment;

/// How often due orders are looked for.
const EVERY: Duration = Duration::from_secs(1);
/// How many are read at once.
const PAGE: i64 = 200;
/// How many are ended at the same time.
const AT_ONCE: usize = 4;
/// Answers of the provider that are waited for in vain before a sweep goes on without it.
const IN_VAIN_MAX: u32 = 4;

/// The sweep of unpaid orders.
#[derive(Debug)]
pub struct Sweep {
    /// The gate, where units come back.
    pub gate: Gate,
    /// The ledger, which says what is due, by its own clock.
    pub ledger: Ledger,
    /// Which activities there are.
    pub catalog: Catalog,
    /// Who asks about payments that were begun.
    pub collector: Collector,
    /// How long beyond its deadline an order waits for a provider that does not answer, ms.
    pub patience_ms: i64,
}

impl Sweep {
    /// Sweeps until `stop`. Orders whose payment was begun go a way of their own: a provider that is slow or
    /// silent holds up nobody else's.
    pub async fn run(&self, stop: CancellationToken) {
        tokio::join!(self.sweep_on(false, &stop), self.sweep_on(true, &stop));
    }

    async fn sweep_on(&self, paying: bool, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            let ended = match self.sweep(paying, stop).await {
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
                () = stop.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One page of due orders; tells how many it ended.
    async fn sweep(&self, paying: bool, stop: &CancellationToken) -> Result<i64, LedgerError> {
        let due = orders::due(&self.ledger, paying, PAGE).await?;
        let mut begun: HashMap<OrderNo, Vec<Payment>> = HashMap::new();
        if paying {
            let numbers = due.iter().map(|due| due.order_no).collect();
            for payment in payments::begun(&self.ledger, numbers).await? {
                begun.entry(payment.order_no).or_default().push(payment);
            }
        }
        let in_vain = AtomicU32::new(0);
        let work = due.into_iter().map(|due| {
            let begun = begun.remove(&due.order_no).unwrap_or_default();
            let in_vain = &in_vain;
            async move {
                !stop.is_cancelled()
                    && !self.is_waited_for(&due, &begun, in_vain).await
                    && self.end(due.order_no).await
            }
        });
        let ended = stream::iter(work).buffer_unordered(AT_ONCE).filter(|ended| ready(*ended));
        Ok(i64::try_from(ended.count().await).unwrap_or(i64::MAX))
    }

    /// Ends one order; tells whether it did.
    async fn end(&self, order_no: OrderNo) -> bool {
        match orders::expire(&self.ledger, order_no).await {
            Ok(CancelOutcome::Cancelled(ended)) => {
                self.release(ended);
                true
            }
            // Another worker, a payment or the shopper was quicker; the update says.
            Ok(_) => false,
            // One order whose row is held by somebody does not stop its neighbours.
            Err(error) => {
                tracing::warn!(%order_no, %error, "an unpaid order is left");
                false
            }
        }
    }

    /// Asks the provider about payments that were begun: the money may be there, and only its notice lost.
    /// While it does not answer the order waits, but not for ever; and after some answers that did not come
    /// nobody asks on in this sweep.
    async fn is_waited_for(&self, due: &Due, begun: &[Payment], in_vain: &AtomicU32) -> bool {
        let mut unanswered = false;
        for payment in begun {
            if in_vain.load(Ordering::Relaxed) >= IN_VAIN_MAX {
                unanswered = true;
            } else if let Err(error) = self.collector.ask(payment).await {
                in_vain.fetch_add(1, Ordering::Relaxed);
                let order_no = due.order_no;
                tracing::warn!(%order_no, %error, "not known whether it was paid");
                unanswered = true;
            }
        }
        unanswered && due.overdue_ms < self.patience_ms
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

/// What came of ending one order at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedNow {
    /// It has ended.
    Done,
    /// Its payment was begun, and the provider does not say what became of it.
    Unanswered,
    /// Its deadline has not passed.
    NotDue,
    /// It was paid or cancelled before.
    Overtaken,
}

impl Desk {
    /// Ends an order whose deadline has passed, as the sweep does, because somebody of the staff does not wait
    /// for it. `None`: there is no such order.
    pub async fn expire_by_staff(
        &self,
        order_no: OrderNo,
        staff: Actor,
    ) -> Result<Option<EndedNow>, DeskError> {
        let desk = self.clone();
        let ending = tokio::spawn(async move { desk.end_now(order_no, staff).await });
        ending.await.unwrap_or(Err(LedgerError::Panicked.into()))
    }

    async fn end_now(
        &self,
        order_no: OrderNo,
        staff: Actor,
    ) -> Result<Option<EndedNow>, DeskError> {
        for payment in payments::begun(&self.ledger, vec![order_no]).await? {
            match self.collector.ask(&payment).await {
                Ok(_) => {}
                Err(AskError::Provider(error)) => {
                    tracing::warn!(%order_no, %error, "not known whether it was paid");
                    return Ok(Some(EndedNow::Unanswered));
                }
                Err(AskError::Ledger(error)) => return Err(error.into()),
            }
        }
        let outcome = orders::expire_by_staff(&self.ledger, order_no, staff).await?;
        self.release_cancelled(&outcome, CancelReason::Unpaid).await;
        Ok(match outcome {
            CancelOutcome::Cancelled(_) => Some(EndedNow::Done),
            CancelOutcome::NotDue(_) => Some(EndedNow::NotDue),
            CancelOutcome::AlreadyCancelled(_) | CancelOutcome::NotPending(_) => {
                Some(EndedNow::Overtaken)
            }
            CancelOutcome::NotFound => None,
        })
    }
}
