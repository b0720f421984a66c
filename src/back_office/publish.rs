//! The steps of an activity's life: published, paused, resumed, ended, withdrawn. Each is checked against
//! the state and, where somebody looked at the activity before, against the version that they saw.

use chrono::Utc;

use super::lock::Held;
use super::{BackOffice, BackOfficeError};
use crate::gate::{filling::Condition, keys::Keys};
use crate::ledger::activities::locked;
use crate::ledger::{Conflict, LedgerError};
use crate::sale::activity::{Activity, Status};
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, Epoch};

impl BackOffice {
    /// Publishes a draft; puts it into the gate at once when its start is near or past.
    pub async fn schedule(
        &self,
        id: ActivityId,
        seen: Option<i64>,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        self.change_held(id, seen, actor, async |held| {
            self.change(held, &[Status::Draft], Status::Scheduled).await?;
            self.fill_if_due(held).await
        })
        .await
    }

    /// Stops a sale for the moment.
    pub async fn pause(
        &self,
        id: ActivityId,
        seen: Option<i64>,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        self.step(id, seen, actor, &[Status::Scheduled], Status::Paused).await
    }

    /// Lets a paused sale go on.
    pub async fn resume(
        &self,
        id: ActivityId,
        seen: Option<i64>,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        self.step(id, seen, actor, &[Status::Paused], Status::Scheduled).await
    }

    /// Withdraws a sale, only before its first order.
    pub async fn withdraw(
        &self,
        id: ActivityId,
        seen: Option<i64>,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        self.change_held(id, seen, actor, async |held| self.withdraw_held(held).await).await
    }

    /// A reservation counts as an order: it is on its way to become one. So the sale is stopped first,
    /// and goes on as it was when somebody holds a unit.
    async fn withdraw_held(&self, held: &Held) -> Result<(), BackOfficeError> {
        let (id, status, to) = (held.activity.id, held.activity.status, Status::Cancelled);
        if !status.may_become(to) {
            return Err(BackOfficeError::State { id, status, to });
        }
        let running =
            status == Status::Scheduled && held.activity.gate_epoch != Epoch::NEVER_OPENED;
        let withdrawn = self.withdraw_stopped(held, running).await;
        if running && withdrawn.is_err() {
            // Nobody asked for a pause. (Where it did not come to one, there is nothing to take back.)
            if let Err(error) = self.turn(held, &[Status::Paused], Status::Scheduled).await {
                tracing::warn!(activity = %id, %error, "not resumed after a withdrawal came to nothing");
            }
        }
        withdrawn?;
        self.configure(held).await
    }

    async fn withdraw_stopped(&self, held: &Held, running: bool) -> Result<(), BackOfficeError> {
        if running {
            self.turn(held, &[Status::Scheduled], Status::Paused).await?;
        }
        if self.is_held(&held.activity).await? {
            return Err(BackOfficeError::HasOrders(held.activity.id));
        }
        let from = &[Status::Draft, Status::Scheduled, Status::Paused];
        self.change(held, from, Status::Cancelled).await
    }

    /// Whether anybody holds a unit at the gate.
    async fn is_held(&self, activity: &Activity) -> Result<bool, BackOfficeError> {
        if activity.gate_epoch == Epoch::NEVER_OPENED {
            return Ok(false);
        }
        for bucket in activity.buckets() {
            let seen = self.gate.inspect(&Keys::of(activity.id, bucket)).await?;
            if seen.condition != Condition::Loaded {
                // It does not know who holds what; after the rebuild it does.
                return Err(BackOfficeError::Busy(activity.id));
            }
            if seen.holders > 0 || seen.outbox > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Closes the window now.
    pub async fn end(
        &self,
        id: ActivityId,
        seen: Option<i64>,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        self.change_held(id, seen, actor, async |held| self.end_held(held).await).await
    }

    async fn end_held(&self, held: &Held) -> Result<(), BackOfficeError> {
        let activity = &held.activity;
        let live = matches!(activity.status, Status::Scheduled | Status::Paused);
        if live && Utc::now().timestamp_millis() < activity.opens_ms() {
            return Err(BackOfficeError::NotBegun(activity.id));
        }
        if !live {
            let (id, status) = (activity.id, activity.status);
            return Err(BackOfficeError::State { id, status, to: Status::Ended });
        }
        locked::end_now(&self.ledger, activity.id, held.fence, held.actor.clone()).await?;
        self.configure(held).await
    }

    /// The clock's own steps: a window that is over is ended, an ended sale settled.
    pub async fn advance(&self, held: &Held, to: Status) -> Result<(), BackOfficeError> {
        if to == Status::Settled {
            return self.settle(held).await;
        }
        // By the ledger's clock and its present row: what the caller knows of the window may be old.
        let (id, fence, actor) = (held.activity.id, held.fence, held.actor.clone());
        match locked::end_by_clock(&self.ledger, id, fence, actor).await {
            Err(LedgerError::Conflict(Conflict::Status(status))) => {
                return Err(BackOfficeError::State { id, status, to });
            }
            ended => ended?,
        }
        self.configure(held).await
    }

    async fn settle(&self, held: &Held) -> Result<(), BackOfficeError> {
        let (id, fence, actor) = (held.activity.id, held.fence, held.actor.clone());
        let asked = self.asked(id).await?;
        match locked::settle(&self.ledger, id, fence, asked, actor).await {
            Err(LedgerError::Conflict(Conflict::Status(status))) => {
                Err(BackOfficeError::State { id, status, to: Status::Settled })
            }
            settled => Ok(settled?),
        }?;
        self.configure(held).await
    }

    async fn step(
        &self,
        id: ActivityId,
        seen: Option<i64>,
        actor: &Actor,
        from: &'static [Status],
        to: Status,
    ) -> Result<(), BackOfficeError> {
        self.change_held(id, seen, actor, async |held| self.turn(held, from, to).await).await
    }

    /// Ledger first, then the gate.
    async fn turn(
        &self,
        held: &Held,
        from: &'static [Status],
        to: Status,
    ) -> Result<(), BackOfficeError> {
        self.change(held, from, to).await?;
        self.configure(held).await
    }

    async fn change(
        &self,
        held: &Held,
        from: &'static [Status],
        to: Status,
    ) -> Result<(), BackOfficeError> {
        let (id, fence, actor) = (held.activity.id, held.fence, held.actor.clone());
        match locked::set_status(&self.ledger, id, from, to, fence, actor).await {
            Err(LedgerError::Conflict(Conflict::Status(status))) => {
                Err(BackOfficeError::State { id, status, to })
            }
            Err(LedgerError::Conflict(Conflict::HasOrders)) => Err(BackOfficeError::HasOrders(id)),
            changed => Ok(changed?),
        }
    }
}
