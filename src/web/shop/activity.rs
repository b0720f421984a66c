//! `/activities/{id}`: one sale.

use actix_web::{HttpResponse, http::StatusCode};

use super::{shown, view::sale::ActivityPage};
use crate::web::{
    extract::path::OnSale,
    page::{Frame, respond},
};

/// The product's page.
pub async fn show(OnSale(listing): OnSale, f: Frame) -> HttpResponse {
    let activity = &listing.activity;
    let page = ActivityPage {
        sale: shown::sale(&listing, f.now_ms),
        description: activity.product.description.clone(),
        pay_within_seconds: activity.pay_within_s,
        asks_captcha: activity.captcha,
        f,
    };
    respond(StatusCode::OK, &page)
}
