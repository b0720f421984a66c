//! `/ops/pipeline`: the path from the gate to the ledger, station by station, while it works.

mod pictures;
pub mod view;
mod words;

use actix_web::{HttpRequest, HttpResponse, http::StatusCode};

use crate::{
    back_office::ops::pipeline::Pipeline,
    web::{
        Site,
        error::WebError,
        live::{News, Parts, Stream},
        page::{Frame, respond},
        session::{Operator, Visit},
    },
};

use view::{FiguresPart, PicturesPart, PipelinePage, Shown};

/// The page with the figures of now; a script keeps them fresh.
pub async fn show(_: Operator, site: Site, f: Frame) -> Result<HttpResponse, WebError> {
    let seen = site.pipelines.watch().await?.borrow().clone();
    let d = Shown::of(&seen, &f, true);
    Ok(respond(StatusCode::OK, &PipelinePage { f, d }))
}

/// Sends the figures until somebody has enough of them.
pub async fn events(
    _: Operator,
    site: Site,
    req: HttpRequest,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let watching = site.pipelines.watch().await?;
    let (stop, allowed) = (site.stop.clone(), Visit::is_still_operator);
    Stream { watching, stop, allowed, tell }.answer(req, f)
}

fn tell(seen: &Pipeline, f: &Frame, with_pictures: bool) -> News {
    let d = &Shown::of(seen, f, with_pictures);
    let parts = Parts::default().with("figures", &FiguresPart { f, d });
    News::Parts(if with_pictures { parts.with("pictures", &PicturesPart { f, d }) } else { parts })
}
