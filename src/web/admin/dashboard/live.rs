//! `/admin/activities/{activity}/live`: the dashboard's figures as they become, as server-sent events.
//!
//! Each event holds the markup of a part of the page. The stream ends when the node stops, when the sale is
//! settled, and when the viewer may not watch any more; the browser asks again by itself.

use std::{sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ContentType, HeaderName, HeaderValue},
    web::Bytes,
};
use askama::Template;
use chrono::Utc;
use futures_util::stream;
use tokio_util::sync::CancellationToken;

use super::view::{Dashboard, FiguresPart, PicturesPart};
use crate::{
    back_office::live::{Live, Watching},
    web::{
        Site,
        error::WebError,
        extract::path::ActivityNumber,
        page::Frame,
        session::{Admin, Visit},
    },
};

/// After so long without news a comment is sent: proxies close what is silent, and a connection whose other
/// end has gone is found out.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Every how many figures the pictures are drawn anew.
const PICTURES_EVERY: u32 = 5;
/// How soon a browser whose stream has ended asks again: in milliseconds.
const RETRY: &str = "retry: 2000\n";

/// Sends the figures until somebody has enough of them.
pub async fn events(
    _: Admin,
    site: Site,
    ActivityNumber(id): ActivityNumber,
    req: HttpRequest,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let visit = Visit::known(&req).ok_or(WebError::SignedOut)?;
    let watching = site.dashboards.watch(id).await?;
    let stop = site.stop.clone();
    let watcher = Watcher { watching, stop, visit, req, f, sent: 0, over: false };
    let events = stream::unfold(watcher, |mut watcher| async {
        let event = watcher.next().await?;
        Some((Ok::<_, WebError>(event), watcher))
    });
    Ok(HttpResponse::Ok()
        .insert_header(ContentType(
            "text/event-stream"
                .parse()
                .map_err(|_| WebError::Fault("the type of an event stream"))?,
        ))
        // Or a proxy might keep the events until it has many.
        .insert_header((
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        ))
        .streaming(events))
}

/// Somebody who watches.
struct Watcher {
    watching: Watching,
    stop: CancellationToken,
    /// The session as it was when the request came: its store is closed once the answer has begun.
    visit: Visit,
    req: HttpRequest,
    f: Frame,
    sent: u32,
    over: bool,
}

impl Watcher {
    /// What to send next. `None`: nothing any more.
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        // What is there already goes out at once.
        let news = if self.sent == 0 { Ok(Ok(())) } else { self.wait().await? };
        if !self.visit.is_still_admin(&self.req) {
            return None;
        }
        match news {
            Ok(Ok(())) => {
                let live = Arc::clone(&self.watching.borrow_and_update());
                Some(self.event(&live))
            }
            Ok(Err(_)) => None,
            Err(_) => Some(Bytes::from_static(b": still here\n\n")),
        }
    }

    /// Waits for news or for a heartbeat's time. `None`: the node stops.
    async fn wait(
        &mut self,
    ) -> Option<Result<Result<(), tokio::sync::watch::error::RecvError>, tokio::time::error::Elapsed>>
    {
        tokio::select! {
            () = self.stop.cancelled() => None,
            news = tokio::time::timeout(HEARTBEAT, self.watching.changed()) => Some(news),
        }
    }

    fn event(&mut self, live: &Live) -> Bytes {
        self.f.now_ms = Utc::now().timestamp_millis();
        self.over = live.figures.settlement.is_some();
        let mut text = String::new();
        if self.over {
            // The page looks different from now on.
            text.push_str("event: over\ndata:\n\n");
            return text.into();
        }
        let with_pictures = self.sent.is_multiple_of(PICTURES_EVERY);
        let d = Dashboard::of(live, &self.f, with_pictures);
        if self.sent == 0 {
            text.push_str(RETRY);
        }
        push(&mut text, "figures", &FiguresPart { f: &self.f, d: &d });
        if with_pictures {
            push(&mut text, "pictures", &PicturesPart { f: &self.f, d: &d });
        }
        self.sent = self.sent.wrapping_add(1).max(1);
        text.into()
    }
}

/// Adds an event with the part's markup.
fn push(text: &mut String, name: &str, part: &impl Template) {
    match part.render() {
        Ok(markup) => {
            text.push_str("event: ");
            text.push_str(name);
            for line in markup.lines().filter(|line| !line.trim().is_empty()) {
                text.push_str("\ndata: ");
                text.push_str(line);
            }
            text.push_str("\n\n");
        }
        Err(error) => tracing::error!(%error, "a part of the dashboard could not be rendered"),
    }
}
