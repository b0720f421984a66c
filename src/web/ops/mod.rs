//! The operators' pages: where every order and every unit is, what is stuck, and how to put it right.
//! Handlers are thin; what they ask is in [`crate::back_office`].

pub mod dead_letters;
pub mod differences;
pub mod orders;
pub mod pipeline;
pub mod reconciliations;
pub mod sales;
pub mod stuck;
pub mod words;

use actix_web::HttpResponse;

use super::error::WebError;
use super::page::see_other;
use super::session::Operator;

/// `/ops`: an operator's day begins with somebody's order.
pub async fn home(_: Operator) -> HttpResponse {
    see_other("/ops/orders")
}

/// Whatever else lies under `/ops`.
pub async fn nothing(_: Operator) -> Result<HttpResponse, WebError> {
    Err(WebError::NotFound)
}
