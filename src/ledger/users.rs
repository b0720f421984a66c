//! Accounts.

use chrono::NaiveDateTime;
use diesel::prelude::*;

use super::error::LedgerError;
use super::last_insert_id;
use super::pool::Ledger;
use super::schema::users;
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

/// Makes an account, unless its name is taken.
pub async fn insert(ledger: &Ledger, user: NewUser) -> Result<Insertion, LedgerError> {
    ledger
        .run(move |conn| {
            match diesel::insert_into(users::table).values(user).execute(conn).map_err(Into::into) {
                Ok(_) => Ok(Insertion::Created(UserId(last_insert_id(conn)?))),
                Err(LedgerError::Duplicate(_)) => Ok(Insertion::Taken),
                Err(error) => Err(error),
            }
        })
        .await
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

/// The account of this number.
pub async fn by_id(ledger: &Ledger, id: UserId) -> Result<Option<User>, LedgerError> {
    ledger
        .run(move |conn| {
            let found = users::table.find(id.0);
            found.select(Row::as_select()).first(conn).optional()?.map(User::try_from).transpose()
        })
        .await
}

/// The epochs of accounts that are not disabled; those left out are disabled or gone.
pub async fn live_epochs(
    ledger: &Ledger,
    ids: Vec<UserId>,
) -> Result<Vec<(UserId, i64)>, LedgerError> {
    ledger
        .run(move |conn| {
            let ids = ids.iter().map(|id| id.0);
            let rows: Vec<(i64, i64)> = users::table
                .filter(users::id.eq_any(ids).and(users::disabled_at.is_null()))
                .select((users::id, users::epoch))
                .load(conn)?;
            Ok(rows.into_iter().map(|(id, epoch)| (UserId(id), epoch)).collect())
        })
        .await
}

/// Ends all sessions of an account.
pub async fn end_sessions(ledger: &Ledger, id: UserId) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            touched(
                diesel::update(users::table.find(id.0))
                    .set(users::epoch.eq(users::epoch + 1))
                    .execute(conn)?,
            )
        })
        .await
}

/// Sets another password and ends all sessions.
pub async fn set_password(ledger: &Ledger, id: UserId, hash: String) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            touched(
                diesel::update(users::table.find(id.0))
                    .set((users::password_hash.eq(hash), users::epoch.eq(users::epoch + 1)))
                    .execute(conn)?,
            )
        })
        .await
}

/// Sets another role and ends all sessions, which knew the former one.
pub async fn set_role(ledger: &Ledger, id: UserId, role: Role) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            touched(
                diesel::update(users::table.find(id.0))
                    .set((users::role.eq(role.as_str()), users::epoch.eq(users::epoch + 1)))
                    .execute(conn)?,
            )
        })
        .await
}

/// Closes an account, or opens it again, and ends all sessions.
pub async fn set_disabled(ledger: &Ledger, id: UserId, disabled: bool) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            let at = if disabled { Some(super::clock::now(conn)?) } else { None };
            touched(
                diesel::update(users::table.find(id.0))
                    .set((users::disabled_at.eq(at), users::epoch.eq(users::epoch + 1)))
                    .execute(conn)?,
            )
        })
        .await
}

fn touched(rows: usize) -> Result<(), LedgerError> {
    if rows == 0 { Err(LedgerError::NotFound) } else { Ok(()) }
}
