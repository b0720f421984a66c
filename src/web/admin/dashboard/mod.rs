//! `/admin/activities/{activity}/dashboard`: a sale while it runs, and what came of it.

pub mod live;
pub mod pictures;
pub mod view;

use actix_web::{HttpResponse, http::StatusCode};

use crate::web::{
    Site,
    error::WebError,
    extract::path::ActivityNumber,
    page::{Frame, respond},
    session::Admin,
};

use view::{Dashboard, DashboardPage};

/// The page with the figures of now; a script keeps them fresh.
pub async fn show(
    _: Admin,
    site: Site,
    ActivityNumber(id): ActivityNumber,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let live = site.dashboards.watch(id).await?.borrow().clone();
    let d = Dashboard::of(&live, &f, true);
    Ok(respond(StatusCode::OK, &DashboardPage { f, d }))
}
