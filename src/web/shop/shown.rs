//! From the words of the sale to what pages show.

use super::view::{
    order::{CancelReason, Happened, Money, Order, OrderState, RejectReason},
    sale::{Sale, SaleState},
};
use crate::{
    catalog::{AtGate, Listing},
    purchase::order::{Event, OrderStanding},
    sale::{
        activity::{Activity, Phase},
        money::Currency,
        order::{self as row, Standing},
        payment::{Payment, PaymentState},
    },
    web::pictures::Look,
    web::price::Price,
    web::text::key,
};

/// A sale as it is at `now_ms`.
#[must_use]
pub fn sale(listing: &Listing, now_ms: i64) -> Sale {
    let activity = &listing.activity;
    let left = match listing.at_gate {
        AtGate::Left(left) => left,
        // While the gate does not say, the ledger's figure is the best there is.
        AtGate::Away | AtGate::NotAsked => activity.remain_stock,
    };
    Sale {
        id: activity.id.0,
        title: activity.title.clone(),
        look: Look::of(&activity.product),
        price: activity.price.0,
        // A usual price that is not higher is none to strike through.
        former_price: activity.product.list_price.filter(|p| *p > activity.price).map(|p| p.0),
        starts_at_ms: activity.opens_ms(),
        ends_at_ms: activity.closes_ms(),
        state: state(activity.phase(now_ms), listing.at_gate, left),
        left,
        total: activity.total_stock,
    }
}

fn state(phase: Phase, at_gate: AtGate, left: i64) -> SaleState {
    match phase {
        Phase::Hidden => SaleState::Cancelled,
        Phase::Upcoming => SaleState::Upcoming,
        Phase::Open if at_gate == AtGate::Away => SaleState::Restoring,
        Phase::Open if left <= 0 => SaleState::SoldOut,
        Phase::Open => SaleState::Open,
        Phase::Paused => SaleState::Paused,
        Phase::Ended => SaleState::Ended,
    }
}

/// An order as its shopper sees it. `activity` is the sale that it belongs to; none when the catalog
/// does not hold it any more. `currency` is the site's, for an order that has none of its own yet.
#[must_use]
pub fn order(
    standing: &OrderStanding,
    activity: Option<&Activity>,
    currency: Currency,
    now_ms: i64,
) -> Order {
    let over = |activity: &Activity| matches!(activity.phase(now_ms), Phase::Ended | Phase::Hidden);
    let rebuy = activity.is_some_and(|activity| activity.rebuy && !over(activity));
    Order {
        order_no: standing.order_no.to_string(),
        activity_id: standing.activity_id.0,
        title: activity.map(|activity| activity.title.clone()).unwrap_or_default(),
        look: activity.map_or_else(|| Look::drawn(0, ""), |activity| Look::of(&activity.product)),
        amount: standing.price.0,
        currency: standing.currency.unwrap_or(currency).code().to_owned(),
        made_at_ms: standing.order_no.minted_at_ms(),
        state: order_state(standing, rebuy),
    }
}

/// What an order's page says of its payments: of the last one how it stands, of all what goes back.
#[must_use]
pub fn money(payments: &[Payment]) -> Vec<Money> {
    let last = payments.len().saturating_sub(1);
    let told = payments.iter().enumerate().filter_map(|(place, payment)| {
        let amount = || {
            let taken = payment.taken.unwrap_or(payment.amount);
            Price::new(taken.0, payment.currency.code()).to_string()
        };
        match payment.state {
            PaymentState::Begun if place == last => Some(Money::Begun),
            PaymentState::Failed if place == last => Some(Money::Failed),
            PaymentState::ToRefund => Some(Money::GoesBack(amount())),
            PaymentState::Refunded => Some(Money::IsBack(amount())),
            PaymentState::Begun | PaymentState::Failed | PaymentState::Paid => None,
        }
    });
    told.collect()
}

/// A line of an order's history in plain words.
#[must_use]
pub fn happened(event: &Event) -> Happened {
    let at_ms = event.at_ms;
    let reason = event.reason.as_deref().unwrap_or_default();
    let ended_itself = || match cancelled_for(reason) {
        CancelReason::ByShopper => key("history-cancelled-by-shopper"),
        CancelReason::NotPaidInTime => key("history-cancelled-not-paid"),
        CancelReason::ByStaff => key("history-cancelled-by-staff"),
    };
    let (what, words) = match event.kind.as_str() {
        "pending_payment" => (key("history-placed"), None),
        "paid" => (key("history-paid"), None),
        // Whatever staff typed is no word of ours, even where it looks like one.
        "cancelled" if event.is_by_staff() => {
            (key("history-cancelled-by-staff"), event.reason.clone())
        }
        "cancelled" => (ended_itself(), None),
        "rejected" => (key("history-rejected"), None),
        _ => (key("history-lost"), None),
    };
    Happened { at_ms, what, words }
}

fn order_state(standing: &OrderStanding, rebuy: bool) -> OrderState {
    let reason = standing.reason.as_deref().unwrap_or_default();
    match standing.standing {
        Standing::Reserved => OrderState::Reserved,
        Standing::Checking => OrderState::Checking,
        Standing::Row(row::OrderState::PendingPayment) => {
            OrderState::PendingPayment { pay_before_ms: standing.pay_before_ms.unwrap_or_default() }
        }
        Standing::Row(row::OrderState::Paid) => {
            OrderState::Paid { paid_at_ms: standing.paid_at_ms }
        }
        Standing::Row(row::OrderState::Cancelled) => OrderState::Cancelled {
            cancelled_at_ms: standing.cancelled_at_ms,
            reason: cancelled_for(reason),
            may_buy_again: rebuy,
        },
        Standing::Row(row::OrderState::Rejected) => {
            OrderState::Rejected { reason: rejected_for(reason) }
        }
        Standing::Row(row::OrderState::Lost) => OrderState::Lost,
    }
}

fn cancelled_for(reason: &str) -> CancelReason {
    match reason.parse() {
        Ok(row::CancelReason::ByShopper) => CancelReason::ByShopper,
        Ok(row::CancelReason::Unpaid) => CancelReason::NotPaidInTime,
        // Nobody but staff writes reasons of another kind.
        Ok(row::CancelReason::ByStaff) | Err(_) => CancelReason::ByStaff,
    }
}

fn rejected_for(reason: &str) -> RejectReason {
    match reason.parse() {
        Ok(row::RejectReason::AlreadyHeld) => RejectReason::AlreadyHeld,
        Ok(row::RejectReason::Barred) => RejectReason::Barred,
        Ok(row::RejectReason::SoldOut) | Err(_) => RejectReason::SoldOut,
    }
}
