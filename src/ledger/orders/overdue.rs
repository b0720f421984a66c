//! Pending orders past their deadline, by the ledger's clock.

use std::collections::HashSet;

use chrono::{NaiveDateTime, TimeDelta};
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::order_no_of;
use crate::ledger::clock::{now, to_millis};
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{orders, payments};
use crate::sale::order::OrderState;
use crate::sale::order_number::OrderNo;
use crate::sale::payment::PaymentState;

/// A pending order whose deadline has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Its number.
    pub order_no: OrderNo,
    /// For how long it has passed, ms by the ledger's clock.
    pub overdue_ms: i64,
}

/// The longest overdue orders, whatever is known of their payments.
pub async fn overdue(ledger: &Ledger, limit: i64) -> Result<Vec<Due>, LedgerError> {
    ledger
        .run(move |conn| {
            let at = now(conn)?;
            let rows = page(conn, at, None, limit)?;
            rows.iter().map(|row| row.due(at)).collect()
        })
        .await
}

/// How many orders are overdue by more than `by_ms`, counted up to `most`.
pub async fn overdue_count(ledger: &Ledger, by_ms: i64, most: i64) -> Result<i64, LedgerError> {
    ledger
        .run(move |conn| {
            let before = now(conn)? - TimeDelta::milliseconds(by_ms);
            let overdue: Vec<i64> = orders::table
                .filter(orders::status.eq(OrderState::PendingPayment.code()))
                .filter(orders::pay_before.lt(before))
                .limit(most)
                .select(orders::id)
                .load(conn)?;
            Ok(i64::try_from(overdue.len()).unwrap_or(i64::MAX))
        })
        .await
}

/// The longest overdue orders whose payment was begun and not told of (`paying`), or all others. Read without
/// locks; each is then ended in a transaction of its own that looks again.
pub async fn due(ledger: &Ledger, paying: bool, limit: i64) -> Result<Vec<Due>, LedgerError> {
    ledger
        .run(move |conn| {
            let at = now(conn)?;
            let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
            let (mut due, mut after) = (Vec::new(), None);
            // Page by page: asked in one statement, the server gathers all payments ever begun first.
            loop {
                let rows = page(conn, at, after, limit)?;
                let begun = begun_among(conn, &rows)?;
                let of_kind = rows.iter().filter(|row| begun.contains(&row.order_no) == paying);
                for row in of_kind {
                    due.push(row.due(at)?);
                }
                after = rows.last().map(|row| (row.pay_before, row.id));
                if rows.len() < wanted || due.len() >= wanted {
                    due.truncate(wanted);
                    return Ok(due);
                }
            }
        })
        .await
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = orders)]
struct Row {
    id: i64,
    order_no: String,
    pay_before: NaiveDateTime,
}

impl Row {
    fn due(&self, at: NaiveDateTime) -> Result<Due, LedgerError> {
        let overdue_ms = to_millis(at) - to_millis(self.pay_before);
        Ok(Due { order_no: order_no_of(&self.order_no)?, overdue_ms })
    }
}

fn page(
    conn: &mut MysqlConnection,
    at: NaiveDateTime,
    after: Option<(NaiveDateTime, i64)>,
    limit: i64,
) -> Result<Vec<Row>, LedgerError> {
    let mut rows = orders::table
        .filter(orders::status.eq(OrderState::PendingPayment.code()))
        .filter(orders::pay_before.le(at))
        .order((orders::pay_before, orders::id))
        .limit(limit)
        .select(Row::as_select())
        .into_boxed();
    if let Some((last, id)) = after {
        let later = orders::pay_before.gt(last);
        rows = rows.filter(later.or(orders::pay_before.eq(last).and(orders::id.gt(id))));
    }
    Ok(rows.load(conn)?)
}

fn begun_among(conn: &mut MysqlConnection, rows: &[Row]) -> Result<HashSet<String>, LedgerError> {
    let numbers = rows.iter().map(|row| &row.order_no);
    let begun: Vec<String> = payments::table
        .filter(payments::order_no.eq_any(numbers))
        .filter(payments::status.eq(PaymentState::Begun.as_str()))
        .select(payments::order_no)
        .load(conn)?;
    Ok(begun.into_iter().collect())
}
