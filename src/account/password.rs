//! Passwords: hashed with argon2id, which is slow and wants memory on purpose. So it runs away from the
//! async threads, a few at a time, and who waits too long is told to come again.

use std::fmt;
use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{AccountError, FieldError, TURN};

/// The fewest characters of a password.
pub const MIN_PASSWORD: usize = 8;
/// The most characters of a password; more would only cost time.
pub const MAX_PASSWORD: usize = 200;

/// What hashing one password costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Memory, in KiB.
    pub memory_kib: u32,
    /// Passes over the memory.
    pub passes: u32,
    /// Passwords hashed at the same time.
    pub at_once: u32,
}

impl Default for Cost {
    /// 19 MiB and two passes, as OWASP recommends; two at a time leave the other cores to the sale.
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, passes: 2, at_once: 2 }
    }
}

/// Hashes and checks passwords.
#[derive(Clone)]
pub struct Passwords {
    argon2: Argon2<'static>,
    turns: Arc<Semaphore>,
    /// Checked when there is no account, so that this takes as long.
    nobody: Arc<str>,
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passwords")
    }
}

impl Passwords {
    /// Passwords at this cost.
    pub fn new(cost: Cost) -> Result<Self, AccountError> {
        let params = Params::new(cost.memory_kib, cost.passes, 1, None).map_err(hashing)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let nobody = hash_now(&argon2, &rand::random::<u128>().to_string())?.into();
        let at_once = usize::try_from(cost.at_once.max(1)).unwrap_or(1);
        Ok(Self { argon2, turns: Arc::new(Semaphore::new(at_once)), nobody })
    }

    /// A PHC string of a password, with a salt of its own.
    pub(super) async fn hash(&self, password: String) -> Result<String, AccountError> {
        let argon2 = self.argon2.clone();
        self.in_turn(move || hash_now(&argon2, &password)).await
    }

    /// Whether a password fits its hash. Without a hash it never does, and takes as long.
    pub(super) async fn verify(
        &self,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, AccountError> {
        if objection(&password) == Some(FieldError::PasswordTooLong) {
            return Ok(false);
        }
        let (argon2, nobody) = (self.argon2.clone(), Arc::clone(&self.nobody));
        self.in_turn(move || {
            let known = hash.is_some();
            let text = hash.as_deref().unwrap_or(&nobody);
            let parsed = PasswordHash::new(text).map_err(hashing)?;
            Ok(argon2.verify_password(password.as_bytes(), &parsed).is_ok() && known)
        })
        .await
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let turn = self.turn().await?;
        let worked = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        });
        worked.await.map_err(hashing)?
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, AccountError> {
        match tokio::time::timeout(TURN, Arc::clone(&self.turns).acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(AccountError::Busy),
        }
    }
}

/// What is wrong with a password to be set.
pub(super) fn objection(password: &str) -> Option<FieldError> {
    match password.chars().count() {
        0..MIN_PASSWORD => Some(FieldError::PasswordTooShort),
        MIN_PASSWORD..=MAX_PASSWORD => None,
        _ => Some(FieldError::PasswordTooLong),
    }
}

fn hash_now(argon2: &Argon2<'_>, password: &str) -> Result<String, AccountError> {
    let hash: PasswordHash = argon2.hash_password(password.as_bytes()).map_err(hashing)?;
    Ok(hash.to_string())
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn hashing(error: impl fmt::Display) -> AccountError {
    AccountError::Hashing(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHEAP: Cost = Cost { memory_kib: 8, passes: 1, at_once: 1 };

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let passwords = Passwords::new(CHEAP).expect("valid costs");
        let hash = passwords.hash("correct horse".into()).await.expect("hashes");
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        let fits = async |password: &str, hash: Option<&String>| {
            passwords.verify(password.into(), hash.cloned()).await.expect("verifies")
        };
        assert!(fits("correct horse", Some(&hash)).await);
        assert!(!fits("correct horsf", Some(&hash)).await);
        assert!(!fits("correct horse", None).await);
        assert!(!fits(&"x".repeat(100_000), Some(&hash)).await);
        assert!(passwords.verify("x".repeat(9), Some("no hash".into())).await.is_err());
    }

    #[test]
    fn a_password_has_bounds_in_characters() {
        assert_eq!(objection("1234567"), Some(FieldError::PasswordTooShort));
        assert_eq!(objection("密码密码密码密码"), None);
        assert_eq!(objection(&"密".repeat(200)), None);
        assert_eq!(objection(&"密".repeat(201)), Some(FieldError::PasswordTooLong));
    }
}
