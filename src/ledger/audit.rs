//! Who changed what from what to what. A row is written in the transaction of its change, so that there is
//! neither a change without a row nor a row without a change.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};

use super::clock::{from_millis, to_millis};
use super::error::LedgerError;
use super::newest::{Stretch, Timeline, Walk, newest};
use super::pool::Ledger;
use super::schema::{audit_log, users};
use super::transaction::fitting;
use crate::sale::actor::Actor;
use crate::sale::ids::UserId;

/// One value that became another. Either may be missing: something was made, or is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What was changed, a word.
    pub field: String,
    /// What it was.
    pub from: Option<String>,
    /// What it is.
    pub to: Option<String>,
}

impl Change {
    /// A value that was set for the first time.
    pub fn made(field: &str, to: &dyn ToString) -> Self {
        Self { field: field.to_owned(), from: None, to: Some(to.to_string()) }
    }

    /// A value that became another.
    pub fn turned(field: &str, from: &dyn ToString, to: &dyn ToString) -> Self {
        Self { field: field.to_owned(), from: Some(from.to_string()), to: Some(to.to_string()) }
    }

    /// Those of the values that differ; an absent one is written as an empty text.
    pub fn between<'a>(fields: impl IntoIterator<Item = (&'a str, String, String)>) -> Vec<Self> {
        let differing = fields.into_iter().filter(|(_, from, to)| from != to);
        differing.map(|(field, from, to)| Self::turned(field, &from, &to)).collect()
    }
}

/// Writes a row. `action` is a word like `activity.publish`, `subject` names a thing like `activity:42`.
pub(super) fn write(
    conn: &mut MysqlConnection,
    actor: &Actor,
    action: &str,
    subject: &str,
    changes: &[Change],
) -> Result<(), LedgerError> {
    let detail = serde_json::to_string(changes)
        .map_err(|error| LedgerError::Unreadable(format!("changes of {subject}: {error}")))?;
    diesel::insert_into(audit_log::table)
        .values((
            audit_log::actor_id.eq(actor.id.map(|id| id.0)),
            audit_log::actor.eq(fitting(&actor.name, 64)),
            audit_log::action.eq(action),
            audit_log::subject.eq(subject),
            audit_log::detail.eq(detail),
            audit_log::request_id.eq(fitting(&actor.request_id, 64)),
        ))
        .execute(conn)?;
    Ok(())
}

/// Writes a row of what is done elsewhere than in the ledger. It is written before: rather a row of what came
/// to nothing than something done that nobody can find.
pub async fn note(
    ledger: &Ledger,
    actor: Actor,
    action: &'static str,
    subject: String,
) -> Result<(), LedgerError> {
    ledger.run(move |conn| write(conn, &actor, action, &subject, &[])).await
}

/// Which rows are wanted; all of the conditions hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The actor's name as it was then.
    pub actor: Option<String>,
    /// The action's word.
    pub action: Option<String>,
    /// The subject's name, like `activity:42`.
    pub subject: Option<String>,
    /// Not before this time, ms since the epoch.
    pub from_ms: Option<i64>,
    /// Before this time, ms since the epoch.
    pub until_ms: Option<i64>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number; pages go on from it.
    pub id: i64,
    /// The account, if it was one.
    pub actor_id: Option<UserId>,
    /// Its name at that time, or what acts by itself.
    pub actor: String,
    /// What was done, a word.
    pub action: String,
    /// To what.
    pub subject: String,
    /// The present name of an account to which it was done.
    pub subject_name: Option<String>,
    /// What became of which value; empty also where that cannot be read any more.
    pub changes: Vec<Change>,
    /// The request that asked for it.
    pub request_id: String,
    /// When, ms since the epoch.
    pub at_ms: i64,
}

const AUDIT: Timeline = Timeline { table: "audit_log", time: Some("at") };

impl Filter {
    /// Along the index that begins with what is asked for. What was done to one thing is so little that all
    /// of it is looked at.
    fn walk(self) -> Walk {
        let mut walk = AUDIT.along(match (&self.subject, &self.actor, &self.action) {
            (Some(_), _, _) => "audit_log_subject",
            (None, Some(_), Some(_)) => "audit_log_actor_and_action",
            (None, Some(_), None) => "audit_log_actor_name",
            (None, None, Some(_)) => "audit_log_action_word",
            (None, None, None) => "audit_log_at",
        });
        for (column, word) in
            [("subject", self.subject), ("actor", self.actor), ("action", self.action)]
        {
            if let Some(word) = word {
                walk = walk.word(column, word);
            }
        }
        walk
    }
}

/// The newest rows that pass the filter; `before` goes on after the last one of a page.
pub async fn list(
    ledger: &Ledger,
    filter: Filter,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<Row>, LedgerError> {
    ledger
        .run(move |conn| {
            let stretch = Stretch {
                from: filter.from_ms.and_then(from_millis),
                until: filter.until_ms.and_then(from_millis),
                before,
            };
            let found = newest(conn, vec![filter.walk()], stretch, limit)?;
            let mut rows: Vec<Columns> = audit_log::table
                .filter(audit_log::id.eq_any(found))
                .select((
                    audit_log::id,
                    audit_log::actor_id,
                    audit_log::actor,
                    audit_log::action,
                    audit_log::subject,
                    audit_log::detail,
                    audit_log::request_id,
                    audit_log::at,
                ))
                .load(conn)?;
            rows.sort_unstable_by_key(|row| std::cmp::Reverse((row.7, row.0)));
            let mut rows: Vec<Row> = rows.into_iter().map(row_of).collect();
            name_accounts(conn, &mut rows)?;
            Ok(rows)
        })
        .await
}

fn name_accounts(conn: &mut MysqlConnection, rows: &mut [Row]) -> Result<(), LedgerError> {
    let account = |row: &Row| row.subject.strip_prefix("user:")?.parse::<i64>().ok();
    let ids: Vec<i64> = rows.iter().filter_map(account).collect();
    let names: HashMap<i64, String> = users::table
        .filter(users::id.eq_any(ids))
        .select((users::id, users::username))
        .load(conn)?
        .into_iter()
        .collect();
    for row in rows {
        row.subject_name = account(row).and_then(|id| names.get(&id).cloned());
    }
    Ok(())
}

type Columns = (i64, Option<i64>, String, String, String, String, String, NaiveDateTime);

fn row_of((id, actor_id, actor, action, subject, detail, request_id, at): Columns) -> Row {
    Row {
        id,
        actor_id: actor_id.map(UserId),
        actor,
        action,
        subject,
        subject_name: None,
        changes: serde_json::from_str(&detail).unwrap_or_default(),
        request_id,
        at_ms: to_millis(at),
    }
}
