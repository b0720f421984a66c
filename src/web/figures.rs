//! Figures as pages show them.

use super::chart::real;
use super::price::grouped;
use super::text::{Message, key};

/// A number with its thousands apart.
#[must_use]
pub fn number(count: i64) -> String {
    let minus = if count < 0 { "−" } else { "" };
    format!("{minus}{}", grouped(count.unsigned_abs()))
}

/// So many in so many milliseconds, by the second.
#[must_use]
pub fn rate(count: i64, length_ms: i64) -> String {
    let per_s = real(count) * 1000.0 / real(length_ms.max(1));
    if per_s > 0.0 && per_s < 10.0 { format!("{per_s:.1}") } else { format!("{per_s:.0}") }
}

/// How a request to buy was answered; a word of [`crate::sale::admission::Admission::label`].
#[must_use]
pub fn outcome(word: &str) -> Message {
    match word {
        "admitted" => key("dashboard-outcome-admitted"),
        "already_held" => key("dashboard-outcome-already-held"),
        "unknown" => key("dashboard-outcome-unknown"),
        "sold_out" => key("dashboard-outcome-sold-out"),
        "not_open" => key("dashboard-outcome-not-open"),
        "ended" => key("dashboard-outcome-ended"),
        "paused" => key("dashboard-outcome-paused"),
        "ticket_invalid" => key("dashboard-outcome-ticket-invalid"),
        "captcha_wrong" => key("dashboard-outcome-captcha-wrong"),
        "too_fast" => key("dashboard-outcome-too-fast"),
        "restoring" => key("dashboard-outcome-restoring"),
        "busy" => key("dashboard-outcome-busy"),
        "barred" => key("dashboard-outcome-barred"),
        other => key("dashboard-outcome-other").with("word", other),
    }
}
