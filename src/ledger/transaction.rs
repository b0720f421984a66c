//! Transactions, and the clock inside them.

use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::connection::Connection;
use diesel::mysql::MysqlConnection;
use diesel::sql_types::Datetime;
use diesel::{RunQueryDsl, dsl::sql, select};

use super::error::LedgerError;

/// Repetitions after a deadlock. The order of locks (activity first, then orders) leaves only those
/// between neighbouring entries of an index, which pass at once.
const REPETITIONS: u32 = 4;

/// Runs `work` as one transaction, again when the server ended it for a deadlock. An error rolls back.
pub(super) fn transaction<T>(
    conn: &mut MysqlConnection,
    mut work: impl FnMut(&mut MysqlConnection) -> Result<T, LedgerError>,
) -> Result<T, LedgerError> {
    for _ in 0..REPETITIONS {
        match conn.transaction(&mut work) {
            Err(LedgerError::Deadlock) => metrics::counter!("seckill_ledger_deadlocks_total"),
            settled => return settled,
        }
        .increment(1);
    }
    conn.transaction(work)
}

/// The ledger's clock, to the millisecond as the tables keep it.
pub(super) fn now(conn: &mut MysqlConnection) -> Result<NaiveDateTime, LedgerError> {
    Ok(select(sql::<Datetime>("UTC_TIMESTAMP(3)")).get_result(conn)?)
}

/// Milliseconds since the epoch as a time that the tables can hold.
pub(super) fn from_millis(ms: i64) -> Option<NaiveDateTime> {
    // DATETIME ends with the year 9999.
    const LAST: i64 = 253_402_300_799_999;
    (0..=LAST)
        .contains(&ms)
        .then(|| DateTime::<Utc>::from_timestamp_millis(ms))?
        .map(|t| t.naive_utc())
}

/// A time of the tables as milliseconds since the epoch.
pub(super) fn to_millis(time: NaiveDateTime) -> i64 {
    time.and_utc().timestamp_millis()
}

/// As much of a text as a column of so many characters holds.
pub(super) fn fitting(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
