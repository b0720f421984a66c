//! Step 5: what became of a number. The MAC is checked first, then the gate, then the ledger, so that
//! neither guesses nor a crowd that polls reach MySQL.

use std::time::Duration;

use futures_util::future::join_all;

use super::desk::{Desk, DeskError, now_ms};
use crate::gate::keys::Keys;
use crate::ledger::orders;
pub use crate::ledger::orders::Event;
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::money::Cents;
use crate::sale::order::{Order, OrderState, Standing};
use crate::sale::order_number::OrderNo;
use crate::sale::reservation::EntryState;

/// Beyond a ticket's life: what two clocks may differ by, and a call may take.
const GRACE: Duration = Duration::from_secs(10);
/// How long after a sale's end its last reservations may still be on their way, ms.
const JUST_CLOSED_MS: i64 = 600_000;

/// An order as its shopper sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderStanding {
    /// Its number.
    pub order_no: OrderNo,
    /// Of which sale.
    pub activity_id: ActivityId,
    /// How far it has come.
    pub standing: Standing,
    /// Why it ended, as the ledger says.
    pub reason: Option<String>,
    /// What it costs.
    pub price: Cents,
    /// Its deadline, ms since the epoch; known once it is placed.
    pub pay_before_ms: Option<i64>,
    /// When it was paid, ms since the epoch.
    pub paid_at_ms: Option<i64>,
    /// When it was cancelled, ms since the epoch.
    pub cancelled_at_ms: Option<i64>,
}

impl From<Order> for OrderStanding {
    fn from(order: Order) -> Self {
        Self {
            order_no: order.order_no,
            activity_id: order.activity_id,
            standing: Standing::Row(order.state),
            reason: order.reason,
            price: order.price,
            pay_before_ms: Some(order.pay_before_ms),
            paid_at_ms: order.paid_at_ms,
            cancelled_at_ms: order.cancelled_at_ms,
        }
    }
}

impl OrderStanding {
    /// Whether it is paid.
    #[must_use]
    pub fn is_paid(&self) -> bool {
        self.standing == Standing::Row(OrderState::Paid)
    }

    /// A number that has no row in the ledger.
    const fn before_row(
        order_no: OrderNo,
        activity_id: ActivityId,
        standing: Standing,
        price: Cents,
    ) -> Self {
        Self {
            order_no,
            activity_id,
            standing,
            reason: None,
            price,
            pay_before_ms: None,
            paid_at_ms: None,
            cancelled_at_ms: None,
        }
    }
}

impl Desk {
    /// What became of this number of this shopper; `None`: it is not theirs, and nobody was asked.
    pub async fn order(
        &self,
        shopper: UserId,
        order_no: OrderNo,
    ) -> Result<Option<OrderStanding>, DeskError> {
        let Some(id) = self.activity_of(shopper, order_no) else { return Ok(None) };
        let Some(listing) = self.catalog.snapshot().get(id) else { return Ok(None) };
        self.standing(shopper, order_no, &listing.activity).await.map(Some)
    }

    /// The shopper's orders, the newest first; `before` goes on after the row of this number.
    pub async fn orders_of(
        &self,
        shopper: UserId,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<Order>, DeskError> {
        Ok(orders::of_user(&self.ledger, shopper, before, limit).await?)
    }

    /// What became of an order, oldest first.
    pub async fn history_of(&self, order_no: OrderNo) -> Result<Vec<Event>, DeskError> {
        Ok(orders::history(&self.ledger, order_no).await?)
    }

    /// What the shopper holds at the gate and has no order for yet: it is being placed. Only sales that
    /// are or just were open can have any; a gate that cannot be asked has none to tell.
    pub async fn reservations_of(&self, shopper: UserId) -> Vec<OrderStanding> {
        let snapshot = self.catalog.snapshot();
        let now = now_ms();
        let current = snapshot.listings().filter(|listing| {
            let (opens, closes) = (listing.activity.opens_ms(), listing.activity.closes_ms());
            opens <= now && now < closes.saturating_add(JUST_CLOSED_MS)
        });
        let asked = current.map(|listing| async move {
            let activity = &listing.activity;
            let keys = Keys::of(activity.id, activity.bucket_of(shopper));
            let entry = self.gate.holding(&keys, shopper).await.ok()?.entry?;
            (entry.state == EntryState::Reserved).then(|| {
                let (order_no, standing) = (entry.order_no, Standing::Reserved);
                OrderStanding::before_row(order_no, activity.id, standing, entry.price)
            })
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    async fn standing(
        &self,
        shopper: UserId,
        order_no: OrderNo,
        activity: &Activity,
    ) -> Result<OrderStanding, DeskError> {
        let keys = Keys::of(activity.id, activity.bucket_of(shopper));
        let held = self.gate.holding(&keys, shopper).await;
        let entry = held.as_ref().ok().and_then(|h| h.entry).filter(|e| e.order_no == order_no);
        let before_row =
            |standing, price| OrderStanding::before_row(order_no, activity.id, standing, price);
        if let Some(entry) = entry.filter(|entry| entry.state == EntryState::Reserved) {
            return Ok(before_row(Standing::Reserved, entry.price));
        }
        if let Some(order) = orders::get(&self.ledger, order_no).await? {
            return Ok(order.into());
        }
        let price = entry.map_or(activity.price, |entry| entry.price);
        // Without a row, only a gate that is sound and does not know the number says that it is lost.
        let may_still_come = match held {
            Err(_) => true,
            Ok(held) => held.restoring && activity.status != Status::Settled,
        } || entry.is_some()
            || !self.ticket_is_over(order_no);
        let standing =
            if may_still_come { Standing::Checking } else { Standing::Row(OrderState::Lost) };
        Ok(before_row(standing, price))
    }

    /// Whether no admission under this number can come any more: the ticket that it was made for is over.
    fn ticket_is_over(&self, order_no: OrderNo) -> bool {
        let life = (self.ticket_life + GRACE).as_millis();
        let life_ms = i64::try_from(life).unwrap_or(i64::MAX);
        now_ms().saturating_sub(order_no.minted_at_ms()) > life_ms
    }
}
