//! Step 6: money that pays nothing goes back, repeated until the provider says that it is back.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::collect::{AskError, Collector};
use crate::ledger::payments;
use crate::sale::payment::Payment;

/// How often refunds that are due are looked for.
const EVERY: Duration = Duration::from_secs(1);
/// How many are taken at once.
const PAGE: i64 = 50;

/// Whoever gives money back. Any number may.
#[derive(Debug, Clone)]
pub struct Refunds(pub Collector);

impl Refunds {
    /// Gives back until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            match payments::take_due_refunds(&self.0.ledger, PAGE).await {
                Ok(due) => {
                    for payment in due {
                        self.give_back(&payment).await;
                    }
                }
                Err(error) => tracing::warn!(%error, "refunds are left for the next look"),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn give_back(&self, payment: &Payment) {
        let payment_no = payment.payment_no;
        match self.ask_for(payment).await {
            Ok(()) => {}
            Err(error) => tracing::warn!(%payment_no, %error, "a refund is asked for again later"),
        }
    }

    async fn ask_for(&self, payment: &Payment) -> Result<(), AskError> {
        let collector = &self.0;
        let asked = collector.provider.refund(payment.payment_no);
        let report = collector.bounded(asked).await?;
        collector.collect(payment.payment_no, report, "").await?;
        Ok(())
    }
}
