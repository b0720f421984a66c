//! The activity's lock, with the fencing token that makes it safe to lose.

use std::time::Duration;

use super::{BackOffice, BackOfficeError};
use crate::gate::lock::Lock;
use crate::ledger::{LedgerError, activities};
use crate::sale::activity::Activity;
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, Fence};

/// An activity held for a change: its lock, the fence that every write carries, and its row as it was
/// when the lock had been taken.
#[derive(Debug)]
pub struct Held {
    lock: Lock,
    /// Refused by ledger and gate once somebody else has taken the lock.
    pub fence: Fence,
    /// The activity.
    pub activity: Activity,
    /// Who holds it, for the audit.
    pub actor: Actor,
}

impl Held {
    /// Whether the activity is still as somebody saw it, who saw this version.
    ///
    /// # Errors
    /// [`BackOfficeError::Changed`] when it is not.
    fn is_as_seen(&self, seen: Option<i64>) -> Result<(), BackOfficeError> {
        match seen {
            Some(version) if version != self.activity.version => {
                Err(BackOfficeError::Changed(Box::new(self.activity.clone())))
            }
            _ => Ok(()),
        }
    }

    /// Gives the lock up.
    pub async fn free(self) {
        self.lock.free().await;
    }
}

impl BackOffice {
    /// Holds an activity, waiting a moment for whoever does.
    ///
    /// # Errors
    /// [`BackOfficeError::Busy`] when the wait was in vain.
    pub async fn hold(&self, id: ActivityId, actor: &Actor) -> Result<Held, BackOfficeError> {
        let held = self.hold_within(id, actor, self.terms.lock_wait).await?;
        held.ok_or(BackOfficeError::Busy(id))
    }

    /// Holds an activity for what its time has come for, if nobody else does now.
    pub async fn hold_if_free(&self, id: ActivityId) -> Result<Option<Held>, BackOfficeError> {
        self.hold_within(id, &Actor::clock(), Duration::ZERO).await
    }

    async fn hold_within(
        &self,
        id: ActivityId,
        actor: &Actor,
        wait: Duration,
    ) -> Result<Option<Held>, BackOfficeError> {
        let name = format!("activity:{id}");
        // An owner of its own for each holding: two tasks of one process must not share it.
        let owner = format!("{}:{:016x}", self.terms.owner, rand::random::<u64>());
        let Some(lock) = self.gate.lock(&name, &owner, self.terms.lock_life, wait).await? else {
            return Ok(None);
        };
        match self.fenced(id).await {
            Ok((fence, activity)) => Ok(Some(Held { lock, fence, activity, actor: actor.clone() })),
            Err(error) => {
                lock.free().await;
                Err(error)
            }
        }
    }

    async fn fenced(&self, id: ActivityId) -> Result<(Fence, Activity), BackOfficeError> {
        let not_found = |error| match error {
            LedgerError::NotFound => BackOfficeError::NotFound(id),
            error => error.into(),
        };
        let fence = activities::locked::take_fence(&self.ledger, id).await.map_err(not_found)?;
        Ok((fence, self.read(id).await?))
    }

    /// Does `work` on an activity that is held for it and, where somebody looked at it before, still is as
    /// they saw it. Afterwards all nodes are told, whatever came of it.
    pub(super) async fn change_held<T>(
        &self,
        id: ActivityId,
        seen: Option<i64>,
        actor: &Actor,
        work: impl AsyncFnOnce(&Held) -> Result<T, BackOfficeError>,
    ) -> Result<T, BackOfficeError> {
        let held = self.hold(id, actor).await?;
        let done = match held.is_as_seen(seen) {
            Ok(()) => work(&held).await,
            Err(changed) => Err(changed),
        };
        self.finish(held).await;
        done
    }

    /// Ends a change: all nodes are told, whatever came of it, and the lock is given up.
    async fn finish(&self, held: Held) {
        if let Err(error) = self.gate.announce(held.activity.id).await {
            // They see it by themselves a moment later.
            tracing::info!(activity = %held.activity.id, %error, "not announced");
        }
        held.free().await;
    }

    /// The activity as the ledger has it.
    pub async fn read(&self, id: ActivityId) -> Result<Activity, BackOfficeError> {
        activities::get(&self.ledger, id).await?.ok_or(BackOfficeError::NotFound(id))
    }
}
