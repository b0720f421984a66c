//! What operators look for among all orders, the newest first. However the conditions are combined, each
//! query walks one range of one index backwards from the page's beginning, so that a page costs the same
//! in a table of a thousand orders and of millions.

use std::collections::HashMap;

use chrono::{NaiveDateTime, TimeDelta};
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::Exported;
use super::export::{Row, exported_of};
use crate::ledger::clock::from_millis;
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{orders, products, users};
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::order::{CancelReason, OrderState, RejectReason};
use crate::sale::order_number::OrderNo;

/// Rows are numbered in the order of their times, but for what a transaction may take between the two.
const SLACK: TimeDelta = TimeDelta::seconds(30);

/// What is looked for; all of the conditions hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The order of this number.
    pub number: Option<OrderNo>,
    /// Orders of one of these shoppers. `None`: of anybody.
    pub shoppers: Option<Vec<UserId>>,
    /// Of this sale.
    pub activity: Option<ActivityId>,
    /// In this state.
    pub state: Option<OrderState>,
    /// Ended for this reason, a word of `CancelReason` or `RejectReason`.
    pub reason: Option<&'static str>,
    /// Recorded not before this time, ms since the epoch.
    pub from_ms: Option<i64>,
    /// Recorded before this time, ms since the epoch.
    pub until_ms: Option<i64>,
}

/// A state, and the reason with which an order can be in it.
type Fate = (OrderState, Option<&'static str>);

/// Every fate that an order can have.
const FATES: [Fate; 9] = [
    (OrderState::PendingPayment, None),
    (OrderState::Paid, None),
    (OrderState::Cancelled, Some(CancelReason::ByShopper.as_str())),
    (OrderState::Cancelled, Some(CancelReason::Unpaid.as_str())),
    (OrderState::Cancelled, Some(CancelReason::ByStaff.as_str())),
    (OrderState::Rejected, Some(RejectReason::SoldOut.as_str())),
    (OrderState::Rejected, Some(RejectReason::AlreadyHeld.as_str())),
    (OrderState::Rejected, Some(RejectReason::Barred.as_str())),
    (OrderState::Lost, None),
];

/// Row numbers between which a page lies, and the times that its rows must have.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    after: i64,
    before: i64,
    from: Option<NaiveDateTime>,
    until: Option<NaiveDateTime>,
}

type Query<'a> = orders::BoxedQuery<'a, diesel::mysql::Mysql>;

impl Search {
    fn fates(&self) -> Vec<Fate> {
        let wanted = |(state, reason): &Fate| {
            self.state.is_none_or(|wanted| wanted == *state)
                && self.reason.is_none_or(|wanted| Some(wanted) == *reason)
        };
        FATES.into_iter().filter(wanted).collect()
    }

    /// Whether state and reason contradict each other: then nothing is found, and nobody is asked.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        self.fates().is_empty()
    }
}

/// The newest orders that fit; `before` goes on after the row of this number.
pub async fn find(
    ledger: &Ledger,
    search: Search,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<Exported>, LedgerError> {
    ledger
        .run(move |conn| {
            let bounds = bounds(conn, &search, before)?;
            let mut rows: Vec<Row> = Vec::new();
            for query in queries(&search, bounds) {
                let query = query.order(orders::id.desc()).limit(limit);
                rows.extend(query.select(Row::as_select()).load::<Row>(conn)?);
            }
            // Each range came in order; the newest of all of them are the page.
            rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
            rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            named(conn, rows)
        })
        .await
}

/// The queries whose rows together are what is looked for; none finds a row of another.
fn queries<'a>(search: &Search, bounds: Bounds) -> Vec<Query<'a>> {
    if search.is_impossible() {
        return Vec::new();
    }
    if let Some(number) = search.number {
        let named = within(bounds).filter(orders::order_no.eq(number.to_string()));
        return vec![fitting(named, search)];
    }
    if let Some(shoppers) = &search.shoppers {
        let of = |shopper: &UserId| within(bounds).filter(orders::user_id.eq(shopper.0));
        return shoppers.iter().map(|shopper| fitting(of(shopper), search)).collect();
    }
    if search.activity.is_none() && search.state.is_none() && search.reason.is_none() {
        return vec![within(bounds)];
    }
    let ended = |(state, reason): Fate| {
        let mut query = within(bounds).filter(orders::status.eq(state.code()));
        query = match reason {
            Some(reason) => query.filter(orders::reason.eq(reason)),
            None => query.filter(orders::reason.is_null()),
        };
        match search.activity {
            Some(activity) => query.filter(orders::activity_id.eq(activity.0)),
            None => query,
        }
    };
    search.fates().into_iter().map(ended).collect()
}

/// A few rows that are found by another condition, looked through for the rest of the search.
fn fitting<'a>(mut query: Query<'a>, search: &Search) -> Query<'a> {
    if let Some(shoppers) = &search.shoppers {
        let shoppers: Vec<i64> = shoppers.iter().map(|shopper| shopper.0).collect();
        query = query.filter(orders::user_id.eq_any(shoppers));
    }
    if let Some(activity) = search.activity {
        query = query.filter(orders::activity_id.eq(activity.0));
    }
    if let Some(state) = search.state {
        query = query.filter(orders::status.eq(state.code()));
    }
    if let Some(reason) = search.reason {
        query = query.filter(orders::reason.eq(reason));
    }
    query
}

fn within<'a>(bounds: Bounds) -> Query<'a> {
    let mut query = orders::table.filter(orders::id.lt(bounds.before)).into_boxed();
    if bounds.after > 0 {
        query = query.filter(orders::id.gt(bounds.after));
    }
    if let Some(from) = bounds.from {
        query = query.filter(orders::created_at.ge(from));
    }
    if let Some(until) = bounds.until {
        query = query.filter(orders::created_at.lt(until));
    }
    query
}

/// Turns the times into row numbers: two looks into the index of times, and the rest goes by number.
fn bounds(
    conn: &mut MysqlConnection,
    search: &Search,
    before: Option<i64>,
) -> Result<Bounds, LedgerError> {
    let (from, until) =
        (search.from_ms.and_then(from_millis), search.until_ms.and_then(from_millis));
    let mut bounds = Bounds { after: 0, before: before.unwrap_or(i64::MAX), from, until };
    if let Some(earlier) = from.and_then(|from| from.checked_sub_signed(SLACK)) {
        let last: Option<i64> = orders::table
            .filter(orders::created_at.lt(earlier))
            .order((orders::created_at.desc(), orders::id.desc()))
            .select(orders::id)
            .first(conn)
            .optional()?;
        bounds.after = last.unwrap_or(0);
    }
    if let Some(later) = until.and_then(|until| until.checked_add_signed(SLACK)) {
        let first: Option<i64> = orders::table
            .filter(orders::created_at.ge(later))
            .order((orders::created_at, orders::id))
            .select(orders::id)
            .first(conn)
            .optional()?;
        bounds.before = bounds.before.min(first.unwrap_or(i64::MAX));
    }
    Ok(bounds)
}

/// With the names around them. Asked for afterwards: a join would let the server begin with the names.
fn named(conn: &mut MysqlConnection, rows: Vec<Row>) -> Result<Vec<Exported>, LedgerError> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let shoppers = rows.iter().map(|row| row.user_id);
    let shoppers: HashMap<i64, String> = users::table
        .filter(users::id.eq_any(shoppers))
        .select((users::id, users::username))
        .load(conn)?
        .into_iter()
        .collect();
    let mut wares: Vec<i64> = rows.iter().map(|row| row.product_id).collect();
    wares.sort_unstable();
    wares.dedup();
    let wares: HashMap<i64, String> = products::table
        .filter(products::id.eq_any(wares))
        .select((products::id, products::name))
        .load(conn)?
        .into_iter()
        .collect();
    let name = |names: &HashMap<i64, String>, id| names.get(&id).cloned().unwrap_or_default();
    let named = rows.into_iter().map(|row| {
        let (shopper, product) = (name(&shoppers, row.user_id), name(&wares, row.product_id));
        exported_of((row, shopper, product))
    });
    named.collect()
}

/// An order with the names around it.
pub async fn one(ledger: &Ledger, number: OrderNo) -> Result<Option<Exported>, LedgerError> {
    let search = Search { number: Some(number), ..Search::default() };
    Ok(find(ledger, search, None, 1).await?.pop())
}
