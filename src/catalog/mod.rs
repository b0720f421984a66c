//! What pages and the path know of activities: a snapshot in memory, so that a crowd that reloads pages
//! reaches neither MySQL nor, for the pages alone, Redis.
//!
//! The whole list is loaded again twice a second and when somebody asks for it. An id that is not in it
//! is unknown, and answered so without a look-up. While the ledger is away the last snapshot stands.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool, atomic::Ordering},
    time::Duration,
};

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::gate::{Gate, filling::Condition, keys::Keys};
use crate::ledger::{Ledger, LedgerError, activities};
use crate::sale::activity::{Activity, Phase};
use crate::sale::ids::ActivityId;

/// How old a snapshot grows at most while the ledger answers.
const EVERY: Duration = Duration::from_millis(500);
/// How long to wait before listening again after the connection was lost.
const LISTEN_AGAIN: Duration = Duration::from_secs(1);

/// An activity as the pages show it.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The activity.
    pub activity: Activity,
    /// What the gate had of it when the snapshot was taken; asked only while the sale is open or paused.
    pub at_gate: AtGate,
}

/// What the gate has of a sale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtGate {
    /// The sale is loaded; so many units are left.
    Left(i64),
    /// The gate does not hold it or gives no answer: nobody can buy for the moment.
    Away,
    /// It was not asked.
    NotAsked,
}

/// All published activities at one moment, in order of their ids.
#[derive(Debug, Default)]
pub struct Snapshot {
    listings: Vec<Arc<Listing>>,
    places: HashMap<ActivityId, usize>,
}

impl Snapshot {
    fn of(listings: Vec<Listing>) -> Self {
        let places =
            listings.iter().enumerate().map(|(at, listing)| (listing.activity.id, at)).collect();
        Self { listings: listings.into_iter().map(Arc::new).collect(), places }
    }

    /// The activity of this id, if there is one that was published.
    #[must_use]
    pub fn get(&self, id: ActivityId) -> Option<Arc<Listing>> {
        self.places.get(&id).and_then(|at| self.listings.get(*at)).map(Arc::clone)
    }

    /// All of them.
    pub fn listings(&self) -> impl Iterator<Item = &Arc<Listing>> {
        self.listings.iter()
    }

    /// Their ids, the newest first: what is asked for is rarely old.
    pub fn ids(&self) -> impl Iterator<Item = ActivityId> {
        self.listings.iter().rev().map(|listing| listing.activity.id)
    }
}

/// The catalog. Cheap to clone.
#[derive(Clone)]
pub struct Catalog(Arc<Inner>);

struct Inner {
    ledger: Ledger,
    gate: Gate,
    snapshot: ArcSwap<Snapshot>,
    loaded: AtomicBool,
    asked: Notify,
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Catalog")
    }
}

impl Catalog {
    /// An empty catalog; [`Catalog::keep_fresh`] fills it.
    #[must_use]
    pub fn new(ledger: Ledger, gate: Gate) -> Self {
        Self(Arc::new(Inner {
            ledger,
            gate,
            snapshot: ArcSwap::default(),
            loaded: AtomicBool::new(false),
            asked: Notify::new(),
        }))
    }

    /// The present snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.0.snapshot.load_full()
    }

    /// Whether it was ever loaded; before that, nothing may be called unknown.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.0.loaded.load(Ordering::Acquire)
    }

    /// Asks for a fresh snapshot soon.
    pub fn refresh(&self) {
        self.0.asked.notify_one();
    }

    /// Keeps the snapshot fresh until `stop`.
    pub async fn keep_fresh(&self, stop: CancellationToken) {
        loop {
            if let Err(error) = self.load().await {
                tracing::warn!(%error, "the catalog keeps its last snapshot");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.0.asked.notified() => {}
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    /// Asks for a fresh snapshot whenever another node announces a change, until `stop`. A message that is
    /// lost costs nothing but time: [`Catalog::keep_fresh`] looks by itself as well.
    pub async fn hear_changes(&self, stop: CancellationToken) {
        let hear = async {
            loop {
                if let Ok(mut announcements) = self.0.gate.listen().await {
                    // Whatever was announced while nobody listened.
                    self.refresh();
                    while announcements.next().await.is_some() {
                        self.refresh();
                    }
                }
                tokio::time::sleep(LISTEN_AGAIN).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = hear => {}
        }
    }

    /// The outboxes that something may be in.
    #[must_use]
    pub fn outboxes(&self) -> Vec<Keys> {
        let snapshot = self.snapshot();
        let live = snapshot.listings().filter(|listing| listing.activity.status.lives_at_gate());
        live.flat_map(|listing| {
            let id = listing.activity.id;
            listing.activity.buckets().map(move |bucket| Keys::of(id, bucket))
        })
        .collect()
    }

    /// Loads a fresh snapshot now.
    pub async fn load(&self) -> Result<(), LedgerError> {
        let now_ms = chrono::Utc::now().timestamp_millis();
        let mut listings = Vec::new();
        for activity in activities::snapshot(&self.0.ledger).await? {
            let at_gate = self.at_gate(&activity, now_ms).await;
            measure(&activity, at_gate);
            listings.push(Listing { activity, at_gate });
        }
        self.0.snapshot.store(Arc::new(Snapshot::of(listings)));
        self.0.loaded.store(true, Ordering::Release);
        Ok(())
    }

    async fn at_gate(&self, activity: &Activity, now_ms: i64) -> AtGate {
        if !matches!(activity.phase(now_ms), Phase::Open | Phase::Paused) {
            return AtGate::NotAsked;
        }
        let mut left = 0;
        for bucket in activity.buckets() {
            match self.0.gate.inspect(&Keys::of(activity.id, bucket)).await {
                Ok(seen) if seen.condition == Condition::Loaded => left += seen.stock.max(0),
                Ok(_) | Err(_) => return AtGate::Away,
            }
        }
        AtGate::Left(left)
    }
}

#[allow(clippy::cast_precision_loss, reason = "a gauge is a double by nature")]
fn measure(activity: &Activity, at_gate: AtGate) {
    let AtGate::Left(left) = at_gate else { return };
    let (id, remain) = (activity.id.to_string(), activity.remain_stock);
    metrics::gauge!("seckill_gate_stock", "activity" => id.clone()).set(left as f64);
    metrics::gauge!("seckill_ledger_remain", "activity" => id).set(remain as f64);
}
