//! The keeper: each sale is in the gate when it has to be, and as the ledger says.
//!
//! It looks at every live activity about once a second. A sale that was never opened is preheated when its
//! start is near. One that was, and that the gate has lost, holds half done, or got back with a restarted
//! Redis, is rebuilt: a restarted Redis may lack its last second, and nobody can tell from its data. Any
//! number of keepers may run; the activity's lock and its fence let one of them work.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::back_office::lock::Held;
use crate::back_office::{BackOffice, BackOfficeError};
use crate::catalog::Catalog;
use crate::gate::filling::Condition;
use crate::gate::keys::Keys;
use crate::ledger::orders;
use crate::queue::{Lane, Queue};
use crate::sale::activity::{Activity, Phase, Status};
use crate::sale::ids::{ActivityId, Epoch};

/// How long units have to differ before they are levelled.
const BELIEVED: Duration = Duration::from_secs(10);
/// Sales looked at together.
const AT_ONCE: usize = 8;
/// How often a rebuild looks whether relay and recorder are done.
const DRAIN_LOOK: Duration = Duration::from_millis(100);
/// All is believed to have arrived when it was seen so for this long.
const DRAIN_QUIET: Duration = Duration::from_millis(500);
/// A settlement waits so long after the end, ms: web nodes tell once a second what they have answered.
const COUNTED_MS: i64 = 3000;

/// The keeper.
#[derive(Debug, Clone)]
pub struct Keeper {
    /// Its tools.
    pub office: BackOffice,
    /// Which sales there are.
    pub catalog: Catalog,
    /// Where reservations may still be on their way.
    pub queue: Queue,
    /// How often it looks.
    pub every: Duration,
    /// How long a rebuild lets relay and recorder finish.
    pub drain: Duration,
    /// Sales whose units at the gate differ from the ledger's total.
    pub differing: Differing,
}

/// Since when sales differ.
#[derive(Debug, Clone, Default)]
pub struct Differing(Arc<Mutex<HashMap<ActivityId, Instant>>>);

impl Differing {
    fn forget(&self, id: ActivityId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    /// Whether it was seen to differ long enough to be believed.
    fn stays(&self, id: ActivityId) -> bool {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.entry(id).or_insert_with(Instant::now).elapsed() >= BELIEVED
    }
}

/// What a look at the gate calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Nothing,
    Preheat,
    Configure,
    Units,
    Rebuild,
}

impl Keeper {
    /// Keeps until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            self.look_at_all().await;
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.every) => {}
            }
        }
    }

    /// Several at a time, the open sales first: a rebuild takes its time, and nobody is to wait for an old
    /// sale's.
    async fn look_at_all(&self) {
        let snapshot = self.catalog.snapshot();
        let now_ms = chrono::Utc::now().timestamp_millis();
        let mut live: Vec<_> =
            snapshot.listings().filter(|l| l.activity.status.lives_at_gate()).collect();
        live.sort_by_key(|listing| listing.activity.phase(now_ms) != Phase::Open);
        stream::iter(live)
            .for_each_concurrent(AT_ONCE, |listing| async {
                if let Err(error) = self.look(&listing.activity).await {
                    tracing::warn!(activity = %listing.activity.id, %error, "to be looked at again");
                }
            })
            .await;
    }

    async fn look(&self, activity: &Activity) -> Result<(), BackOfficeError> {
        match self.need(activity).await? {
            Need::Nothing => {
                self.differing.forget(activity.id);
                return self.look_at_end(activity).await;
            }
            // An adjustment may be between its two steps; a difference counts when it stays.
            Need::Units if !self.differing.stays(activity.id) => return Ok(()),
            _ => {}
        }
        // Whoever holds the lock is at it already, or will have made another need of it.
        let Some(held) = self.office.hold_if_free(activity.id).await? else { return Ok(()) };
        let done = self.meet(&held).await.map(drop);
        held.free().await;
        self.catalog.refresh();
        done
    }

    /// Sees to it that the gate holds this sale as the ledger has it. `false`: somebody else is at it.
    pub(super) async fn put_right(&self, id: ActivityId) -> Result<bool, BackOfficeError> {
        let Some(mut held) = self.office.hold_if_free(id).await? else { return Ok(false) };
        let done = self.meet_all(&mut held).await;
        held.free().await;
        self.catalog.refresh();
        done.map(|()| true)
    }

    /// One need after the other: each look finds one, the most urgent first.
    async fn meet_all(&self, held: &mut Held) -> Result<(), BackOfficeError> {
        for _ in 0..3 {
            if self.meet(held).await? == Need::Nothing {
                return Ok(());
            }
            // A filling has raised the epoch.
            held.activity = self.office.read(held.activity.id).await?;
        }
        Ok(())
    }

    /// Looks again under the lock, does what is needed then, and tells what that was.
    async fn meet(&self, held: &Held) -> Result<Need, BackOfficeError> {
        let need = self.need(&held.activity).await?;
        match need {
            Need::Nothing => {}
            Need::Preheat => self.office.fill(held).await.map(drop)?,
            Need::Configure => self.office.configure(held).await?,
            Need::Units => self.office.level_units(held).await?,
            Need::Rebuild => self.rebuild(held).await?,
        }
        Ok(need)
    }

    async fn need(&self, activity: &Activity) -> Result<Need, BackOfficeError> {
        let now_ms = chrono::Utc::now().timestamp_millis();
        if activity.gate_epoch == Epoch::NEVER_OPENED {
            let due = activity.status != Status::Ended && self.office.is_due(activity, now_ms);
            return Ok(if due { Need::Preheat } else { Need::Nothing });
        }
        if now_ms >= self.office.expiry_ms(activity) {
            // The keys' time is over; what is still pending is the ledger's alone.
            return Ok(Need::Nothing);
        }
        let mut need = Need::Nothing;
        for bucket in activity.buckets() {
            let seen = self.office.gate.inspect(&Keys::of(activity.id, bucket)).await?;
            if seen.condition != Condition::Loaded || seen.epoch != activity.gate_epoch {
                return Ok(Need::Rebuild);
            }
            if seen.version < activity.version {
                need = Need::Configure;
            } else if need == Need::Nothing
                && (seen.units != activity.share_of(bucket, activity.total_stock)
                    || seen.drift() != 0)
            {
                need = Need::Units;
            }
        }
        Ok(need)
    }

    /// Stops the sale, lets what is on its way arrive, and fills the gate again under a new epoch.
    async fn rebuild(&self, held: &Held) -> Result<(), BackOfficeError> {
        let activity = &held.activity;
        tracing::warn!(activity = %activity.id, epoch = %activity.gate_epoch, "the gate is rebuilt");
        metrics::counter!("seckill_rebuilds_total").increment(1);
        for bucket in activity.buckets() {
            let keys = Keys::of(activity.id, bucket);
            self.office.gate.mark_restoring(&keys, held.fence).await?;
        }
        self.let_arrive(activity).await;
        self.office.fill(held).await.map(drop)
    }

    /// Waits until outbox and queue are seen empty, or the time for it is over. What comes later is settled
    /// by the epoch rule: it is recorded if the new filling names it, else it is lost.
    async fn let_arrive(&self, activity: &Activity) {
        let deadline = Instant::now() + self.drain;
        let mut empty_since: Option<Instant> = None;
        while Instant::now() < deadline {
            if self.is_underway(activity, deadline - Instant::now()).await {
                empty_since = None;
            } else if empty_since.get_or_insert_with(Instant::now).elapsed() >= DRAIN_QUIET {
                return;
            }
            tokio::time::sleep(DRAIN_LOOK).await;
        }
        tracing::warn!(activity = %activity.id, "rebuilt while reservations may be on their way");
    }

    async fn is_underway(&self, activity: &Activity, bound: Duration) -> bool {
        for bucket in activity.buckets() {
            let keys = Keys::of(activity.id, bucket);
            match self.office.gate.inspect(&keys).await {
                Ok(seen) if seen.outbox == 0 => {}
                _ => return true,
            }
            // What a recorder has in hand is in no queue.
            if !matches!(self.office.gate.underway(&keys).await, Ok(0)) {
                return true;
            }
        }
        match tokio::time::timeout(bound, self.queue.depth(Lane::Orders)).await {
            Ok(Ok(depth)) => depth > 0,
            Ok(Err(_)) | Err(_) => true,
        }
    }

    /// A sale whose window is over is ended; when nothing is pending or on its way any more, settled.
    async fn look_at_end(&self, activity: &Activity) -> Result<(), BackOfficeError> {
        let now_ms = chrono::Utc::now().timestamp_millis();
        if activity.phase(now_ms) != Phase::Ended {
            return Ok(());
        }
        let next = match activity.status {
            Status::Ended if self.is_settled(activity).await? => Status::Settled,
            Status::Ended => return self.office.keep_on(activity, now_ms).await,
            _ => Status::Ended,
        };
        let Some(held) = self.office.hold_if_free(activity.id).await? else { return Ok(()) };
        let done = self.advance(&held, next).await;
        held.free().await;
        self.catalog.refresh();
        done
    }

    async fn advance(&self, held: &Held, next: Status) -> Result<(), BackOfficeError> {
        self.office.advance(held, next).await?;
        if next == Status::Settled {
            for bucket in held.activity.buckets() {
                self.office.gate.close_outbox(&Keys::of(held.activity.id, bucket)).await?;
            }
        }
        Ok(())
    }

    async fn is_settled(&self, activity: &Activity) -> Result<bool, BackOfficeError> {
        let now_ms = chrono::Utc::now().timestamp_millis();
        if now_ms < activity.closes_ms().saturating_add(COUNTED_MS) {
            return Ok(false);
        }
        if orders::has_pending(&self.office.ledger, activity.id).await? {
            return Ok(false);
        }
        let keys_are_gone = now_ms >= self.office.expiry_ms(activity);
        // Until all holders of the gate are orders, something is on its way.
        let mut holders = 0;
        for bucket in activity.buckets() {
            let seen = self.office.gate.inspect(&Keys::of(activity.id, bucket)).await?;
            if seen.outbox > 0 {
                return Ok(false);
            }
            holders += seen.holders;
        }
        // Counted last: with a million orders it takes its time.
        let counts = orders::counts(&self.office.ledger, activity.id).await?;
        Ok(counts.pending_payment == 0 && (keys_are_gone || holders == counts.holding()))
    }
}
