//! `/admin/accounts`: the list, and making one.

use actix_web::{HttpResponse, http::StatusCode};
use url::form_urlencoded::Serializer;

use super::field_fault;
use super::forms::AddForm;
use super::view::{AccountsPage, Choice, NewAccount, ROLES, role_name, roles};
use crate::account::AccountError;
use crate::sale::shopper::Role;
use crate::web::Site;
use crate::web::error::WebError;
use crate::web::extract::fields::Fields;
use crate::web::extract::{form::Checked, query::Query};
use crate::web::faults::Faults;
use crate::web::page::{Frame, respond, see_other};
use crate::web::session::Admin;
use crate::web::text::key;

/// What is looked for.
#[derive(Debug, Default)]
struct Search {
    typed: String,
    role: Option<Role>,
    /// The page begins after this name.
    after: Option<String>,
}

impl Search {
    fn of(query: &mut Fields) -> Result<Self, WebError> {
        Ok(Self {
            typed: query.take("q")?.unwrap_or_default(),
            role: query.take("role")?.and_then(|word| word.parse().ok()),
            after: query.take("after")?,
        })
    }

    fn address(&self, role: Option<Role>, after: Option<&str>) -> String {
        let mut query = Serializer::new(String::new());
        if !self.typed.is_empty() {
            query.append_pair("q", &self.typed);
        }
        if let Some(role) = role {
            query.append_pair("role", role.as_str());
        }
        if let Some(after) = after {
            query.append_pair("after", after);
        }
        match query.finish() {
            none if none.is_empty() => "/admin/accounts".to_owned(),
            query => format!("/admin/accounts?{query}"),
        }
    }

    fn filters(&self) -> Vec<Choice> {
        let choice = |role: Option<Role>| Choice {
            text: role.map_or_else(|| key("accounts-all"), role_name),
            value: self.address(role, None),
            chosen: self.role == role,
        };
        [None].into_iter().chain(ROLES.map(Some)).map(choice).collect()
    }
}

/// The list.
pub async fn show(
    _: Admin,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let search = Search::of(&mut query)?;
    let page = page(&site, f, &search).await?;
    Ok(respond(StatusCode::OK, &page))
}

/// Makes an account and leads to its page.
pub async fn add(
    admin: Admin,
    site: Site,
    f: Frame,
    Checked(form): Checked<AddForm>,
) -> Result<HttpResponse, WebError> {
    let mut faults = Faults::default();
    let mut busy = false;
    if let Some(role) = form.role {
        let adding = site.accounts.add(admin.actor, &form.username, &form.password, role);
        match adding.await {
            Ok(account) => {
                return Ok(see_other(&format!("/admin/accounts/{}?done=add", account.id)));
            }
            Err(AccountError::Invalid(errors)) => {
                for error in errors {
                    faults.add(error.field(), field_fault(error));
                }
            }
            Err(AccountError::Busy) => busy = true,
            Err(error) => return Err(error.into()),
        }
    } else {
        faults.add("role", key("accounts-role-missing"));
    }
    let page = AccountsPage {
        faults,
        notice: busy.then(|| key("login-busy")),
        new: NewAccount {
            username: form.username,
            roles: roles(form.role.unwrap_or(Role::Shopper)),
        },
        ..page(&site, f, &Search::default()).await?
    };
    let status =
        if busy { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(respond(status, &page))
}

async fn page(site: &Site, f: Frame, search: &Search) -> Result<AccountsPage, WebError> {
    let found = site.accounts.page(&search.typed, search.role, search.after.clone());
    let (accounts, next) = found.await?;
    Ok(AccountsPage {
        f,
        query: search.typed.clone(),
        role: search.role.map_or("", Role::as_str),
        filters: search.filters(),
        accounts: accounts.into_iter().map(Into::into).collect(),
        next: next.map(|after| search.address(search.role, Some(&after))),
        first: search.after.is_some().then(|| search.address(search.role, None)),
        new: NewAccount { username: String::new(), roles: roles(Role::Shopper) },
        faults: Faults::default(),
        notice: None,
    })
}
