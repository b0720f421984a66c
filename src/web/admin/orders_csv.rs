//! `/admin/activities/{activity}/orders.csv`: all orders of a sale as a file.

use actix_web::{HttpRequest, HttpResponse};

use crate::sale::shopper::Role;
use crate::web::{
    Site, error::WebError, extract::path::ActivityNumber, orders_csv, session::Admin,
};

/// The file.
pub async fn download(
    _: Admin,
    site: Site,
    ActivityNumber(id): ActivityNumber,
    req: HttpRequest,
) -> Result<HttpResponse, WebError> {
    let (orders, file) = (site.office.orders_of(id).await?, format!("orders-{id}.csv"));
    orders_csv::sent(&req, site.stop.clone(), |role| role == Role::Admin, orders, file)
}
