//! What is done to an account after it was made: by its owner, by staff, by the commands.
//!
//! Each change ends sessions. This node knows so at once, the others when they next read what ended.

use super::password::objection;
use super::{Account, AccountError, Accounts, SessionId, Username, name};
use crate::ledger::session_endings;
use crate::ledger::users::{self, Changed, Expected, Profile};
use crate::sale::actor::Actor;
use crate::sale::ids::UserId;
use crate::sale::shopper::Role;

/// Accounts on one page of the list.
pub const PAGE: i64 = 50;

impl Accounts {
    /// Ends one session everywhere. Even where the ledger could not be told, this node knows.
    pub async fn sign_out(&self, session: SessionId) -> Result<(), AccountError> {
        self.endings.note_session(session);
        Ok(session_endings::end_session(&self.ledger, session.to_string()).await?)
    }

    /// Ends all sessions of an account.
    pub async fn end_sessions(&self, actor: Actor, id: UserId) -> Result<(), AccountError> {
        let changed = users::end_sessions(&self.ledger, actor, id).await?;
        self.noted(id, changed).map(drop)
    }

    /// Sets another password and ends all sessions.
    pub async fn set_password(
        &self,
        actor: Actor,
        id: UserId,
        password: &str,
    ) -> Result<(), AccountError> {
        let hash = self.hash_of_new(password).await?;
        let changed =
            users::set_password(&self.ledger, actor, id, hash, Expected::Anything).await?;
        self.noted(id, changed).map(drop)
    }

    /// Sets another password for whoever knows the present one, ends all sessions and gives the account
    /// with which a new one can be begun. `None`: the present password is another.
    pub async fn change_password(
        &self,
        actor: Actor,
        id: UserId,
        present: &str,
        new: &str,
    ) -> Result<Option<Account>, AccountError> {
        let user = users::by_id(&self.ledger, id).await?.filter(|user| !user.disabled);
        let Some(user) = user else { return Err(AccountError::NotFound) };
        let present_hash = user.password_hash.clone();
        if !self.passwords.verify(present.to_owned(), Some(present_hash.clone())).await? {
            return Ok(None);
        }
        let hash = self.hash_of_new(new).await?;
        let expected = Expected::Hash(present_hash);
        let changed = users::set_password(&self.ledger, actor, id, hash, expected).await?;
        let epoch = self.noted(id, changed)?.unwrap_or(user.epoch);
        Ok(Some(Account { epoch, ..user.into() }))
    }

    /// Sets another role and ends all sessions. Says whether anything changed.
    pub async fn set_role(
        &self,
        actor: Actor,
        id: UserId,
        role: Role,
    ) -> Result<bool, AccountError> {
        let changed = users::set_role(&self.ledger, actor, id, role).await?;
        Ok(self.noted(id, changed)?.is_some())
    }

    /// Closes an account, or opens it again, and ends all sessions. Says whether anything changed.
    pub async fn set_disabled(
        &self,
        actor: Actor,
        id: UserId,
        disabled: bool,
    ) -> Result<bool, AccountError> {
        let changed = users::set_disabled(&self.ledger, actor, id, disabled).await?;
        Ok(self.noted(id, changed)?.is_some())
    }

    /// The account of this number, closed or not.
    pub async fn profile(&self, id: UserId) -> Result<Profile, AccountError> {
        users::profile(&self.ledger, id).await?.ok_or(AccountError::NotFound)
    }

    /// The account of this name, closed or not.
    pub async fn named(&self, username: &str) -> Result<UserId, AccountError> {
        let name = Username::parse(username).map_err(|_| AccountError::NotFound)?;
        let user = users::by_key(&self.ledger, name.key().to_owned()).await?;
        user.map(|user| user.id).ok_or(AccountError::NotFound)
    }

    /// A page of accounts in the order of their names, and the key after which the next one begins, if
    /// there is one. `typed` is how their names begin.
    pub async fn page(
        &self,
        typed: &str,
        role: Option<Role>,
        after: Option<String>,
    ) -> Result<(Vec<Profile>, Option<String>), AccountError> {
        let prefix = name::beginning(typed);
        let mut profiles = users::page(&self.ledger, prefix, role, after, PAGE + 1).await?;
        let fits = usize::try_from(PAGE).unwrap_or(usize::MAX);
        let more = profiles.len() > fits;
        profiles.truncate(fits);
        let next = profiles.last().filter(|_| more).map(|last| last.username_key.clone());
        Ok((profiles, next))
    }

    async fn hash_of_new(&self, password: &str) -> Result<String, AccountError> {
        match objection(password) {
            Some(error) => Err(AccountError::Invalid(vec![error])),
            None => self.passwords.hash(password.to_owned()).await,
        }
    }

    /// Notes on this node which sessions a change has ended; gives the account's new epoch, if it has one.
    fn noted(&self, id: UserId, changed: Changed) -> Result<Option<i64>, AccountError> {
        match changed {
            Changed::Done(epoch) => {
                self.endings.note_epoch(id, epoch);
                Ok(Some(epoch))
            }
            Changed::Already => Ok(None),
            Changed::Refused(refusal) => Err(AccountError::Refused(refusal)),
        }
    }
}
