//! `/login` and `/logout`.

use actix_session::Session;
use actix_web::{HttpResponse, http::StatusCode};

use super::{
    Site, see_other,
    view::account::{LoginFault, LoginPage},
};
use crate::{
    account::{AccountError, SignIn},
    sale::shopper::Role,
    web::{
        error::{WebError, told},
        extract::{
            account_forms::AccountForm,
            form::{Checked, NoFields},
            next::Next,
            query::Query,
        },
        negotiate::Wanted,
        page::{Frame, respond},
        session::{self, OwnSession},
    },
};

/// The form; who is signed in already is sent on.
pub async fn form(f: Frame, Query(mut query): Query) -> Result<HttpResponse, WebError> {
    let next = query.take("next")?.as_deref().map(Next::parse).unwrap_or_default();
    if let Some(viewer) = &f.viewer {
        return Ok(see_other(next.address_for(viewer.role)));
    }
    let next = next.as_str().to_owned();
    let page = LoginPage { f, username: String::new(), next, fault: None };
    Ok(respond(StatusCode::OK, &page))
}

/// Signs in and leads on; or shows the form again, with the name that was typed.
pub async fn submit(
    site: Site,
    session: Session,
    wanted: Wanted,
    f: Frame,
    Checked(form): Checked<AccountForm>,
) -> Result<HttpResponse, WebError> {
    let fault = match enter(&site, &session, &form).await? {
        Ok(role) => return Ok(see_other(form.next.address_for(role))),
        Err(fault) => fault,
    };
    if wanted.is_json() {
        return Ok(told(status(fault), name(fault), f.t(fault.text()).to_string()));
    }
    let next = form.next.as_str().to_owned();
    let page = LoginPage { f, username: form.username, next, fault: Some(fault) };
    Ok(respond(status(fault), &page))
}

/// Ends the session: in this browser whatever happens, and everywhere else, or it says that it could not.
pub async fn leave(
    site: Site,
    session: Session,
    OwnSession(own): OwnSession,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    let ended = match own {
        Some(own) => site.accounts.sign_out(own).await,
        None => Ok(()),
    };
    session::sign_out(&session);
    ended.map_err(WebError::SignOut)?;
    Ok(see_other("/"))
}

async fn enter(
    site: &Site,
    session: &Session,
    form: &AccountForm,
) -> Result<Result<Role, LoginFault>, WebError> {
    if form.username.trim().is_empty() || form.password.is_empty() {
        return Ok(Err(LoginFault::Missing));
    }
    match site.accounts.sign_in(&form.username, &form.password).await {
        Ok(SignIn::Welcome(account)) => {
            let role = account.role;
            session::sign_in(session, account);
            Ok(Ok(role))
        }
        Ok(SignIn::Refused) => Ok(Err(LoginFault::Wrong)),
        Ok(SignIn::Disabled) => Ok(Err(LoginFault::Closed)),
        Err(AccountError::Busy) => Ok(Err(LoginFault::Busy)),
        Err(error) => Err(error.into()),
    }
}

const fn status(fault: LoginFault) -> StatusCode {
    match fault {
        LoginFault::Missing => StatusCode::UNPROCESSABLE_ENTITY,
        LoginFault::Wrong => StatusCode::UNAUTHORIZED,
        LoginFault::Closed => StatusCode::FORBIDDEN,
        LoginFault::TooManyTries => StatusCode::TOO_MANY_REQUESTS,
        LoginFault::Busy => StatusCode::SERVICE_UNAVAILABLE,
    }
}

const fn name(fault: LoginFault) -> &'static str {
    match fault {
        LoginFault::Missing => "field_missing",
        LoginFault::Wrong => "wrong_credentials",
        LoginFault::Closed => "account_closed",
        LoginFault::TooManyTries => "too_fast",
        LoginFault::Busy => "busy",
    }
}
