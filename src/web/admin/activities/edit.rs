//! `/admin/activities/{id}/edit`: other terms for an activity, if nobody else was faster.

use actix_session::Session;
use actix_web::{HttpResponse, http::StatusCode};

use super::said::Said;
use super::seen::{Seen, Words};
use super::show::{self, Trouble};
use super::typed::{Fixed, name_of, read, take_over, told};
use super::view::form::{Choice, Existing, FormPage, Typed};
use super::{address, warnings};
use crate::back_office::{BackOfficeError, ProductChoice};
use crate::sale::activity::{Activity, Status};
use crate::sale::error::Class;
use crate::sale::ids::ProductId;
use crate::sale::plan::Plan;
use crate::sale::zone::Zone;
use crate::web::Site;
use crate::web::admin::zone::{AdminZone, remember};
use crate::web::error::WebError;
use crate::web::extract::form::Checked;
use crate::web::extract::path::ActivityNumber;
use crate::web::faults::Faults;
use crate::web::page::{Frame, respond, see_other};
use crate::web::session::Admin;
use crate::web::text::key;

/// The form with the present terms.
pub async fn edit(
    _: Admin,
    site: Site,
    ActivityNumber(id): ActivityNumber,
    zone: AdminZone,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let activity = site.office.preview(id).await?;
    if is_over(&activity) {
        return show::trouble(&site, id, zone, f, Trouble::over()).await;
    }
    let products = site.office.product_choices(Some(activity.product.id)).await?;
    let typed = Typed {
        version: activity.version.to_string(),
        seen: Seen::of(&activity).packed(),
        ..Typed::of(activity.product.id, &Plan::of(&activity), zone.zone)
    };
    let asked = Asked { products, activity: Some(&activity), asks_zone: !zone.known };
    Ok(respond(StatusCode::OK, &form_page(f, asked, typed)))
}

/// Saves, or gives the form back: with its faults, with what to mean, with what somebody else changed.
pub async fn save(
    admin: Admin,
    site: Site,
    session: Session,
    ActivityNumber(id): ActivityNumber,
    zone: AdminZone,
    f: Frame,
    Checked(typed): Checked<Typed>,
) -> Result<HttpResponse, WebError> {
    let activity = site.office.preview(id).await?;
    if is_over(&activity) {
        return show::trouble(&site, id, zone, f, Trouble::over()).await;
    }
    let Ok(version) = typed.version.parse::<i64>() else {
        return Err(WebError::BadRequest("the form has no version"));
    };
    let reading = read(&typed, Some(&activity), &f);
    let products = site.office.product_choices(Some(activity.product.id)).await?;
    let to_accept =
        warnings::of_plan(&reading.plan, reading.product, &products, Some(&activity), &f);
    let asked = Asked { products, activity: Some(&activity), asks_zone: false };
    let mut page = FormPage {
        faults: reading.faults,
        starts_twice: reading.starts_twice,
        ends_twice: reading.ends_twice,
        ..form_page(f, asked, typed)
    };
    if !page.faults.is_empty() {
        return Ok(respond(StatusCode::UNPROCESSABLE_ENTITY, &page));
    }
    if !to_accept.is_accepted(&page.typed.accepted) {
        page.typed.accepted = to_accept.mark;
        page.warnings = to_accept.words;
        return Ok(respond(StatusCode::UNPROCESSABLE_ENTITY, &page));
    }
    let planned = Seen::planned(reading.product, &reading.plan);
    match site.office.edit(id, version, reading.product, reading.plan, &admin.actor).await {
        Ok(()) => {
            Said::Saved.keep(&session, id);
            Ok(with_zone(&site, see_other(&address(id)), reading.zone))
        }
        Err(BackOfficeError::Faults(faults)) => {
            for fault in faults {
                page.faults.add(name_of(fault.field()), told(fault));
            }
            Ok(respond(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
        Err(BackOfficeError::Changed(now)) if !is_over(&now) => {
            Ok(respond(StatusCode::CONFLICT, &changed(page, &now, &planned, reading.zone)))
        }
        Err(BackOfficeError::Changed(_) | BackOfficeError::Over { .. }) => {
            show::trouble(&site, id, zone, page.f, Trouble::over()).await
        }
        Err(error) if error.class() == Class::Bug => Err(error.into()),
        Err(error @ BackOfficeError::NotFound(_)) => Err(error.into()),
        Err(BackOfficeError::Busy(_)) => {
            page.trouble = Some(key("trouble-busy"));
            Ok(respond(StatusCode::SERVICE_UNAVAILABLE, &page))
        }
        Err(error) => {
            tracing::warn!(activity = %id, %error, "an edit has no sure answer");
            page.trouble = Some(key("trouble-unsure"));
            Ok(respond(StatusCode::SERVICE_UNAVAILABLE, &page))
        }
    }
}

/// The form again: what this admin typed stays, what they left alone takes over what the other one made
/// of it, and all of it stands from now on against the present terms.
fn changed(mut page: FormPage, now: &Activity, planned: &Seen, zone: Zone) -> FormPage {
    let present = Seen::of(now);
    let in_form = |seen: &Seen| Typed::of(seen.product(), &seen.plan(), zone);
    // A form without what was seen still tells where it differs.
    let seen = Seen::unpacked(&page.typed.seen).unwrap_or_else(|| planned.clone());
    take_over(&mut page.typed, &in_form(&seen), &in_form(planned), in_form(&present));
    page.fixed = Fixed::of(Some(now), page.f.now_ms);
    if page.fixed.terms {
        keep_fixed(&mut page.typed, now, page.fixed);
    }
    let again = read(&page.typed, Some(now), &page.f);
    let yours = Seen::planned(again.product, &again.plan);
    let name_of = |id: ProductId| {
        let of_choices = page.products.iter().find(|choice| choice.id == id.to_string());
        match of_choices {
            _ if id == now.product.id => now.product.name.clone(),
            Some(choice) => choice.name.clone(),
            None => format!("#{id}"),
        }
    };
    let words = Words { f: &page.f, zone, name_of: &name_of };
    page.changed = seen.changes(&present, &yours, &words);
    (page.starts_twice, page.ends_twice) = (again.starts_twice, again.ends_twice);
    page.existing = Some(existing(now));
    page.typed.version = now.version.to_string();
    page.typed.seen = present.packed();
    page
}

/// What a form is about.
pub(super) struct Asked<'a> {
    pub(super) products: Vec<ProductChoice>,
    pub(super) activity: Option<&'a Activity>,
    pub(super) asks_zone: bool,
}

/// The form with nothing wrong in it.
pub(super) fn form_page(f: Frame, asked: Asked<'_>, mut typed: Typed) -> FormPage {
    let fixed = Fixed::of(asked.activity, f.now_ms);
    if let Some(activity) = asked.activity.filter(|_| fixed.terms) {
        keep_fixed(&mut typed, activity, fixed);
    }
    let choice = |choice: ProductChoice| Choice {
        id: choice.id.to_string(),
        name: choice.name,
        list_price: choice.list_price.map(|price| price.0),
    };
    FormPage {
        asks_zone: asked.asks_zone,
        existing: asked.activity.map(existing),
        faults: Faults::default(),
        fixed,
        products: asked.products.into_iter().map(choice).collect(),
        warnings: Vec::new(),
        changed: Vec::new(),
        trouble: None,
        starts_twice: None,
        ends_twice: None,
        typed,
        f,
    }
}

/// Fields that a form does not send show what is.
fn keep_fixed(typed: &mut Typed, activity: &Activity, fixed: Fixed) {
    let zone = typed.zone.parse().unwrap_or(Zone::UTC);
    let present = Typed::of(activity.product.id, &Plan::of(activity), zone);
    typed.product = present.product;
    typed.stock = present.stock;
    typed.buckets = present.buckets;
    if fixed.start {
        (typed.starts_at, typed.starts_fold) = (present.starts_at, present.starts_fold);
    }
}

fn existing(activity: &Activity) -> Existing {
    Existing { id: activity.id.0, title: activity.title.clone(), stock: activity.total_stock }
}

/// Whether nothing about it can change any more.
fn is_over(activity: &Activity) -> bool {
    matches!(activity.status, Status::Ended | Status::Settled | Status::Cancelled)
}

/// The answer, and the zone that the admin chose remembered with it.
pub(super) fn with_zone(site: &Site, mut answer: HttpResponse, zone: Zone) -> HttpResponse {
    remember(&mut answer, zone, site.site.secure_cookies);
    answer
}
