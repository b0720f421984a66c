//! Accounts: making and finding them. What is done to one later is in `changes`, what the console lists in
//! `listing`.

mod changes;
mod listing;

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;

pub use changes::{Changed, Expected, Refusal, end_sessions, set_disabled, set_password, set_role};
pub use listing::{Profile, page, profile};

use super::audit::{self, Change};
use super::error::LedgerError;
use super::last_insert_id;
use super::pool::Ledger;
use super::schema::users;
use super::transaction::transaction;
use crate::sale::actor::Actor;
use crate::sale::ids::UserId;
use crate::sale::shopper::Role;

/// An account's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its number.
    pub id: UserId,
    /// The name as typed.
    pub username: String,
    /// The password's hash, a PHC string.
    pub password_hash: String,
    /// What it may do.
    pub role: Role,
    /// Sessions of an older epoch are over.
    pub epoch: i64,
    /// Whether staff closed it.
    pub disabled: bool,
}

/// An account to be made.
#[derive(Debug, Clone, Insertable)]
#[diesel(table_name = users)]
pub struct NewUser {
    /// The name as typed, at most 40 characters.
    pub username: String,
    /// What the name is compared by.
    pub username_key: String,
    /// The password's hash, a PHC string.
    pub password_hash: String,
    /// What it may do.
    #[diesel(serialize_as = String)]
    pub role: Role,
}

impl From<Role> for String {
    fn from(role: Role) -> Self {
        role.as_str().to_owned()
    }
}

/// What became of an account to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insertion {
    /// It has this number.
    Created(UserId),
    /// Another account has a name that is compared as equal.
    Taken,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
struct Row {
    id: i64,
    username: String,
    password_hash: String,
    role: String,
    epoch: i64,
    disabled_at: Option<NaiveDateTime>,
}

impl TryFrom<Row> for User {
    type Error = LedgerError;
    fn try_from(row: Row) -> Result<Self, LedgerError> {
        let role = row.role.parse().map_err(|_| {
            LedgerError::Unreadable(format!("role {:?} of user {}", row.role, row.id))
        })?;
        Ok(Self {
            id: UserId(row.id),
            username: row.username,
            password_hash: row.password_hash,
            role,
            epoch: row.epoch,
            disabled: row.disabled_at.is_some(),
        })
    }
}

/// Makes an account as a visitor asks for it, unless its name is taken.
pub async fn insert(ledger: &Ledger, user: NewUser) -> Result<Insertion, LedgerError> {
    ledger.run(move |conn| insert_row(conn, user)).await
}

/// Makes an account on behalf of `actor`, unless its name is taken.
pub async fn insert_by(
    ledger: &Ledger,
    actor: Actor,
    user: NewUser,
) -> Result<Insertion, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let inserted = insert_row(conn, user.clone())?;
                if let Insertion::Created(id) = inserted {
                    let changes =
                        [Change::made("name", &user.username), Change::made("role", &user.role)];
                    audit::write(conn, &actor, "account.add", &subject(id), &changes)?;
                }
                Ok(inserted)
            })
        })
        .await
}

fn insert_row(conn: &mut MysqlConnection, user: NewUser) -> Result<Insertion, LedgerError> {
    match diesel::insert_into(users::table).values(user).execute(conn).map_err(Into::into) {
        Ok(_) => Ok(Insertion::Created(UserId(last_insert_id(conn)?))),
        Err(LedgerError::Duplicate(_)) => Ok(Insertion::Taken),
        Err(error) => Err(error),
    }
}

/// How the audit names an account.
fn subject(id: UserId) -> String {
    format!("user:{id}")
}

/// The account whose name is compared by this key.
pub async fn by_key(ledger: &Ledger, key: String) -> Result<Option<User>, LedgerError> {
    ledger
        .run(move |conn| {
            let found = users::table.filter(users::username_key.eq(key));
            found.select(Row::as_select()).first(conn).optional()?.map(User::try_from).transpose()
        })
        .await
}

/// What these accounts are called.
pub async fn names(
    ledger: &Ledger,
    ids: Vec<UserId>,
) -> Result<HashMap<UserId, String>, LedgerError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    ledger
        .run(move |conn| {
            let rows: Vec<(i64, String)> = users::table
                .filter(users::id.eq_any(ids.iter().map(|id| id.0)))
                .select((users::id, users::username))
                .load(conn)?;
            Ok(rows.into_iter().map(|(id, name)| (UserId(id), name)).collect())
        })
        .await
}

/// The account of this number.
pub async fn by_id(ledger: &Ledger, id: UserId) -> Result<Option<User>, LedgerError> {
    ledger
        .run(move |conn| {
            let found = users::table.find(id.0);
            found.select(Row::as_select()).first(conn).optional()?.map(User::try_from).transpose()
        })
        .await
}
