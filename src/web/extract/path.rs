//! Numbers in addresses. What is no such number has no page.

use std::{
    future::{Ready, ready},
    str::FromStr,
};

use actix_web::{FromRequest, HttpRequest, dev::Payload};

use crate::{
    sale::{ids::ActivityId, order_number::OrderNo},
    web::error::WebError,
};

impl FromRequest for ActivityId {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(req, "activity"))
    }
}

impl FromRequest for OrderNo {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(req, "order"))
    }
}

/// The token of a ticket in an address: what no ticket can be called is asked of nobody.
#[derive(Debug, Clone)]
pub struct TicketToken(pub String);

/// No token of ours is as long.
pub(super) const TOKEN_MAX: usize = 128;

impl FromStr for TicketToken {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let fits = (1..=TOKEN_MAX).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        fits.then(|| Self(text.to_owned())).ok_or(())
    }
}

impl FromRequest for TicketToken {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(req, "ticket"))
    }
}

fn segment<T: FromStr>(req: &HttpRequest, name: &str) -> Result<T, WebError> {
    req.match_info().get(name).and_then(|text| text.parse().ok()).ok_or(WebError::NotFound)
}
