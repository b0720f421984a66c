//! What operators call things.

use crate::back_office::ops::Event;
use crate::sale::dead_letter::LetterState;
use crate::sale::order::{CancelReason, OrderState, RejectReason};
use crate::sale::payment::PaymentState;
use crate::web::text::{Message, key};

/// The reasons for which an order can have ended, as the ledger writes them.
pub const REASONS: [&str; 6] = [
    CancelReason::ByShopper.as_str(),
    CancelReason::Unpaid.as_str(),
    CancelReason::ByStaff.as_str(),
    RejectReason::SoldOut.as_str(),
    RejectReason::AlreadyHeld.as_str(),
    RejectReason::Barred.as_str(),
];

/// An order's state.
#[must_use]
pub fn state(state: OrderState) -> Message {
    match state {
        OrderState::PendingPayment => key("ops-state-pending"),
        OrderState::Paid => key("ops-state-paid"),
        OrderState::Cancelled => key("ops-state-cancelled"),
        OrderState::Rejected => key("ops-state-rejected"),
        OrderState::Lost => key("ops-state-lost"),
    }
}

/// Why an order ended; `None`: that is no word of the ledger's.
#[must_use]
pub fn reason(word: &str) -> Option<Message> {
    if let Ok(reason) = word.parse() {
        return Some(match reason {
            CancelReason::ByShopper => key("ops-reason-by-shopper"),
            CancelReason::Unpaid => key("ops-reason-unpaid"),
            CancelReason::ByStaff => key("ops-reason-by-staff"),
        });
    }
    word.parse().ok().map(|reason| match reason {
        RejectReason::SoldOut => key("ops-reason-sold-out"),
        RejectReason::AlreadyHeld => key("ops-reason-already-held"),
        RejectReason::Barred => key("ops-reason-barred"),
    })
}

/// Who changed an order.
#[must_use]
pub fn actor(event: &Event) -> Message {
    match event.actor.split_once(':') {
        Some(("shopper", id)) => key("ops-actor-shopper").with("id", id.to_owned()),
        Some(("staff", id)) => key("ops-actor-staff").with("id", id.to_owned()),
        _ => match event.actor.as_str() {
            "recorder" => key("ops-actor-recorder"),
            "payment" => key("ops-actor-payment"),
            "expiry" => key("ops-actor-expiry"),
            "reconciler" => key("ops-actor-reconciler"),
            _ => key("ops-actor-command"),
        },
    }
}

/// What became of a payment.
#[must_use]
pub fn payment(state: PaymentState) -> Message {
    match state {
        PaymentState::Begun => key("ops-payment-begun"),
        PaymentState::Paid => key("ops-payment-paid"),
        PaymentState::Failed => key("ops-payment-failed"),
        PaymentState::ToRefund => key("ops-payment-to-refund"),
        PaymentState::Refunded => key("ops-payment-refunded"),
    }
}

/// Why money goes back, as the ledger writes it.
#[must_use]
pub fn refund(word: &str) -> Message {
    match word {
        "paid_twice" => key("ops-refund-paid-twice"),
        "wrong_amount" => key("ops-refund-wrong-amount"),
        _ => key("ops-refund-order-ended"),
    }
}

/// Where a dead letter stands.
#[must_use]
pub fn letter(state: LetterState) -> Message {
    match state {
        LetterState::Waiting => key("letters-waiting"),
        LetterState::Replay => key("letters-replay"),
        LetterState::Replayed => key("letters-replayed"),
        LetterState::Discard => key("letters-discard"),
        LetterState::Discarded => key("letters-discarded"),
    }
}
