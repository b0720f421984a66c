//! Locks for the few steps that cannot be one script: publish, edit, adjust, preheat, rebuild; and as
//! the relay's lease. Never on the purchase path, where a lock would turn a race into a queue.
//!
//! A lock can be lost: its holder may stop for longer than it lives. So nothing relies on it alone;
//! what is written under it carries the ledger's fencing token, and both sides refuse a lower one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::task::JoinHandle;

use super::conn::Gate;
use super::error::GateError;
use super::keys;
use super::scripts::{LOCK_FREE, LOCK_RENEW, LOCK_TAKE};

/// How often a waiting taker looks again.
const RETRY: Duration = Duration::from_millis(50);

/// A lock that is held. Renewed in the background at a third of its life; freed by [`Lock::free`], or
/// by its expiry when the holder is gone.
#[derive(Debug)]
pub struct Lock {
    name: String,
    owner: String,
    lost: Arc<AtomicBool>,
    watchdog: JoinHandle<()>,
    gate: Gate,
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gate")
    }
}

impl Gate {
    /// Takes the lock `name`, waiting at most `wait`; `None`: somebody else holds it. It lives `life`
    /// beyond the last renewal. An owner who holds it already takes it once more.
    pub async fn lock(
        &self,
        name: &str,
        owner: &str,
        life: Duration,
        wait: Duration,
    ) -> Result<Option<Lock>, GateError> {
        let deadline = Instant::now() + wait;
        loop {
            if self.take_lock(name, owner, life).await? > 0 {
                return Ok(Some(Lock::held(self.clone(), name, owner, life)));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    /// One attempt; how often `owner` now holds it, 0 when somebody else does.
    pub async fn take_lock(
        &self,
        name: &str,
        owner: &str,
        life: Duration,
    ) -> Result<i64, GateError> {
        let life_ms = life.as_millis().to_string();
        self.run(&LOCK_TAKE, |script| script.key(keys::lock(name)).arg(owner).arg(life_ms)).await
    }

    /// Lengthens the lock's life; false when it is not `owner`'s any more.
    pub async fn renew_lock(
        &self,
        name: &str,
        owner: &str,
        life: Duration,
    ) -> Result<bool, GateError> {
        let life_ms = life.as_millis().to_string();
        self.run(&LOCK_RENEW, |script| script.key(keys::lock(name)).arg(owner).arg(life_ms)).await
    }

    /// Gives up one holding; false when it was not `owner`'s any more.
    pub async fn free_lock(&self, name: &str, owner: &str) -> Result<bool, GateError> {
        let left: i64 =
            self.run(&LOCK_FREE, |script| script.key(keys::lock(name)).arg(owner)).await?;
        Ok(left >= 0)
    }
}

impl Lock {
    fn held(gate: Gate, name: &str, owner: &str, life: Duration) -> Self {
        let lost = Arc::new(AtomicBool::new(false));
        let watchdog = tokio::spawn(watch(
            gate.clone(),
            name.to_owned(),
            owner.to_owned(),
            life,
            Arc::clone(&lost),
        ));
        Self { name: name.to_owned(), owner: owner.to_owned(), lost, watchdog, gate }
    }

    /// Whether the lock is known to be lost. That it is not known proves nothing: the fence does.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Gives the lock up. A failure is no matter: it expires.
    pub async fn free(self) {
        self.watchdog.abort();
        if let Err(error) = self.gate.free_lock(&self.name, &self.owner).await {
            tracing::debug!(lock = %self.name, %error, "the lock is left to its expiry");
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.watchdog.abort();
    }
}

async fn watch(gate: Gate, name: String, owner: String, life: Duration, lost: Arc<AtomicBool>) {
    let mut renewed = Instant::now();
    loop {
        tokio::time::sleep(life / 3).await;
        // The new life counts from before the call: Redis may have set it long before it answered.
        let asked = Instant::now();
        match gate.renew_lock(&name, &owner, life).await {
            Ok(true) => renewed = asked,
            // A gate that is away for a moment says nothing about the lock.
            Err(_) if renewed.elapsed() < life => {}
            Ok(false) | Err(_) => break,
        }
    }
    tracing::warn!(lock = %name, "the lock was lost");
    lost.store(true, Ordering::Relaxed);
}
