//! Step 5: paying. The shopper is sent to the provider's page; what the provider tells afterwards comes in
//! by [`super::collect`].

use super::desk::{Desk, DeskError};
use super::order::OrderStanding;
use crate::ledger::payments::{self, Beginning, Collected};
use crate::sale::ids::UserId;
use crate::sale::order_number::OrderNo;
use crate::sale::payment::{Payment, PaymentNo, PaymentState};

/// What came of the wish to change an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The order now.
    pub order: OrderStanding,
    /// Done, or already so. Otherwise its state does not allow it.
    pub done: bool,
}

/// What came of the wish to pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Paying {
    /// The shopper is to go on at the provider's page, at this address.
    At(String),
    /// There is nothing to go on with.
    Settled(Settled),
}

impl Desk {
    /// Begins the payment of an order; `None`: it is not this shopper's.
    pub async fn begin_payment(
        &self,
        shopper: UserId,
        order_no: OrderNo,
        request_id: &str,
    ) -> Result<Option<Paying>, DeskError> {
        match self.beginning(shopper, order_no, request_id).await? {
            Begun::Payment(payment) => {
                let return_to = format!("/orders/{order_no}");
                let page = self
                    .collector
                    .bounded(self.collector.provider.begin(&payment, &return_to))
                    .await?;
                Ok(Some(Paying::At(page)))
            }
            Begun::Settled(settled) => Ok(settled.map(Paying::Settled)),
        }
    }

    /// Pays an order without a page, for a client that can show none; `None`: it is not this shopper's.
    pub async fn pay(
        &self,
        shopper: UserId,
        order_no: OrderNo,
        request_id: &str,
    ) -> Result<Option<Settled>, DeskError> {
        match self.beginning(shopper, order_no, request_id).await? {
            Begun::Payment(payment) => {
                let report =
                    self.collector.bounded(self.collector.provider.charge(&payment)).await?;
                self.collector.collect(payment.payment_no, report, request_id).await?;
                let order = self.order(shopper, order_no).await?;
                Ok(order.map(|order| Settled { done: order.is_paid(), order }))
            }
            Begun::Settled(settled) => Ok(settled),
        }
    }

    async fn beginning(
        &self,
        shopper: UserId,
        order_no: OrderNo,
        request_id: &str,
    ) -> Result<Begun, DeskError> {
        if self.activity_of(shopper, order_no).is_none() {
            return Ok(Begun::Settled(None));
        }
        let begun = self.begin(shopper, order_no, request_id).await?;
        let begun = match begun {
            // It may be decided, and only its notice lost: then its page would be a dead end.
            Beginning::Before(payment) => match self.collector.ask(&payment).await? {
                Collected::Unchanged(PaymentState::Begun) => Beginning::Begun(payment),
                _ => self.begin(shopper, order_no, request_id).await?,
            },
            begun => begun,
        };
        let settled = |order, done| Begun::Settled(Some(Settled { order, done }));
        Ok(match begun {
            Beginning::Begun(payment) | Beginning::Before(payment) => Begun::Payment(payment),
            Beginning::AlreadyPaid(order) => settled(order.into(), true),
            Beginning::TooLate(order) | Beginning::NotPending(order) => {
                settled(order.into(), false)
            }
            Beginning::NotFound => Begun::Settled(self.not_yet(shopper, order_no).await?),
        })
    }

    async fn begin(
        &self,
        shopper: UserId,
        order_no: OrderNo,
        request_id: &str,
    ) -> Result<Beginning, DeskError> {
        let (provider, fresh) = (self.collector.provider.name(), fresh_number());
        let request_id = request_id.to_owned();
        Ok(payments::begin(&self.ledger, order_no, shopper, provider, fresh, request_id).await?)
    }

    /// The payments of an order, oldest first. Whose it is, was asked before.
    pub async fn payments_of(&self, order_no: OrderNo) -> Result<Vec<Payment>, DeskError> {
        Ok(payments::of_order(&self.ledger, order_no).await?)
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

enum Begun {
    Payment(Payment),
    Settled(Option<Settled>),
}

fn fresh_number() -> PaymentNo {
    let now_ms = u64::try_from(super::desk::now_ms()).unwrap_or_default();
    PaymentNo::new(now_ms, rand::random())
}
