//! The console: what an admin sees and does. Handlers are thin; the rules are in [`crate::sale`] and
//! [`crate::back_office`].

pub mod accounts;
pub mod activities;
pub mod audit;
pub mod dashboard;
pub mod orders_csv;
pub mod products;
pub mod view;
pub mod zone;

use actix_web::HttpResponse;

use super::error::WebError;
use super::page::see_other;
use super::session::Admin;

/// `/admin`: the activities are where an admin's day begins.
pub async fn home(_: Admin) -> HttpResponse {
    see_other("/admin/activities")
}

/// Whatever else lies under `/admin`.
pub async fn nothing(_: Admin) -> Result<HttpResponse, WebError> {
    Err(WebError::NotFound)
}
