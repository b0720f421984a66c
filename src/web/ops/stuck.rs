//! `/ops/stuck`: what stays where it should not, what it means and what to do.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use super::words;
use crate::back_office::ops::{OpenRefund, Stuck};
use crate::web::{
    Site,
    error::WebError,
    extract::{form::Checked, ops_forms::PaymentForm, query::Query},
    page::{Frame, respond, see_other},
    price::Price,
    session::Operator,
    text::{Message, Text, key},
};

/// The page.
#[derive(Debug, Template)]
#[template(path = "ops/stuck.html")]
pub struct StuckPage {
    /// What every page has.
    pub f: Frame,
    /// What is stuck.
    pub stuck: Stuck,
    /// What was just done.
    pub done: Option<Message>,
}

impl StuckPage {
    fn amount(refund: &OpenRefund) -> Price {
        let payment = &refund.payment;
        Price::new(payment.taken.unwrap_or(payment.amount).0, payment.currency.code())
    }

    fn why(refund: &OpenRefund) -> Message {
        words::refund(refund.payment.reason.as_deref().unwrap_or_default())
    }

    fn waited(&self, since_ms: i64) -> Text {
        self.lasting(self.f.now_ms.saturating_sub(since_ms))
    }

    fn lasting(&self, ms: i64) -> Text {
        self.f.duration(&(ms / 1000))
    }
}

/// Everything that is stuck now.
pub async fn show(
    _: Operator,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let stuck = site.office.stuck(f.now_ms).await?;
    let done = match query.take("done")?.as_deref() {
        Some("refund") => Some(key("stuck-done-refund")),
        Some("refunded") => Some(key("stuck-done-refunded")),
        _ => None,
    };
    Ok(respond(StatusCode::OK, &StuckPage { f, stuck, done }))
}

/// Lets a refund be asked for at once.
pub async fn refund(
    operator: Operator,
    site: Site,
    Checked(form): Checked<PaymentForm>,
) -> Result<HttpResponse, WebError> {
    let asked = site.office.refund_at_once(form.payment_no, &operator.actor).await?;
    Ok(see_other(if asked { "/ops/stuck?done=refund" } else { "/ops/stuck?done=refunded" }))
}
