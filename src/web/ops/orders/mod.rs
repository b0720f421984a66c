//! `/ops/orders` and below: finding orders, one order with its way, cancelling it.

pub mod search;
pub mod view;

use actix_web::{HttpRequest, HttpResponse, http::StatusCode};

use crate::account::AccountError;
use crate::back_office::ops::OrderSearch;
use crate::sale::ids::UserId;
use crate::sale::order_number::OrderNo;
use crate::sale::shopper::Role;
use crate::web::{
    Site,
    error::WebError,
    extract::{
        form::Checked,
        ops_forms::{REASON_MAX, ReasonForm},
        path::Named,
        query::Query,
    },
    faults::Faults,
    orders_csv,
    page::{Frame, respond, see_other},
    session::Operator,
    text::key,
};

use search::Search;
use view::{Done, OrderPage, OrdersPage, Row, Way};

/// Orders on one page of the list.
const SHOWN: i64 = 50;

/// The list.
pub async fn list(
    _: Operator,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let search = Search::of(&mut query)?;
    let (wanted, faults) = wanted(&site, &search).await?;
    // What is not understood is not searched for, and said so.
    let mut orders = if faults.is_empty() {
        // One more than is shown tells whether there are older ones.
        site.office.find_orders(wanted.clone(), search.before, SHOWN + 1).await?
    } else {
        Vec::new()
    };
    let on_its_way = if faults.is_empty() && orders.is_empty() {
        site.office.on_its_way(&wanted).await?
    } else {
        None
    };
    let other = match wanted.number {
        Some(number) if orders.is_empty() && on_its_way.is_none() && faults.is_empty() => {
            let alone = OrderSearch { number: Some(number), ..OrderSearch::default() };
            let found = site.office.find_orders(alone, None, 1).await?;
            found.first().map(|order| order.order_no.to_string())
        }
        _ => None,
    };
    let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let more = orders.len() > shown;
    orders.truncate(shown);
    let older = orders.last().filter(|_| more).map(|order| search.older_than(order.id));
    let status = if faults.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let rows = orders.into_iter().map(Row::from).collect();
    Ok(respond(status, &OrdersPage { f, search, faults, rows, on_its_way, other, older }))
}

/// The orders of a search as a file.
pub async fn download(
    _: Operator,
    site: Site,
    req: HttpRequest,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let search = Search::of(&mut query)?;
    let (wanted, faults) = wanted(&site, &search).await?;
    if !faults.is_empty() {
        return Err(WebError::BadRequest("a search that cannot be understood"));
    }
    let (orders, file) = (site.office.orders_found(wanted), "orders.csv".to_owned());
    orders_csv::sent(&req, site.stop.clone(), Role::may_operate, orders, file)
}

/// The search in the ledger's words; names are looked up.
async fn wanted(site: &Site, search: &Search) -> Result<(OrderSearch, Faults), WebError> {
    let (mut wanted, mut faults) = search.wanted();
    if !search.shopper.is_empty() {
        let mut shoppers = Vec::new();
        match site.accounts.named(&search.shopper).await {
            Ok(id) => shoppers.push(id),
            Err(AccountError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        // A name may look like a number; then both are meant.
        let number = search.shopper.trim_start_matches('#').parse().ok().filter(|id| *id > 0);
        if let Some(id) = number.map(UserId).filter(|id| !shoppers.contains(id)) {
            shoppers.push(id);
        }
        if shoppers.is_empty() {
            faults.add("shopper", key("ops-fault-shopper"));
        }
        wanted.shoppers = Some(shoppers);
    }
    Ok((wanted, faults))
}

/// One order.
pub async fn show(
    _: Operator,
    Named(number): Named,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let Some(path) = site.office.order_path(number).await? else {
        return elsewhere(&site, number).await;
    };
    let done = query.take("done")?.as_deref().and_then(Done::named);
    let way = Way::of(&path);
    let page = OrderPage { way, done, faults: Faults::default(), reason: String::new(), f };
    Ok(respond(StatusCode::OK, &page))
}

/// An order that the ledger does not have may be on its way to it; the search tells where.
async fn elsewhere(site: &Site, number: OrderNo) -> Result<HttpResponse, WebError> {
    let search = OrderSearch { number: Some(number), ..OrderSearch::default() };
    let found = site.office.on_its_way(&search).await?;
    found.map(|_| see_other(&format!("/ops/orders?number={number}"))).ok_or(WebError::NotFound)
}

/// Cancels an order that is to be paid.
pub async fn cancel(
    operator: Operator,
    Named(number): Named,
    site: Site,
    f: Frame,
    Checked(form): Checked<ReasonForm>,
) -> Result<HttpResponse, WebError> {
    let mut faults = Faults::default();
    if form.reason.is_empty() {
        faults.add("reason", key("ops-fault-no-reason"));
    } else if form.reason.chars().count() > REASON_MAX {
        faults.add("reason", key("ops-fault-long-reason").with("most", count(REASON_MAX)));
    }
    let mut done = None;
    let mut status = StatusCode::UNPROCESSABLE_ENTITY;
    if faults.is_empty() {
        let cancelling = site.desk.cancel_by_staff(number, form.reason.clone(), operator.actor);
        if cancelling.await?.ok_or(WebError::NotFound)?.done {
            return Ok(see_other(&format!("/ops/orders/{number}?done=cancel")));
        }
        (done, status) = (Some(Done::Overtaken), StatusCode::CONFLICT);
    }
    let path = site.office.order_path(number).await?.ok_or(WebError::NotFound)?;
    let way = Way::of(&path);
    Ok(respond(status, &OrderPage { way, done, faults, reason: form.reason, f }))
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
