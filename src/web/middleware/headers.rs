//! The headers of a careful site, on every answer that does not set its own.

use actix_web::{
    http::header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
        X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
    middleware::DefaultHeaders,
};

use crate::web::page;

/// `tls`: the site is served over TLS, and browsers shall ask for nothing else.
pub(in crate::web) fn careful(tls: bool) -> DefaultHeaders {
    let headers = DefaultHeaders::new()
        // Each page may name its viewer; what may be kept (files) says so itself.
        .add((CACHE_CONTROL, "no-store"))
        .add((CONTENT_SECURITY_POLICY, page::CONTENT_SECURITY_POLICY))
        .add((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // For browsers that do not know `frame-ancestors`.
        .add((X_FRAME_OPTIONS, "DENY"))
        // Addresses hold order numbers and tickets.
        .add((REFERRER_POLICY, "same-origin"))
        .add(("Cross-Origin-Opener-Policy", "same-origin"))
        .add(("Cross-Origin-Resource-Policy", "same-origin"))
        .add(("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"));
    if tls { headers.add((STRICT_TRANSPORT_SECURITY, "max-age=31536000")) } else { headers }
}
