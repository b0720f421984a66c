//! Step 6: no money is kept that pays nothing. What was taken in vain goes back, repeated until the provider
//! says that it is back; and a payment whose fate nobody told is asked about, and closed when its order has
//! ended.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::collect::{AskError, Collector};
use crate::ledger::payments::{self, Collected};
use crate::ledger::{LedgerError, orders};
use crate::sale::order::OrderState;
use crate::sale::payment::{Payment, PaymentState};

/// How often payments that are due are looked for.
const EVERY: Duration = Duration::from_secs(1);
/// How many are taken at once.
const PAGE: i64 = 50;

/// Whoever looks after money. Any number may.
#[derive(Debug, Clone)]
pub struct Refunds(pub Collector);

impl Refunds {
    /// Works until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            for state in [PaymentState::ToRefund, PaymentState::Begun] {
                if let Err(error) = self.look(state, &stop).await {
                    let state = state.as_str();
                    tracing::warn!(%error, state, "payments are left for the next look");
                }
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn look(&self, state: PaymentState, stop: &CancellationToken) -> Result<(), LedgerError> {
        for payment in payments::take_due(&self.0.ledger, state, PAGE).await? {
            if stop.is_cancelled() {
                break;
            }
            let payment_no = payment.payment_no;
            let settled = match state {
                PaymentState::ToRefund => self.give_back(&payment).await,
                _ => self.follow_up(&payment).await,
            };
            if let Err(error) = settled {
                tracing::warn!(%payment_no, %error, "a payment is asked about again later");
            }
        }
        Ok(())
    }

    async fn give_back(&self, payment: &Payment) -> Result<(), AskError> {
        let collector = &self.0;
        let asked = collector.provider.refund(payment.payment_no);
        let report = collector.bounded(asked).await?;
        collector.collect(payment.payment_no, report, "").await?;
        Ok(())
    }

    /// A payment that is still open when its order has ended is closed: nobody shall pay for nothing.
    async fn follow_up(&self, payment: &Payment) -> Result<(), AskError> {
        let collector = &self.0;
        let told = collector.ask(payment).await?;
        let order = orders::get(&collector.ledger, payment.order_no).await?;
        let ended = order.is_none_or(|order| order.state != OrderState::PendingPayment);
        if ended && told == Collected::Unchanged(PaymentState::Begun) {
            collector.close(payment).await?;
        }
        Ok(())
    }
}
