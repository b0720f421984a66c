//! What others ask about orders. Every list is read in pages by a key, never by an offset.

use std::collections::HashSet;

use chrono::NaiveDateTime;
use diesel::dsl::count_star;
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::{Known, Row, order_no_of, state_of};
use crate::ledger::activities;
use crate::ledger::clock::{from_millis, to_millis};
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::orders;
use crate::ledger::transaction::snapshot;
use crate::sale::activity::Activity;
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::money::Cents;
use crate::sale::order::{Order, OrderState};
use crate::sale::order_number::OrderNo;
use crate::sale::reservation::{Entry, EntryState};

/// What the gate's entry of a shopper is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// The order's row number.
    pub id: i64,
    /// Who.
    pub user_id: UserId,
    /// Under which number.
    pub order_no: OrderNo,
    /// In which state.
    pub state: OrderState,
    /// At which price.
    pub price: Cents,
    /// When the gate decided, ms since the epoch.
    pub reserved_at_ms: i64,
}

impl Holder {
    /// The gate's entry of it.
    #[must_use]
    pub const fn entry(&self) -> Entry {
        let state = match self.state {
            OrderState::PendingPayment | OrderState::Paid => EntryState::Recorded,
            OrderState::Cancelled | OrderState::Rejected | OrderState::Lost => EntryState::Barred,
        };
        let (order_no, price, reserved_at_ms) = (self.order_no, self.price, self.reserved_at_ms);
        Entry { order_no, state, price, reserved_at_ms }
    }
}

/// An activity's orders by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Placed, not yet paid.
    pub pending_payment: i64,
    /// Paid.
    pub paid: i64,
    /// Cancelled.
    pub cancelled: i64,
    /// Refused by the ledger.
    pub rejected: i64,
    /// Lost with a former filling of the gate.
    pub lost: i64,
}

impl Counts {
    /// Orders that hold a unit.
    #[must_use]
    pub const fn holding(&self) -> i64 {
        self.pending_payment + self.paid
    }
}

/// The order of this number.
pub async fn get(ledger: &Ledger, order_no: OrderNo) -> Result<Option<Order>, LedgerError> {
    ledger.run(move |conn| read(conn, order_no)).await
}

pub(super) fn read(
    conn: &mut MysqlConnection,
    order_no: OrderNo,
) -> Result<Option<Order>, LedgerError> {
    orders::table
        .filter(orders::order_no.eq(order_no.to_string()))
        .select(Row::as_select())
        .first(conn)
        .optional()?
        .map(Order::try_from)
        .transpose()
}

/// The order of this number, its row locked until the end of the transaction.
pub(in crate::ledger) fn lock(
    conn: &mut MysqlConnection,
    order_no: OrderNo,
) -> Result<Option<Order>, LedgerError> {
    let row = orders::table.filter(orders::order_no.eq(order_no.to_string()));
    let locked: Option<Row> = row.select(Row::as_select()).for_update().first(conn).optional()?;
    locked.map(Order::try_from).transpose()
}

/// Those of the numbers that have a row, with its fate.
pub async fn known(ledger: &Ledger, numbers: Vec<OrderNo>) -> Result<Vec<Known>, LedgerError> {
    ledger
        .run(move |conn| {
            let numbers = numbers.iter().map(ToString::to_string);
            let rows: Vec<(String, i8, Option<String>)> = orders::table
                .filter(orders::order_no.eq_any(numbers))
                .select((orders::order_no, orders::status, orders::reason))
                .load(conn)?;
            rows.into_iter()
                .map(|(order_no, status, reason)| {
                    let (order_no, state) = (order_no_of(&order_no)?, state_of(status)?);
                    Ok(Known { order_no, state, reason })
                })
                .collect()
        })
        .await
}

/// A shopper's orders, newest first; `before` is the row number of the last one of a page.
pub async fn of_user(
    ledger: &Ledger,
    user: UserId,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<Order>, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<Row> = orders::table
                .filter(orders::user_id.eq(user.0))
                .filter(orders::id.lt(before.unwrap_or(i64::MAX)))
                .order(orders::id.desc())
                .limit(limit)
                .select(Row::as_select())
                .load(conn)?;
            rows.into_iter().map(Order::try_from).collect()
        })
        .await
}

/// The order of this number, as the gate's entry is made from it.
pub async fn holder(ledger: &Ledger, order_no: OrderNo) -> Result<Option<Holder>, LedgerError> {
    ledger
        .run(move |conn| {
            let row: Option<HolderRow> = orders::table
                .filter(orders::order_no.eq(order_no.to_string()))
                .select(HolderRow::as_select())
                .first(conn)
                .optional()?;
            row.map(Holder::try_from).transpose()
        })
        .await
}

/// Orders that hold a unit, by shopper; `after` is the shopper of the last one of a page.
pub async fn holders_page(
    ledger: &Ledger,
    activity: ActivityId,
    after: Option<UserId>,
    limit: i64,
) -> Result<Vec<Holder>, LedgerError> {
    ledger
        .run(move |conn| {
            // The unique key (activity, holder) is the index of this list.
            let rows: Vec<HolderRow> = orders::table
                .filter(orders::activity_id.eq(activity.0))
                .filter(orders::holder_id.gt(after.map_or(0, |user| user.0)))
                .order(orders::holder_id)
                .limit(limit)
                .select(HolderRow::as_select())
                .load(conn)?;
            rows.into_iter().map(Holder::try_from).collect()
        })
        .await
}

/// Shoppers who cancelled an order of this activity and hold none: barred, where it does not let them
/// buy again. `after` is the last row number of a page; a page may be shorter than `limit` and even
/// empty before the end, which is told by `None` as the next row number to go on from.
pub async fn barred_page(
    ledger: &Ledger,
    activity: ActivityId,
    after: Option<i64>,
    limit: i64,
) -> Result<(Vec<Holder>, Option<i64>), LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<HolderRow> = orders::table
                .filter(orders::activity_id.eq(activity.0))
                .filter(orders::status.eq(OrderState::Cancelled.code()))
                .filter(orders::id.gt(after.unwrap_or(0)))
                .order(orders::id)
                .limit(limit)
                .select(HolderRow::as_select())
                .load(conn)?;
            let next = rows.last().map(|row| row.id);
            let holding =
                holding_among(conn, activity, rows.iter().map(|row| row.user_id).collect())?;
            let barred = rows.into_iter().filter(|row| !holding.contains(&row.user_id));
            Ok((barred.map(Holder::try_from).collect::<Result<_, _>>()?, next))
        })
        .await
}

fn holding_among(
    conn: &mut MysqlConnection,
    activity: ActivityId,
    users: Vec<i64>,
) -> Result<HashSet<i64>, LedgerError> {
    let holders: Vec<Option<i64>> = orders::table
        .filter(orders::activity_id.eq(activity.0).and(orders::holder_id.eq_any(users)))
        .select(orders::holder_id)
        .load(conn)?;
    Ok(holders.into_iter().flatten().collect())
}

/// An activity's orders by state.
pub async fn counts(ledger: &Ledger, activity: ActivityId) -> Result<Counts, LedgerError> {
    ledger.run(move |conn| count(conn, activity)).await
}

/// An activity and its orders by state, both of the same moment.
pub async fn balance(
    ledger: &Ledger,
    activity: ActivityId,
) -> Result<Option<(Activity, Counts)>, LedgerError> {
    ledger
        .run(move |conn| {
            snapshot(conn, |conn| {
                let Some(row) = activities::read(conn, activity)? else { return Ok(None) };
                Ok(Some((row, count(conn, activity)?)))
            })
        })
        .await
}

pub(in crate::ledger) fn count(
    conn: &mut MysqlConnection,
    activity: ActivityId,
) -> Result<Counts, LedgerError> {
    let rows: Vec<(i8, i64)> = orders::table
        .filter(orders::activity_id.eq(activity.0))
        .group_by(orders::status)
        .select((orders::status, count_star()))
        .load(conn)?;
    let mut counts = Counts::default();
    for (status, count) in rows {
        match state_of(status)? {
            OrderState::PendingPayment => counts.pending_payment = count,
            OrderState::Paid => counts.paid = count,
            OrderState::Cancelled => counts.cancelled = count,
            OrderState::Rejected => counts.rejected = count,
            OrderState::Lost => counts.lost = count,
        }
    }
    Ok(counts)
}

/// Whether an order of this activity is still to be paid.
pub async fn has_pending(ledger: &Ledger, activity: ActivityId) -> Result<bool, LedgerError> {
    ledger
        .run(move |conn| {
            let pending = orders::table
                .filter(orders::activity_id.eq(activity.0))
                .filter(orders::status.eq(OrderState::PendingPayment.code()));
            Ok(pending.select(orders::id).first::<i64>(conn).optional()?.is_some())
        })
        .await
}

/// A cancelled order, for the repetition of its release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled {
    /// When, by the ledger's clock, and the row's number: pages go on from them.
    pub place: (i64, i64),
    /// Its number.
    pub order_no: OrderNo,
    /// Whose it was.
    pub user_id: UserId,
    /// Of which sale.
    pub activity_id: ActivityId,
}

/// Orders cancelled since a place in time (ms since the epoch, row number), the oldest first.
pub async fn cancelled_since(
    ledger: &Ledger,
    (since_ms, after): (i64, i64),
    limit: i64,
) -> Result<Vec<Cancelled>, LedgerError> {
    ledger
        .run(move |conn| {
            let since = from_millis(since_ms.max(0)).unwrap_or_default();
            let later = orders::cancelled_at
                .gt(since)
                .or(orders::cancelled_at.eq(since).and(orders::id.gt(after)));
            let rows: Vec<CancelledRow> = orders::table
                .filter(orders::status.eq(OrderState::Cancelled.code()))
                .filter(orders::cancelled_at.ge(since))
                .filter(later)
                .order((orders::cancelled_at, orders::id))
                .limit(limit)
                .select(CancelledRow::as_select())
                .load(conn)?;
            rows.into_iter().map(|row| row.cancelled(since_ms)).collect()
        })
        .await
}

/// The orders cancelled last, the newest first.
pub async fn cancelled_last(ledger: &Ledger, limit: i64) -> Result<Vec<Cancelled>, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<CancelledRow> = orders::table
                .filter(orders::status.eq(OrderState::Cancelled.code()))
                .order((orders::cancelled_at.desc(), orders::id.desc()))
                .limit(limit)
                .select(CancelledRow::as_select())
                .load(conn)?;
            rows.into_iter().map(|row| row.cancelled(0)).collect()
        })
        .await
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = orders)]
struct CancelledRow {
    id: i64,
    cancelled_at: Option<NaiveDateTime>,
    order_no: String,
    user_id: i64,
    activity_id: i64,
}

impl CancelledRow {
    fn cancelled(self, unknown_ms: i64) -> Result<Cancelled, LedgerError> {
        Ok(Cancelled {
            place: (self.cancelled_at.map_or(unknown_ms, to_millis), self.id),
            order_no: order_no_of(&self.order_no)?,
            user_id: UserId(self.user_id),
            activity_id: ActivityId(self.activity_id),
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = orders)]
struct HolderRow {
    id: i64,
    user_id: i64,
    order_no: String,
    status: i8,
    price_cents: i64,
    reserved_at: NaiveDateTime,
}

impl TryFrom<HolderRow> for Holder {
    type Error = LedgerError;
    fn try_from(row: HolderRow) -> Result<Self, LedgerError> {
        Ok(Self {
            id: row.id,
            user_id: UserId(row.user_id),
            order_no: order_no_of(&row.order_no)?,
            state: state_of(row.status)?,
            price: Cents(row.price_cents),
            reserved_at_ms: to_millis(row.reserved_at),
        })
    }
}
