//! What an operator does about what is stuck: each sets going again what a worker would, at once.

use crate::back_office::{BackOffice, BackOfficeError};
use crate::gate::keys::Keys;
use crate::gate::release::{Released, Return};
use crate::gate::underway::SentAgain;
use crate::ledger::orders::search;
use crate::ledger::{audit, dead_letters, payments};
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::order_number::OrderNo;
use crate::sale::payment::PaymentNo;
use crate::sale::reservation::EntryState;

use super::orders::InOutbox;

/// How long a reservation that was sent again is not sent once more, ms.
const AGAIN_MS: i64 = 60_000;

/// What came of sending a reservation again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resent {
    /// It is in the outbox.
    Done,
    /// It was, a short while ago; it may still arrive.
    Lately,
    /// It never left the outbox.
    InOutbox,
    /// Its message lies with the dead letters, under this number.
    Buried(i64),
    /// It waits no more: it is recorded or given back.
    Nothing,
    /// The gate does not hold the sale now.
    NotHeld,
}

/// What came of releasing the unit of an order that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freed {
    /// It is sellable again.
    Done,
    /// The gate does not hold it (any more).
    Nothing,
    /// The order has not ended: the unit is its own.
    HoldsUnit,
    /// The gate does not hold the sale now.
    NotHeld,
}

impl BackOffice {
    /// Puts a reservation into the outbox again that left it and did not arrive. Audited.
    pub async fn send_again(
        &self,
        sale: ActivityId,
        shopper: UserId,
        order_no: OrderNo,
        actor: &Actor,
    ) -> Result<Resent, BackOfficeError> {
        let sale = self.read(sale).await?;
        if !sale.status.lives_at_gate() {
            // Nobody serves the outbox of a settled sale.
            return Ok(Resent::NotHeld);
        }
        let keys = Keys::of(sale.id, sale.bucket_of(shopper));
        let entry = self.gate.holding(&keys, shopper).await?.entry;
        let waits = entry.filter(|it| it.order_no == order_no && it.state == EntryState::Reserved);
        let Some(entry) = waits else { return Ok(Resent::Nothing) };
        if self.in_outbox(&keys, order_no, entry.reserved_at_ms).await == InOutbox::Waiting {
            return Ok(Resent::InOutbox);
        }
        let letters = dead_letters::undecided_of(&self.ledger, vec![order_no]).await?;
        if let Some(letter) = letters.get(&order_no) {
            return Ok(Resent::Buried(*letter));
        }
        self.note("stuck.send_again", order_no, actor).await?;
        let sent = self.gate.send_again(&keys, shopper, order_no, &actor.request_id, AGAIN_MS);
        Ok(match sent.await? {
            SentAgain::Done => Resent::Done,
            SentAgain::Nothing => Resent::Nothing,
            SentAgain::Lately => Resent::Lately,
            SentAgain::NotLoaded => Resent::NotHeld,
        })
    }

    /// Gives the unit of an order that ended back at the gate. Audited. `None`: there is no such order.
    pub async fn release_now(
        &self,
        order_no: OrderNo,
        actor: &Actor,
    ) -> Result<Option<Freed>, BackOfficeError> {
        let Some(order) = search::one(&self.ledger, order_no).await? else { return Ok(None) };
        let sale = self.read(order.activity_id).await?;
        let bucket = sale.bucket_of(order.shopper);
        let how = Return::of(order.state, order.reason.as_deref(), &sale, bucket);
        let Some(how) = how else { return Ok(Some(Freed::HoldsUnit)) };
        let keys = Keys::of(sale.id, bucket);
        self.note("stuck.release", order_no, actor).await?;
        Ok(Some(match self.gate.release(&keys, order.shopper, order_no, how).await? {
            Released::Done => {
                metrics::counter!("seckill_releases_total", "reason" => "missed").increment(1);
                Freed::Done
            }
            Released::Nothing => Freed::Nothing,
            Released::NotLoaded => Freed::NotHeld,
        }))
    }

    async fn note(
        &self,
        action: &'static str,
        order_no: OrderNo,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        let subject = format!("order:{order_no}");
        Ok(audit::note(&self.ledger, actor.clone(), action, subject).await?)
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
