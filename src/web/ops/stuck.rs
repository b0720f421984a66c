//! `/ops/stuck`: what stays where it should not, what it means and what to do.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use super::differences::{Group, Uncompared, grouped, uncompared};
use super::words;
use crate::back_office::ops::{COUNTED, Freed, OpenRefund, Place, Resent, Stuck, Waiting};
use crate::purchase::expire::EndedNow;
use crate::web::{
    Site,
    error::WebError,
    extract::{
        form::Checked,
        ops_forms::{OrderForm, PaymentForm, ReservationForm},
        query::Query,
    },
    figures::number,
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
    /// What was just done, and whether that is good news.
    pub done: Option<(Message, bool)>,
}

impl StuckPage {
    fn amount(refund: &OpenRefund) -> Price {
        let payment = &refund.payment;
        Price::new(payment.taken.unwrap_or(payment.amount).0, payment.currency.code())
    }

    fn why(refund: &OpenRefund) -> Message {
        words::refund(refund.payment.reason.as_deref().unwrap_or_default())
    }

    fn place(waiting: &Waiting) -> Message {
        match waiting.place {
            Place::Outbox => key("stuck-in-outbox"),
            Place::Underway => key("stuck-underway"),
            Place::DeadLetter(_) => key("stuck-dead-letter"),
        }
    }

    fn letter(waiting: &Waiting) -> Option<i64> {
        match waiting.place {
            Place::DeadLetter(id) => Some(id),
            Place::Outbox | Place::Underway => None,
        }
    }

    fn may_be_sent(waiting: &Waiting) -> bool {
        waiting.place == Place::Underway
    }

    fn waited(&self, since_ms: i64) -> Text {
        self.lasting(self.f.now_ms.saturating_sub(since_ms))
    }

    fn lasting(&self, ms: i64) -> Text {
        self.f.duration(&(ms / 1000))
    }

    /// How many there are, where not all are shown.
    fn of_all(&self, shown: usize, in_all: i64) -> Option<Text> {
        let shown = i64::try_from(shown).unwrap_or(i64::MAX);
        let all = if in_all > COUNTED { format!("{}+", number(COUNTED)) } else { number(in_all) };
        let said = key("stuck-of-all").with("shown", number(shown)).with("all", all);
        (in_all > shown).then(|| self.f.t(said))
    }

    /// What the last comparison leaves to people, by kind.
    fn alarms(&self) -> Vec<Group> {
        let compared = self.stuck.compared.as_ref();
        compared.map_or_else(Vec::new, |it| grouped(&it.findings, &it.titles))
    }

    /// Sales that it could not compare.
    fn skipped(&self) -> Vec<Uncompared> {
        let compared = self.stuck.compared.as_ref();
        compared.map_or_else(Vec::new, |it| uncompared(&it.skipped, &it.titles))
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
    let done = query.take("done")?.as_deref().and_then(said);
    Ok(respond(StatusCode::OK, &StuckPage { f, stuck, done }))
}

/// What an address says was done, and whether that is good news.
fn said(word: &str) -> Option<(Message, bool)> {
    Some(match word {
        "refund" => (key("stuck-done-refund"), true),
        "refunded" => (key("stuck-done-refunded"), true),
        "sent" => (key("stuck-done-sent"), true),
        "lately" => (key("stuck-done-lately"), false),
        "in-outbox" => (key("stuck-done-in-outbox"), false),
        "arrived" => (key("stuck-done-arrived"), true),
        "released" => (key("stuck-done-released"), true),
        "free" => (key("stuck-done-free"), true),
        "holds-unit" => (key("stuck-done-holds-unit"), false),
        "not-held" => (key("stuck-done-not-held"), false),
        "ended" => (key("stuck-done-ended"), true),
        "unanswered" => (key("stuck-done-unanswered"), false),
        "not-due" => (key("stuck-done-not-due"), false),
        "overtaken" => (key("stuck-done-overtaken"), true),
        _ => return None,
    })
}

fn done(word: &str) -> HttpResponse {
    see_other(&format!("/ops/stuck?done={word}"))
}

/// Lets a refund be asked for at once.
pub async fn refund(
    operator: Operator,
    site: Site,
    Checked(form): Checked<PaymentForm>,
) -> Result<HttpResponse, WebError> {
    let asked = site.office.refund_at_once(form.payment_no, &operator.actor).await?;
    Ok(done(if asked { "refund" } else { "refunded" }))
}

/// Sends a reservation again that left the outbox and did not arrive.
pub async fn send_again(
    operator: Operator,
    site: Site,
    Checked(form): Checked<ReservationForm>,
) -> Result<HttpResponse, WebError> {
    let ReservationForm { activity, shopper, order_no } = form;
    let sent = site.office.send_again(activity, shopper, order_no, &operator.actor).await?;
    Ok(match sent {
        Resent::Done => done("sent"),
        Resent::Lately => done("lately"),
        Resent::InOutbox => done("in-outbox"),
        Resent::Nothing => done("arrived"),
        Resent::NotHeld => done("not-held"),
        // Whoever recorded it may do so again; that is decided there.
        Resent::Buried(letter) => see_other(&format!("/ops/dead-letters/{letter}")),
    })
}

/// Gives the unit of an order that ended back at the gate.
pub async fn release(
    operator: Operator,
    site: Site,
    Checked(form): Checked<OrderForm>,
) -> Result<HttpResponse, WebError> {
    let freed = site.office.release_now(form.order_no, &operator.actor).await?;
    Ok(done(match freed.ok_or(WebError::NotFound)? {
        Freed::Done => "released",
        Freed::Nothing => "free",
        Freed::HoldsUnit => "holds-unit",
        Freed::NotHeld => "not-held",
    }))
}

/// Ends an order whose deadline has passed.
pub async fn end(
    operator: Operator,
    site: Site,
    Checked(form): Checked<OrderForm>,
) -> Result<HttpResponse, WebError> {
    let ended = site.desk.expire_by_staff(form.order_no, operator.actor).await?;
    Ok(done(match ended.ok_or(WebError::NotFound)? {
        EndedNow::Done => "ended",
        EndedNow::Unanswered => "unanswered",
        EndedNow::NotDue => "not-due",
        EndedNow::Overtaken => "overtaken",
    }))
}
