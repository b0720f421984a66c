//! More or fewer units while the sale runs, exactly, and once per change id.
//!
//! More: the ledger first, then the gate. Fewer: the gate gives up what is free, never what is held, then
//! the ledger by that amount; the admin is told the true figure.

use super::lock::Held;
use super::{BackOffice, BackOfficeError};
use crate::gate::filling::{FillingError, FillingRefused};
use crate::gate::keys::Keys;
use crate::ledger::activities::stock;
use crate::ledger::{Conflict, LedgerError};
use crate::sale::activity::Status;
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, Bucket, Epoch};
use crate::sale::plan::{Fault, STOCK_MAX};

/// The only bucket of a sale that is not split.
const WHOLE: Bucket = Bucket(0);

/// What a change of the stock came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adjusted {
    /// Signed; less than asked for when less was free.
    pub changed: i64,
    /// The activity's units now.
    pub total: i64,
}

impl BackOffice {
    /// Changes the units by `by`. A result that was lost is asked for again under the same `change_id`.
    pub async fn adjust(
        &self,
        id: ActivityId,
        by: i64,
        change_id: &str,
        actor: &Actor,
    ) -> Result<Adjusted, BackOfficeError> {
        if by == 0 || by.unsigned_abs() > 100_000_000 {
            let message = "stock: a change of at least 1 and at most 100000000, like +10 or -10";
            return Err(BackOfficeError::Invalid(message.to_owned()));
        }
        self.change_held(id, None, actor, async |held| self.adjust_held(held, by, change_id).await)
            .await
    }

    async fn adjust_held(
        &self,
        held: &Held,
        by: i64,
        change_id: &str,
    ) -> Result<Adjusted, BackOfficeError> {
        if matches!(held.activity.status, Status::Ended | Status::Settled | Status::Cancelled) {
            let (id, status) = (held.activity.id, held.activity.status);
            return Err(BackOfficeError::Over { id, status });
        }
        let earlier =
            stock::earlier_change(&self.ledger, held.activity.id, change_id.to_owned(), by).await;
        let earlier = earlier.map_err(|error| match error {
            LedgerError::Conflict(Conflict::ChangeId) => BackOfficeError::ChangeId,
            error => error.into(),
        });
        if let Some(change) = earlier? {
            self.fill_up(held, change_id).await?;
            return Ok(Adjusted { changed: change.changed, total: change.total_stock });
        }
        if held.activity.total_stock + by > STOCK_MAX {
            return Err(BackOfficeError::Faults(vec![Fault::Stock]));
        }
        if by > 0 {
            self.raise(held, by, change_id).await
        } else {
            self.lower(held, -by, change_id).await
        }
    }

    async fn raise(
        &self,
        held: &Held,
        by: i64,
        change_id: &str,
    ) -> Result<Adjusted, BackOfficeError> {
        let id = held.activity.id;
        let (fence, actor) = (held.fence, held.actor.clone());
        let change =
            stock::raise_stock(&self.ledger, id, fence, change_id.to_owned(), by, actor).await?;
        self.raise_gate(held, change_id, change.changed, change.total_stock).await?;
        Ok(Adjusted { changed: change.changed, total: change.total_stock })
    }

    async fn lower(
        &self,
        held: &Held,
        by: i64,
        change_id: &str,
    ) -> Result<Adjusted, BackOfficeError> {
        let id = held.activity.id;
        let total = held.activity.total_stock;
        let mut given_up = by;
        if held.activity.gate_epoch != Epoch::NEVER_OPENED {
            given_up = -self.adjust_gate(held, change_id, -by, total).await?;
            if given_up == 0 {
                return Ok(Adjusted { changed: 0, total });
            }
        }
        let (fence, actor) = (held.fence, held.actor.clone());
        let change_id_kept = change_id.to_owned();
        let change =
            stock::lower_stock(&self.ledger, id, fence, change_id_kept, given_up, actor).await?;
        let too_many = given_up + change.changed;
        if too_many > 0 && held.activity.gate_epoch != Epoch::NEVER_OPENED {
            // The ledger holds orders that the gate did not know of; it takes those units back.
            let back = format!("{change_id}:back");
            self.adjust_gate(held, &back, too_many, change.total_stock).await?;
        }
        Ok(Adjusted { changed: change.changed, total: change.total_stock })
    }

    /// A change that is asked again is in the ledger, but a crash may have come before the gate heard all
    /// of it. The gate remembers its last change alone, so it is not asked to repeat this one: it gets what
    /// it lacks of the ledger's present total.
    async fn fill_up(&self, held: &Held, change_id: &str) -> Result<(), BackOfficeError> {
        let total = held.activity.total_stock;
        self.raise_gate(held, &format!("{change_id}:again"), total, total).await
    }

    async fn raise_gate(
        &self,
        held: &Held,
        change_id: &str,
        by: i64,
        total: i64,
    ) -> Result<(), BackOfficeError> {
        if held.activity.gate_epoch == Epoch::NEVER_OPENED {
            return Ok(());
        }
        match self.adjust_gate(held, change_id, by, total).await {
            // The rebuild that is due gives the gate the ledger's total.
            Err(FillingError::Refused(FillingRefused::NotLoaded)) => Ok(()),
            raised => raised.map(drop).map_err(BackOfficeError::from),
        }
    }

    /// Gives a loaded sale the units that the ledger says: the end of a change that broke off between the
    /// two. Fewer only as far as they are free.
    pub async fn level_units(&self, held: &Held) -> Result<(), BackOfficeError> {
        let activity = &held.activity;
        for bucket in activity.buckets() {
            let keys = Keys::of(activity.id, bucket);
            let total = activity.share_of(bucket, activity.total_stock);
            let seen = self.gate.inspect(&keys).await?;
            if seen.drift() != 0 {
                let by = self.gate.recount(&keys, activity.gate_epoch).await?;
                tracing::warn!(activity = %activity.id, by, "the stock was counted anew");
            }
            let by = total - seen.units;
            if by == 0 {
                continue;
            }
            let id = format!("level:{}", held.fence);
            let epoch = activity.gate_epoch;
            let by = self.gate.adjust(&keys, epoch, held.fence, &id, by, total).await?;
            tracing::warn!(activity = %activity.id, by, "units levelled with the ledger");
            metrics::counter!("seckill_reconcile_differences_total", "kind" => "units")
                .increment(1);
        }
        Ok(())
    }

    async fn adjust_gate(
        &self,
        held: &Held,
        change_id: &str,
        by: i64,
        total: i64,
    ) -> Result<i64, FillingError> {
        let keys = Keys::of(held.activity.id, WHOLE);
        let epoch = held.activity.gate_epoch;
        self.gate.adjust(&keys, epoch, held.fence, change_id, by, total).await
    }
}
