//! What stays where it should not: one look at each place, bounded, that changes nothing.

use futures_util::future::join_all;

use super::{Due, OpenRefund};
use crate::back_office::{BackOffice, BackOfficeError};
use crate::gate::keys::Keys;
use crate::ledger::orders::{self, Cancelled};
use crate::ledger::{activities, payments};
use crate::sale::activity::Activity;
use crate::sale::actor::Actor;
use crate::sale::order_number::OrderNo;
use crate::sale::payment::PaymentNo;
use crate::sale::reservation::{EntryState, Reservation};

/// A reservation in the outbox is published within milliseconds while a worker runs, ms.
const WAITING_MS: i64 = 10_000;
/// An order ends within a few seconds of its deadline, ms.
const OVERDUE_MS: i64 = 30_000;
/// The unit of a cancelled order is back at once; what was missed, within a minute, ms.
const HELD_MS: i64 = 60_000;
/// Sales, and things of one kind, that are looked at.
const SALES: i64 = 200;
const SHOWN: i64 = 50;
const WAITING_SHOWN: usize = 20;
/// Cancelled orders, the newest, that the gate is asked about.
const CANCELLED: i64 = 200;

/// Reservations of a sale that wait too long.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// The sale.
    pub activity: Activity,
    /// Entries of its outboxes.
    pub in_outbox: i64,
    /// Units held at the gate that the ledger does not know of, those in the outbox included.
    pub underway: i64,
    /// The oldest of those that wait in the outbox for too long.
    pub oldest: Vec<Reservation>,
}

/// A cancelled order whose unit the gate still holds.
#[derive(Debug, Clone)]
pub struct Held {
    /// Which order.
    pub order_no: OrderNo,
    /// When it was cancelled, ms since the epoch.
    pub cancelled_at_ms: i64,
}

/// Everything that is stuck, as far as it is shown.
#[derive(Debug, Clone, Default)]
pub struct Stuck {
    /// Reservations that wait too long, by sale.
    pub waiting: Vec<Waiting>,
    /// Money that is to go back.
    pub refunds: Vec<OpenRefund>,
    /// Orders whose deadline has long passed.
    pub overdue: Vec<Due>,
    /// Cancelled orders that hold a unit at the gate.
    pub held: Vec<Held>,
    /// Whether the gate could not be asked, so that its part is missing.
    pub gate_away: bool,
}

impl Stuck {
    /// Whether nothing is.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.waiting.is_empty()
            && self.refunds.is_empty()
            && self.overdue.is_empty()
            && self.held.is_empty()
            && !self.gate_away
    }
}

impl BackOffice {
    /// Everything that is stuck at `now_ms`.
    pub async fn stuck(&self, now_ms: i64) -> Result<Stuck, BackOfficeError> {
        let sales = activities::at_gate(&self.ledger, SALES).await?;
        let mut stuck = Stuck {
            refunds: payments::open_refunds(&self.ledger, SHOWN).await?,
            overdue: orders::overdue(&self.ledger, SHOWN).await?,
            ..Stuck::default()
        };
        stuck.overdue.retain(|due| due.overdue_ms > OVERDUE_MS);
        for looked in join_all(sales.iter().map(|sale| self.waiting_of(sale, now_ms))).await {
            match looked {
                Ok(waiting) => stuck.waiting.extend(waiting),
                Err(_) => stuck.gate_away = true,
            }
        }
        let cancelled = orders::cancelled_last(&self.ledger, CANCELLED).await?;
        let cancelled = cancelled.iter().filter(|order| order.place.0 < now_ms - HELD_MS);
        for looked in join_all(cancelled.map(|order| self.held(&sales, order))).await {
            match looked {
                Ok(held) => stuck.held.extend(held),
                Err(_) => stuck.gate_away = true,
            }
        }
        Ok(stuck)
    }

    async fn waiting_of(
        &self,
        activity: &Activity,
        now_ms: i64,
    ) -> Result<Option<Waiting>, BackOfficeError> {
        let (mut in_outbox, mut holders, mut oldest) = (0, 0, Vec::new());
        for bucket in activity.buckets() {
            let keys = Keys::of(activity.id, bucket);
            let seen = self.gate.inspect(&keys).await?;
            in_outbox += seen.outbox;
            holders += seen.holders;
            if seen.outbox > 0 {
                let long_ago = (0, now_ms - WAITING_MS);
                let entries = self.gate.outbox_between(&keys, long_ago, WAITING_SHOWN).await?;
                oldest.extend(entries.into_iter().filter_map(|entry| entry.reservation.ok()));
            }
        }
        oldest.sort_by_key(|reservation| reservation.reserved_at_ms);
        oldest.truncate(WAITING_SHOWN);
        let underway = holders - (activity.total_stock - activity.remain_stock);
        let waiting = Waiting { activity: activity.clone(), in_outbox, underway, oldest };
        Ok(Some(waiting).filter(|waiting| !waiting.oldest.is_empty()))
    }

    async fn held(
        &self,
        sales: &[Activity],
        order: &Cancelled,
    ) -> Result<Option<Held>, BackOfficeError> {
        let Some(sale) = sales.iter().find(|sale| sale.id == order.activity_id) else {
            return Ok(None);
        };
        let keys = Keys::of(sale.id, sale.bucket_of(order.user_id));
        let entry = self.gate.holding(&keys, order.user_id).await?.entry;
        let holds = entry.is_some_and(|entry| {
            entry.order_no == order.order_no && entry.state != EntryState::Barred
        });
        let held = Held { order_no: order.order_no, cancelled_at_ms: order.place.0 };
        Ok(holds.then_some(held))
    }

    /// Lets a refund be asked for at once. `false`: it is done.
    pub async fn refund_at_once(
        &self,
        payment_no: PaymentNo,
        actor: &Actor,
    ) -> Result<bool, BackOfficeError> {
        Ok(payments::refund_at_once(&self.ledger, payment_no, actor.clone()).await?)
    }
}
