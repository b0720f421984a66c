//! Filling the gate with a sale, and giving a loaded sale its configuration; always under its lock.

use std::collections::{HashMap, HashSet};

use super::lock::Held;
use super::{BackOffice, BackOfficeError};
use crate::gate::filling::{FillingError, FillingRefused};
use crate::gate::keys::Keys;
use crate::ledger::{activities, orders, orders::Holder};
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::{Bucket, Epoch, UserId};
use crate::sale::reservation::{Entry, EntryState, Reservation};

/// Holders written to the gate in one call.
const PAGE: i64 = 500;
/// Outbox entries looked at in one call.
const OUTBOX_PAGE: usize = 500;

impl BackOffice {
    /// Whether an activity that was never opened is to be put into the gate now.
    #[must_use]
    pub fn is_due(&self, activity: &Activity, now_ms: i64) -> bool {
        activity.gate_epoch == Epoch::NEVER_OPENED
            && now_ms >= activity.opens_ms().saturating_sub(self.terms.preheat_before_ms)
            && now_ms < activity.closes_ms()
    }

    /// Puts an activity that was never opened into the gate when its time has come.
    pub(super) async fn fill_if_due(&self, held: &Held) -> Result<(), BackOfficeError> {
        let activity = self.read(held.activity.id).await?;
        let published = matches!(activity.status, Status::Scheduled | Status::Paused);
        if published && self.is_due(&activity, chrono::Utc::now().timestamp_millis()) {
            self.fill(held).await?;
        }
        Ok(())
    }

    /// When an activity's keys may go, ms since the epoch.
    #[must_use]
    pub fn expiry_ms(&self, activity: &Activity) -> i64 {
        self.terms.gate.expiry_ms(activity)
    }

    /// Pushes the expiry of an ended sale's keys on, while something of it is still open.
    pub async fn keep_on(&self, activity: &Activity, now_ms: i64) -> Result<(), BackOfficeError> {
        let keep_ms = self.terms.gate.keep_ms;
        if now_ms.saturating_add(keep_ms / 2) < self.expiry_ms(activity) {
            return Ok(());
        }
        for bucket in activity.buckets() {
            self.gate.keep_until(activity.id, bucket, now_ms.saturating_add(keep_ms)).await?;
        }
        Ok(())
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
            let recalled = self.gate.recall(activity, bucket, &self.terms.gate.currency).await?;
            if recalled > 0 {
                tracing::info!(activity = %activity.id, recalled, "reservations were on their way");
            }
            let keys = Keys::of(activity.id, bucket);
            self.gate.begin(&keys, epoch, fence, expiry_ms).await?;
        }
        if expected != Epoch::NEVER_OPENED {
            self.restore_holders(held, epoch).await?;
            for bucket in activity.buckets() {
                self.restore_reservations(held, bucket, epoch).await?;
            }
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

    /// What still waits in the outbox was promised, and the gate has not lost it: those shoppers hold their
    /// unit in the new filling too. (What had left it and was not recorded is in it again since the filling
    /// began: no recorder may be there to work the queue off, and its messages would be of a former epoch.) The ledger's word comes first: a number that has its row is settled, and
    /// a shopper who holds an order or is barred has an entry already.
    async fn restore_reservations(
        &self,
        held: &Held,
        bucket: Bucket,
        epoch: Epoch,
    ) -> Result<(), BackOfficeError> {
        let keys = Keys::of(held.activity.id, bucket);
        let mut after: Option<String> = None;
        loop {
            let entries = self.gate.outbox_after(&keys, after.as_deref(), OUTBOX_PAGE).await?;
            let Some(last) = entries.last() else { return Ok(()) };
            after = Some(last.id.clone());
            let waiting: Vec<Reservation> =
                entries.into_iter().filter_map(|entry| entry.reservation.ok()).collect();
            let numbers = waiting.iter().map(|reservation| reservation.order_no).collect();
            let known = orders::known(&self.ledger, numbers).await?;
            let settled: HashSet<_> = known.iter().map(|known| known.order_no).collect();
            let page: Vec<(UserId, Entry)> = waiting
                .iter()
                .filter(|reservation| !settled.contains(&reservation.order_no))
                .map(|reservation| (reservation.user_id, reserved(reservation)))
                .collect();
            self.gate.restore(&keys, epoch, held.fence, &page).await?;
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
            buckets.entry(bucket).or_default().push((holder.user_id, holder.entry()));
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

fn reserved(reservation: &Reservation) -> Entry {
    Entry {
        order_no: reservation.order_no,
        state: EntryState::Reserved,
        price: reservation.price,
        reserved_at_ms: reservation.reserved_at_ms,
    }
}
