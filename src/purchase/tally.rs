//! What this node answered: counted in memory, told to the gate once a second.
//!
//! A node tells its own totals since it began, never increments, so that a call whose answer was lost is
//! simply repeated and a gate that was emptied hears everything again. While the gate is away the counts
//! stay here; they take the same room however long that is.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::catalog::Catalog;
use crate::gate::tally::{SHOPPERS_AT_ONCE, Told};
use crate::gate::{Gate, GateError};
use crate::sale::activity::Activity;
use crate::sale::admission::Admission;
use crate::sale::demand::Outcomes;
use crate::sale::ids::{ActivityId, UserId};

/// How often the gate is told.
const EVERY: Duration = Duration::from_secs(1);
/// Shoppers remembered for one sale until the gate hears of them. Beyond it (the gate is away, and a crowd
/// goes on asking) they are not remembered: the number of participants, an estimate anyway, is too low then.
const SHOPPERS_MAX: usize = 200_000;

/// The counts of this node. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tally(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    gate: Gate,
    catalog: Catalog,
    node: String,
    counts: Mutex<HashMap<ActivityId, Count>>,
}

#[derive(Debug, Default)]
struct Count {
    /// Since the node began.
    totals: HashMap<&'static str, i64>,
    /// Who asked since the gate was last told.
    shoppers: HashSet<UserId>,
    untold: bool,
}

impl Tally {
    /// Nothing counted yet. `node` names this process among all that ever were.
    #[must_use]
    pub fn new(gate: Gate, catalog: Catalog, node: String) -> Self {
        Self(Arc::new(Inner { gate, catalog, node, counts: Mutex::default() }))
    }

    /// Counts the answer to a request to buy.
    pub fn count(&self, activity: &Activity, shopper: UserId, answer: Admission) {
        metrics::counter!("seckill_admissions_total", "outcome" => answer.label()).increment(1);
        if !activity.status.lives_at_gate() {
            return;
        }
        let mut counts = self.counts();
        let count = counts.entry(activity.id).or_default();
        *count.totals.entry(answer.label()).or_default() += 1;
        count.untold = true;
        if count.shoppers.len() < SHOPPERS_MAX {
            count.shoppers.insert(shopper);
        }
    }

    /// Tells the gate until `stop`. What is counted after that is told by [`Tally::tell`].
    pub async fn keep_telling(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(EVERY) => self.tell().await,
            }
        }
    }

    /// Tells the gate what it has not heard yet.
    pub async fn tell(&self) {
        for (activity, totals, shoppers) in self.untold() {
            match self.tell_of(activity, &totals, &shoppers).await {
                Ok(Told::Told) => {}
                Ok(Told::NotLoaded) => self.keep(activity, shoppers),
                Err(error) => {
                    tracing::warn!(%activity, %error, "the gate does not hear the counts now");
                    self.keep(activity, shoppers);
                }
            }
        }
    }

    async fn tell_of(
        &self,
        activity: ActivityId,
        totals: &Outcomes,
        shoppers: &[UserId],
    ) -> Result<Told, GateError> {
        let (gate, node) = (&self.0.gate, &self.0.node);
        let mut pages = shoppers.chunks(SHOPPERS_AT_ONCE);
        let first = pages.next().unwrap_or_default();
        let mut told = gate.tell_tally(activity, node, totals, first).await?;
        for page in pages {
            told = gate.tell_tally(activity, node, &Outcomes::default(), page).await?;
        }
        Ok(told)
    }

    /// Takes out what is to be told; forgets sales that are over for good.
    fn untold(&self) -> Vec<(ActivityId, Outcomes, Vec<UserId>)> {
        let snapshot = self.0.catalog.snapshot();
        let mut counts = self.counts();
        counts.retain(|id, _| {
            snapshot.get(*id).is_some_and(|listing| listing.activity.status.lives_at_gate())
        });
        let untold = counts.iter_mut().filter(|(_, count)| count.untold);
        untold
            .map(|(id, count)| {
                count.untold = false;
                let totals = count.totals.iter().map(|(outcome, total)| (*outcome, *total));
                (*id, totals.collect(), count.shoppers.drain().collect())
            })
            .collect()
    }

    /// Puts back what the gate did not hear.
    fn keep(&self, activity: ActivityId, shoppers: Vec<UserId>) {
        let mut counts = self.counts();
        let count = counts.entry(activity).or_default();
        count.untold = true;
        let room = SHOPPERS_MAX.saturating_sub(count.shoppers.len());
        count.shoppers.extend(shoppers.into_iter().take(room));
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<ActivityId, Count>> {
        self.0.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
