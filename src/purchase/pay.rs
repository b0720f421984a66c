//! Step 5: paying. One conditional update in the ledger; of pay, cancel and expiry at once, one wins.

use super::desk::{Desk, DeskError};
use super::order::OrderStanding;
use crate::ledger::orders::{self, Actor, By, PayOutcome};
use crate::sale::ids::UserId;
use crate::sale::order_number::OrderNo;

/// What came of the wish to change an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The order now.
    pub order: OrderStanding,
    /// Done, or already so. Otherwise its state does not allow it.
    pub done: bool,
}

impl Desk {
    /// Pays an order; `None`: it is not this shopper's.
    pub async fn pay(
        &self,
        shopper: UserId,
        order_no: OrderNo,
        request_id: &str,
    ) -> Result<Option<Settled>, DeskError> {
        if self.activity_of(shopper, order_no).is_none() {
            return Ok(None);
        }
        let by = By { actor: Actor::Shopper(shopper), request_id: request_id.to_owned() };
        match orders::pay(&self.ledger, order_no, Some(shopper), by).await? {
            PayOutcome::Paid(order) | PayOutcome::AlreadyPaid(order) => {
                Ok(Some(Settled { order: order.into(), done: true }))
            }
            PayOutcome::TooLate(order) | PayOutcome::NotPending(order) => {
                Ok(Some(Settled { order: order.into(), done: false }))
            }
            PayOutcome::NotFound => self.not_yet(shopper, order_no).await,
        }
    }

    /// The order has no row: it is being placed, or it never will be.
    pub(super) async fn not_yet(
        &self,
        shopper: UserId,
        order_no: OrderNo,
    ) -> Result<Option<Settled>, DeskError> {
        let standing = self.order(shopper, order_no).await?;
        Ok(standing.map(|order| Settled { order, done: false }))
    }
}
