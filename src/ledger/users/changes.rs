//! What is done to an account. Each change ends the sessions that knew the account as it was, and writes the
//! audit, all in one transaction.

use chrono::NaiveDateTime;
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::subject;
use crate::ledger::audit::{self, Change};
use crate::ledger::clock::now;
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::users;
use crate::ledger::session_endings::epoch_raised;
use crate::ledger::transaction::transaction;
use crate::sale::actor::Actor;
use crate::sale::ids::UserId;
use crate::sale::shopper::Role;

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// Done; sessions of epochs before this one are over.
    Done(i64),
    /// It was so already: nothing was written, no session ended.
    Already,
    /// The rules say no.
    Refused(Refusal),
}

/// Why an account is left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Who did this to their own account would be locked out by a slip.
    Oneself,
    /// Nobody could get into the console any more.
    LastAdmin,
    /// The password that was checked is not the account's any more, or the account was closed meanwhile.
    Outdated,
}

/// What a new password stands upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Staff sets it, whatever it was.
    Anything,
    /// Its owner sets it, who proved to know the password of this hash.
    Hash(String),
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
struct Row {
    id: i64,
    password_hash: String,
    role: String,
    epoch: i64,
    disabled_at: Option<NaiveDateTime>,
}

impl Row {
    /// Reads the account for a change and keeps others from changing it meanwhile.
    fn locked(conn: &mut MysqlConnection, id: UserId) -> Result<Self, LedgerError> {
        Ok(users::table.find(id.0).select(Self::as_select()).for_update().first(conn)?)
    }

    fn is_live_admin(&self) -> bool {
        self.role == Role::Admin.as_str() && self.disabled_at.is_none()
    }

    /// Raises the epoch and tells the audit: the last steps of each change, so that the ending's time is
    /// close to that of the commit.
    fn changed(
        &self,
        conn: &mut MysqlConnection,
        actor: &Actor,
        action: &'static str,
        changes: &[Change],
    ) -> Result<Changed, LedgerError> {
        let epoch = self.epoch + 1;
        diesel::update(users::table.find(self.id)).set(users::epoch.eq(epoch)).execute(conn)?;
        audit::write(conn, actor, action, &subject(UserId(self.id)), changes)?;
        epoch_raised(conn, self.id, epoch)?;
        Ok(Changed::Done(epoch))
    }
}

/// Ends all sessions of an account.
pub async fn end_sessions(
    ledger: &Ledger,
    actor: Actor,
    id: UserId,
) -> Result<Changed, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let user = Row::locked(conn, id)?;
                user.changed(conn, &actor, "account.end_sessions", &[])
            })
        })
        .await
}

/// Sets another password and ends all sessions. The audit tells that, and nothing of the password.
pub async fn set_password(
    ledger: &Ledger,
    actor: Actor,
    id: UserId,
    hash: String,
    expected: Expected,
) -> Result<Changed, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let user = Row::locked(conn, id)?;
                if let Expected::Hash(expected) = &expected
                    && (user.password_hash != *expected || user.disabled_at.is_some())
                {
                    return Ok(Changed::Refused(Refusal::Outdated));
                }
                diesel::update(users::table.find(id.0))
                    .set(users::password_hash.eq(&hash))
                    .execute(conn)?;
                user.changed(conn, &actor, "account.password", &[])
            })
        })
        .await
}

/// Sets another role and ends all sessions, which knew the former one.
pub async fn set_role(
    ledger: &Ledger,
    actor: Actor,
    id: UserId,
    role: Role,
) -> Result<Changed, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let admins = live_admins(conn)?;
                let user = Row::locked(conn, id)?;
                if user.role == role.as_str() {
                    return Ok(Changed::Already);
                }
                if let Some(refusal) = refusal(&user, &actor, &admins) {
                    return Ok(Changed::Refused(refusal));
                }
                diesel::update(users::table.find(id.0))
                    .set(users::role.eq(role.as_str()))
                    .execute(conn)?;
                let change = Change::turned("role", &user.role, &role);
                user.changed(conn, &actor, "account.role", &[change])
            })
        })
        .await
}

/// Closes an account, or opens it again, and ends all sessions.
pub async fn set_disabled(
    ledger: &Ledger,
    actor: Actor,
    id: UserId,
    disabled: bool,
) -> Result<Changed, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let admins = live_admins(conn)?;
                let user = Row::locked(conn, id)?;
                if user.disabled_at.is_some() == disabled {
                    return Ok(Changed::Already);
                }
                if let Some(refusal) = refusal(&user, &actor, &admins).filter(|_| disabled) {
                    return Ok(Changed::Refused(refusal));
                }
                let at = if disabled { Some(now(conn)?) } else { None };
                diesel::update(users::table.find(id.0))
                    .set(users::disabled_at.eq(at))
                    .execute(conn)?;
                let word = |disabled| if disabled { "disabled" } else { "live" };
                let change = Change::turned("state", &word(!disabled), &word(disabled));
                let action = if disabled { "account.disable" } else { "account.enable" };
                user.changed(conn, &actor, action, &[change])
            })
        })
        .await
}

/// The admins who can sign in. Locked before the account itself, always in the same order, so that of two
/// changes that would each leave the other's admin, the second sees what the first has done.
fn live_admins(conn: &mut MysqlConnection) -> Result<Vec<i64>, LedgerError> {
    Ok(users::table
        .filter(users::role.eq(Role::Admin.as_str()))
        .filter(users::disabled_at.is_null())
        .order(users::username_key)
        .select(users::id)
        .for_update()
        .load(conn)?)
}

/// Whether this account must stay what it is: somebody's own, or the last admin.
fn refusal(user: &Row, actor: &Actor, live_admins: &[i64]) -> Option<Refusal> {
    if actor.id == Some(UserId(user.id)) {
        Some(Refusal::Oneself)
    } else if user.is_live_admin() && live_admins == [user.id] {
        Some(Refusal::LastAdmin)
    } else {
        None
    }
}
