//! The zone in which an admin reads and types times: told by a cookie that the browser's script or a form
//! sets, UTC where nothing is known.

use std::future::{Ready, ready};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time::Duration},
    dev::Payload,
};
use chrono::{DateTime, Datelike, NaiveDateTime, SecondsFormat, Timelike, Utc};

use crate::sale::zone::{LocalTime, Zone};
use crate::web::{
    error::WebError,
    language::Language,
    moment::Moment,
    text::{Text, key},
};

/// Also named in `static/console.js`.
const COOKIE: &str = "seckill_zone";

/// An admin's zone.
#[derive(Debug, Clone, Copy)]
pub struct AdminZone {
    /// The zone.
    pub zone: Zone,
    /// Whether it was told; if not, the page asks the browser.
    pub known: bool,
}

impl FromRequest for AdminZone {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let told = req.cookie(COOKIE).and_then(|cookie| cookie.value().parse().ok());
        ready(Ok(Self { zone: told.unwrap_or(Zone::UTC), known: told.is_some() }))
    }
}

/// Remembers the zone for a year. Not for the server's eyes only: the script looks whether it is there.
pub fn remember(answer: &mut HttpResponse, zone: Zone, secure: bool) {
    let cookie = Cookie::build(COOKIE, zone.name())
        .path("/")
        .max_age(Duration::days(365))
        .same_site(SameSite::Lax)
        .secure(secure)
        .finish();
    if let Err(error) = answer.add_cookie(&cookie) {
        tracing::warn!(%error, "the zone is not remembered");
    }
}

/// A moment in words, by the clocks of a zone.
#[must_use]
pub fn moment(at: DateTime<Utc>, zone: Zone, language: Language) -> Moment {
    let shown = zone.show(at);
    Moment {
        iso: at.to_rfc3339_opts(SecondsFormat::Millis, true),
        text: date_and_clock(shown.at, &offset(&shown), language),
    }
}

/// How far the clocks are ahead, with the people's own word for it where they have one.
#[must_use]
pub fn offset(shown: &LocalTime) -> String {
    match shown.abbreviation.as_deref() {
        Some("UTC") => "UTC".to_owned(),
        Some(word) => format!("{word} ({})", shown.offset()),
        None => shown.offset(),
    }
}

/// A moment in words, without the offset: for a list whose zone stands above it.
#[must_use]
pub fn short_moment(at: DateTime<Utc>, zone: Zone, language: Language) -> Moment {
    let shown = zone.show(at).at;
    let text = key("zoned-moment-short")
        .with("year", shown.year().to_string())
        .with("month", shown.month())
        .with("day", shown.day())
        .with("clock", clock(shown))
        .in_language(language);
    Moment { text, ..moment(at, zone, language) }
}

fn date_and_clock(at: NaiveDateTime, offset: &str, language: Language) -> Text {
    key("zoned-moment")
        .with("year", at.year().to_string())
        .with("month", at.month())
        .with("day", at.day())
        .with("clock", clock(at))
        .with("offset", offset)
        .in_language(language)
}

/// A day in words.
#[must_use]
pub fn date(at: NaiveDateTime, language: Language) -> Text {
    key("zoned-date")
        .with("year", at.year().to_string())
        .with("month", at.month())
        .with("day", at.day())
        .in_language(language)
}

/// Hours and minutes; seconds where there are some.
#[must_use]
pub fn clock(at: NaiveDateTime) -> String {
    let whole_minute = at.second() == 0 && at.nanosecond() == 0;
    at.format(if whole_minute { "%H:%M" } else { "%H:%M:%S" }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_with_the_offset_of_its_zone() {
        let told = |zone: &str, language| {
            let at = Zone::UTC.read("2026-11-29T12:00:05", None).expect("a moment");
            moment(at, zone.parse().expect("a zone"), language).text.to_string()
        };
        assert_eq!(told("Europe/Berlin", Language::En), "29 Nov 2026, 13:00:05 CET (UTC+01:00)");
        assert_eq!(told("Asia/Kathmandu", Language::En), "29 Nov 2026, 17:45:05 UTC+05:45");
        assert_eq!(told("UTC", Language::En), "29 Nov 2026, 12:00:05 UTC");
        assert_eq!(
            told("Asia/Shanghai", Language::ZhCn),
            "2026年11月29日 20:00:05（CST (UTC+08:00)）"
        );
    }
}
