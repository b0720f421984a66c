//! Who changed what from what to what. A row is written in the transaction of its change, so that there is
//! neither a change without a row nor a row without a change.

use diesel::mysql::MysqlConnection;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};

use super::error::LedgerError;
use super::schema::audit_log;
use super::transaction::fitting;
use crate::sale::actor::Actor;

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
