//! The console: what an admin sees and does. Handlers are thin; the rules are in [`crate::sale`] and
//! [`crate::back_office`].

pub mod activities;
pub mod faults;
pub mod products;
pub mod view;
pub mod zone;

use actix_web::HttpResponse;

use super::page::see_other;
use super::session::Admin;

/// `/admin`: the activities are where an admin's day begins.
pub async fn home(_: Admin) -> HttpResponse {
    see_other("/admin/activities")
}
