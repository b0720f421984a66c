//! Step 5: giving an order up. The ledger first, then the gate.

use super::desk::{Desk, DeskError};
use super::pay::Settled;
use super::release;
use crate::ledger::LedgerError;
use crate::ledger::orders::{self, Actor, By, CancelOutcome};
use crate::sale::actor;
use crate::sale::ids::UserId;
use crate::sale::order::CancelReason;
use crate::sale::order_number::OrderNo;

impl Desk {
    /// Cancels an order; `None`: it is not this shopper's.
    pub async fn cancel(
        &self,
        shopper: UserId,
        order_no: OrderNo,
        request_id: &str,
    ) -> Result<Option<Settled>, DeskError> {
        if self.activity_of(shopper, order_no).is_none() {
            return Ok(None);
        }
        let by = By { actor: Actor::Shopper(shopper), request_id: request_id.to_owned() };
        // In a task of its own: a browser that hangs up ends its request wherever it is, and what the
        // ledger has cancelled must reach the gate all the same.
        let desk = self.clone();
        let cancelling = tokio::spawn(async move { desk.cancel_and_release(order_no, by).await });
        match cancelling.await.unwrap_or(Err(LedgerError::Panicked))? {
            CancelOutcome::Cancelled(ended) | CancelOutcome::AlreadyCancelled(ended) => {
                Ok(Some(Settled { order: ended.order.into(), done: true }))
            }
            CancelOutcome::NotDue(order) | CancelOutcome::NotPending(order) => {
                Ok(Some(Settled { order: order.into(), done: false }))
            }
            CancelOutcome::NotFound => self.not_yet(shopper, order_no).await,
        }
    }

    /// Cancels an order for somebody of the staff, in their own words; `None`: there is no such order. An
    /// order that is not pending stays as it is.
    pub async fn cancel_by_staff(
        &self,
        order_no: OrderNo,
        words: String,
        staff: actor::Actor,
    ) -> Result<Option<Settled>, DeskError> {
        let desk = self.clone();
        let cancelling = tokio::spawn(async move {
            let outcome = orders::cancel_by_staff(&desk.ledger, order_no, words, staff).await?;
            desk.release_cancelled(&outcome, CancelReason::ByStaff).await;
            Ok(outcome)
        });
        Ok(match cancelling.await.unwrap_or(Err(LedgerError::Panicked))? {
            CancelOutcome::Cancelled(ended) => {
                Some(Settled { order: ended.order.into(), done: true })
            }
            CancelOutcome::AlreadyCancelled(ended) => {
                Some(Settled { order: ended.order.into(), done: false })
            }
            CancelOutcome::NotDue(order) | CancelOutcome::NotPending(order) => {
                Some(Settled { order: order.into(), done: false })
            }
            CancelOutcome::NotFound => None,
        })
    }

    pub(super) async fn release_cancelled(&self, outcome: &CancelOutcome, reason: CancelReason) {
        if let CancelOutcome::Cancelled(ended) | CancelOutcome::AlreadyCancelled(ended) = outcome
            && let Some(listing) = self.catalog.snapshot().get(ended.order.activity_id)
        {
            release::cancelled(&self.gate, &listing.activity, ended, reason).await;
        }
    }

    async fn cancel_and_release(
        &self,
        order_no: OrderNo,
        by: By,
    ) -> Result<CancelOutcome, LedgerError> {
        let owner = match by.actor {
            Actor::Shopper(shopper) => Some(shopper),
            _ => None,
        };
        let reason = CancelReason::ByShopper;
        let outcome = orders::cancel(&self.ledger, order_no, owner, reason, by).await?;
        self.release_cancelled(&outcome, reason).await;
        Ok(outcome)
    }
}
