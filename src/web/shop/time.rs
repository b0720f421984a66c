//! `/time`: the server's clock, by which countdowns run.

use actix_web::HttpResponse;
use chrono::Utc;
use serde::Serialize;

#[derive(Serialize)]
struct Time {
    now_ms: i64,
}

/// Milliseconds since the epoch.
pub async fn now() -> HttpResponse {
    HttpResponse::Ok().json(Time { now_ms: Utc::now().timestamp_millis() })
}
