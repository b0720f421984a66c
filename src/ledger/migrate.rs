//! The tables' versions.

use std::time::Duration;

use diesel::connection::Connection;
use diesel::migration::MigrationSource;
use diesel::mysql::{Mysql, MysqlConnection};
use diesel::sql_types::{BigInt, Nullable};
use diesel::{RunQueryDsl, dsl::sql, select};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::error::LedgerError;
use super::pool::Ledger;
use super::session::Session;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");

/// How long a run waits for another one to end.
const LOCK_WAIT_S: u32 = 60;

/// Locks are the server's, not the database's, so the name carries the database.
const LOCK_NAME: &str = "CONCAT('seckill.migrate.', LEFT(SHA1(DATABASE()), 16))";

/// Which migrations this program knows and the ledger has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaVersion {
    /// The newest that the ledger has; `None`: it was never migrated.
    pub applied: Option<String>,
    /// Those that this program needs and the ledger lacks, oldest first.
    pub missing: Vec<String>,
}

impl SchemaVersion {
    /// Whether this program can work with the ledger. A newer ledger is fine: migrations only expand
    /// what a running release uses.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.missing.is_empty()
    }
}

impl Ledger {
    /// Runs the missing migrations, oldest first, and names them. Several runs at once are fine: one
    /// works, the others wait for it.
    pub async fn migrate(&self) -> Result<Vec<String>, LedgerError> {
        // Whether anybody answers there is asked with a bound, since connecting by itself has none.
        self.ping().await?;
        let url = self.options().url.clone();
        // A connection of its own: building an index may take longer than any bound on a call.
        tokio::task::spawn_blocking(move || run_missing(&url))
            .await
            .map_err(|_| LedgerError::Panicked)?
    }

    /// How the tables stand, for `doctor` and `/readyz`.
    pub async fn schema_version(&self) -> Result<SchemaVersion, LedgerError> {
        self.run(|conn| {
            if !was_migrated(conn)? {
                return Ok(SchemaVersion { applied: None, missing: known()? });
            }
            // Asked only now, for it makes the table of migrations when there is none.
            let applied = conn.applied_migrations().map_err(failed)?;
            let applied: Vec<String> = applied.iter().map(ToString::to_string).collect();
            let missing = known()?.into_iter().filter(|version| !applied.contains(version));
            Ok(SchemaVersion { missing: missing.collect(), applied: applied.into_iter().max() })
        })
        .await
    }
}

fn run_missing(url: &str) -> Result<Vec<String>, LedgerError> {
    let mut conn = MysqlConnection::establish(url)
        .map_err(|error| LedgerError::Unavailable(error.to_string()))?;
    Session { statement_timeout: None, lock_timeout: Duration::from_secs(60) }.set_up(&mut conn)?;
    let locked: Option<i64> =
        select(sql::<Nullable<BigInt>>(&format!("GET_LOCK({LOCK_NAME}, {LOCK_WAIT_S})")))
            .get_result(&mut conn)?;
    if locked != Some(1) {
        return Err(LedgerError::MigrationUnderWay);
    }
    // The lock goes with the connection, whatever happens.
    let ran = conn.run_pending_migrations(MIGRATIONS).map_err(failed)?;
    Ok(ran.iter().map(ToString::to_string).collect())
}

fn was_migrated(conn: &mut MysqlConnection) -> Result<bool, LedgerError> {
    let tables: i64 = select(sql::<BigInt>(
        "(SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() \
          AND table_name = '__diesel_schema_migrations')",
    ))
    .get_result(conn)?;
    Ok(tables > 0)
}

/// The versions of the migrations in this program, oldest first.
fn known() -> Result<Vec<String>, LedgerError> {
    let migrations = MigrationSource::<Mysql>::migrations(&MIGRATIONS).map_err(failed)?;
    let mut versions: Vec<String> =
        migrations.iter().map(|migration| migration.name().version().to_string()).collect();
    versions.sort();
    Ok(versions)
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn failed(error: Box<dyn std::error::Error + Send + Sync>) -> LedgerError {
    LedgerError::Migration(error.to_string())
}
