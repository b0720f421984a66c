//! Step 5: giving an order up. The ledger first, then the gate.

use super::desk::{Desk, DeskError};
use super::pay::Settled;
use super::release;
use crate::ledger::orders::{self, Actor, By, CancelOutcome};
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
        let Some(activity) = self.activity_of(shopper, order_no) else { return Ok(None) };
        let by = By { actor: Actor::Shopper(shopper), request_id: request_id.to_owned() };
        let reason = CancelReason::ByShopper;
        match orders::cancel(&self.ledger, order_no, Some(shopper), reason, by).await? {
            CancelOutcome::Cancelled(ended) | CancelOutcome::AlreadyCancelled(ended) => {
                if let Some(listing) = self.catalog.snapshot().get(activity) {
                    release::cancelled(&self.gate, &listing.activity, &ended, reason).await;
                }
                Ok(Some(Settled { order: ended.order.into(), done: true }))
            }
            CancelOutcome::NotDue(order) | CancelOutcome::NotPending(order) => {
                Ok(Some(Settled { order: order.into(), done: false }))
            }
            CancelOutcome::NotFound => self.not_yet(shopper, order_no).await,
        }
    }
}
