//! Accounts: registering, signing in, and whose session still counts.
//!
//! A session names its account and the account's epoch. A new password, another role and closing the
//! account raise the epoch; comparing it on every node is still to come.

mod name;
mod password;

use std::time::Duration;

pub use name::{MAX_NAME, MIN_NAME, Username};
pub use password::{Cost, MAX_PASSWORD, MIN_PASSWORD, Passwords};

use crate::ledger::users::{self, Insertion, NewUser, User};
use crate::ledger::{Ledger, LedgerError};
use crate::sale::error::Class;
use crate::sale::ids::UserId;
use crate::sale::shopper::Role;

/// Somebody who is known to the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Their number.
    pub id: UserId,
    /// Their name, as typed.
    pub username: String,
    /// What they may do.
    pub role: Role,
    /// Sessions of an older epoch are over.
    pub epoch: i64,
}

impl From<User> for Account {
    fn from(user: User) -> Self {
        Self { id: user.id, username: user.username, role: user.role, epoch: user.epoch }
    }
}

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
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl AccountError {
    /// What the failure means for the step.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Invalid(_) => Class::Reject,
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
            Self::Ledger(error) => error.label(),
        }
    }
}

/// What became of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignIn {
    /// Name and password fit.
    Welcome(Account),
    /// They do not; which of the two is not told.
    Refused,
    /// They do, and staff has closed the account.
    Disabled,
}

/// The accounts of the site. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Accounts {
    ledger: Ledger,
    passwords: Passwords,
}

impl Accounts {
    /// Accounts kept in this ledger, whose passwords are hashed at this cost.
    pub fn new(ledger: Ledger, cost: Cost) -> Result<Self, AccountError> {
        Ok(Self { ledger, passwords: Passwords::new(cost)? })
    }

    /// Makes a shopper's account, as a visitor asks for it.
    pub async fn register(&self, username: &str, password: &str) -> Result<Account, AccountError> {
        self.add(username, password, Role::Shopper).await
    }

    /// Makes an account of any role, as the command does.
    pub async fn add(
        &self,
        username: &str,
        password: &str,
        role: Role,
    ) -> Result<Account, AccountError> {
        let name = validated(username, password)?;
        // Before the hashing, which costs a hundred times as much.
        if users::by_key(&self.ledger, name.key().to_owned()).await?.is_some() {
            return Err(taken());
        }
        let password_hash = self.passwords.hash(password.to_owned()).await?;
        let username = name.as_str().to_owned();
        let username_key = name.key().to_owned();
        let user = NewUser { username: username.clone(), username_key, password_hash, role };
        match users::insert(&self.ledger, user).await? {
            Insertion::Created(id) => Ok(Account { id, username, role, epoch: 0 }),
            Insertion::Taken => Err(taken()),
        }
    }

    /// Checks name and password. An unknown name takes as long as a wrong password, so that the time
    /// tells nothing.
    pub async fn sign_in(&self, username: &str, password: &str) -> Result<SignIn, AccountError> {
        let user = match Username::parse(username) {
            Ok(name) => users::by_key(&self.ledger, name.key().to_owned()).await?,
            Err(_) => None,
        };
        let hash = user.as_ref().map(|user| user.password_hash.clone());
        let fits = self.passwords.verify(password.to_owned(), hash).await?;
        Ok(match user {
            Some(user) if fits && user.disabled => SignIn::Disabled,
            Some(user) if fits => SignIn::Welcome(user.into()),
            _ => SignIn::Refused,
        })
    }

    /// The account of this number, unless it is closed or gone.
    pub async fn live(&self, id: UserId) -> Result<Option<Account>, AccountError> {
        let user = users::by_id(&self.ledger, id).await?;
        Ok(user.filter(|user| !user.disabled).map(Account::from))
    }

    /// Ends all sessions of an account.
    pub async fn end_sessions(&self, id: UserId) -> Result<(), AccountError> {
        Ok(users::end_sessions(&self.ledger, id).await?)
    }

    /// Sets another password and ends all sessions.
    pub async fn set_password(&self, id: UserId, password: &str) -> Result<(), AccountError> {
        if let Some(error) = password::objection(password) {
            return Err(AccountError::Invalid(vec![error]));
        }
        let hash = self.passwords.hash(password.to_owned()).await?;
        Ok(users::set_password(&self.ledger, id, hash).await?)
    }

    /// Sets another role and ends all sessions.
    pub async fn set_role(&self, id: UserId, role: Role) -> Result<(), AccountError> {
        Ok(users::set_role(&self.ledger, id, role).await?)
    }

    /// Closes an account, or opens it again, and ends all sessions.
    pub async fn set_disabled(&self, id: UserId, disabled: bool) -> Result<(), AccountError> {
        Ok(users::set_disabled(&self.ledger, id, disabled).await?)
    }
}

/// How long a password waits for its turn to be hashed.
const TURN: Duration = Duration::from_secs(5);

fn validated(username: &str, password: &str) -> Result<Username, AccountError> {
    match (Username::parse(username), password::objection(password)) {
        (Ok(name), None) => Ok(name),
        (name, password) => {
            Err(AccountError::Invalid(name.err().into_iter().chain(password).collect()))
        }
    }
}

fn taken() -> AccountError {
    AccountError::Invalid(vec![FieldError::UsernameTaken])
}
