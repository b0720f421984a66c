//! The history of each sale, taken while it runs: every second at first, less often later
//! ([`step_ms`]). The settlement writes the last sample. Any number of workers may take them; each
//! has its time as its key, and the first that comes writes it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::back_office::{BackOffice, BackOfficeError};
use crate::catalog::Catalog;
use crate::sale::activity::Activity;
use crate::sale::ids::ActivityId;
use crate::sale::sample::step_ms;

/// Sales looked at together.
const AT_ONCE: usize = 4;
/// A sample that took long (an index of millions of orders is counted) is followed by a pause of so many
/// times its length: about a sixth of the time is spent on it, at most.
const REST: u32 = 5;
/// How often settled sales without a history are looked for, and how many are counted then.
const FORGOTTEN_EVERY: Duration = Duration::from_secs(60);
const FORGOTTEN: i64 = 20;
const SECOND_MS: u64 = 1000;

/// Takes samples.
#[derive(Debug)]
pub struct Sampler {
    /// Its tools.
    pub office: BackOffice,
    /// Which sales there are.
    pub catalog: Catalog,
    /// What it has taken.
    pub taken: Taken,
}

/// Of each sale, the time of the last sample, ms since the epoch, and when the next may be taken.
#[derive(Debug, Default)]
pub struct Taken(Mutex<HashMap<ActivityId, (i64, Instant)>>);

impl Taken {
    fn all(&self) -> MutexGuard<'_, HashMap<ActivityId, (i64, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sampler {
    /// Takes samples until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        let mut looked: Option<Instant> = None;
        while !stop.is_cancelled() {
            self.take_all().await;
            if looked.is_none_or(|looked| looked.elapsed() >= FORGOTTEN_EVERY) {
                looked = Some(Instant::now());
                self.take_forgotten().await;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(until_next_second()) => {}
            }
        }
    }

    async fn take_all(&self) {
        let snapshot = self.catalog.snapshot();
        let live: Vec<_> =
            snapshot.listings().filter(|l| l.activity.status.lives_at_gate()).collect();
        self.taken.all().retain(|id, _| live.iter().any(|listing| listing.activity.id == *id));
        stream::iter(live)
            .for_each_concurrent(AT_ONCE, |listing| async {
                if let Err(error) = self.take(&listing.activity).await {
                    let activity = listing.activity.id;
                    tracing::warn!(%activity, %error, "the history lacks a sample");
                }
            })
            .await;
    }

    /// A settled sale that nobody took samples of gets one, so that no page has to count its orders.
    async fn take_forgotten(&self) {
        let now_ms = chrono::Utc::now().timestamp_millis();
        let take = async || {
            for id in self.office.without_history(FORGOTTEN).await? {
                self.office.keep_sample(id, now_ms).await?;
            }
            Ok::<_, BackOfficeError>(())
        };
        if let Err(error) = take().await {
            tracing::warn!(%error, "a settled sale lacks its sample");
        }
    }

    async fn take(&self, activity: &Activity) -> Result<(), BackOfficeError> {
        let Some(at_ms) = self.due(activity, chrono::Utc::now().timestamp_millis()) else {
            return Ok(());
        };
        let begun = Instant::now();
        let kept = self.office.keep_sample(activity.id, at_ms).await;
        let next = Instant::now() + begun.elapsed() * REST;
        self.taken.all().insert(activity.id, (at_ms, next));
        kept
    }

    /// The time of the sample that is due, if one is.
    fn due(&self, activity: &Activity, now_ms: i64) -> Option<i64> {
        let since_opening = now_ms.saturating_sub(activity.opens_ms());
        if since_opening < 0 {
            return None;
        }
        let step = step_ms(since_opening);
        let at_ms = now_ms - now_ms.rem_euclid(step);
        let all = self.taken.all();
        let taken = all.get(&activity.id);
        taken.is_none_or(|(last, next)| at_ms > *last && Instant::now() >= *next).then_some(at_ms)
    }
}

/// So that samples lie where the seconds begin, whatever the last one took.
fn until_next_second() -> Duration {
    let now = u64::try_from(chrono::Utc::now().timestamp_millis()).unwrap_or_default();
    Duration::from_millis(SECOND_MS - now % SECOND_MS)
}
