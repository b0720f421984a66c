//! `/admin/activities/{id}`: one activity; and the same page as the answer to what could not be done.

use actix_session::Session;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, http::StatusCode};

use super::said::Said;
use super::view::show::{Adjusting, ShowPage, Shown};
use super::{address, typed, warnings};
use crate::back_office::BackOfficeError;
use crate::sale::activity::Activity;
use crate::sale::error::Class;
use crate::sale::ids::ActivityId;
use crate::sale::stage::Stage;
use crate::sale::zone::Zone;
use crate::web::Site;
use crate::web::admin::zone::{AdminZone, moment};
use crate::web::error::WebError;
use crate::web::extract::path::ActivityNumber;
use crate::web::page::{Frame, respond};
use crate::web::session::Admin;
use crate::web::text::{Message, key};

/// The page.
pub async fn show(
    _: Admin,
    site: Site,
    session: Session,
    ActivityNumber(id): ActivityNumber,
    zone: AdminZone,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let mut page = page(&site, id, zone, f).await?;
    page.said = Said::take(&session, id).map(Said::message);
    Ok(respond(StatusCode::OK, &page))
}

/// Why nothing was done, and with which status that is said.
pub(super) struct Trouble {
    status: StatusCode,
    words: Message,
    /// Stands at the form that changes the stock.
    adjusting: Option<Adjusting>,
}

impl Trouble {
    /// Nothing about it can change any more.
    pub(super) fn over() -> Self {
        Self::of(StatusCode::CONFLICT, key("trouble-over"))
    }

    /// A step that is asked for once more, knowing this.
    pub(super) fn unless_meant(words: Message) -> Self {
        Self::of(StatusCode::UNPROCESSABLE_ENTITY, words)
    }

    /// A wrong figure in the form that changes the stock.
    pub(super) fn adjusting(adjusting: Adjusting) -> Self {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Self { status, words: key("console-faults"), adjusting: Some(adjusting) }
    }

    const fn of(status: StatusCode, words: Message) -> Self {
        Self { status, words, adjusting: None }
    }

    /// What the back office said.
    pub(super) fn from(error: BackOfficeError) -> Result<Self, WebError> {
        let (status, words) = match &error {
            BackOfficeError::Changed(_) => (StatusCode::CONFLICT, key("trouble-changed")),
            BackOfficeError::State { .. } => (StatusCode::CONFLICT, key("trouble-state")),
            BackOfficeError::Over { .. } => (StatusCode::CONFLICT, key("trouble-over")),
            BackOfficeError::NotBegun(_) => (StatusCode::CONFLICT, key("trouble-not-begun")),
            BackOfficeError::HasOrders(_) => (StatusCode::CONFLICT, key("trouble-has-orders")),
            BackOfficeError::ChangeId => (StatusCode::CONFLICT, key("trouble-change-id")),
            BackOfficeError::Faults(faults) => {
                let first = faults.first().copied().map(typed::told);
                (StatusCode::UNPROCESSABLE_ENTITY, first.unwrap_or_else(|| key("trouble-state")))
            }
            BackOfficeError::Busy(_) => (StatusCode::SERVICE_UNAVAILABLE, key("trouble-busy")),
            BackOfficeError::NotFound(_) => return Err(error.into()),
            _ if error.class() == Class::Bug => return Err(error.into()),
            _ => {
                tracing::warn!(%error, "a step has no sure answer");
                (StatusCode::SERVICE_UNAVAILABLE, key("trouble-unsure"))
            }
        };
        Ok(Self::of(status, words))
    }
}

/// The page with its trouble: the present state, and the steps that it allows.
pub(super) async fn trouble(
    site: &Site,
    id: ActivityId,
    zone: AdminZone,
    f: Frame,
    trouble: Trouble,
) -> Result<HttpResponse, WebError> {
    let f = Frame { path: address(id), ..f };
    let mut page = page(site, id, zone, f).await?;
    page.trouble = Some(trouble.words);
    if let Some(adjusting) = trouble.adjusting {
        page.adjusting = Adjusting { change_id: page.adjusting.change_id, ..adjusting };
    }
    let mut answer = respond(trouble.status, &page);
    if trouble.status == StatusCode::SERVICE_UNAVAILABLE {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("2"));
    }
    Ok(answer)
}

async fn page(
    site: &Site,
    id: ActivityId,
    zone: AdminZone,
    f: Frame,
) -> Result<ShowPage, WebError> {
    let activity = site.office.preview(id).await?;
    let balance = site.office.balance(id).await?;
    Ok(ShowPage {
        a: shown(&activity, zone.zone, &f),
        balance,
        zone: zone.zone,
        asks_zone: !zone.known,
        said: None,
        trouble: None,
        warnings: warnings::of_activity(&activity, &f),
        adjusting: Adjusting { change_id: new_change_id(), ..Adjusting::default() },
        start_is_past: activity.opens_ms() <= f.now_ms,
        is_over: activity.closes_ms() <= f.now_ms,
        f,
    })
}

/// A name for a change of the stock, told to nobody else.
fn new_change_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

fn shown(activity: &Activity, zone: Zone, f: &Frame) -> Shown {
    let window = |zone| {
        let at = |at| moment(at, zone, f.language);
        (at(activity.starts_at), at(activity.ends_at))
    };
    let (starts, ends) = window(zone);
    Shown {
        id: activity.id.0,
        version: activity.version,
        title: activity.title.clone(),
        product_id: activity.product.id.0,
        product: activity.product.name.clone(),
        stage: Stage::of(activity, f.now_ms),
        price: activity.price.0,
        list_price: activity.product.list_price.map(|price| price.0),
        starts_at_ms: activity.opens_ms(),
        ends_at_ms: activity.closes_ms(),
        starts,
        ends,
        utc: (zone != Zone::UTC).then(|| window(Zone::UTC)),
        captcha: activity.captcha,
        rebuy: activity.rebuy,
        buckets: activity.bucket_count.to_string(),
        pay_within_s: activity.pay_within_s,
        rate: activity.rate_per_s,
        total_rate: activity.total_rate_per_s,
    }
}
