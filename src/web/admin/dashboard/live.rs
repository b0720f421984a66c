//! `/admin/activities/{activity}/live`: the dashboard's figures as they become, until the sale is settled.

use actix_web::{HttpRequest, HttpResponse};

use super::view::{Dashboard, FiguresPart, PicturesPart};
use crate::{
    back_office::live::Live,
    web::{
        Site,
        error::WebError,
        extract::path::ActivityNumber,
        live::{News, Parts, Stream},
        page::Frame,
        session::{Admin, Visit},
    },
};

/// Sends the figures until somebody has enough of them.
pub async fn events(
    _: Admin,
    site: Site,
    ActivityNumber(id): ActivityNumber,
    req: HttpRequest,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let watching = site.dashboards.watch(id).await?;
    let (stop, allowed) = (site.stop.clone(), Visit::is_still_admin);
    Stream { watching, stop, allowed, tell }.answer(req, f)
}

fn tell(live: &Live, f: &Frame, with_pictures: bool) -> News {
    if live.figures.settlement.is_some() {
        return News::Over;
    }
    let d = &Dashboard::of(live, f, with_pictures);
    let parts = Parts::default().with("figures", &FiguresPart { f, d });
    News::Parts(if with_pictures { parts.with("pictures", &PicturesPart { f, d }) } else { parts })
}
