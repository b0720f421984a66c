//! Whatever goes wrong in a handler becomes an answer of ours: its errors, its panics, its delays.

use std::{panic::AssertUnwindSafe, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web,
};
use futures_util::FutureExt;
use tokio::time::timeout;

use crate::{
    config,
    sale::error::Class,
    web::{WebState, error::WebError},
};

/// Runs the handler within the configured time. Wrapped around each address after its path is matched:
/// before that, a copy of the request must not be kept.
pub(in crate::web) async fn answer(
    req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let bound = bound(&req, |site| site.request_timeout_ms);
    answer_within(bound, req, next).await
}

/// The same where a picture may be sent, which takes time by itself.
pub(in crate::web) async fn answer_upload(
    req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let bound = bound(&req, |site| site.request_timeout_ms.saturating_add(site.upload_timeout_ms));
    answer_within(bound, req, next).await
}

fn bound(req: &ServiceRequest, of: impl Fn(&config::Site) -> u64) -> Duration {
    let state = req.app_data::<web::Data<WebState>>();
    config::ms(state.map_or(15_000, |state| of(&state.site)))
}

async fn answer_within(
    bound: Duration,
    req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let request = req.request().clone();
    let handled = timeout(bound, AssertUnwindSafe(next.call(req)).catch_unwind()).await;
    let response = match handled {
        Ok(Ok(Ok(answer))) => match failure_in(&answer) {
            None => return Ok(answer.map_into_boxed_body()),
            Some(response) => response,
        },
        Ok(Ok(Err(error))) => told(&error, &request),
        // The panic's own message has gone to stderr, where only staff see it.
        Ok(Err(_)) => tell(&WebError::Fault("a handler panicked"), &request),
        Err(_) => tell(&WebError::TimedOut, &request),
    };
    Ok(ServiceResponse::new(request, response))
}

/// The answer in place of one that a handler or extractor ended with.
fn failure_in<B>(answer: &ServiceResponse<B>) -> Option<HttpResponse> {
    answer.response().error().map(|error| told(error, answer.request()))
}

/// An error that is none of ours comes from the framework; all that is told of it is its status.
fn told(error: &actix_web::Error, request: &HttpRequest) -> HttpResponse {
    match error.as_error::<WebError>() {
        Some(ours) => tell(ours, request),
        None if error.as_response_error().status_code().is_client_error() => {
            tell(&WebError::BadRequest("refused by the framework"), request)
        }
        None => {
            tracing::error!(%error, "request failed outside a handler");
            tell(&WebError::Fault("outside a handler"), request)
        }
    }
}

fn tell(error: &WebError, request: &HttpRequest) -> HttpResponse {
    let label = error.label();
    match error.class() {
        Class::Reject => tracing::debug!(label, %error, "refused"),
        Class::Retry | Class::Unknown => tracing::warn!(label, %error, "not served"),
        Class::Bug => tracing::error!(label, %error, "request failed"),
    }
    error.answer(request)
}
