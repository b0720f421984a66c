//! The page on which a shopper buys: picture, answer, button.

use askama::Template;

use super::sale::Sale;
use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// `GET /activities/{id}/purchase`, and the answer to a POST that needs another try.
#[derive(Debug, Template)]
#[template(path = "shop/purchase.html")]
pub struct PurchasePage {
    /// What every page has.
    pub f: Frame,
    /// The sale itself.
    pub sale: Sale,
    /// The shopper's live ticket; stands in the form and in the picture's address.
    pub ticket: String,
    /// The price the ticket holds, whole minor units.
    pub price: i64,
    /// How many characters the picture shows; none where no picture is asked for.
    pub captcha_length: Option<u32>,
    /// When the ticket ends, milliseconds since the epoch.
    pub expires_at_ms: i64,
    /// How long the order may stay unpaid, in seconds.
    pub pay_within_seconds: i64,
    /// Why the shopper sees this page again.
    pub notice: Option<PurchaseNotice>,
}

/// Why the shopper sees the form again, with a new ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurchaseNotice {
    /// The answer was wrong.
    CaptchaWrong,
    /// The ticket had run out or was spent.
    TicketExpired,
    /// Too many tries within a second.
    TooFast,
}

impl PurchaseNotice {
    /// What is said about it.
    #[must_use]
    pub fn text(self) -> Message {
        match self {
            Self::CaptchaWrong => key("purchase-notice-captcha-wrong"),
            Self::TicketExpired => key("purchase-notice-ticket-expired"),
            Self::TooFast => key("purchase-notice-too-fast"),
        }
    }

    /// Whether the notice is about what was typed.
    #[must_use]
    pub fn is_about_answer(self) -> bool {
        self == Self::CaptchaWrong
    }
}
