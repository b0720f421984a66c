//! Pages that keep themselves fresh: figures as they become, as server-sent events.
//!
//! Each event holds the markup of a part of the page. The stream ends when the node stops, when there is
//! nothing more to tell, and when the viewer may not watch any more; the browser asks again by itself.

use std::{sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ContentType, HeaderName, HeaderValue},
    web::Bytes,
};
use askama::Template;
use chrono::Utc;
use futures_util::stream;
use tokio::sync::watch::error::RecvError;
use tokio::time::error::Elapsed;
use tokio_util::sync::CancellationToken;

use super::{error::WebError, page::Frame, session::Visit};
use crate::back_office::watch::Watching;

/// After so long without news a comment is sent: proxies close what is silent, and a connection whose other
/// end has gone is found out.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Every how many figures the pictures are drawn anew.
const PICTURES_EVERY: u32 = 5;
/// How soon a browser whose stream has ended asks again: in milliseconds.
const RETRY: &str = "retry: 2000\n";

/// What is told of what is seen.
pub enum News {
    /// Parts of the page.
    Parts(Parts),
    /// Nothing changes any more, and the page looks different from now on.
    Over,
}

/// Who watches what, how it is told, and who may.
pub struct Stream<S, Tell> {
    /// What is watched.
    pub watching: Watching<S>,
    /// The node stops.
    pub stop: CancellationToken,
    /// Whether the viewer still may watch.
    pub allowed: fn(&Visit, &HttpRequest) -> bool,
    /// Tells it; with the pictures when they are due.
    pub tell: Tell,
}

impl<S, Tell> Stream<S, Tell>
where
    S: Send + Sync + 'static,
    Tell: Fn(&S, &Frame, bool) -> News + 'static,
{
    /// Sends the figures until somebody has enough of them.
    ///
    /// # Errors
    /// When nobody is signed in.
    pub fn answer(self, req: HttpRequest, f: Frame) -> Result<HttpResponse, WebError> {
        let visit = Visit::known(&req).ok_or(WebError::SignedOut)?;
        let watcher = Watcher { stream: self, visit, req, f, sent: 0, over: false };
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
}

/// Somebody who watches.
struct Watcher<S, Tell> {
    stream: Stream<S, Tell>,
    /// The session as it was when the request came: its store is closed once the answer has begun.
    visit: Visit,
    req: HttpRequest,
    f: Frame,
    sent: u32,
    over: bool,
}

impl<S, Tell> Watcher<S, Tell>
where
    S: Send + Sync + 'static,
    Tell: Fn(&S, &Frame, bool) -> News,
{
    /// What to send next. `None`: nothing any more.
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        // What is there already goes out at once.
        let news = if self.sent == 0 { Ok(Ok(())) } else { self.wait().await? };
        if !(self.stream.allowed)(&self.visit, &self.req) {
            return None;
        }
        match news {
            Ok(Ok(())) => {
                let seen = Arc::clone(&self.stream.watching.borrow_and_update());
                Some(self.event(&seen))
            }
            Ok(Err(_)) => None,
            Err(_) => Some(Bytes::from_static(b": still here\n\n")),
        }
    }

    /// Waits for news or for a heartbeat's time. `None`: the node stops.
    async fn wait(&mut self) -> Option<Result<Result<(), RecvError>, Elapsed>> {
        let Stream { stop, watching, .. } = &mut self.stream;
        tokio::select! {
            () = stop.cancelled() => None,
            news = tokio::time::timeout(HEARTBEAT, watching.changed()) => Some(news),
        }
    }

    fn event(&mut self, seen: &S) -> Bytes {
        self.f.now_ms = Utc::now().timestamp_millis();
        let with_pictures = self.sent.is_multiple_of(PICTURES_EVERY);
        let parts = match (self.stream.tell)(seen, &self.f, with_pictures) {
            News::Parts(parts) => parts.0,
            News::Over => {
                self.over = true;
                return Bytes::from_static(b"event: over\ndata:\n\n");
            }
        };
        let retry = if self.sent == 0 { RETRY } else { "" };
        self.sent = self.sent.wrapping_add(1).max(1);
        format!("{retry}{parts}").into()
    }
}

/// Parts of a page, as events.
#[derive(Debug, Default)]
pub struct Parts(String);

impl Parts {
    /// Adds an event with the part's markup; the page has an element of that id.
    #[must_use]
    pub fn with(mut self, id: &str, part: &impl Template) -> Self {
        match part.render() {
            Ok(markup) => {
                self.0.push_str("event: ");
                self.0.push_str(id);
                for line in markup.lines().filter(|line| !line.trim().is_empty()) {
                    self.0.push_str("\ndata: ");
                    self.0.push_str(line);
                }
                self.0.push_str("\n\n");
            }
            Err(error) => tracing::error!(%error, id, "a part of a page could not be rendered"),
        }
        self
    }
}
