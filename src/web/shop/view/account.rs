//! Signing in and registering.

use askama::Template;

use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// `GET` and `POST /login`.
#[derive(Debug, Template)]
#[template(path = "shop/login.html")]
pub struct LoginPage {
    /// What every page has.
    pub f: Frame,
    /// What was typed; the password is never shown again.
    pub username: String,
    /// Where to go afterwards: an address on this site, or empty.
    pub next: String,
    /// Why it did not work.
    pub fault: Option<LoginFault>,
}

/// Why signing in did not work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginFault {
    /// A field was left empty.
    Missing,
    /// Name or password; which of them is nobody's business.
    Wrong,
    /// Staff has closed the account.
    Closed,
    /// The name or the address was tried too often.
    TooManyTries,
    /// Too many sign in at this moment; nothing was checked.
    Busy,
}

impl LoginFault {
    /// What is said about it.
    #[must_use]
    pub fn text(self) -> Message {
        match self {
            Self::Missing => key("login-missing"),
            Self::Wrong => key("login-wrong"),
            Self::Closed => key("login-closed"),
            Self::TooManyTries => key("login-too-many-tries"),
            Self::Busy => key("login-busy"),
        }
    }
}

/// `GET` and `POST /register`.
#[derive(Debug, Template)]
#[template(path = "shop/register.html")]
pub struct RegisterPage {
    /// What every page has.
    pub f: Frame,
    /// What was typed; the password is never shown again.
    pub username: String,
    /// Where to go afterwards: an address on this site, or empty.
    pub next: String,
    /// What name and password must be.
    pub rules: AccountRules,
    /// What is wrong with the name.
    pub username_fault: Option<UsernameFault>,
    /// What is wrong with the password.
    pub password_fault: Option<PasswordFault>,
    /// Too many sign up at this moment; nothing was kept.
    pub busy: bool,
}

/// What a name and a password must be, in characters.
#[derive(Debug, Clone, Copy)]
pub struct AccountRules {
    /// The shortest name.
    pub username_min: u32,
    /// The longest name.
    pub username_max: u32,
    /// The shortest password.
    pub password_min: u32,
    /// The longest password.
    pub password_max: u32,
}

/// What is wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsernameFault {
    /// Left empty.
    Missing,
    /// Shorter than the rules allow.
    TooShort,
    /// Longer than the rules allow.
    TooLong,
    /// A character that a name cannot hold.
    Characters,
    /// Somebody else has it.
    Taken,
}

/// What is wrong with a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordFault {
    /// Left empty.
    Missing,
    /// Shorter than the rules allow.
    TooShort,
    /// Longer than the rules allow.
    TooLong,
}

impl RegisterPage {
    /// What is said beside the name.
    #[must_use]
    pub fn username_fault_text(&self) -> Option<Message> {
        self.username_fault.map(|fault| match fault {
            UsernameFault::Missing => key("register-username-missing"),
            UsernameFault::TooShort => {
                key("register-username-short").with("min", self.rules.username_min)
            }
            UsernameFault::TooLong => {
                key("register-username-long").with("max", self.rules.username_max)
            }
            UsernameFault::Characters => key("register-username-characters"),
            UsernameFault::Taken => key("register-username-taken"),
        })
    }

    /// What is said beside the password.
    #[must_use]
    pub fn password_fault_text(&self) -> Option<Message> {
        self.password_fault.map(|fault| match fault {
            PasswordFault::Missing => key("register-password-missing"),
            PasswordFault::TooShort => {
                key("register-password-short").with("min", self.rules.password_min)
            }
            PasswordFault::TooLong => {
                key("register-password-long").with("max", self.rules.password_max)
            }
        })
    }
}
