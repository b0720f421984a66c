//! The sandbox: a provider that takes no money and behaves like one that does. It has a page where the
//! shopper pays or declines, and tells the shop afterwards by a signed call: once, twice, late, or never.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::notice::{self, Forged, Notice, Seal};
use super::{PaymentProvider, ProviderError};
use crate::ledger::sandbox::{self as books, Entry};
use crate::ledger::{Ledger, LedgerError};
use crate::sale::payment::{Payment, PaymentNo, Report};

/// The word that addresses and the ledger know it by.
pub const NAME: &str = "sandbox";
/// How long a late notice takes, seconds.
const LATE_S: i64 = 20;
/// Notices delivered in one go.
const PAGE: i64 = 50;

/// The sandbox. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox {
    ledger: Ledger,
    seal: Seal,
}

/// What somebody decides on the sandbox's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The money is taken.
    Pay,
    /// Nothing is taken.
    Decline,
}

/// How the shop is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// At once.
    Once,
    /// Twice, as networks do.
    Twice,
    /// After a while.
    Late,
    /// Not at all; the shop has to ask.
    Never,
}

impl Telling {
    /// The word that a form sends.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "once" => Some(Self::Once),
            "twice" => Some(Self::Twice),
            "late" => Some(Self::Late),
            "never" => Some(Self::Never),
            _ => None,
        }
    }

    const fn plan(self) -> (i32, i64) {
        match self {
            Self::Once => (1, 0),
            Self::Twice => (2, 0),
            Self::Late => (1, LATE_S),
            Self::Never => (0, 0),
        }
    }
}

/// A signed notice on its way to the shop.
#[derive(Debug, Clone)]
pub struct Letter {
    /// Which payment.
    pub payment_no: PaymentNo,
    /// The body.
    pub body: Vec<u8>,
    /// For the header [`notice::SIGNATURE`].
    pub signature: String,
}

impl Sandbox {
    /// A sandbox that keeps its books in this ledger and signs by this secret.
    #[must_use]
    pub fn new(ledger: Ledger, secret: &[u8]) -> Self {
        Self { ledger, seal: seal(secret) }
    }

    /// A payment as its page shows it.
    pub async fn find(&self, payment_no: PaymentNo) -> Result<Option<Entry>, ProviderError> {
        books::find(&self.ledger, payment_no).await.map_err(no_answer)
    }

    /// What somebody chose on the page. A payment that is decided stays as it is.
    pub async fn decide(
        &self,
        payment_no: PaymentNo,
        decision: Decision,
        telling: Telling,
    ) -> Result<(), ProviderError> {
        let status = match decision {
            Decision::Pay => "taken",
            Decision::Decline => "declined",
        };
        let (notices, after_s) = telling.plan();
        let decided = books::decide(&self.ledger, payment_no, status, notices, after_s).await;
        decided.map_err(no_answer)
    }

    /// Notices that are to be delivered now; each comes again until it was acknowledged.
    pub async fn letters(&self, now_ms: i64) -> Result<Vec<Letter>, ProviderError> {
        let due = books::take_due_notices(&self.ledger, PAGE).await.map_err(no_answer)?;
        let letter = |entry: Entry| {
            let notice = Notice { payment_no: entry.payment_no, report: report(&entry) };
            let body = notice::write(&notice);
            let signature = self.seal.sign(&body, now_ms);
            Letter { payment_no: entry.payment_no, body, signature }
        };
        Ok(due.into_iter().map(letter).collect())
    }

    /// The shop has taken a notice.
    pub async fn acknowledged(&self, payment_no: PaymentNo) -> Result<(), ProviderError> {
        books::acknowledged(&self.ledger, payment_no).await.map_err(no_answer)
    }

    async fn announce(&self, payment: &Payment, return_to: &str) -> Result<(), ProviderError> {
        let (number, amount) = (payment.payment_no, payment.amount);
        let back = return_to.to_owned();
        let announced = books::announce(&self.ledger, number, amount, payment.currency, back).await;
        announced.map_err(no_answer)
    }

    async fn report_of(&self, payment_no: PaymentNo) -> Result<Report, ProviderError> {
        let entry = self.find(payment_no).await?;
        Ok(entry.as_ref().map_or(Report::Unknown, report))
    }
}

/// What the sandbox signs its notices by.
#[must_use]
pub fn seal(secret: &[u8]) -> Seal {
    Seal::new(secret, "seckill sandbox notice v1")
}

impl PaymentProvider for Sandbox {
    fn name(&self) -> &'static str {
        NAME
    }

    fn begin<'a>(
        &'a self,
        payment: &'a Payment,
        return_to: &'a str,
    ) -> BoxFuture<'a, Result<String, ProviderError>> {
        async move {
            self.announce(payment, return_to).await?;
            Ok(format!("/sandbox/{}", payment.payment_no))
        }
        .boxed()
    }

    fn charge<'a>(&'a self, payment: &'a Payment) -> BoxFuture<'a, Result<Report, ProviderError>> {
        async move {
            self.announce(payment, "/orders").await?;
            self.decide(payment.payment_no, Decision::Pay, Telling::Never).await?;
            self.report_of(payment.payment_no).await
        }
        .boxed()
    }

    fn query(&self, payment: PaymentNo) -> BoxFuture<'_, Result<Report, ProviderError>> {
        self.report_of(payment).boxed()
    }

    fn close(&self, payment: PaymentNo) -> BoxFuture<'_, Result<Report, ProviderError>> {
        async move {
            self.decide(payment, Decision::Decline, Telling::Never).await?;
            self.report_of(payment).await
        }
        .boxed()
    }

    fn refund(&self, payment: PaymentNo) -> BoxFuture<'_, Result<Report, ProviderError>> {
        async move {
            books::refund(&self.ledger, payment).await.map_err(no_answer)?;
            self.report_of(payment).await
        }
        .boxed()
    }

    fn read_notice(&self, signature: &str, body: &[u8], now_ms: i64) -> Result<Notice, Forged> {
        self.seal.open(signature, body, now_ms)
    }
}

fn report(entry: &Entry) -> Report {
    match entry.status.as_str() {
        "taken" => Report::Taken { amount: entry.amount, currency: entry.currency },
        "declined" => Report::Declined,
        "refunded" => Report::Refunded,
        _ => Report::Open,
    }
}

#[allow(clippy::needless_pass_by_value, reason = "used as a function that maps errors")]
fn no_answer(error: LedgerError) -> ProviderError {
    ProviderError::NoAnswer(error.to_string())
}
