//! The answer to a purchase, each outcome as the contract's table says.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{HeaderValue, REFRESH, RETRY_AFTER},
    },
};
use serde::Serialize;

use super::{
    see_other,
    view::{
        order::{Order, OrderPage, OrderState},
        outcome::{Outcome, OutcomePage},
    },
};
use crate::{
    sale::{activity::Activity, admission::Admission, order_number::OrderNo},
    web::{
        negotiate::Wanted,
        page::{Frame, respond},
        pictures::Look,
    },
};

/// Tells the outcome.
#[must_use]
pub fn answer(admission: Admission, activity: &Activity, wanted: Wanted, f: Frame) -> HttpResponse {
    match (refused(admission), admission.order_no()) {
        (Some(outcome), _) => not_admitted(outcome, activity, wanted, f),
        (None, Some(number)) => held(admission, number, activity, wanted, f),
        // Every outcome is either a refusal or has a number.
        (None, None) => not_admitted(Outcome::Busy, activity, wanted, f),
    }
}

/// The refusals among the outcomes.
fn refused(admission: Admission) -> Option<Outcome> {
    Some(match admission {
        Admission::Admitted(_) | Admission::AlreadyHeld(_) | Admission::Unknown(_) => return None,
        Admission::SoldOut => Outcome::SoldOut,
        Admission::NotOpen { opens_at_ms } => Outcome::NotOpen { opens_at_ms },
        Admission::Ended => Outcome::Ended,
        Admission::Paused => Outcome::Paused,
        Admission::TicketInvalid => Outcome::TicketInvalid,
        Admission::CaptchaWrong => Outcome::CaptchaWrong,
        Admission::TooFast => Outcome::TooFast,
        Admission::Restoring => Outcome::Restoring,
        Admission::Busy => Outcome::Busy,
        Admission::Barred => Outcome::Barred,
    })
}

#[derive(Serialize)]
struct Refusal {
    outcome: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    opens_at_ms: Option<i64>,
}

fn not_admitted(outcome: Outcome, activity: &Activity, wanted: Wanted, f: Frame) -> HttpResponse {
    let status = outcome.status();
    let mut answer = match wanted {
        Wanted::Json => HttpResponse::build(status).json(Refusal {
            outcome: outcome.name(),
            message: f.t(outcome.title()).to_string(),
            opens_at_ms: outcome.opens_at_ms(),
        }),
        Wanted::Html => {
            let title = activity.title.clone();
            respond(status, &OutcomePage { f, outcome, activity_id: activity.id.0, title })
        }
    };
    if let Some(seconds) = retry_after(outcome) {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    answer
}

/// When asking again is worth it, in seconds: the rate counts a second, a full outbox empties within a
/// few, a restore takes a little longer.
const fn retry_after(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::TooFast => Some("1"),
        Outcome::Busy => Some("2"),
        Outcome::Restoring => Some("5"),
        _ => None,
    }
}

#[derive(Serialize)]
struct Held<'a> {
    outcome: &'static str,
    order_no: String,
    status_url: &'a str,
}

fn held(
    admission: Admission,
    number: OrderNo,
    activity: &Activity,
    wanted: Wanted,
    f: Frame,
) -> HttpResponse {
    let address = format!("/orders/{number}");
    let status = match admission {
        Admission::AlreadyHeld(_) => StatusCode::OK,
        _ => StatusCode::ACCEPTED,
    };
    match (wanted, admission) {
        (Wanted::Json, _) => HttpResponse::build(status).json(Held {
            outcome: admission.label(),
            order_no: number.to_string(),
            status_url: &address,
        }),
        (Wanted::Html, Admission::Unknown(_)) => {
            let mut answer = respond(status, &checking(number, activity, f));
            // Nothing is settled yet, so this is no redirect; but the order's own page tells it as soon
            // as it is, and survives a reload.
            if let Ok(on) = HeaderValue::from_str(&format!("0; url={address}")) {
                answer.headers_mut().insert(REFRESH, on);
            }
            answer
        }
        (Wanted::Html, _) => see_other(&address),
    }
}

fn checking(number: OrderNo, activity: &Activity, f: Frame) -> OrderPage {
    let order = Order {
        order_no: number.to_string(),
        activity_id: activity.id.0,
        title: activity.title.clone(),
        look: Look::of(&activity.product),
        amount: activity.price.0,
        currency: f.currency.clone(),
        made_at_ms: number.minted_at_ms(),
        state: OrderState::Checking,
    };
    OrderPage {
        f,
        order,
        money: Vec::new(),
        history: Vec::new(),
        notice: None,
        cancel_bars: !activity.rebuy,
    }
}
