//! `/activities/{id}`: one sale.

use actix_web::{HttpResponse, http::StatusCode};

use super::{shown, view::sale::ActivityPage};
use crate::catalog::Listing;
use crate::web::{
    extract::path::OnSale,
    page::{Frame, respond},
};

/// The product's page.
pub async fn show(OnSale(listing): OnSale, f: Frame) -> HttpResponse {
    respond(StatusCode::OK, &page_of(&listing, f))
}

/// The page of a sale as it is now.
#[must_use]
pub fn page_of(listing: &Listing, f: Frame) -> ActivityPage {
    let activity = &listing.activity;
    ActivityPage {
        sale: shown::sale(listing, f.now_ms),
        description: activity.product.description.clone(),
        pay_within_seconds: activity.pay_within_s,
        asks_captcha: activity.captcha,
        is_preview: false,
        f,
    }
}
