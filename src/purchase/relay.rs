//! Step 3: the relay empties each outbox into the queue.
//!
//! One relay per outbox at a time, by a lease. It reads from the start of the stream and removes an entry
//! only when the broker has confirmed it, so the stream holds just what is not yet safe. Whatever goes
//! wrong, the entry is published again: duplicates are harmless, since a number has one row. A broker that
//! is down delays orders; it loses none.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::catalog::Catalog;
use crate::gate::keys::Keys;
use crate::gate::lock::Lock;
use crate::gate::outbox::OutboxEntry;
use crate::gate::{Gate, GateError};
use crate::queue::{BasicProperties, Lane, PublishError, Publisher, Queue, QueueError};
use crate::sale::activity::Activity;
use crate::sale::ids::{ActivityId, Bucket};

/// How often the list of outboxes is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Around its window a sale's outbox is read often, else once in this time.
const QUIET: Duration = Duration::from_secs(1);
/// Longest pause after a failure.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long before its start and after its end a sale counts as busy.
const AROUND_MS: i64 = 60_000;

/// How the relay works.
#[derive(Debug, Clone)]
pub struct RelayTerms {
    /// Entries published together.
    pub batch: usize,
    /// How often an idle outbox is read.
    pub idle: Duration,
    /// Life of the lease of one outbox.
    pub lease: Duration,
    /// Messages in the queue above which the relay pauses.
    pub pause_above: u32,
    /// Names this process as the owner of its leases.
    pub owner: String,
}

/// The relay of all outboxes.
#[derive(Debug, Clone)]
pub struct Relay {
    /// Where the outboxes are.
    pub gate: Gate,
    /// Where they are emptied into.
    pub queue: Queue,
    /// Which sales there are.
    pub catalog: Catalog,
    /// How.
    pub terms: RelayTerms,
}

/// Why one round failed.
#[derive(Debug, thiserror::Error)]
enum RoundError {
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("{failed} of {total} not confirmed, the first: {first}")]
    Unconfirmed { failed: usize, total: usize, first: PublishError },
}

impl Relay {
    /// Serves every outbox until `stop`; then finishes what is in hand.
    pub async fn run(&self, stop: CancellationToken) {
        let mut serving: HashMap<(ActivityId, Bucket), (CancellationToken, AbortHandle)> =
            HashMap::new();
        let mut tasks = JoinSet::new();
        while !stop.is_cancelled() {
            let snapshot = self.catalog.snapshot();
            let live = snapshot.listings().filter(|l| l.activity.status.lives_at_gate());
            let wanted: HashMap<_, _> = live
                .flat_map(|l| l.activity.buckets().map(|b| ((l.activity.id, b), &l.activity)))
                .collect();
            for outbox in wanted.keys() {
                serving.entry(*outbox).or_insert_with(|| {
                    let (relay, own_stop) = (self.clone(), stop.child_token());
                    let task = tasks.spawn(relay.serve(*outbox, own_stop.clone()));
                    (own_stop, task)
                });
            }
            serving.retain(|outbox, (own_stop, task)| {
                let keep = wanted.contains_key(outbox);
                if !keep {
                    own_stop.cancel();
                }
                // One that ended by itself was a fault of ours; it is begun again at the next look.
                keep && !task.is_finished()
            });
            while tasks.try_join_next().is_some() {}
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Serves one outbox whenever its lease is to be had.
    async fn serve(self, outbox: (ActivityId, Bucket), stop: CancellationToken) {
        let name = format!("relay:{}:{}", outbox.0, outbox.1);
        while !stop.is_cancelled() {
            match self.gate.lock(&name, &self.terms.owner, self.terms.lease, Duration::ZERO).await {
                Ok(Some(lease)) => {
                    self.serve_leased(outbox, &lease, &stop).await;
                    lease.free().await;
                }
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "no lease"),
            }
            pause(self.terms.lease / 3, &stop).await;
        }
    }

    async fn serve_leased(
        &self,
        (activity, bucket): (ActivityId, Bucket),
        lease: &Lock,
        stop: &CancellationToken,
    ) {
        let keys = Keys::of(activity, bucket);
        let mut publisher = self.queue.publisher();
        let mut failures = 0;
        let mut depth_seen = Instant::now();
        while !stop.is_cancelled() && !lease.is_lost() {
            let round = self.round(&keys, &mut publisher, &mut depth_seen).await;
            failures = if round.is_ok() { 0 } else { failures + 1 };
            let wait = match round {
                Ok(0) => self.rest(activity),
                Ok(_) => Duration::ZERO,
                Err(error) => {
                    metrics::counter!("seckill_relay_failures_total").increment(1);
                    tracing::warn!(%activity, %error, "the outbox waits");
                    backed_off(failures)
                }
            };
            pause(wait, stop).await;
        }
    }

    /// One batch from the outbox into the queue; tells how many entries it had.
    async fn round(
        &self,
        keys: &Keys,
        publisher: &mut Publisher,
        depth_seen: &mut Instant,
    ) -> Result<usize, RoundError> {
        let entries = self.gate.outbox(keys, self.terms.batch).await?;
        if entries.is_empty() {
            return Ok(0);
        }
        if depth_seen.elapsed() > Duration::from_secs(1) {
            *depth_seen = Instant::now();
            if publisher.queue_depth(Lane::Orders).await? > self.terms.pause_above {
                tracing::warn!("the queue is at its bound, the relay pauses");
                return Ok(0);
            }
        }
        let total = entries.len();
        let (safe, failure) = publish(publisher, entries).await;
        let failed = total - safe.len();
        self.gate.forget(keys, &safe).await?;
        match failure {
            None => Ok(total),
            Some(first) => Err(RoundError::Unconfirmed { failed, total, first }),
        }
    }

    fn rest(&self, activity: ActivityId) -> Duration {
        let now = chrono::Utc::now().timestamp_millis();
        let busy = |a: &Activity| {
            now > a.opens_ms() - AROUND_MS && now < a.closes_ms().saturating_add(AROUND_MS)
        };
        let listing = self.catalog.snapshot().get(activity);
        if listing.is_some_and(|l| busy(&l.activity)) { self.terms.idle } else { QUIET }
    }
}

/// Publishes entries; gives those that are safe, and the first failure.
async fn publish(
    publisher: &mut Publisher,
    entries: Vec<OutboxEntry>,
) -> (Vec<OutboxEntry>, Option<PublishError>) {
    let mut safe = Vec::with_capacity(entries.len());
    let mut failure = None;
    let mut readable = Vec::with_capacity(entries.len());
    let mut reservations = Vec::with_capacity(entries.len());
    for entry in entries {
        match &entry.reservation {
            Ok(reservation) => {
                reservations.push(reservation.clone());
                readable.push(entry);
            }
            // Nothing of ours writes such an entry; it is kept for a person to look at.
            Err(field) => {
                let reason = format!("outbox entry {}: unreadable {field}", entry.id);
                let body = serde_json::to_vec(&entry.fields).unwrap_or_default();
                match publisher.publish_dead(&body, &BasicProperties::default(), &reason).await {
                    Ok(()) => safe.push(entry),
                    Err(error) => failure = Some(error),
                }
            }
        }
    }
    for (entry, result) in readable.into_iter().zip(publisher.publish_all(&reservations).await) {
        match result {
            Ok(()) => safe.push(entry),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    (safe, failure)
}

fn backed_off(failures: u32) -> Duration {
    Duration::from_millis(50).saturating_mul(1 << failures.min(7)).min(LONGEST_PAUSE)
}

async fn pause(time: Duration, stop: &CancellationToken) {
    if time.is_zero() {
        tokio::task::yield_now().await;
        return;
    }
    tokio::select! {
        () = stop.cancelled() => {}
        () = tokio::time::sleep(time) => {}
    }
}
