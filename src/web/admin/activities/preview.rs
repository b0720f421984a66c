//! `/admin/activities/{id}/preview`: the shop's own page of a sale as shoppers will see it, drafts
//! included, with nothing to press.

use actix_web::{HttpResponse, http::StatusCode};

use crate::catalog::{AtGate, Listing};
use crate::sale::activity::{Activity, Status};
use crate::web::Site;
use crate::web::error::WebError;
use crate::web::extract::path::ActivityNumber;
use crate::web::page::{Frame, respond};
use crate::web::session::Admin;
use crate::web::shop::activity::page_of;
use crate::web::shop::view::sale::ActivityPage;

/// The page.
pub async fn preview(
    _: Admin,
    site: Site,
    ActivityNumber(id): ActivityNumber,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let activity = site.office.preview(id).await?;
    let page = ActivityPage { is_preview: true, ..page_of(&listing(&site, activity), f) };
    Ok(respond(StatusCode::OK, &page))
}

/// What is published stands in the catalog with the gate's figures; a draft is shown as if it were.
fn listing(site: &Site, activity: Activity) -> Listing {
    let published = site.catalog.snapshot().get(activity.id);
    let at_gate = published.map_or(AtGate::NotAsked, |listing| listing.at_gate);
    let status = if activity.status == Status::Draft { Status::Scheduled } else { activity.status };
    Listing { activity: Activity { status, ..activity }, at_gate }
}
