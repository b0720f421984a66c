//! Accounts as the console shows them.

use chrono::NaiveDateTime;
use diesel::prelude::*;

use crate::ledger::clock::to_millis;
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::users;
use crate::sale::ids::UserId;
use crate::sale::shopper::Role;

/// An account without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its number.
    pub id: UserId,
    /// The name as typed.
    pub username: String,
    /// What the name is compared by, and listed in the order of.
    pub username_key: String,
    /// What it may do.
    pub role: Role,
    /// When it was closed, ms since the epoch; `None`: it is open.
    pub disabled_at_ms: Option<i64>,
    /// When it was made, ms since the epoch.
    pub created_at_ms: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
struct Row {
    id: i64,
    username: String,
    username_key: String,
    role: String,
    disabled_at: Option<NaiveDateTime>,
    created_at: NaiveDateTime,
}

impl TryFrom<Row> for Profile {
    type Error = LedgerError;
    fn try_from(row: Row) -> Result<Self, LedgerError> {
        let role = row.role.parse().map_err(|_| {
            LedgerError::Unreadable(format!("role {:?} of user {}", row.role, row.id))
        })?;
        Ok(Self {
            id: UserId(row.id),
            username: row.username,
            username_key: row.username_key,
            role,
            disabled_at_ms: row.disabled_at.map(to_millis),
            created_at_ms: to_millis(row.created_at),
        })
    }
}

/// The account of this number.
pub async fn profile(ledger: &Ledger, id: UserId) -> Result<Option<Profile>, LedgerError> {
    ledger
        .run(move |conn| {
            let found = users::table.find(id.0).select(Row::as_select());
            found.first(conn).optional()?.map(Profile::try_from).transpose()
        })
        .await
}

/// Accounts in the order of their names: those whose key begins with `prefix`, of this role if any, after
/// the key `after`. Each of these goes by an index.
pub async fn page(
    ledger: &Ledger,
    prefix: String,
    role: Option<Role>,
    after: Option<String>,
    limit: i64,
) -> Result<Vec<Profile>, LedgerError> {
    ledger
        .run(move |conn| {
            let mut found = users::table.select(Row::as_select()).into_boxed();
            if !prefix.is_empty() {
                // LIKE would use the index as well, but MariaDB lets its range end before the characters
                // beyond the first plane, and with them all emoji.
                let end = format!("{prefix}{}", char::MAX);
                found = found.filter(users::username_key.ge(prefix));
                found = found.filter(users::username_key.lt(end));
            }
            if let Some(role) = role {
                found = found.filter(users::role.eq(role.as_str()));
            }
            if let Some(after) = after {
                found = found.filter(users::username_key.gt(after));
            }
            let rows = found.order(users::username_key).limit(limit).load::<Row>(conn)?;
            rows.into_iter().map(Profile::try_from).collect()
        })
        .await
}
