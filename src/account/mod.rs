//! Accounts: registering, signing in, what is changed later, and whose session still counts.
//!
//! A session has an id, and knows its account and the account's epoch. Signing out ends the session by its
//! id; a new password, another role and closing the account raise the epoch, which ends all sessions of
//! older ones. Every web node keeps what ended in memory ([`endings`]).

mod changes;
pub mod endings;
mod error;
mod name;
mod password;

use std::time::Duration;

pub use changes::PAGE;
pub use endings::{Endings, SESSION_LIFE, SessionId};
pub use error::{AccountError, FieldError};
pub use name::{MAX_NAME, MIN_NAME, Username};
pub use password::{Cost, MAX_PASSWORD, MIN_PASSWORD, Passwords};

pub use crate::ledger::users::{Profile, Refusal};

use crate::ledger::Ledger;
use crate::ledger::users::{self, Insertion, NewUser, User};
use crate::sale::actor::Actor;
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
    endings: Endings,
}

impl Accounts {
    /// Accounts kept in this ledger, whose passwords are hashed at this cost.
    pub fn new(ledger: Ledger, cost: Cost) -> Result<Self, AccountError> {
        let endings = Endings::new(ledger.clone());
        Ok(Self { ledger, passwords: Passwords::new(cost)?, endings })
    }

    /// Which sessions have ended before their time.
    #[must_use]
    pub const fn endings(&self) -> &Endings {
        &self.endings
    }

    /// Makes a shopper's account, as a visitor asks for it.
    pub async fn register(&self, username: &str, password: &str) -> Result<Account, AccountError> {
        let user = self.new_user(username, password, Role::Shopper).await?;
        let inserted = users::insert(&self.ledger, user.clone()).await?;
        made(user, inserted)
    }

    /// Makes an account of any role, as staff and the command do.
    pub async fn add(
        &self,
        actor: Actor,
        username: &str,
        password: &str,
        role: Role,
    ) -> Result<Account, AccountError> {
        let user = self.new_user(username, password, role).await?;
        let inserted = users::insert_by(&self.ledger, actor, user.clone()).await?;
        made(user, inserted)
    }

    async fn new_user(
        &self,
        username: &str,
        password: &str,
        role: Role,
    ) -> Result<NewUser, AccountError> {
        let name = validated(username, password)?;
        // Before the hashing, which costs a hundred times as much.
        if users::by_key(&self.ledger, name.key().to_owned()).await?.is_some() {
            return Err(taken());
        }
        let password_hash = self.passwords.hash(password.to_owned()).await?;
        let username = name.as_str().to_owned();
        Ok(NewUser { username, username_key: name.key().to_owned(), password_hash, role })
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

fn made(user: NewUser, inserted: Insertion) -> Result<Account, AccountError> {
    match inserted {
        Insertion::Created(id) => {
            Ok(Account { id, username: user.username, role: user.role, epoch: 0 })
        }
        Insertion::Taken => Err(taken()),
    }
}

fn taken() -> AccountError {
    AccountError::Invalid(vec![FieldError::UsernameTaken])
}
