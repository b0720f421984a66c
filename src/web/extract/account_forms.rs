//! The forms about an account: signing in, registering, choosing a language.

use super::{
    fields::{BadForm, Fields},
    form::FromFields,
    next::Next,
};

/// Name and password, of the login and the registration page alike. A field that is left out counts as
/// left empty: the page then says what is missing.
#[derive(Debug)]
pub struct AccountForm {
    /// As typed.
    pub username: String,
    /// As typed.
    pub password: String,
    /// Where to go afterwards.
    pub next: Next,
}

impl FromFields for AccountForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        Ok(Self {
            username: fields.take("username")?.unwrap_or_default(),
            password: fields.take("password")?.unwrap_or_default(),
            next: next(fields)?,
        })
    }
}

/// Another password for oneself. A field that is left out counts as left empty.
#[derive(Debug)]
pub struct OwnPasswordForm {
    /// The present password, as typed.
    pub current: String,
    /// The new one, as typed.
    pub new: String,
    /// The new one once more.
    pub again: String,
}

impl FromFields for OwnPasswordForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        Ok(Self {
            current: fields.take("current")?.unwrap_or_default(),
            new: fields.take("new")?.unwrap_or_default(),
            again: fields.take("again")?.unwrap_or_default(),
        })
    }
}

/// A choice of language.
#[derive(Debug)]
pub struct LanguageForm {
    /// A language tag, as it came.
    pub lang: String,
    /// The page to come back to.
    pub next: Next,
}

impl FromFields for LanguageForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        Ok(Self { lang: fields.require("lang", 32)?, next: next(fields)? })
    }
}

fn next(fields: &mut Fields) -> Result<Next, BadForm> {
    Ok(fields.take("next")?.as_deref().map(Next::parse).unwrap_or_default())
}
