//! What a shopper sees and does: a file for each address, in the order of a purchase.

pub mod activities;
pub mod activity;
pub mod admission;
pub mod captcha;
pub mod language;
pub mod login;
pub mod orders;
pub mod purchase;
pub mod register;
pub mod shown;
pub mod time;
pub mod view;

use actix_web::{HttpResponse, http::header::LOCATION, web};

use super::WebState;

/// What every handler works with.
pub type Site = web::Data<WebState>;

/// On to another page of this site, to be read by GET.
fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, address)).finish()
}
