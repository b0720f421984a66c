//! What `doctor` asks a ledger about itself.

use chrono::{DateTime, Utc};
use diesel::sql_types::Text;
use diesel::{RunQueryDsl, dsl::sql, select};

use super::clock;
use super::error::LedgerError;
use super::pool::Ledger;
use super::session::is_mariadb;

/// A server's own words on a connection of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// The version as the server writes it.
    pub version: String,
    /// MariaDB, else MySQL.
    pub mariadb: bool,
    /// The server's clock.
    pub now: DateTime<Utc>,
    /// The connection's mode, strict by our set-up.
    pub sql_mode: String,
    /// `READ-COMMITTED` by our set-up.
    pub isolation: String,
    /// The connection's character set.
    pub charset: String,
    /// The connection's time zone.
    pub time_zone: String,
}

impl Ledger {
    /// Asks the server about itself.
    pub async fn server_facts(&self) -> Result<ServerFacts, LedgerError> {
        self.run(|conn| {
            let mariadb = is_mariadb(conn)?;
            let isolation = if mariadb { "@@tx_isolation" } else { "@@transaction_isolation" };
            let mut text = |what: &str| select(sql::<Text>(what)).get_result::<String>(conn);
            let (version, sql_mode) = (text("VERSION()")?, text("@@sql_mode")?);
            let (isolation, charset) = (text(isolation)?, text("@@character_set_connection")?);
            let time_zone = text("@@time_zone")?;
            let now = clock::now(conn)?.and_utc();
            Ok(ServerFacts { version, mariadb, now, sql_mode, isolation, charset, time_zone })
        })
        .await
    }
}
