//! Each request gets an id of ours; it goes into the log, the answer, and with a purchase into the queue.
//!
//! An id from outside is not taken: whoever sends it could make a stranger's trail look like theirs.

use std::future::{Ready, ready};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    body::MessageBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::header::{HeaderName, HeaderValue},
    middleware::Next,
};
use chrono::Utc;
use tracing::Instrument;
use ulid::Ulid;

use crate::web::error::WebError;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// A request's id: a ULID, so that ids sort by time.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

impl RequestId {
    fn new() -> Self {
        let now_ms = u64::try_from(Utc::now().timestamp_millis()).unwrap_or(0);
        Self(Ulid::from_parts(now_ms, rand::random()).to_string())
    }

    /// The id of a request, if it has one yet.
    #[must_use]
    pub fn text_of(req: &HttpRequest) -> Option<String> {
        req.extensions().get::<Self>().map(|id| id.0.clone())
    }
}

impl FromRequest for RequestId {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::text_of(req).map(Self).ok_or(WebError::Fault("a request without an id")))
    }
}

/// Gives the request its id, runs the rest in a span that names it, and returns it in `X-Request-Id`.
pub(in crate::web) async fn name(
    req: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let id = RequestId::new();
    let span = tracing::info_span!("request", request_id = %id.0);
    let header = HeaderValue::from_str(&id.0);
    req.extensions_mut().insert(id);
    let mut answer = next.call(req).instrument(span).await?;
    if let Ok(value) = header {
        answer.headers_mut().insert(HEADER, value);
    }
    Ok(answer)
}
