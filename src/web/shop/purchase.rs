//! `/activities/{id}/purchase`: the form, and what comes of it.

use actix_web::{HttpResponse, http::StatusCode};
use serde::Serialize;

use super::{
    Site, admission, shown,
    view::purchase::{PurchaseNotice, PurchasePage},
};
use crate::{
    captcha,
    catalog::Listing,
    purchase::{
        admit::Purchase,
        ticket::{Ticket, TicketOffer},
    },
    sale::{activity::Activity, admission::Admission},
    web::{
        error::WebError,
        extract::{form::Checked, path::OnSale, purchase_form::PurchaseForm},
        middleware::request_id::RequestId,
        negotiate::Wanted,
        page::{Frame, respond},
        session::Shopper,
    },
};

/// The form with the shopper's live ticket, or why there is nothing to buy.
pub async fn form(
    site: Site,
    OnSale(listing): OnSale,
    shopper: Shopper,
    wanted: Wanted,
    f: Frame,
) -> HttpResponse {
    match ticket(&site, &shopper, &listing.activity).await {
        Ok(ticket) if wanted.is_json() => HttpResponse::Ok().json(told(&ticket, &listing, f)),
        Ok(ticket) => respond(StatusCode::OK, &page(ticket, &listing, f, None)),
        Err(nothing) => {
            site.desk.turned_away(shopper.id, &listing.activity, nothing);
            admission::answer(nothing, &listing.activity, wanted, f)
        }
    }
}

/// Asks for a unit, in one call.
pub async fn submit(
    site: Site,
    OnSale(listing): OnSale,
    shopper: Shopper,
    wanted: Wanted,
    RequestId(request_id): RequestId,
    f: Frame,
    Checked(form): Checked<PurchaseForm>,
) -> Result<HttpResponse, WebError> {
    let activity = &listing.activity;
    if activity.captcha && form.captcha.is_none() {
        return Err(WebError::BadRequest("the form has no captcha field"));
    }
    let purchase = Purchase {
        shopper: shopper.id,
        activity,
        token: &form.ticket,
        answer: form.captcha.as_deref().unwrap_or_default(),
        request_id: &request_id,
    };
    let outcome = site.desk.admit(purchase).await;
    Ok(match notice(outcome).filter(|_| !wanted.is_json()) {
        Some(notice) => again(&site, &shopper, &listing, notice, f).await,
        None => admission::answer(outcome, activity, wanted, f),
    })
}

/// The refusals after which a person is given the form again at once, with a new ticket.
const fn notice(outcome: Admission) -> Option<PurchaseNotice> {
    match outcome {
        Admission::CaptchaWrong => Some(PurchaseNotice::CaptchaWrong),
        Admission::TicketInvalid => Some(PurchaseNotice::TicketExpired),
        _ => None,
    }
}

async fn again(
    site: &Site,
    shopper: &Shopper,
    listing: &Listing,
    notice: PurchaseNotice,
    f: Frame,
) -> HttpResponse {
    match ticket(site, shopper, &listing.activity).await {
        Ok(ticket) => {
            let page = page(ticket, listing, f, Some(notice));
            respond(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
        // Meanwhile there is nothing to buy any more; that is what counts now.
        Err(nothing) => admission::answer(nothing, &listing.activity, Wanted::Html, f),
    }
}

/// The shopper's live ticket; issued where there is none. Otherwise why there is nothing to buy.
async fn ticket(site: &Site, shopper: &Shopper, activity: &Activity) -> Result<Ticket, Admission> {
    match site.desk.live_ticket(shopper.id, activity).await {
        TicketOffer::Ticket(ticket) => return Ok(ticket),
        TicketOffer::Nothing(why) => return Err(why),
        TicketOffer::None => {}
    }
    let issued = if activity.captcha {
        let picture = site.pictures.take().await.ok_or(Admission::Busy)?;
        let seed = picture.seed.to_string();
        // Before the ticket is known to anybody, so that whoever asks for its picture finds it.
        site.shown.keep(&picture);
        site.desk.issue_ticket(shopper.id, activity, &picture.answer, &seed).await
    } else {
        site.desk.issue_ticket(shopper.id, activity, "", "").await
    };
    match issued {
        TicketOffer::Ticket(ticket) => Ok(ticket),
        TicketOffer::Nothing(why) => Err(why),
        TicketOffer::None => Err(Admission::Busy),
    }
}

fn page(
    ticket: Ticket,
    listing: &Listing,
    f: Frame,
    notice: Option<PurchaseNotice>,
) -> PurchasePage {
    PurchasePage {
        sale: shown::sale(listing, f.now_ms),
        captcha_length: (!ticket.seed.is_empty()).then_some(captcha::LENGTH),
        ticket: ticket.token,
        price: ticket.price.0,
        expires_at_ms: f.now_ms.saturating_add(ticket.expires_in_ms),
        pay_within_seconds: listing.activity.pay_within_s,
        notice,
        f,
    }
}

#[derive(Serialize)]
struct Told {
    ticket: String,
    captcha_url: Option<String>,
    expires_in_ms: i64,
    csrf_token: String,
}

fn told(ticket: &Ticket, listing: &Listing, f: Frame) -> Told {
    let address = || format!("/activities/{}/captcha/{}", listing.activity.id, ticket.token);
    Told {
        ticket: ticket.token.clone(),
        captcha_url: (!ticket.seed.is_empty()).then(address),
        expires_in_ms: ticket.expires_in_ms,
        csrf_token: f.csrf_token,
    }
}
