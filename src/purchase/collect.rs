//! Step 5: what a provider tells becomes what the ledger says, whichever way it was told: by a notice, by
//! an answer when it is asked, or at once. A payment has one fate; told again, nothing changes.

use std::sync::Arc;
use std::time::Duration;

use crate::ledger::orders::{Actor, By};
use crate::ledger::payments::{self, Collected};
use crate::ledger::{Ledger, LedgerError};
use crate::payment::notice::Forged;
use crate::payment::{PaymentProvider, ProviderError};
use crate::sale::payment::{Payment, PaymentNo, Report};

/// Whoever settles payments. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Collector {
    /// Where payments are kept.
    pub ledger: Ledger,
    /// Who takes the money.
    pub provider: Arc<dyn PaymentProvider>,
    /// How long the provider may take to answer.
    pub bound: Duration,
}

/// Why a notice was not taken.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    /// It does not come from the provider.
    #[error(transparent)]
    Forged(#[from] Forged),
    /// It names no payment of ours.
    #[error("no such payment")]
    NotFound,
    /// The ledger could not be asked; it is to come again.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Collector {
    /// Takes a notice that somebody brought.
    pub async fn take_notice(
        &self,
        signature: &str,
        body: &[u8],
        request_id: &str,
    ) -> Result<Collected, NoticeError> {
        let now_ms = chrono::Utc::now().timestamp_millis();
        let notice = self.provider.read_notice(signature, body, now_ms)?;
        match self.collect(notice.payment_no, notice.report, request_id).await? {
            Collected::NotFound => Err(NoticeError::NotFound),
            collected => Ok(collected),
        }
    }

    /// Writes what the provider reported.
    pub async fn collect(
        &self,
        payment_no: PaymentNo,
        report: Report,
        request_id: &str,
    ) -> Result<Collected, LedgerError> {
        let by = By { actor: Actor::Payment, request_id: request_id.to_owned() };
        let collected = payments::collect(&self.ledger, payment_no, report, by).await?;
        if let Collected::ToRefund(reason) = &collected {
            let reason = reason.as_str();
            tracing::warn!(%payment_no, reason, "money was taken that pays nothing; it goes back");
        }
        let label = label(&collected);
        metrics::counter!("seckill_payments_total", "outcome" => label).increment(1);
        Ok(collected)
    }

    /// Asks the provider what became of a payment, and writes it.
    pub async fn ask(&self, payment: &Payment) -> Result<Collected, AskError> {
        let report = self.bounded(self.provider.query(payment.payment_no)).await?;
        Ok(self.collect(payment.payment_no, report, "").await?)
    }

    /// Closes a payment whose order has ended, and writes what the provider says of it.
    pub(super) async fn close(&self, payment: &Payment) -> Result<Collected, AskError> {
        let report = match self.bounded(self.provider.close(payment.payment_no)).await? {
            // The provider never heard of it, or it is closed for good: nothing was taken.
            Report::Unknown | Report::Open => Report::Declined,
            report => report,
        };
        Ok(self.collect(payment.payment_no, report, "").await?)
    }

    pub(super) async fn bounded<T>(
        &self,
        call: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let late = |_| Err(ProviderError::NoAnswer(format!("nothing within {:?}", self.bound)));
        tokio::time::timeout(self.bound, call).await.unwrap_or_else(late)
    }
}

/// The provider was asked in vain.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// It did not say.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// What it said could not be written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

const fn label(collected: &Collected) -> &'static str {
    match collected {
        Collected::Paid(_) => "paid",
        Collected::ToRefund(reason) => reason.as_str(),
        Collected::Failed => "failed",
        Collected::Refunded => "refunded",
        Collected::Unchanged(_) => "unchanged",
        Collected::NotFound => "not_found",
    }
}
