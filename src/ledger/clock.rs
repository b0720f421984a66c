//! The ledger's clock, the only one that deadlines are measured by.

use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::backend::Backend;
use diesel::expression::ValidGrouping;
use diesel::mysql::MysqlConnection;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::Datetime;
use diesel::{AppearsOnTable, Expression, QueryResult, RunQueryDsl, SelectableExpression, select};

use super::error::LedgerError;

/// The server's time in a query, UTC, to the millisecond as the tables keep it. A type of its own rather
/// than a piece of SQL text, so that the statements around it are prepared once.
#[derive(Debug, Clone, Copy, QueryId, ValidGrouping)]
pub(super) struct Clock;

impl Expression for Clock {
    type SqlType = Datetime;
}

impl<DB: Backend> QueryFragment<DB> for Clock {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        pass.push_sql("UTC_TIMESTAMP(3)");
        Ok(())
    }
}

impl<QS> AppearsOnTable<QS> for Clock {}
impl<QS> SelectableExpression<QS> for Clock {}

/// The time now, by the ledger.
pub(super) fn now(conn: &mut MysqlConnection) -> Result<NaiveDateTime, LedgerError> {
    Ok(select(Clock).get_result(conn)?)
}

/// Milliseconds since the epoch as a time that the tables can hold.
pub(super) fn from_millis(ms: i64) -> Option<NaiveDateTime> {
    // DATETIME ends with the year 9999.
    const LAST: i64 = 253_402_300_799_999;
    if !(0..=LAST).contains(&ms) {
        return None;
    }
    DateTime::<Utc>::from_timestamp_millis(ms).map(|time| time.naive_utc())
}

/// A time of the tables as milliseconds since the epoch.
pub(super) const fn to_millis(time: NaiveDateTime) -> i64 {
    time.and_utc().timestamp_millis()
}
