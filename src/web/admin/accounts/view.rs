//! The pages of the console's accounts.

use askama::Template;

use crate::account::Profile;
use crate::sale::shopper::Role;
use crate::web::faults::Faults;
use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// Roles, from the one that may do least.
pub const ROLES: [Role; 3] = [Role::Shopper, Role::Operator, Role::Admin];

/// What a role is called.
#[must_use]
pub fn role_name(role: Role) -> Message {
    match role {
        Role::Shopper => key("role-shopper"),
        Role::Operator => key("role-operator"),
        Role::Admin => key("role-admin"),
    }
}

/// An account as a row of the list and the head of its page.
#[derive(Debug, Clone)]
pub struct AccountView {
    /// Its number.
    pub id: i64,
    /// Its name; any script.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// When it was made, ms since the epoch.
    pub created_at_ms: i64,
    /// When it was closed, ms since the epoch.
    pub disabled_at_ms: Option<i64>,
}

impl From<Profile> for AccountView {
    fn from(profile: Profile) -> Self {
        Self {
            id: profile.id.0,
            name: profile.username,
            role: profile.role,
            created_at_ms: profile.created_at_ms,
            disabled_at_ms: profile.disabled_at_ms,
        }
    }
}

impl AccountView {
    /// What its role is called.
    #[must_use]
    pub fn role_name(&self) -> Message {
        role_name(self.role)
    }
}

/// A filter above the list, or a role to choose.
#[derive(Debug)]
pub struct Choice {
    /// What it is called.
    pub text: Message,
    /// Where it leads, or what it sends.
    pub value: String,
    /// Whether it is the present one.
    pub chosen: bool,
}

/// `GET` and `POST /admin/accounts`.
#[derive(Debug, Template)]
#[template(path = "admin/accounts.html")]
pub struct AccountsPage {
    /// What every page has.
    pub f: Frame,
    /// How the names begin.
    pub query: String,
    /// The role that is shown, as the form sends it; empty: all.
    pub role: &'static str,
    /// The roles to filter by.
    pub filters: Vec<Choice>,
    /// A page of them.
    pub accounts: Vec<AccountView>,
    /// The next page, if there is one.
    pub next: Option<String>,
    /// Back to the first page, when this is not the first.
    pub first: Option<String>,
    /// The form for a new one.
    pub new: NewAccount,
    /// What is wrong with it.
    pub faults: Faults,
    /// What kept it from being made, beside its fields.
    pub notice: Option<Message>,
}

/// What was typed for a new account; the password is never shown again.
#[derive(Debug)]
pub struct NewAccount {
    /// Its name.
    pub username: String,
    /// The roles to choose from.
    pub roles: Vec<Choice>,
}

/// `GET /admin/accounts/{id}`, and what its forms send.
#[derive(Debug, Template)]
#[template(path = "admin/account.html")]
pub struct AccountPage {
    /// What every page has.
    pub f: Frame,
    /// Whose it is.
    pub account: AccountView,
    /// The roles to choose from.
    pub roles: Vec<Choice>,
    /// The viewer's own: roles, password and state are not changed here.
    pub own: bool,
    /// What is wrong with a form.
    pub faults: Faults,
    /// What has just been done, or could not be.
    pub notice: Option<Message>,
    /// Whether the notice is good news.
    pub done: bool,
}

/// The roles as a form offers them.
#[must_use]
pub fn roles(chosen: Role) -> Vec<Choice> {
    let choice = |role: Role| Choice {
        text: role_name(role),
        value: role.as_str().to_owned(),
        chosen: role == chosen,
    };
    ROLES.map(choice).into()
}
