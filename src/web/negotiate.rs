//! What the client wants to read: a page or JSON.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::header::ACCEPT};

use super::error::WebError;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A page for a person.
    Html,
    /// Data for a program.
    Json,
}

impl Wanted {
    /// By the `Accept` header; a page where it does not say that JSON is liked better.
    #[must_use]
    pub fn of(req: &HttpRequest) -> Self {
        let accept = req.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
        if accept.is_some_and(prefers_json) { Self::Json } else { Self::Html }
    }

    /// Whether it is JSON.
    #[must_use]
    pub fn is_json(self) -> bool {
        self == Self::Json
    }
}

impl FromRequest for Wanted {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::of(req)))
    }
}

/// How well a media range fits a type, and how much the client likes it: thousandths first, then how
/// exactly it is named, so that `application/json, */*` means JSON and `*/*` alone a page.
type Liking = (u16, u8);

fn prefers_json(accept: &str) -> bool {
    liking(accept, "application", "json") > liking(accept, "text", "html")
}

/// The most exact range that covers the type decides (RFC 9110, section 12.5.1).
fn liking(accept: &str, kind: &str, subtype: &str) -> Liking {
    let covering = accept.split(',').filter_map(|range| covers(range, kind, subtype));
    let (exactness, weight) =
        covering.fold((0, 0), |best, found| if found.0 > best.0 { found } else { best });
    // What is not wanted at all is not wanted in any form.
    if weight == 0 { (0, 0) } else { (weight, exactness) }
}

/// Exactness (1 `*/*`, 2 `type/*`, 3 the type) and weight of a range, if it covers the type.
fn covers(range: &str, kind: &str, subtype: &str) -> Option<(u8, u16)> {
    let mut parts = range.split(';').map(str::trim);
    let (range_kind, range_subtype) = parts.next()?.split_once('/')?;
    let exactness = match (range_kind, range_subtype) {
        ("*", "*") => 1,
        (k, "*") if k.eq_ignore_ascii_case(kind) => 2,
        (k, s) if k.eq_ignore_ascii_case(kind) && s.eq_ignore_ascii_case(subtype) => 3,
        _ => return None,
    };
    Some((exactness, weight(parts)?))
}

/// The weight among a range's parameters, in thousandths: the full one when they name none, and none
/// when what they name is no weight. `Accept-Language` uses the same form.
pub(super) fn weight<'a>(mut parameters: impl Iterator<Item = &'a str>) -> Option<u16> {
    parameters.find_map(quality).map_or(Some(1000), thousandths)
}

fn quality(parameter: &str) -> Option<&str> {
    let (name, value) = parameter.split_once('=')?;
    name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
}

/// `1`, `0.8` or `0.125` in thousandths; anything else is not a weight.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let padded = format!("{fraction:0<3}");
    match whole {
        "1" if padded == "000" => Some(1000),
        "0" => padded.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::prefers_json;

    #[test]
    fn a_program_gets_json() {
        for accept in [
            "application/json",
            "APPLICATION/JSON",
            "application/json, text/plain, */*",
            "application/json;charset=utf-8",
            "application/json; q=0.9, text/html;q=0.8",
            "application/*, text/html;q=0.5",
            "text/html;q=0, application/json;q=0.1",
        ] {
            assert!(prefers_json(accept), "{accept}");
        }
    }

    #[test]
    fn everybody_else_gets_a_page() {
        for accept in [
            "",
            "*/*",
            "text/html",
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
            "text/html, application/json",
            "application/json, text/html",
            "application/json;q=0.5, */*",
            "application/json;q=0",
            "application/json;q=2",
            "application/json;q=NaN",
            "application/jsonp",
            "json",
            "/,;q=,,/;;",
            "image/*",
        ] {
            assert!(!prefers_json(accept), "{accept}");
        }
    }
}
