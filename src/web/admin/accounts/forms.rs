//! The forms of the console's accounts. A field that is left out counts as left empty: the page says so.

use crate::sale::shopper::Role;
use crate::web::extract::{
    fields::{BadForm, Fields},
    form::FromFields,
};

/// A new account.
#[derive(Debug)]
pub struct AddForm {
    /// As typed.
    pub username: String,
    /// As typed.
    pub password: String,
    /// `None`: none was chosen, or none of ours.
    pub role: Option<Role>,
}

impl FromFields for AddForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        Ok(Self {
            username: fields.take("username")?.unwrap_or_default(),
            password: fields.take("password")?.unwrap_or_default(),
            role: role(fields)?,
        })
    }
}

/// Another role.
#[derive(Debug)]
pub struct RoleForm(pub Option<Role>);

impl FromFields for RoleForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        role(fields).map(Self)
    }
}

/// A new password, as typed.
#[derive(Debug)]
pub struct PasswordForm(pub String);

impl FromFields for PasswordForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        Ok(Self(fields.take("password")?.unwrap_or_default()))
    }
}

fn role(fields: &mut Fields) -> Result<Option<Role>, BadForm> {
    Ok(fields.take("role")?.and_then(|word| word.parse().ok()))
}
