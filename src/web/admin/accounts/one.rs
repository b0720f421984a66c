//! `/admin/accounts/{id}`: one account, and what an admin does to it.

use actix_web::{HttpResponse, http::StatusCode};

use super::field_fault;
use super::forms::{PasswordForm, RoleForm};
use super::view::{AccountPage, roles};
use crate::account::{AccountError, Refusal};
use crate::sale::ids::UserId;
use crate::web::Site;
use crate::web::error::WebError;
use crate::web::extract::{
    form::{Checked, NoFields},
    path::OfAccount,
    query::Query,
};
use crate::web::faults::Faults;
use crate::web::page::{Frame, respond, see_other};
use crate::web::session::Admin;
use crate::web::text::{Message, key};

/// The page.
pub async fn show(
    admin: Admin,
    site: Site,
    f: Frame,
    OfAccount(id): OfAccount,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let notice = query.take("done")?.as_deref().and_then(done);
    let page = AccountPage {
        done: notice.is_some(),
        notice,
        ..page(&site, f, id, &admin, Faults::default()).await?
    };
    Ok(respond(StatusCode::OK, &page))
}

/// Gives it another role.
pub async fn set_role(
    admin: Admin,
    site: Site,
    f: Frame,
    OfAccount(id): OfAccount,
    Checked(RoleForm(role)): Checked<RoleForm>,
) -> Result<HttpResponse, WebError> {
    let Some(role) = role else {
        let mut faults = Faults::default();
        faults.add("role", key("accounts-role-missing"));
        let page = page(&site, f, id, &admin, faults).await?;
        return Ok(respond(StatusCode::UNPROCESSABLE_ENTITY, &page));
    };
    let changed = site.accounts.set_role(admin.actor.clone(), id, role).await.map(drop);
    answer(&site, f, id, &admin, "role", changed).await
}

/// Gives it another password. One's own is changed where the present one is asked for.
pub async fn set_password(
    admin: Admin,
    site: Site,
    f: Frame,
    OfAccount(id): OfAccount,
    Checked(PasswordForm(password)): Checked<PasswordForm>,
) -> Result<HttpResponse, WebError> {
    let changed = if admin.actor.id == Some(id) {
        Err(AccountError::Refused(Refusal::Oneself))
    } else {
        site.accounts.set_password(admin.actor.clone(), id, &password).await
    };
    answer(&site, f, id, &admin, "password", changed).await
}

/// Closes it.
pub async fn disable(
    admin: Admin,
    site: Site,
    f: Frame,
    OfAccount(id): OfAccount,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    let changed = site.accounts.set_disabled(admin.actor.clone(), id, true).await.map(drop);
    answer(&site, f, id, &admin, "disable", changed).await
}

/// Opens it again.
pub async fn enable(
    admin: Admin,
    site: Site,
    f: Frame,
    OfAccount(id): OfAccount,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    let changed = site.accounts.set_disabled(admin.actor.clone(), id, false).await.map(drop);
    answer(&site, f, id, &admin, "enable", changed).await
}

/// Ends its sessions.
pub async fn end_sessions(
    admin: Admin,
    site: Site,
    f: Frame,
    OfAccount(id): OfAccount,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    let changed = site.accounts.end_sessions(admin.actor.clone(), id).await;
    answer(&site, f, id, &admin, "end-sessions", changed).await
}

/// What a change of that name has done.
fn done(name: &str) -> Option<Message> {
    Some(match name {
        "add" => key("accounts-done-add"),
        "role" => key("accounts-done-role"),
        "password" => key("accounts-done-password"),
        "disable" => key("accounts-done-disable"),
        "enable" => key("accounts-done-enable"),
        "end-sessions" => key("accounts-done-end-sessions"),
        _ => return None,
    })
}

/// Back to the account; or the page at once, with what is wrong.
async fn answer(
    site: &Site,
    f: Frame,
    id: UserId,
    admin: &Admin,
    name: &'static str,
    changed: Result<(), AccountError>,
) -> Result<HttpResponse, WebError> {
    let mut faults = Faults::default();
    match changed {
        Ok(()) => return Ok(see_other(&format!("/admin/accounts/{id}?done={name}"))),
        Err(AccountError::Invalid(errors)) => {
            for error in errors {
                faults.add(error.field(), field_fault(error));
            }
        }
        Err(AccountError::Refused(refusal)) => faults.add(name, refusal_fault(refusal)),
        Err(AccountError::Busy) => {
            let page = AccountPage {
                notice: Some(key("login-busy")),
                ..page(site, f, id, admin, faults).await?
            };
            return Ok(respond(StatusCode::SERVICE_UNAVAILABLE, &page));
        }
        Err(error) => return Err(error.into()),
    }
    let page = page(site, f, id, admin, faults).await?;
    Ok(respond(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

fn refusal_fault(refusal: Refusal) -> Message {
    match refusal {
        Refusal::Oneself => key("accounts-refused-oneself"),
        Refusal::LastAdmin => key("accounts-refused-last-admin"),
        Refusal::Outdated => key("error-conflict-what"),
    }
}

async fn page(
    site: &Site,
    f: Frame,
    id: UserId,
    admin: &Admin,
    faults: Faults,
) -> Result<AccountPage, WebError> {
    let profile = site.accounts.profile(id).await?;
    let own = admin.actor.id == Some(id);
    let roles = roles(profile.role);
    Ok(AccountPage { f, account: profile.into(), roles, own, faults, notice: None, done: false })
}
