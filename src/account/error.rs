//! What can be wrong with an account, and what keeps one from being made or changed.

use super::{MAX_NAME, MAX_PASSWORD, MIN_NAME, MIN_PASSWORD};
use crate::ledger::LedgerError;
use crate::ledger::users::Refusal;
use crate::sale::error::Class;

/// What is wrong with a field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// Fewer than [`MIN_NAME`] characters.
    #[error("the name needs at least {MIN_NAME} characters")]
    UsernameTooShort,
    /// More than [`MAX_NAME`] characters. Nothing is ever cut off.
    #[error("the name may have at most {MAX_NAME} characters")]
    UsernameTooLong,
    /// A control character, or one that turns the direction of the text around it.
    #[error("the name holds a character that cannot be shown")]
    UsernameForbidden,
    /// Another account has this name, or one that looks the same.
    #[error("the name is taken")]
    UsernameTaken,
    /// Fewer than [`MIN_PASSWORD`] characters.
    #[error("the password needs at least {MIN_PASSWORD} characters")]
    PasswordTooShort,
    /// More than [`MAX_PASSWORD`] characters.
    #[error("the password may have at most {MAX_PASSWORD} characters")]
    PasswordTooLong,
}

impl FieldError {
    /// The form's field.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::PasswordTooShort | Self::PasswordTooLong => "password",
            _ => "username",
        }
    }

    /// The key of its text in the message catalogue.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::UsernameTooShort => "username-too-short",
            Self::UsernameTooLong => "username-too-long",
            Self::UsernameForbidden => "username-forbidden",
            Self::UsernameTaken => "username-taken",
            Self::PasswordTooShort => "password-too-short",
            Self::PasswordTooLong => "password-too-long",
        }
    }
}

/// Why an account could not be asked for or made.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The form's fields, at most one error each.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<FieldError>),
    /// More passwords wait to be checked than can be in time.
    #[error("too many sign-ins at once")]
    Busy,
    /// The password could not be hashed, or the ledger holds no readable hash.
    #[error("hashing failed: {0}")]
    Hashing(String),
    /// There is no such account.
    #[error("there is no such account")]
    NotFound,
    /// The rules keep the account as it is.
    #[error("{}", told(*.0))]
    Refused(Refusal),
    /// The ledger.
    #[error(transparent)]
    Ledger(LedgerError),
}

impl From<LedgerError> for AccountError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::NotFound => Self::NotFound,
            error => Self::Ledger(error),
        }
    }
}

const fn told(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Oneself => "nobody demotes or disables their own account",
        Refusal::LastAdmin => "this is the last admin who can sign in",
        Refusal::Outdated => "the account was changed in the meantime",
    }
}

impl AccountError {
    /// What the failure means for the step.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Invalid(_) | Self::NotFound | Self::Refused(_) => Class::Reject,
            Self::Busy => Class::Retry,
            Self::Hashing(_) => Class::Bug,
            Self::Ledger(error) => error.class(),
        }
    }

    /// A short word for metrics and logs.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "invalid",
            Self::Busy => "busy",
            Self::Hashing(_) => "hashing",
            Self::NotFound => "not_found",
            Self::Refused(_) => "refused",
            Self::Ledger(error) => error.label(),
        }
    }
}
