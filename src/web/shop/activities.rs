//! `/`: the sales that are open, upcoming and over.

use std::cmp::Reverse;

use actix_web::{HttpResponse, http::StatusCode};

use super::{
    Site, shown,
    view::sale::{ActivitiesPage, Sale, SaleState},
};
use crate::web::{
    error::WebError,
    page::{Frame, respond},
};

/// Old sales that the list still shows.
const ENDED_SHOWN: usize = 12;

/// The list.
pub async fn list(site: Site, f: Frame) -> Result<HttpResponse, WebError> {
    if !site.catalog.is_loaded() {
        return Err(WebError::NotReady);
    }
    let (snapshot, now_ms) = (site.catalog.snapshot(), f.now_ms);
    let mut page = ActivitiesPage { f, open: Vec::new(), upcoming: Vec::new(), ended: Vec::new() };
    for sale in snapshot.listings().map(|listing| shown::sale(listing, now_ms)) {
        if let Some(part) = part_of(&mut page, sale.state) {
            part.push(sale);
        }
    }
    page.open.sort_by_key(|sale| sale.ends_at_ms);
    page.upcoming.sort_by_key(|sale| sale.starts_at_ms);
    page.ended.sort_by_key(|sale| Reverse(sale.ends_at_ms));
    page.ended.truncate(ENDED_SHOWN);
    Ok(respond(StatusCode::OK, &page))
}

fn part_of(page: &mut ActivitiesPage, state: SaleState) -> Option<&mut Vec<Sale>> {
    match state {
        SaleState::Open | SaleState::SoldOut | SaleState::Paused | SaleState::Restoring => {
            Some(&mut page.open)
        }
        SaleState::Upcoming => Some(&mut page.upcoming),
        SaleState::Ended => Some(&mut page.ended),
        SaleState::Cancelled => None,
    }
}
