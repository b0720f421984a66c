//! Transactions.

use diesel::connection::{Connection, SimpleConnection as _};
use diesel::mysql::MysqlConnection;

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

/// Runs reads that are to show one moment. (Else each statement sees what is committed when it begins.)
pub(super) fn snapshot<T>(
    conn: &mut MysqlConnection,
    read: impl FnOnce(&mut MysqlConnection) -> Result<T, LedgerError>,
) -> Result<T, LedgerError> {
    // Holds for the next transaction only.
    conn.batch_execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")?;
    conn.transaction(read)
}

/// As much of a text as a column of so many characters holds.
pub(super) fn fitting(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
