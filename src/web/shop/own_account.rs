//! `/account`: one's own password, and signing out everywhere.

use actix_session::Session;
use actix_web::{HttpResponse, http::StatusCode};

use super::{Site, see_other, view::own_account::OwnAccountPage};
use crate::{
    account::{AccountError, FieldError, MAX_PASSWORD, MIN_PASSWORD, Refusal},
    web::{
        error::WebError,
        extract::{
            account_forms::OwnPasswordForm,
            form::{Checked, NoFields},
            query::Query,
        },
        faults::Faults,
        page::{Frame, respond},
        session::{self, Owner},
        text::{Message, key},
    },
};

/// The page.
pub async fn show(_: Owner, f: Frame, Query(mut query): Query) -> Result<HttpResponse, WebError> {
    let done = query.take("done")?.as_deref() == Some("password");
    let notice = done.then(|| key("account-password-done"));
    let page = OwnAccountPage { notice, done, ..page(f, Faults::default()) };
    Ok(respond(StatusCode::OK, &page))
}

/// Sets another password. All sessions end, and in this browser a new one begins.
pub async fn change_password(
    owner: Owner,
    site: Site,
    session: Session,
    f: Frame,
    Checked(form): Checked<OwnPasswordForm>,
) -> Result<HttpResponse, WebError> {
    let mut faults = faults_of(&form);
    if faults.is_empty() {
        let changing =
            site.accounts.change_password(owner.actor, owner.id, &form.current, &form.new);
        match changing.await {
            Ok(Some(account)) => {
                session::sign_in(&session, account);
                return Ok(see_other("/account?done=password"));
            }
            Ok(None) | Err(AccountError::Refused(Refusal::Outdated)) => {
                faults.add("current", key("account-current-wrong"));
            }
            Err(AccountError::Invalid(errors)) => {
                for error in errors {
                    faults.add("new", password_fault(error));
                }
            }
            Err(AccountError::Busy) => {
                let page = OwnAccountPage { notice: Some(key("login-busy")), ..page(f, faults) };
                return Ok(respond(StatusCode::SERVICE_UNAVAILABLE, &page));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(respond(StatusCode::UNPROCESSABLE_ENTITY, &page(f, faults)))
}

/// Ends all sessions of the account, this one too.
pub async fn end_sessions(
    owner: Owner,
    site: Site,
    session: Session,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    site.accounts.end_sessions(owner.actor, owner.id).await?;
    session::sign_out(&session);
    Ok(see_other("/login"))
}

fn page(f: Frame, faults: Faults) -> OwnAccountPage {
    OwnAccountPage { f, password_min: characters(MIN_PASSWORD), faults, notice: None, done: false }
}

fn faults_of(form: &OwnPasswordForm) -> Faults {
    let mut faults = Faults::default();
    if form.current.is_empty() {
        faults.add("current", key("account-current-missing"));
    }
    if form.new.is_empty() {
        faults.add("new", key("register-password-missing"));
    } else if form.new != form.again {
        faults.add("again", key("account-again-differs"));
    }
    faults
}

/// What is said about a password that cannot be set.
pub(in crate::web) fn password_fault(error: FieldError) -> Message {
    match error {
        FieldError::PasswordTooLong => {
            key("register-password-long").with("max", characters(MAX_PASSWORD))
        }
        _ => key("register-password-short").with("min", characters(MIN_PASSWORD)),
    }
}

fn characters(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
