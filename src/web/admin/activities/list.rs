//! `/admin/activities`: all of them, the newest first.

use actix_web::{HttpResponse, http::StatusCode};
use chrono::DateTime;

use super::view::list::{ListPage, Row, list_address};
use super::warnings;
use crate::back_office::Search;
use crate::sale::activity::Activity;
use crate::sale::ids::ActivityId;
use crate::sale::stage::Stage;
use crate::sale::zone::Zone;
use crate::web::Site;
use crate::web::admin::zone::{AdminZone, short_moment};
use crate::web::error::WebError;
use crate::web::extract::query::Query;
use crate::web::page::{Frame, respond};
use crate::web::session::Admin;

const ON_A_PAGE: usize = 30;
/// Longer than any name.
const TEXT_MAX: usize = 200;

/// The list. A filter that there is none of shows all; a text that is no name finds nothing.
pub async fn list(
    _: Admin,
    site: Site,
    zone: AdminZone,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let stage: Option<Stage> = query.take("state")?.and_then(|word| word.parse().ok());
    let text: String = query.take("q")?.unwrap_or_default().trim().chars().take(TEXT_MAX).collect();
    let before: Option<ActivityId> = query.take("before")?.and_then(|id| id.parse().ok());
    let now = DateTime::from_timestamp_millis(f.now_ms).unwrap_or_default();
    let search = Search { stage, text: Some(text.clone()).filter(|text| !text.is_empty()), before };
    // One more than is shown tells whether the list goes on.
    let limit = i64::try_from(ON_A_PAGE + 1).unwrap_or(i64::MAX);
    let found = site.office.find_activities(search, now, limit).await?;
    let last = found.get(ON_A_PAGE - 1).filter(|_| found.len() > ON_A_PAGE);
    let more = last.map(|last| list_address(stage, &text, Some(last.id.0)));
    let rows = found.iter().take(ON_A_PAGE).map(|activity| row(activity, zone.zone, &f)).collect();
    let page = ListPage { rows, more, stage, text, zone: zone.zone, asks_zone: !zone.known, f };
    Ok(respond(StatusCode::OK, &page))
}

fn row(activity: &Activity, zone: Zone, f: &Frame) -> Row {
    Row {
        id: activity.id.0,
        title: activity.title.clone(),
        product: activity.product.name.clone(),
        stage: Stage::of(activity, f.now_ms),
        price: activity.price.0,
        remain: activity.remain_stock,
        total: activity.total_stock,
        starts: short_moment(activity.starts_at, zone, f.language),
        ends: short_moment(activity.ends_at, zone, f.language),
        warning: warnings::of_draft_window(activity, f.now_ms),
    }
}
