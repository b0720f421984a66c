//! How long each answer took, by route and status.

use std::time::Instant;

use actix_web::{
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};

/// Measures `seckill_http_request_duration_seconds`. The route is its pattern, never the address that
/// was asked for: addresses hold order numbers, and anybody can invent as many as they like.
pub(in crate::web) async fn measure(
    req: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let started = Instant::now();
    let method = req.method().clone();
    let answer = next.call(req).await?;
    let took = started.elapsed();
    let route = answer.request().match_pattern().unwrap_or_else(|| "unmatched".to_owned());
    let status = answer.status();
    tracing::debug!(%method, route, status = status.as_u16(), took_ms = took.as_millis(), "answered");
    metrics::histogram!(
        "seckill_http_request_duration_seconds",
        "route" => route,
        "status" => status.as_str().to_owned()
    )
    .record(took);
    Ok(answer)
}
