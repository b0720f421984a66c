//! Finding orders, and one order's way through gate, outbox, queue and ledger.

use super::OrderSearch;
use crate::back_office::{BackOffice, BackOfficeError, Exported};
use crate::gate::keys::Keys;
use crate::ledger::orders::{self, Event, search};
use crate::ledger::payments;
use crate::sale::activity::Activity;
use crate::sale::order::OrderState;
use crate::sale::order_number::OrderNo;
use crate::sale::payment::Payment;
use crate::sale::reservation::{EntryState, Reservation};

/// How far the time in an outbox entry's id may lie from the time inside it, ms.
const ENTRY_SLACK_MS: i64 = 50;
/// Entries of an outbox looked through for one number.
pub(super) const LOOKED_THROUGH: usize = 5000;

/// What the gate says of an order's shopper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtGate {
    /// It could not be asked.
    Away,
    /// It does not hold the sale now, or not whole.
    NotHeld,
    /// The shopper holds nothing there.
    Nothing,
    /// Their entry names this order.
    This(EntryState),
    /// Their entry names another order.
    Other(OrderNo, EntryState),
}

/// Whether an order is still to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InOutbox {
    /// The gate could not be asked.
    Away,
    /// It is not there: it is in the queue or beyond.
    Gone,
    /// It is there.
    Waiting,
}

/// An order, and what is where of it now.
#[derive(Debug, Clone)]
pub struct OrderPath {
    /// The ledger's row.
    pub order: Exported,
    /// Its sale.
    pub activity: Activity,
    /// What the gate says.
    pub gate: AtGate,
    /// Whether it is still in the outbox.
    pub outbox: InOutbox,
    /// What was done to pay it, oldest first.
    pub payments: Vec<Payment>,
    /// What became of it, oldest first.
    pub history: Vec<Event>,
}

impl OrderPath {
    /// Whether the gate still holds the unit of an order that holds none.
    #[must_use]
    pub fn is_held_in_vain(&self) -> bool {
        let held = matches!(self.gate, AtGate::This(EntryState::Reserved | EntryState::Recorded));
        held && !self.order.state.holds_unit()
    }

    /// Whether the gate does not know of a unit that the order holds.
    #[must_use]
    pub fn is_unknown_at_gate(&self) -> bool {
        self.order.state.holds_unit() && matches!(self.gate, AtGate::Nothing | AtGate::Other(..))
    }

    /// Whether an operator may cancel it.
    #[must_use]
    pub fn may_be_cancelled(&self) -> bool {
        self.order.state == OrderState::PendingPayment
    }
}

impl BackOffice {
    /// The newest orders that fit; `before` goes on after the row of this number.
    pub async fn find_orders(
        &self,
        search: OrderSearch,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<Exported>, BackOfficeError> {
        Ok(search::find(&self.ledger, search, before, limit).await?)
    }

    /// One order with its way; `None`: the ledger does not have it.
    pub async fn order_path(&self, number: OrderNo) -> Result<Option<OrderPath>, BackOfficeError> {
        let Some(order) = search::one(&self.ledger, number).await? else { return Ok(None) };
        let activity = self.read(order.activity_id).await?;
        let (gate, outbox) = self.whereabouts(&activity, &order).await;
        let payments = payments::of_order(&self.ledger, number).await?;
        let history = orders::history(&self.ledger, number).await?;
        Ok(Some(OrderPath { order, activity, gate, outbox, payments, history }))
    }

    async fn whereabouts(&self, activity: &Activity, order: &Exported) -> (AtGate, InOutbox) {
        if !activity.status.lives_at_gate() {
            return (AtGate::NotHeld, InOutbox::Gone);
        }
        let keys = Keys::of(activity.id, activity.bucket_of(order.shopper));
        let gate = match self.gate.holding(&keys, order.shopper).await {
            Err(_) => AtGate::Away,
            Ok(held) => match held.entry {
                Some(entry) if entry.order_no == order.order_no => AtGate::This(entry.state),
                Some(entry) => AtGate::Other(entry.order_no, entry.state),
                None if held.restoring => AtGate::NotHeld,
                None => AtGate::Nothing,
            },
        };
        (gate, self.in_outbox(&keys, order.order_no, order.reserved_at_ms).await)
    }

    pub(super) async fn in_outbox(
        &self,
        keys: &Keys,
        number: OrderNo,
        reserved_at_ms: i64,
    ) -> InOutbox {
        let around = (
            reserved_at_ms.saturating_sub(ENTRY_SLACK_MS),
            reserved_at_ms.saturating_add(ENTRY_SLACK_MS),
        );
        // One that was sent again stands where it was put then; as a rule the outbox is all but empty.
        for times in [around, (0, i64::MAX)] {
            let Ok(entries) = self.gate.outbox_between(keys, times, LOOKED_THROUGH).await else {
                return InOutbox::Away;
            };
            let is = |r: &Reservation| r.order_no == number;
            if entries.iter().any(|entry| entry.reservation.as_ref().is_ok_and(is)) {
                return InOutbox::Waiting;
            }
        }
        InOutbox::Gone
    }
}
