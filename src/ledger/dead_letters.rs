//! Messages that nobody could record, kept where operators see them.

use std::fmt::Write as _;

use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::prelude::*;
use sha2::{Digest, Sha256};

use super::error::LedgerError;
use super::pool::Ledger;
use super::schema::dead_letters;
use super::transaction::fitting;

/// A letter to be kept.
#[derive(Debug, Clone)]
pub struct NewDeadLetter {
    /// The message's own id; empty when it had none. Cut at 191 characters.
    pub message_id: String,
    /// The body as it came, whatever it is.
    pub body: Vec<u8>,
    /// The header that names the body's schema.
    pub schema_header: Option<String>,
    /// Why it could not be recorded. Cut at 255 characters.
    pub reason: String,
}

/// A kept letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The row's number; pages go on from it.
    pub id: i64,
    /// The message's own id.
    pub message_id: String,
    /// The body as it came.
    pub body: Vec<u8>,
    /// The header that names the body's schema.
    pub schema_header: Option<String>,
    /// Why it could not be recorded.
    pub reason: String,
    /// `waiting`, `replay`, `replayed`, `discard` or `discarded`.
    pub status: String,
    /// When it was kept.
    pub created_at: DateTime<Utc>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = dead_letters)]
struct Row {
    id: i64,
    message_id: String,
    body: Vec<u8>,
    schema_header: Option<String>,
    reason: String,
    status: String,
    created_at: NaiveDateTime,
}

impl From<Row> for DeadLetter {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            message_id: row.message_id,
            body: row.body,
            schema_header: row.schema_header,
            reason: row.reason,
            status: row.status,
            created_at: row.created_at.and_utc(),
        }
    }
}

/// Keeps a letter; `false`: it was kept before, by a delivery whose acknowledgement was lost.
pub async fn insert(ledger: &Ledger, letter: NewDeadLetter) -> Result<bool, LedgerError> {
    ledger
        .run(move |conn| {
            let kept = diesel::insert_into(dead_letters::table)
                .values((
                    dead_letters::message_id.eq(fitting(&letter.message_id, 191)),
                    dead_letters::content_hash.eq(content_hash(&letter.body)),
                    dead_letters::schema_header.eq(letter.schema_header.map(|s| fitting(&s, 32))),
                    dead_letters::reason.eq(fitting(&letter.reason, 255)),
                    dead_letters::body.eq(letter.body),
                ))
                .execute(conn);
            match kept.map_err(Into::into) {
                Ok(_) => Ok(true),
                Err(LedgerError::Duplicate(_)) => Ok(false),
                Err(error) => Err(error),
            }
        })
        .await
}

/// The newest letters; `before` goes on after the last one of a page.
pub async fn list(
    ledger: &Ledger,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<DeadLetter>, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<Row> = dead_letters::table
                .filter(dead_letters::id.lt(before.unwrap_or(i64::MAX)))
                .order(dead_letters::id.desc())
                .limit(limit)
                .select(Row::as_select())
                .load(conn)?;
            Ok(rows.into_iter().map(DeadLetter::from).collect())
        })
        .await
}

/// How many letters nobody has decided about.
pub async fn undecided(ledger: &Ledger) -> Result<i64, LedgerError> {
    ledger
        .run(|conn| {
            let undecided = dead_letters::table.filter(dead_letters::status.eq("waiting"));
            Ok(undecided.count().get_result(conn)?)
        })
        .await
}

/// SHA-256 in hexadecimal digits.
fn content_hash(body: &[u8]) -> String {
    Sha256::digest(body).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
