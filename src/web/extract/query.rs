//! The query of an address, read as strictly as a form.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpRequest, dev::Payload};

use super::fields::Fields;
use crate::web::error::WebError;

/// The fields of the query.
#[derive(Debug)]
pub struct Query(pub Fields);

impl FromRequest for Query {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Fields::parse(req.query_string().as_bytes()).map(Self).map_err(WebError::from))
    }
}
