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
use tokio::sync::mpsc;
use tokio::sync::watch::error::RecvError;
use tokio::time::error::Elapsed;
use tokio_util::sync::CancellationToken;

use super::{error::WebError, page::Frame, session::Visit};
use crate::back_office::watch::Watching;

/// After so long without news a comment is sent: proxies close what is silent, and a connection whose other
/// end has gone is found out.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How long a browser may take no event before nobody watches for it any more.
const PATIENCE: Duration = Duration::from_secs(30);
/// Events that wait for a browser.
const WAITING: usize = 2;
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
        let stop = self.stop.clone();
        let mut watcher = Watcher { stream: self, visit, req, f, sent: 0, over: false };
        let (news, events) = mpsc::channel(WAITING);
        // A task of its own: the answer's body is asked for more only as long as the browser takes what
        // there is, and a watcher that waits for that would see neither the stop nor the end of its session.
        actix_web::rt::spawn(async move {
            pass_on(async || watcher.next().await, &news, &stop, PATIENCE).await;
        });
        let events = stream::unfold(events, |mut events| async {
            let event = events.recv().await?;
            Some((Ok::<_, WebError>(event), events))
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

/// Passes on what there is to send, until there is no more, `stop` comes, the reader has gone, or it takes
/// nothing for as long as `patience` lasts.
async fn pass_on(
    mut next: impl AsyncFnMut() -> Option<Bytes>,
    reader: &mpsc::Sender<Bytes>,
    stop: &CancellationToken,
    patience: Duration,
) {
    loop {
        let event = tokio::select! {
            () = reader.closed() => return,
            event = next() => event,
        };
        let Some(event) = event else { return };
        tokio::select! {
            () = stop.cancelled() => return,
            sent = reader.send_timeout(event, patience) => if sent.is_err() { return },
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);
    /// For what is to happen at once.
    const SOON: Duration = Duration::from_secs(10);

    /// Passes on without end to a reader who takes nothing; gives how many events were made.
    async fn to_a_stalled_reader(stop: &CancellationToken, patience: Duration) -> usize {
        let (news, _events) = mpsc::channel(WAITING);
        let mut made = 0;
        let passing = pass_on(
            async || {
                made += 1;
                Some(Bytes::from_static(b"data:\n\n"))
            },
            &news,
            stop,
            patience,
        );
        tokio::time::timeout(SOON, passing).await.expect("it ends");
        made
    }

    #[tokio::test]
    async fn whoever_takes_nothing_is_not_waited_for_without_end() {
        let stop = CancellationToken::new();
        let made = to_a_stalled_reader(&stop, Duration::from_millis(10)).await;
        assert_eq!(made, WAITING + 1, "what is not taken is not made");
    }

    #[tokio::test]
    async fn the_nodes_stop_does_not_wait_for_whoever_takes_nothing() {
        let stop = CancellationToken::new();
        let told = stop.clone();
        let (made, ()) = tokio::join!(to_a_stalled_reader(&stop, LONG), async move {
            tokio::task::yield_now().await;
            told.cancel();
        });
        assert!(made <= WAITING + 1);
    }

    #[tokio::test]
    async fn nobody_watches_for_a_reader_who_has_gone() {
        let (news, events) = mpsc::channel(WAITING);
        drop(events);
        let stop = CancellationToken::new();
        let passing = pass_on(async || std::future::pending().await, &news, &stop, LONG);
        tokio::time::timeout(SOON, passing).await.expect("it ends");
    }

    #[tokio::test]
    async fn what_is_to_be_sent_arrives_in_order_and_then_it_is_over() {
        let (news, mut events) = mpsc::channel(WAITING);
        let mut left = vec!["c", "b", "a"];
        let stop = CancellationToken::new();
        let passing = async move {
            pass_on(async || left.pop().map(Bytes::from), &news, &stop, LONG).await;
        };
        let reading = async move {
            let mut read = Vec::new();
            while let Some(event) = events.recv().await {
                read.push(event);
            }
            read
        };
        let ((), read) = tokio::join!(passing, reading);
        assert_eq!(read, ["a", "b", "c"]);
    }
}
