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
use crate::back_office::BackOfficeError;

/// `/admin`: the activities are where an admin's day begins.
pub async fn home(_: Admin) -> HttpResponse {
    see_other("/admin/activities")
}

/// Whatever else lies under `/admin`.
pub async fn nothing(_: Admin) -> Result<HttpResponse, WebError> {
    Err(WebError::NotFound)
}

/// Carries a change out to its end, whatever becomes of the request: a browser that hangs up, or a bound on
/// the answer, must not leave an activity locked, unannounced or half changed.
async fn to_the_end<T: 'static>(
    change: impl Future<Output = Result<T, BackOfficeError>> + 'static,
) -> Result<T, BackOfficeError> {
    // (Only a panic in it keeps a task from its result.)
    let carried_out = actix_web::rt::spawn(change).await;
    carried_out.unwrap_or(Err(BackOfficeError::BrokenOff))
}
