//! 4 · The ledger: what is true. MySQL or MariaDB by Diesel.
//!
//! [`Ledger`] holds the connections; one module holds one table's queries, as functions over it. Every
//! transaction that changes stock locks the activity's row first, one activity a transaction, then orders;
//! the other way round deadlocks, through the foreign key alone. The conditional update and the unique
//! keys hold even when the gate is wrong, empty or gone.

pub mod activities;
pub mod audit;
mod clock;
pub mod dead_letters;
mod error;
mod facts;
mod migrate;
mod newest;
pub mod orders;
pub mod payments;
mod pool;
pub mod product_choices;
pub mod products;
pub mod reconciliations;
pub mod samples;
pub mod sandbox;
mod schema;
mod session;
pub mod session_endings;
pub mod settlements;
mod transaction;
pub mod users;

use diesel::mysql::MysqlConnection;
use diesel::{RunQueryDsl, select};

pub use error::{Conflict, LedgerError};
pub use facts::ServerFacts;
pub use migrate::SchemaVersion;
pub use pool::{Ledger, LedgerOptions};

diesel::define_sql_function! {
    /// The server's own function.
    #[sql_name = "LAST_INSERT_ID"]
    fn last_id() -> Unsigned<BigInt>;
}

/// The number that the last insert of this connection gave.
fn last_insert_id(conn: &mut MysqlConnection) -> Result<i64, LedgerError> {
    let id: u64 = select(last_id()).get_result(conn)?;
    i64::try_from(id).map_err(|_| LedgerError::Unreadable(format!("id {id}")))
}
