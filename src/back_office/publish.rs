//! The steps of an activity's life: published, paused, resumed, ended, withdrawn.

use super::lock::Held;
use super::{BackOffice, BackOfficeError};
use crate::ledger::activities::locked;
use crate::sale::activity::Status;
use crate::sale::ids::ActivityId;

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
        self.step(id, &[Status::Draft, Status::Scheduled, Status::Paused], Status::Cancelled).await
    }

    /// Closes the window now.
    pub async fn end(&self, id: ActivityId) -> Result<(), BackOfficeError> {
        let held = self.hold(id).await?;
        let done = match locked::end_now(&self.ledger, id, held.fence).await {
            Ok(()) => self.configure(&held).await,
            Err(error) => Err(error.into()),
        };
        held.free().await;
        done
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
