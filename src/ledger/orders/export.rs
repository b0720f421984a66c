//! All orders of a sale, for whoever wants them in a file.

use chrono::NaiveDateTime;
use diesel::dsl::{count_star, max, min, sql};
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::{order_no_of, state_of};
use crate::ledger::clock::to_millis;
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{orders, products, users};
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::money::Cents;
use crate::sale::order::OrderState;
use crate::sale::order_number::OrderNo;

/// Rows of the table looked at in one call, of whichever sale they are.
const WINDOW: i64 = 5000;

/// An order with the names around it. Times are ms since the epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The row's number, in order of recording; pages go on from it.
    pub id: i64,
    /// Of which sale.
    pub activity_id: ActivityId,
    /// Its number.
    pub order_no: OrderNo,
    /// Whose it is.
    pub shopper: UserId,
    /// Their name, as typed.
    pub shopper_name: String,
    /// What was bought.
    pub product: String,
    /// What it costs.
    pub price: Cents,
    /// In which currency.
    pub currency: String,
    /// Its state.
    pub state: OrderState,
    /// Why it ended so.
    pub reason: Option<String>,
    /// When the gate decided.
    pub reserved_at_ms: i64,
    /// When it was recorded.
    pub created_at_ms: i64,
    /// Its deadline.
    pub pay_before_ms: i64,
    /// When it was paid.
    pub paid_at_ms: Option<i64>,
    /// When it was cancelled.
    pub cancelled_at_ms: Option<i64>,
}

/// The row numbers between which a sale's orders lie; what is still to be read of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    after: i64,
    last: i64,
}

/// Where a sale's orders lie now. `None`: there are none.
pub async fn span(ledger: &Ledger, activity: ActivityId) -> Result<Option<Span>, LedgerError> {
    ledger
        .run(move |conn| {
            let mut span: Option<Span> = None;
            // State by state these are the two ends of an index; all at once, everything between them.
            for state in OrderState::ALL {
                let ends: (Option<i64>, Option<i64>) = orders::table
                    .filter(orders::activity_id.eq(activity.0))
                    .filter(orders::status.eq(state.code()))
                    .select((min(orders::id), max(orders::id)))
                    .first(conn)?;
                if let (Some(first), Some(last)) = ends {
                    span = Some(span.map_or(Span { after: first - 1, last }, |span| Span {
                        after: span.after.min(first - 1),
                        last: span.last.max(last),
                    }));
                }
            }
            Ok(span)
        })
        .await
}

/// The next of a sale's orders, in order of recording; perhaps none of them, since the orders of all sales
/// are gone through in windows by their row numbers: a window costs the same however large the sale is, and
/// an order that changes its state meanwhile is neither missed nor read twice. The span that is left comes
/// with them; `None`: that was all.
pub async fn exported(
    ledger: &Ledger,
    activity: ActivityId,
    span: Span,
) -> Result<(Vec<Exported>, Option<Span>), LedgerError> {
    ledger
        .run(move |conn| {
            let until = span.after.saturating_add(WINDOW).min(span.last);
            let rows: Vec<(Row, String, String)> = orders::table
                .inner_join(users::table.on(users::id.eq(orders::user_id)))
                .inner_join(products::table.on(products::id.eq(orders::product_id)))
                .filter(orders::id.gt(span.after).and(orders::id.le(until)))
                .filter(orders::activity_id.eq(activity.0))
                .order(orders::id)
                .select((Row::as_select(), users::username, products::name))
                .load(conn)?;
            let rows = rows.into_iter().map(exported_of).collect::<Result<_, _>>()?;
            let left = (until < span.last).then_some(Span { after: until, ..span });
            Ok((rows, left))
        })
        .await
}

/// A sale's refused orders by reason, a word of `RejectReason`.
pub async fn rejections(
    ledger: &Ledger,
    activity: ActivityId,
) -> Result<Vec<(String, i64)>, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<(Option<String>, i64)> = orders::table
                .filter(orders::activity_id.eq(activity.0))
                .filter(orders::status.eq(OrderState::Rejected.code()))
                .group_by(orders::reason)
                .select((orders::reason, count_star()))
                .load(conn)?;
            let named = rows.into_iter().map(|(reason, count)| (reason.unwrap_or_default(), count));
            Ok(named.collect())
        })
        .await
}

/// How many shoppers have an order of this sale, whatever became of it.
pub async fn shoppers(ledger: &Ledger, activity: ActivityId) -> Result<i64, LedgerError> {
    ledger
        .run(move |conn| {
            Ok(orders::table
                .filter(orders::activity_id.eq(activity.0))
                .select(sql::<BigInt>("COUNT(DISTINCT user_id)"))
                .first(conn)?)
        })
        .await
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = orders)]
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) activity_id: i64,
    pub(super) product_id: i64,
    order_no: String,
    pub(super) user_id: i64,
    price_cents: i64,
    currency: String,
    status: i8,
    reason: Option<String>,
    reserved_at: NaiveDateTime,
    pub(super) created_at: NaiveDateTime,
    pay_before: NaiveDateTime,
    paid_at: Option<NaiveDateTime>,
    cancelled_at: Option<NaiveDateTime>,
}

pub(super) fn exported_of(
    (row, shopper_name, product): (Row, String, String),
) -> Result<Exported, LedgerError> {
    Ok(Exported {
        id: row.id,
        activity_id: ActivityId(row.activity_id),
        order_no: order_no_of(&row.order_no)?,
        shopper: UserId(row.user_id),
        shopper_name,
        product,
        price: Cents(row.price_cents),
        currency: row.currency,
        state: state_of(row.status)?,
        reason: row.reason,
        reserved_at_ms: to_millis(row.reserved_at),
        created_at_ms: to_millis(row.created_at),
        pay_before_ms: to_millis(row.pay_before),
        paid_at_ms: row.paid_at.map(to_millis),
        cancelled_at_ms: row.cancelled_at.map(to_millis),
    })
}
