//! What each connection is told before anybody uses it.

use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::mysql::MysqlConnection;
use diesel::r2d2::CustomizeConnection;
use diesel::sql_types::Text;
use diesel::{QueryResult, RunQueryDsl, dsl::sql, select};

/// The bounds and rules of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Session {
    /// `None`: unbounded, for migrations.
    pub(super) statement_timeout: Option<Duration>,
    pub(super) lock_timeout: Duration,
}

impl Session {
    pub(super) fn set_up(&self, conn: &mut MysqlConnection) -> QueryResult<()> {
        // The client library asks for utf8mb4 too, but a server may be told to ignore that.
        conn.batch_execute("SET NAMES utf8mb4")?;
        // A server's own mode may cut what does not fit, or take zero for a date.
        conn.batch_execute(&format!(
            "SET time_zone = '+00:00', \
             sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,\
                         ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', \
             innodb_lock_wait_timeout = {}",
            whole_seconds(self.lock_timeout)
        ))?;
        conn.batch_execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")?;
        let millis = self.statement_timeout.map_or(0, |bound| bound.as_millis());
        if is_mariadb(conn)? {
            let (seconds, rest) = (millis / 1000, millis % 1000);
            // Twice as long as anybody waits for a lock: they are told "locked" before it is taken away.
            let idle = self.statement_timeout.map_or(0, |_| whole_seconds(self.lock_timeout) * 2);
            conn.batch_execute(&format!(
                "SET max_statement_time = {seconds}.{rest:03}, idle_transaction_timeout = {idle}"
            ))
        } else {
            // MySQL bounds only reading statements; the lock time-out and the call time-out do the rest.
            conn.batch_execute(&format!(
                "SET max_execution_time = {millis}, wait_timeout = {MYSQL_IDLE_S}"
            ))
        }
    }
}

/// A process that stands still in the middle of a transaction, or whose machine has vanished, would keep
/// its row locked, and with it the sale, until the server finds the connection dead, which takes hours.
/// `MariaDB` ends such a transaction by itself after twice the lock time-out. `MySQL` knows only connections that
/// are idle, whether in a transaction or not; one that was idle in the pool is replaced at its next use.
const MYSQL_IDLE_S: u64 = 30;

/// Which of the two servers answers.
pub(super) fn is_mariadb(conn: &mut MysqlConnection) -> QueryResult<bool> {
    let version: String = select(sql::<Text>("VERSION()")).get_result(conn)?;
    Ok(version.to_ascii_lowercase().contains("mariadb"))
}

/// The lock time-out is counted in whole seconds, at least one.
fn whole_seconds(bound: Duration) -> u64 {
    bound.as_millis().div_ceil(1000).clamp(1, 3600).try_into().unwrap_or(3600)
}

impl CustomizeConnection<MysqlConnection, diesel::r2d2::Error> for Session {
    fn on_acquire(&self, conn: &mut MysqlConnection) -> Result<(), diesel::r2d2::Error> {
        self.set_up(conn).map_err(diesel::r2d2::Error::QueryError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_timeout_is_rounded_up_to_whole_seconds() {
        assert_eq!(whole_seconds(Duration::ZERO), 1);
        assert_eq!(whole_seconds(Duration::from_millis(1500)), 2);
        assert_eq!(whole_seconds(Duration::from_secs(3)), 3);
    }
}
