//! `/activities/{id}/captcha/{ticket}`: the picture of a ticket.

use actix_web::HttpResponse;

use super::Site;
use crate::{
    captcha::Seed,
    purchase::DeskError,
    web::{
        error::WebError,
        extract::path::{OnSale, TicketToken},
        session::Shopper,
    },
};

/// The picture; only of the shopper's own live ticket. To everybody else there is none, and nobody is
/// led to sign in by a picture.
pub async fn picture(
    site: Site,
    OnSale(listing): OnSale,
    token: TicketToken,
    shopper: Option<Shopper>,
) -> Result<HttpResponse, WebError> {
    let shopper = shopper.ok_or(WebError::NotFound)?;
    let found = site.desk.picture_seed(shopper.id, &listing.activity, &token.0).await;
    // A ticket that asks for no picture has an empty seed.
    let seed: Seed = found
        .map_err(DeskError::from)?
        .and_then(|seed| seed.parse().ok())
        .ok_or(WebError::NotFound)?;
    let png = site.shown.png(seed).await.ok_or(WebError::NoPicture)?;
    Ok(HttpResponse::Ok().content_type("image/png").body(png))
}
