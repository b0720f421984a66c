//! Filling the gate with a sale, and giving a loaded sale its configuration; always under its lock.

use std::collections::HashMap;

use super::lock::Held;
use super::{BackOffice, BackOfficeError};
use crate::gate::filling::{FillingError, FillingRefused};
use crate::gate::keys::Keys;
use crate::ledger::{activities, orders, orders::Holder};
use crate::sale::activity::Activity;
use crate::sale::ids::{Bucket, Epoch, UserId};
use crate::sale::order::OrderState;
use crate::sale::reservation::{Entry, EntryState};

/// Holders written to the gate in one call.
const PAGE: i64 = 500;

impl BackOffice {
    /// Whether an activity that was never opened is to be put into the gate now.
    #[must_use]
    pub fn is_due(&self, activity: &Activity, now_ms: i64) -> bool {
        activity.gate_epoch == Epoch::NEVER_OPENED
            && now_ms >= activity.opens_ms().saturating_sub(self.terms.preheat_before_ms)
            && now_ms < activity.closes_ms()
    }

    /// When an activity's keys may go, ms since the epoch.
    #[must_use]
    pub fn expiry_ms(&self, activity: &Activity) -> i64 {
        self.terms.gate.expiry_ms(activity)
    }

    /// Fills the gate from the ledger: at the preheat (nobody holds anything yet) and at a rebuild. Raises
    /// the epoch first, so that whatever belongs to the former filling can be told apart from now on.
    pub async fn fill(&self, held: &Held) -> Result<Epoch, BackOfficeError> {
        let fence = held.fence;
        // As it is now: the holder may have changed it since the lock was taken.
        let activity = &self.read(held.activity.id).await?;
        let expected = activity.gate_epoch;
        let epoch =
            activities::locked::begin_epoch(&self.ledger, activity.id, fence, expected).await?;
        let expiry_ms = self.terms.gate.expiry_ms(activity);
        for bucket in activity.buckets() {
            let keys = Keys::of(activity.id, bucket);
            self.gate.begin(&keys, epoch, fence, expiry_ms).await?;
        }
        if expected != Epoch::NEVER_OPENED {
            self.restore_holders(held, epoch).await?;
        }
        for bucket in activity.buckets() {
            self.gate.open(activity, bucket, epoch, fence, &self.terms.gate).await?;
        }
        tracing::info!(activity = %activity.id, %epoch, "the gate is filled");
        Ok(epoch)
    }

    async fn restore_holders(&self, held: &Held, epoch: Epoch) -> Result<(), BackOfficeError> {
        let id = held.activity.id;
        let mut after = None;
        loop {
            let page = orders::holders_page(&self.ledger, id, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.user_id);
            self.restore(held, epoch, page).await?;
        }
        if held.activity.rebuy {
            return Ok(());
        }
        let mut after = None;
        loop {
            let (page, next) = orders::barred_page(&self.ledger, id, after, PAGE).await?;
            self.restore(held, epoch, page).await?;
            if next.is_none() {
                return Ok(());
            }
            after = next;
        }
    }

    async fn restore(
        &self,
        held: &Held,
        epoch: Epoch,
        holders: Vec<Holder>,
    ) -> Result<(), BackOfficeError> {
        let mut buckets: HashMap<Bucket, Vec<(UserId, Entry)>> = HashMap::new();
        for holder in holders {
            let bucket = held.activity.bucket_of(holder.user_id);
            buckets.entry(bucket).or_default().push((holder.user_id, entry(&holder)));
        }
        for (bucket, page) in buckets {
            let keys = Keys::of(held.activity.id, bucket);
            self.gate.restore(&keys, epoch, held.fence, &page).await?;
        }
        Ok(())
    }

    /// Gives a loaded sale the ledger's present configuration. A gate that does not hold the sale is left
    /// to the keeper.
    pub async fn configure(&self, held: &Held) -> Result<(), BackOfficeError> {
        let activity = self.read(held.activity.id).await?;
        if activity.gate_epoch == Epoch::NEVER_OPENED {
            return Ok(());
        }
        for bucket in activity.buckets() {
            let epoch = activity.gate_epoch;
            let opened =
                self.gate.open(&activity, bucket, epoch, held.fence, &self.terms.gate).await;
            match opened {
                Err(FillingError::Refused(
                    FillingRefused::OtherEpoch
                    | FillingRefused::Restarted
                    | FillingRefused::NotLoaded,
                )) => tracing::info!(activity = %activity.id, "the gate is to be rebuilt first"),
                opened => drop(opened?),
            }
        }
        Ok(())
    }
}

fn entry(holder: &Holder) -> Entry {
    let state = match holder.state {
        OrderState::PendingPayment | OrderState::Paid => EntryState::Recorded,
        OrderState::Cancelled | OrderState::Rejected | OrderState::Lost => EntryState::Barred,
    };
    Entry {
        order_no: holder.order_no,
        state,
        price: holder.price,
        reserved_at_ms: holder.reserved_at_ms,
    }
}
