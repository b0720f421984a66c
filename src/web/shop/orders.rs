//! `/orders` and below: mine, one, paying and cancelling it. Another shopper's is not there.

use actix_web::{HttpResponse, http::StatusCode};
use serde::Serialize;

use super::{
    Site, see_other, shown,
    view::order::{OrderNotice, OrderPage, OrdersPage},
};
use crate::{
    purchase::{
        DeskError,
        order::OrderStanding,
        pay::{Paying, Settled},
    },
    sale::{money::Currency, order::Standing, order_number::OrderNo},
    web::{
        error::WebError,
        extract::{
            form::{Checked, NoFields},
            path::Named,
            query::Query,
        },
        middleware::request_id::RequestId,
        negotiate::Wanted,
        page::{Frame, respond},
        session::Shopper,
    },
};

/// Orders on one page of the list.
const SHOWN: i64 = 20;

/// The shopper's orders, the newest first.
pub async fn mine(
    site: Site,
    shopper: Shopper,
    wanted: Wanted,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let before = query.take("before")?.map(|text| row_number(&text)).transpose()?;
    // The gate first: what is written between the two looks is then seen twice and not never.
    let reserved = match before {
        None => site.desk.reservations_of(shopper.id).await,
        Some(_) => Vec::new(),
    };
    // One more than is shown tells whether there are older ones.
    let mut rows = site.desk.orders_of(shopper.id, before, SHOWN + 1).await?;
    let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let more = rows.len() > shown;
    rows.truncate(shown);
    let older = rows.last().filter(|_| more).map(|row| format!("/orders?before={}", row.id));
    let mut orders: Vec<(Currency, OrderStanding)> =
        rows.into_iter().map(|row| (row.currency, OrderStanding::from(row))).collect();
    // What is held at the gate and not written yet comes first; what was written meanwhile once.
    let listed: Vec<OrderNo> = orders.iter().map(|(_, order)| order.order_no).collect();
    let fresh = reserved.into_iter().filter(|order| !listed.contains(&order.order_no));
    orders.splice(0..0, fresh.map(|order| (site.currency, order)));
    let orders = orders.into_iter();
    if wanted.is_json() {
        let orders = orders.map(|(currency, order)| OrderBody::of(&order, currency)).collect();
        return Ok(HttpResponse::Ok().json(OrdersBody { orders, older }));
    }
    let snapshot = site.catalog.snapshot();
    let orders = orders
        .map(|(currency, order)| {
            let listing = snapshot.get(order.activity_id);
            let activity = listing.as_deref().map(|listing| &listing.activity);
            shown::order(&order, activity, currency, f.now_ms)
        })
        .collect();
    Ok(respond(StatusCode::OK, &OrdersPage { f, orders, older }))
}

/// One order.
pub async fn show(
    site: Site,
    Named(number): Named,
    shopper: Shopper,
    wanted: Wanted,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let order = site.desk.order(shopper.id, number).await?.ok_or(WebError::NotFound)?;
    told(&site, &order, StatusCode::OK, None, wanted, f).await
}

/// Pays the order.
pub async fn pay(
    site: Site,
    Named(number): Named,
    shopper: Shopper,
    wanted: Wanted,
    RequestId(request_id): RequestId,
    f: Frame,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    if wanted.is_json() {
        // A program can be sent to no page; the provider takes the money at once.
        let settled = site.desk.pay(shopper.id, number, &request_id).await?;
        return changed(&site, settled, wanted, f).await;
    }
    match site.desk.begin_payment(shopper.id, number, &request_id).await {
        Ok(Some(Paying::At(page))) => Ok(see_other(&page)),
        Ok(Some(Paying::Settled(settled))) => changed(&site, Some(settled), wanted, f).await,
        Ok(None) => Err(WebError::NotFound),
        Err(DeskError::Provider(error)) => {
            tracing::warn!(%error, request_id, "the payment's provider gives no page");
            let order = site.desk.order(shopper.id, number).await?.ok_or(WebError::NotFound)?;
            let notice = Some(OrderNotice::PaymentUnavailable);
            told(&site, &order, StatusCode::SERVICE_UNAVAILABLE, notice, wanted, f).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Gives the order up.
pub async fn cancel(
    site: Site,
    Named(number): Named,
    shopper: Shopper,
    wanted: Wanted,
    RequestId(request_id): RequestId,
    f: Frame,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    let settled = site.desk.cancel(shopper.id, number, &request_id).await?;
    changed(&site, settled, wanted, f).await
}

fn row_number(text: &str) -> Result<i64, WebError> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or(WebError::BadRequest("not the number of a row"))
}

async fn changed(
    site: &Site,
    settled: Option<Settled>,
    wanted: Wanted,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let Settled { order, done } = settled.ok_or(WebError::NotFound)?;
    match (done, wanted) {
        (true, Wanted::Html) => Ok(see_other(&format!("/orders/{}", order.order_no))),
        (true, Wanted::Json) => told(site, &order, StatusCode::OK, None, wanted, f).await,
        (false, _) => {
            let notice = Some(match order.standing {
                Standing::Reserved | Standing::Checking => OrderNotice::BeingPlaced,
                Standing::Row(_) => OrderNotice::HasChanged,
            });
            told(site, &order, StatusCode::CONFLICT, notice, wanted, f).await
        }
    }
}

async fn told(
    site: &Site,
    order: &OrderStanding,
    status: StatusCode,
    notice: Option<OrderNotice>,
    wanted: Wanted,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    if wanted.is_json() {
        return Ok(HttpResponse::build(status).json(OrderBody::of(order, site.currency)));
    }
    // Before there is a row there is neither a payment nor a history.
    let (payments, history) = match order.standing {
        Standing::Row(_) => (
            site.desk.payments_of(order.order_no).await?,
            site.desk.history_of(order.order_no).await?,
        ),
        Standing::Reserved | Standing::Checking => (Vec::new(), Vec::new()),
    };
    let listing = site.catalog.snapshot().get(order.activity_id);
    let activity = listing.as_deref().map(|listing| &listing.activity);
    let page = OrderPage {
        order: shown::order(order, activity, site.currency, f.now_ms),
        money: shown::money(&payments),
        history: history.iter().map(shown::happened).collect(),
        notice,
        cancel_bars: activity.is_some_and(|activity| !activity.rebuy),
        f,
    };
    Ok(respond(status, &page))
}

#[derive(Serialize)]
struct OrdersBody {
    orders: Vec<OrderBody>,
    older: Option<String>,
}

/// An order as JSON. Numbers that identify are strings; the amount is in whole minor units.
#[derive(Serialize)]
struct OrderBody {
    order_no: String,
    activity_id: String,
    state: &'static str,
    reason: Option<String>,
    amount: i64,
    currency: String,
    pay_before_ms: Option<i64>,
}

impl OrderBody {
    fn of(order: &OrderStanding, currency: Currency) -> Self {
        Self {
            order_no: order.order_no.to_string(),
            activity_id: order.activity_id.to_string(),
            state: order.standing.as_str(),
            reason: order.reason.clone(),
            amount: order.price.0,
            currency: currency.code().to_owned(),
            pay_before_ms: order.pay_before_ms,
        }
    }
}
