//! `/admin/activities/new`: the form of a new activity, which begins as a draft.

use actix_session::Session;
use actix_web::{HttpResponse, http::StatusCode};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};

use super::edit::{Asked, form_page, with_zone};
use super::said::Said;
use super::typed::{name_of, read, told};
use super::view::form::{FormPage, Typed};
use super::{address, warnings};
use crate::back_office::BackOfficeError;
use crate::sale::ids::ProductId;
use crate::sale::money::Cents;
use crate::sale::plan::Plan;
use crate::sale::zone::Zone;
use crate::web::Site;
use crate::web::admin::zone::AdminZone;
use crate::web::error::WebError;
use crate::web::extract::form::Checked;
use crate::web::extract::query::Query;
use crate::web::page::{Frame, respond, see_other};
use crate::web::session::Admin;

/// The form, with what is usual in it.
pub async fn new(
    _: Admin,
    site: Site,
    zone: AdminZone,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let product: Option<ProductId> = query.take("product")?.and_then(|id| id.parse().ok());
    let products = site.office.product_choices(None).await?;
    let typed = usual(product, zone.zone, f.now_ms);
    let asked = Asked { products, activity: None, asks_zone: !zone.known };
    Ok(respond(StatusCode::OK, &form_page(f, asked, typed)))
}

/// Makes the draft.
pub async fn create(
    admin: Admin,
    site: Site,
    session: Session,
    f: Frame,
    Checked(typed): Checked<Typed>,
) -> Result<HttpResponse, WebError> {
    let reading = read(&typed, None, &f);
    let products = site.office.product_choices(None).await?;
    let to_accept = warnings::of_plan(&reading.plan, reading.product, &products, None, &f);
    let asked = Asked { products, activity: None, asks_zone: false };
    let mut page = FormPage {
        faults: reading.faults,
        starts_twice: reading.starts_twice,
        ends_twice: reading.ends_twice,
        ..form_page(f, asked, typed)
    };
    if page.faults.is_empty() && to_accept.is_accepted(&page.typed.accepted) {
        match site.office.draft(reading.product, reading.plan, &admin.actor).await {
            Ok(id) => {
                Said::Created.keep(&session, id);
                return Ok(with_zone(&site, see_other(&address(id)), reading.zone));
            }
            Err(BackOfficeError::Faults(faults)) => {
                for fault in faults {
                    page.faults.add(name_of(fault.field()), told(fault));
                }
            }
            Err(error) => return Err(error.into()),
        }
    } else if page.faults.is_empty() {
        page.typed.accepted = to_accept.mark;
        page.warnings = to_accept.words;
    }
    Ok(respond(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

/// An hour that begins with a whole one, tomorrow at this time; what most sales have.
fn usual(product: Option<ProductId>, zone: Zone, now_ms: i64) -> Typed {
    let now = DateTime::<Utc>::from_timestamp_millis(now_ms).unwrap_or_default();
    let hour = now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now);
    let starts_at = hour + TimeDelta::hours(25);
    let plan = Plan {
        title: String::new(),
        price: Cents(0),
        stock: 0,
        starts_at,
        ends_at: starts_at + TimeDelta::hours(1),
        captcha: true,
        rebuy: true,
        buckets: 1,
        pay_within_s: 900,
        rate_per_s: 5,
        total_rate_per_s: None,
    };
    Typed {
        product: product.map(|product| product.to_string()).unwrap_or_default(),
        // For the admin alone to say.
        price: String::new(),
        stock: String::new(),
        ..Typed::of(ProductId(0), &plan, zone)
    }
}
