//! Payment: who takes the money. The shop only asks and is told; it believes nothing that is not signed,
//! and takes an amount for paid only when it is the one that was asked for.
//!
//! A provider is never asked inside a transaction of the ledger, and always with a bound. Whatever it
//! tells, by itself or when it is asked, becomes a [`Report`] and goes one way, `purchase/collect.rs`.

pub mod clerk;
pub mod notice;
pub mod sandbox;

use std::fmt::Debug;

use futures_util::future::BoxFuture;

use crate::sale::error::Class;
use crate::sale::payment::{Payment, PaymentNo, Report};
use notice::{Forged, Notice};

/// A provider gave no answer, or none that can be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ProviderError {
    /// Nobody answered in time; whatever was asked for may have been done.
    #[error("the payment's provider did not answer: {0}")]
    NoAnswer(String),
    /// It said no.
    #[error("the payment's provider refused: {0}")]
    Refused(String),
}

impl ProviderError {
    /// What it means for the caller. Every request names its payment, so it may be asked again.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::NoAnswer(_) => Class::Unknown,
            Self::Refused(_) => Class::Retry,
        }
    }

    /// A short word for metrics.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::NoAnswer(_) => "provider_no_answer",
            Self::Refused(_) => "provider_refused",
        }
    }
}

/// Somebody who takes money. Everything may be asked again under the same number.
pub trait PaymentProvider: Debug + Send + Sync {
    /// The word that addresses and the ledger know it by.
    fn name(&self) -> &'static str;

    /// Announces a payment; gives the address of the page where the shopper pays. `return_to`: the page
    /// that they come back to.
    fn begin<'a>(
        &'a self,
        payment: &'a Payment,
        return_to: &'a str,
    ) -> BoxFuture<'a, Result<String, ProviderError>>;

    /// Takes the money without a page, for a client that can show none.
    fn charge<'a>(&'a self, payment: &'a Payment) -> BoxFuture<'a, Result<Report, ProviderError>>;

    /// What became of a payment.
    fn query(&self, payment: PaymentNo) -> BoxFuture<'_, Result<Report, ProviderError>>;

    /// Closes a payment that nobody is to make any more; the report tells whether it was made before.
    fn close(&self, payment: PaymentNo) -> BoxFuture<'_, Result<Report, ProviderError>>;

    /// Gives the money back; to be repeated until the report says that it is.
    fn refund(&self, payment: PaymentNo) -> BoxFuture<'_, Result<Report, ProviderError>>;

    /// Reads what claims to come from the provider. `now_ms`: the time, ms since the epoch.
    ///
    /// # Errors
    /// [`Forged`] when it is not signed by the provider, or long ago.
    fn read_notice(&self, signature: &str, body: &[u8], now_ms: i64) -> Result<Notice, Forged>;
}
