//! `/admin/accounts`: who may do what, whose sessions end, who stays out.

mod forms;
pub mod list;
pub mod one;
pub mod view;

use crate::account::{FieldError, MAX_NAME, MIN_NAME};
use crate::web::shop::own_account::password_fault;
use crate::web::text::{Message, key};

/// What is said about a field that an account cannot have.
fn field_fault(error: FieldError) -> Message {
    let characters = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    match error {
        FieldError::UsernameTooShort => {
            key("register-username-short").with("min", characters(MIN_NAME))
        }
        FieldError::UsernameTooLong => {
            key("register-username-long").with("max", characters(MAX_NAME))
        }
        FieldError::UsernameForbidden => key("register-username-characters"),
        FieldError::UsernameTaken => key("register-username-taken"),
        FieldError::PasswordTooShort | FieldError::PasswordTooLong => password_fault(error),
    }
}
