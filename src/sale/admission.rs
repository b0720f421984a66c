//! The answer to a purchase. Every one of them is expected: a value, not an error.

use super::order_number::OrderNo;

/// What a shopper who asked to buy is told. The contract gives each its status code and body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The unit is theirs, under this number.
    Admitted(OrderNo),
    /// They hold a unit already, under this number.
    AlreadyHeld(OrderNo),
    /// The gate may or may not have admitted them under this number; the order page settles it.
    Unknown(OrderNo),
    /// All units are held.
    SoldOut,
    /// The window has not begun; it does at this time (ms since the epoch).
    NotOpen {
        /// The first moment of the window.
        opens_at_ms: i64,
    },
    /// The window is over.
    Ended,
    /// Stopped for the moment.
    Paused,
    /// No live ticket of this shopper and activity with this token.
    TicketInvalid,
    /// The answer was wrong; the ticket is spent.
    CaptchaWrong,
    /// Too many requests of this shopper in this second.
    TooFast,
    /// The gate is being filled again from the ledger.
    Restoring,
    /// The path behind the gate is full, or the gate cannot be asked.
    Busy,
    /// They cancelled an order of this sale, which does not let them buy again.
    Barred,
}

impl Admission {
    /// The contract's word for the outcome, in JSON bodies and as the metric's label.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Admitted(_) => "admitted",
            Self::AlreadyHeld(_) => "already_held",
            Self::Unknown(_) => "unknown",
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

    /// The order that the shopper is led to, if there is one.
    #[must_use]
    pub const fn order_no(&self) -> Option<OrderNo> {
        match self {
            Self::Admitted(number) | Self::AlreadyHeld(number) | Self::Unknown(number) => {
                Some(*number)
            }
            _ => None,
        }
    }
}
