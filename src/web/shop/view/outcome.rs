//! The page of a purchase that was not admitted: what happened, whether anything was taken,
//! where to go next. One variant for each such outcome of the purchase path.

use actix_web::http::StatusCode;
use askama::Template;

use super::Link;
use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// The answer to `GET` and `POST /activities/{id}/purchase` when there is nothing to buy.
#[derive(Debug, Template)]
#[template(path = "shop/outcome.html")]
pub struct OutcomePage {
    /// What every page has.
    pub f: Frame,
    /// Why not.
    pub outcome: Outcome,
    /// The sale it belongs to.
    pub activity_id: i64,
    /// The sale's title.
    pub title: String,
}

/// Why a purchase was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// No unit was left.
    SoldOut,
    /// Milliseconds since the epoch.
    NotOpen {
        /// When it does, milliseconds since the epoch.
        opens_at_ms: i64,
    },
    /// The sale is over.
    Ended,
    /// Staff has paused the sale.
    Paused,
    /// The ticket had run out, was spent, or is not this shopper's.
    TicketInvalid,
    /// The answer was wrong; the ticket is spent.
    CaptchaWrong,
    /// Too many tries within a second.
    TooFast,
    /// The gate is being rebuilt.
    Restoring,
    /// Too much is on its way to the ledger.
    Busy,
    /// Cancelled before; may not buy in this sale again.
    Barred,
}

impl Outcome {
    /// The answer's status, the same for HTML and JSON.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::SoldOut | Self::NotOpen { .. } | Self::Ended | Self::Paused | Self::Barred => {
                StatusCode::CONFLICT
            }
            Self::TicketInvalid | Self::CaptchaWrong => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooFast => StatusCode::TOO_MANY_REQUESTS,
            Self::Restoring | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The name in JSON answers and style classes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SoldOut => "sold_out",
            Self::NotOpen { .. } => "not_open",
            Self::Ended => "ended",
            Self::Paused => "paused",
            Self::TicketInvalid => "ticket_invalid",
            Self::CaptchaWrong => "captcha_wrong",
            Self::TooFast => "too_fast",
            Self::Restoring => "restoring",
            Self::Busy => "busy",
            Self::Barred => "barred",
        }
    }

    /// The headline; also the `message` of a JSON answer.
    #[must_use]
    pub fn title(self) -> Message {
        match self {
            Self::SoldOut => key("outcome-sold-out"),
            Self::NotOpen { .. } => key("outcome-not-open"),
            Self::Ended => key("outcome-ended"),
            Self::Paused => key("outcome-paused"),
            Self::TicketInvalid => key("outcome-ticket-invalid"),
            Self::CaptchaWrong => key("outcome-captcha-wrong"),
            Self::TooFast => key("outcome-too-fast"),
            Self::Restoring => key("outcome-restoring"),
            Self::Busy => key("outcome-busy"),
            Self::Barred => key("outcome-barred"),
        }
    }

    /// What happened.
    #[must_use]
    pub fn what(self) -> Message {
        match self {
            Self::SoldOut => key("outcome-sold-out-what"),
            Self::NotOpen { .. } => key("outcome-not-open-what"),
            Self::Ended => key("outcome-ended-what"),
            Self::Paused => key("outcome-paused-what"),
            Self::TicketInvalid => key("outcome-ticket-invalid-what"),
            Self::CaptchaWrong => key("outcome-captcha-wrong-what"),
            Self::TooFast => key("outcome-too-fast-what"),
            Self::Restoring => key("outcome-restoring-what"),
            Self::Busy => key("outcome-busy-what"),
            Self::Barred => key("outcome-barred-what"),
        }
    }

    /// When the sale opens, where that is the reason.
    #[must_use]
    pub fn opens_at_ms(self) -> Option<i64> {
        match self {
            Self::NotOpen { opens_at_ms } => Some(opens_at_ms),
            _ => None,
        }
    }

    /// Whether the same shopper can do something about it by trying again.
    #[must_use]
    pub fn can_retry(self) -> bool {
        matches!(
            self,
            Self::TicketInvalid | Self::CaptchaWrong | Self::TooFast | Self::Restoring | Self::Busy
        )
    }
}

impl OutcomePage {
    /// The way on that helps most.
    #[must_use]
    pub fn first_link(&self) -> Link {
        match self.outcome {
            outcome if outcome.can_retry() => Link {
                href: format!("/activities/{}/purchase", self.activity_id),
                text: if matches!(outcome, Outcome::CaptchaWrong | Outcome::TicketInvalid) {
                    key("outcome-link-new-try")
                } else {
                    key("outcome-link-again")
                },
            },
            Outcome::NotOpen { .. } | Outcome::Paused => self.sale_link(),
            _ => Link { href: "/".into(), text: key("link-sales") },
        }
    }

    /// The other way on.
    #[must_use]
    pub fn second_link(&self) -> Link {
        match self.outcome {
            Outcome::NotOpen { .. } | Outcome::Paused => {
                Link { href: "/".into(), text: key("link-sales") }
            }
            Outcome::Barred => Link { href: "/orders".into(), text: key("link-orders") },
            _ => self.sale_link(),
        }
    }

    fn sale_link(&self) -> Link {
        Link { href: format!("/activities/{}", self.activity_id), text: key("link-back-to-sale") }
    }
}
