//! The steps of an activity's life: published, paused, resumed, ended, withdrawn.

use super::lock::Held;
use super::{BackOffice, BackOfficeError};
use crate::gate::{filling::Condition, keys::Keys};
use crate::ledger::activities::locked;
use crate::ledger::{Conflict, LedgerError};
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::{ActivityId, Epoch};

impl BackOffice {
    /// Publishes a draft; puts it into the gate at once when its start is near or past.
    pub async fn schedule(&self, id: ActivityId) -> Result<(), BackOfficeError> {
        let held = self.hold(id).await?;
        let done = self.schedule_held(&held).await;
        held.free().await;
        done
    }

    async fn schedule_held(&self, held: &Held) -> Result<(), BackOfficeError> {
        self.change(held, &[Status::Draft], Status::Scheduled).await?;
        if self.is_due(&held.activity, chrono::Utc::now().timestamp_millis()) {
            self.fill(held).await?;
        }
        Ok(())
    }

    /// Stops a sale for the moment.
    pub async fn pause(&self, id: ActivityId) -> Result<(), BackOfficeError> {
        self.step(id, &[Status::Scheduled], Status::Paused).await
    }

    /// Lets a paused sale go on.
    pub async fn resume(&self, id: ActivityId) -> Result<(), BackOfficeError> {
        self.step(id, &[Status::Paused], Status::Scheduled).await
    }

    /// Withdraws a sale, only before its first order.
    pub async fn withdraw(&self, id: ActivityId) -> Result<(), BackOfficeError> {
        let held = self.hold(id).await?;
        let done = self.withdraw_held(&held).await;
        held.free().await;
        done
    }

    /// A reservation counts as an order: it is on its way to become one. So the sale is stopped first,
    /// and goes on as it was when somebody holds a unit.
    async fn withdraw_held(&self, held: &Held) -> Result<(), BackOfficeError> {
        let running = held.activity.status == Status::Scheduled
            && held.activity.gate_epoch != Epoch::NEVER_OPENED;
        if running {
            self.turn(held, &[Status::Scheduled], Status::Paused).await?;
        }
        let withdrawn = match self.is_held(&held.activity).await {
            Ok(true) => Err(LedgerError::Conflict(Conflict::HasOrders).into()),
            Ok(false) => {
                let from = &[Status::Draft, Status::Scheduled, Status::Paused];
                self.change(held, from, Status::Cancelled).await
            }
            Err(error) => Err(error),
        };
        if running && withdrawn.is_err() {
            self.turn(held, &[Status::Paused], Status::Scheduled).await?;
        }
        withdrawn?;
        self.configure(held).await
    }

    async fn turn(
        &self,
        held: &Held,
        from: &'static [Status],
        to: Status,
    ) -> Result<(), BackOfficeError> {
        locked::set_status(&self.ledger, held.activity.id, from, to, held.fence).await?;
        self.configure(held).await
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
    pub async fn end(&self, id: ActivityId) -> Result<(), BackOfficeError> {
        let held = self.hold(id).await?;
        let done = self.end_held(&held).await;
        held.free().await;
        done
    }

    async fn end_held(&self, held: &Held) -> Result<(), BackOfficeError> {
        let activity = &held.activity;
        let upcoming = matches!(activity.status, Status::Scheduled | Status::Paused)
            && chrono::Utc::now().timestamp_millis() < activity.opens_ms();
        if upcoming {
            let id = activity.id;
            return Err(BackOfficeError::Invalid(format!(
                "activity {id} has not begun; withdraw it with `cancel`"
            )));
        }
        locked::end_now(&self.ledger, activity.id, held.fence).await?;
        self.configure(held).await
    }

    /// The clock's own steps: a window that is over is ended, an ended sale settled.
    pub async fn advance(&self, held: &Held, to: Status) -> Result<(), BackOfficeError> {
        let from: &[Status] = match to {
            Status::Settled => &[Status::Ended],
            _ => &[Status::Scheduled, Status::Paused],
        };
        self.change(held, from, to).await?;
        self.configure(held).await
    }

    async fn step(
        &self,
        id: ActivityId,
        from: &'static [Status],
        to: Status,
    ) -> Result<(), BackOfficeError> {
        let held = self.hold(id).await?;
        let done = match self.change(&held, from, to).await {
            Ok(()) => self.configure(&held).await,
            error => error,
        };
        held.free().await;
        done
    }

    async fn change(
        &self,
        held: &Held,
        from: &'static [Status],
        to: Status,
    ) -> Result<(), BackOfficeError> {
        let status = held.activity.status;
        if !from.contains(&status) || !status.may_become(to) {
            let id = held.activity.id;
            return Err(BackOfficeError::Invalid(format!(
                "activity {id} is {status}; it cannot become {to}"
            )));
        }
        Ok(locked::set_status(&self.ledger, held.activity.id, from, to, held.fence).await?)
    }
}
