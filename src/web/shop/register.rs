//! `/register`.

use actix_session::Session;
use actix_web::{HttpResponse, http::StatusCode};

use super::{
    Site, see_other,
    view::account::{AccountRules, PasswordFault, RegisterPage, UsernameFault},
};
use crate::{
    account::{AccountError, FieldError, MAX_NAME, MAX_PASSWORD, MIN_NAME, MIN_PASSWORD},
    web::{
        error::WebError,
        extract::{account_forms::AccountForm, form::Checked, next::Next, query::Query},
        page::{Frame, respond},
        session,
    },
};

/// What keeps an account from being made.
#[derive(Debug, Default)]
struct Faults {
    username: Option<UsernameFault>,
    password: Option<PasswordFault>,
    busy: bool,
}

/// The form; who is signed in already is sent on.
pub async fn form(f: Frame, Query(mut query): Query) -> Result<HttpResponse, WebError> {
    let next = query.take("next")?.as_deref().map(Next::parse).unwrap_or_default();
    if let Some(viewer) = &f.viewer {
        return Ok(see_other(next.address_for(viewer.role)));
    }
    Ok(respond(StatusCode::OK, &page(f, String::new(), &next, &Faults::default())))
}

/// Makes the account, signs it in and leads on; or shows the form again, with the name that was typed.
pub async fn submit(
    site: Site,
    session: Session,
    f: Frame,
    Checked(form): Checked<AccountForm>,
) -> Result<HttpResponse, WebError> {
    let faults = match left_empty(&form) {
        Some(faults) => faults,
        None => match site.accounts.register(&form.username, &form.password).await {
            Ok(account) => {
                session::sign_in(&session, account);
                return Ok(see_other(form.next.address()));
            }
            Err(AccountError::Invalid(errors)) => faults(&errors),
            Err(AccountError::Busy) => Faults { busy: true, ..Faults::default() },
            Err(error) => return Err(error.into()),
        },
    };
    let status = if faults.busy {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    Ok(respond(status, &page(f, form.username, &form.next, &faults)))
}

fn page(f: Frame, username: String, next: &Next, faults: &Faults) -> RegisterPage {
    RegisterPage {
        f,
        username,
        next: next.as_str().to_owned(),
        rules: rules(),
        username_fault: faults.username,
        password_fault: faults.password,
        busy: faults.busy,
    }
}

fn rules() -> AccountRules {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    AccountRules {
        username_min: number(MIN_NAME),
        username_max: number(MAX_NAME),
        password_min: number(MIN_PASSWORD),
        password_max: number(MAX_PASSWORD),
    }
}

fn left_empty(form: &AccountForm) -> Option<Faults> {
    let faults = Faults {
        username: form.username.trim().is_empty().then_some(UsernameFault::Missing),
        password: form.password.is_empty().then_some(PasswordFault::Missing),
        busy: false,
    };
    (faults.username.is_some() || faults.password.is_some()).then_some(faults)
}

fn faults(errors: &[FieldError]) -> Faults {
    let mut faults = Faults::default();
    for error in errors {
        match error {
            FieldError::UsernameTooShort => faults.username = Some(UsernameFault::TooShort),
            FieldError::UsernameTooLong => faults.username = Some(UsernameFault::TooLong),
            FieldError::UsernameForbidden => faults.username = Some(UsernameFault::Characters),
            FieldError::UsernameTaken => faults.username = Some(UsernameFault::Taken),
            FieldError::PasswordTooShort => faults.password = Some(PasswordFault::TooShort),
            FieldError::PasswordTooLong => faults.password = Some(PasswordFault::TooLong),
        }
    }
    faults
}
