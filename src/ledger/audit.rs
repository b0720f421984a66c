//! Who changed what from what to what. Written in the transaction of the change itself.

use diesel::mysql::MysqlConnection;
use diesel::prelude::*;
use serde::Serialize;

use super::error::LedgerError;
use super::schema::audit_log;
use super::transaction::fitting;
use crate::sale::actor::Actor;

/// A field that has another value than before. Never a password or its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Its name.
    pub field: &'static str,
    /// What it was; `None`: there was nothing.
    pub from: Option<String>,
    /// What it is; `None`: there is nothing.
    pub to: Option<String>,
}

/// Writes a line. `subject` names what was changed: `activity:42`, `user:7`.
pub(super) fn write(
    conn: &mut MysqlConnection,
    actor: &Actor,
    action: &'static str,
    subject: &str,
    changes: &[Change],
) -> Result<(), LedgerError> {
    let detail = serde_json::to_string(changes)
        .map_err(|error| LedgerError::Unreadable(error.to_string()))?;
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
