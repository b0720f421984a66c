//! What ended sessions before their time: single ones, and all those of an account's older epochs.
//!
//! The rows are news for the web nodes, which keep them in memory. A row becomes visible when its
//! transaction commits, which may be later than rows with higher numbers or times; so a reader asks by time
//! and always for a little more than it seems to need.

use std::time::Duration;

use chrono::{NaiveDateTime, TimeDelta};
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::clock::{from_millis, now, to_millis};
use super::error::LedgerError;
use super::pool::Ledger;
use super::schema::session_endings;
use crate::sale::ids::UserId;

/// What ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// One session, by its id of 32 hexadecimal digits.
    Session(String),
    /// All sessions of an account that were begun before it came to this epoch.
    Before(UserId, i64),
}

/// An ending and its time, ms since the epoch by the ledger's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// What ended.
    pub over: Over,
    /// When.
    pub at_ms: i64,
}

/// Endings, and the ledger's time at which they were read, ms since the epoch.
#[derive(Debug, Clone)]
pub struct Endings {
    /// In no particular order.
    pub endings: Vec<Ending>,
    /// As of when.
    pub as_of_ms: i64,
}

/// Ends one session.
pub async fn end_session(ledger: &Ledger, session_id: String) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            let row = session_endings::session_id.eq(Some(session_id));
            diesel::insert_into(session_endings::table).values(row).execute(conn)?;
            Ok(())
        })
        .await
}

/// Tells, in the transaction that raises an account's epoch, that sessions of older ones are over.
pub(super) fn epoch_raised(
    conn: &mut MysqlConnection,
    user: i64,
    epoch: i64,
) -> Result<(), LedgerError> {
    diesel::insert_into(session_endings::table)
        .values((session_endings::user_id.eq(Some(user)), session_endings::epoch.eq(Some(epoch))))
        .execute(conn)?;
    Ok(())
}

/// What ended since `since_ms`, by the ledger's clock, but nothing that is older than `longest`.
pub async fn read(
    ledger: &Ledger,
    since_ms: Option<i64>,
    longest: Duration,
) -> Result<Endings, LedgerError> {
    ledger
        .run(move |conn| {
            // The time first: what commits while the rows are read is asked for again the next time.
            let as_of = now(conn)?;
            let bound = as_of - TimeDelta::from_std(longest).unwrap_or_default();
            let since = since_ms.and_then(from_millis).map_or(bound, |since| since.max(bound));
            let rows = session_endings::table
                .filter(session_endings::at.ge(since))
                .select((
                    session_endings::session_id,
                    session_endings::user_id,
                    session_endings::epoch,
                    session_endings::at,
                ))
                .load::<Row>(conn)?;
            let endings = rows.into_iter().filter_map(ending).collect();
            Ok(Endings { endings, as_of_ms: to_millis(as_of) })
        })
        .await
}

type Row = (Option<String>, Option<i64>, Option<i64>, NaiveDateTime);

/// A CHECK keeps other rows out.
fn ending((session, user, epoch, at): Row) -> Option<Ending> {
    let over = match (session, user, epoch) {
        (Some(session), None, None) => Over::Session(session),
        (None, Some(user), Some(epoch)) => Over::Before(UserId(user), epoch),
        _ => return None,
    };
    Some(Ending { over, at_ms: to_millis(at) })
}

/// Deletes the rows that are older than this.
pub async fn sweep(ledger: &Ledger, older_than: Duration) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            let bound = now(conn)? - TimeDelta::from_std(older_than).unwrap_or_default();
            let old = session_endings::table.filter(session_endings::at.lt(bound));
            diesel::delete(old).execute(conn)?;
            Ok(())
        })
        .await
}
