//! The frame of this request's page: who looks, in which language, at which address.

use std::future::{Ready, ready};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::{Method, header::ACCEPT_LANGUAGE},
    web,
};
use chrono::Utc;

use super::{
    WebState,
    error::WebError,
    language::Language,
    page::{Frame, Viewer},
    session::Visit,
};
use crate::sale::money::Currency;

/// Longer queries are not carried through the language form and the way to the login.
const PATH_MAX: usize = 1024;

/// What is done to the thing whose page stands one step above.
const STEPS: [&str; 20] = [
    "pay",
    "cancel",
    "archive",
    "restore",
    "role",
    "password",
    "disable",
    "enable",
    "end-sessions",
    "schedule",
    "pause",
    "resume",
    "end",
    "clone",
    "adjust",
    "replay",
    "discard",
    "refund",
    "send-again",
    "release",
];

impl FromRequest for Frame {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(of(req)))
    }
}

/// The frame of this request's page. Begins a session where there is none, since every page holds a
/// form with a token.
#[must_use]
pub fn of(req: &HttpRequest) -> Frame {
    let visit = Visit::of(req);
    let currency =
        req.app_data::<web::Data<WebState>>().map_or(Currency::CNY, |state| state.currency);
    Frame {
        language: language(req),
        csrf_token: visit.csrf_token,
        viewer: visit.account.map(|account| Viewer { name: account.name, role: account.role }),
        path: page_address(req),
        now_ms: Utc::now().timestamp_millis(),
        currency: currency.code().to_owned(),
    }
}

fn language(req: &HttpRequest) -> Language {
    let chosen = req.cookie(Language::COOKIE);
    let accepted = req.headers().get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::choose(chosen.as_ref().map(actix_web::cookie::Cookie::value), accepted)
}

/// Where the visitor can come back to: this address, or for a form that was sent the page it stood on.
fn page_address(req: &HttpRequest) -> String {
    let path = req.path();
    // Nothing but forms leads to such an address; whoever just looks there wants the page of the form.
    if matches!(path, "/logout" | "/language") {
        return "/".to_owned();
    }
    if let Some((page, _)) = path.rsplit_once('/').filter(|(_, last)| STEPS.contains(last)) {
        return page.to_owned();
    }
    if *req.method() == Method::POST {
        return path.to_owned();
    }
    match req.uri().path_and_query() {
        Some(whole) if whole.as_str().len() <= PATH_MAX => whole.as_str().to_owned(),
        _ => "/".to_owned(),
    }
}
