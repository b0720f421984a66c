//! What operators look for among all orders, the newest first. However the conditions are combined, each
//! question is one range of one index (see [`newest`]), so that a page costs the same in a table of a
//! thousand orders and of millions. A state or a reason alone is asked for as the few fates that it can be
//! in, since an index goes on by time only where all before it is equal.

use std::collections::HashMap;

use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::Exported;
use super::export::{Row, exported_of};
use crate::ledger::clock::from_millis;
use crate::ledger::error::LedgerError;
use crate::ledger::newest::{Stretch, Timeline, Walk, newest};
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{orders, products, users};
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::order::{CancelReason, OrderState, RejectReason};
use crate::sale::order_number::OrderNo;

const ORDERS: Timeline = Timeline { table: "orders", time: Some("created_at") };

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
            let stretch = Stretch {
                from: search.from_ms.and_then(from_millis),
                until: search.until_ms.and_then(from_millis),
                before,
            };
            let found = newest(conn, walks(&search), stretch, limit)?;
            if found.is_empty() {
                return Ok(Vec::new());
            }
            let mut rows: Vec<Row> = orders::table
                .filter(orders::id.eq_any(found))
                .select(Row::as_select())
                .load(conn)?;
            rows.sort_unstable_by_key(|row| std::cmp::Reverse((row.created_at, row.id)));
            named(conn, rows)
        })
        .await
}

/// Whose rows together are what is looked for; none finds a row of another.
fn walks(search: &Search) -> Vec<Walk> {
    if search.is_impossible() {
        return Vec::new();
    }
    if search.number.is_some() || search.shoppers.is_some() {
        let shoppers = search.shoppers.iter().flatten().copied().map(Some);
        let anybody = search.shoppers.is_none().then_some(None);
        return shoppers.chain(anybody).map(|shopper| few(search, shopper)).collect();
    }
    if search.activity.is_none() && search.state.is_none() && search.reason.is_none() {
        return vec![ORDERS.along("orders_created")];
    }
    search.fates().into_iter().map(|fate| ended(search.activity, fate)).collect()
}

/// Of one number, or of one shopper: those are so few that all of them are looked at, whatever else is asked.
fn few(search: &Search, shopper: Option<UserId>) -> Walk {
    let mut walk = ORDERS.along(match (search.number, search.activity) {
        (Some(_), _) => "orders_order_no",
        (None, Some(_)) => "orders_shoppers",
        (None, None) => "orders_of_user",
    });
    if let Some(number) = search.number {
        walk = walk.word("order_no", number.to_string());
    }
    if let Some(shopper) = shopper {
        walk = walk.number("user_id", shopper.0);
    }
    if let Some(activity) = search.activity {
        walk = walk.number("activity_id", activity.0);
    }
    if let Some(state) = search.state {
        walk = walk.number("status", i64::from(state.code()));
    }
    match search.reason {
        Some(reason) => walk.word("reason", reason),
        None => walk,
    }
}

fn ended(activity: Option<ActivityId>, (state, reason): Fate) -> Walk {
    let walk = match activity {
        Some(activity) => {
            ORDERS.along("orders_by_fate_of_activity").number("activity_id", activity.0)
        }
        None => ORDERS.along("orders_by_fate"),
    };
    let walk = walk.number("status", i64::from(state.code()));
    match reason {
        Some(reason) => walk.word("reason", reason),
        None => walk.nothing("reason"),
    }
}

/// With the names around them. Asked for afterwards: a join would let the server begin with the names.
fn named(conn: &mut MysqlConnection, rows: Vec<Row>) -> Result<Vec<Exported>, LedgerError> {
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
