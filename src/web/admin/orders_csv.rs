//! `/admin/activities/{activity}/orders.csv`: all orders of a sale as a file.

use actix_web::HttpResponse;

use crate::web::{
    Site, error::WebError, extract::path::ActivityNumber, orders_csv, session::Admin,
};

/// The file.
pub async fn download(
    _: Admin,
    site: Site,
    ActivityNumber(id): ActivityNumber,
) -> Result<HttpResponse, WebError> {
    orders_csv::sent(site.office.orders_of(id).await?, format!("orders-{id}.csv"))
}
