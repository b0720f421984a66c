//! When nothing of a sale was on its way: its outbox was seen empty, and then, at once or later, the queue.
//! What was reserved before the first of the two and has no order yet has lost its message.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::gate::filling::Inspection;
use crate::queue::{Lane, Queue};
use crate::sale::ids::{ActivityId, Bucket};

/// A broker that does not answer in this time has not been seen empty.
const BOUND: Duration = Duration::from_secs(2);

/// What was seen of a sale, ms since the epoch.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Its outbox was empty.
    emptied_ms: Option<i64>,
    /// It had been, and then the queue was.
    quiet_ms: Option<i64>,
}

/// The last quiet moment of each sale.
#[derive(Debug, Clone)]
pub struct Quiet {
    queue: Queue,
    seen: Arc<Mutex<HashMap<ActivityId, Seen>>>,
}

impl Quiet {
    /// Nothing was looked at yet.
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self { queue, seen: Arc::default() }
    }

    /// Looks at the queue, and gives the last moment from which everything has arrived, ms since the epoch.
    /// (The queue does not count what a recorder has in hand; that is why nothing is called lost before its
    /// time.)
    pub(super) async fn look(
        &self,
        sale: ActivityId,
        buckets: &[(Bucket, Inspection)],
    ) -> Option<i64> {
        let now_ms = chrono::Utc::now().timestamp_millis();
        let asked = tokio::time::timeout(BOUND, self.queue.depth(Lane::Orders)).await;
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = all.entry(sale).or_default();
        if buckets.iter().all(|(_, bucket)| bucket.outbox == 0) {
            seen.emptied_ms = Some(now_ms);
        }
        if matches!(asked, Ok(Ok(0))) {
            seen.quiet_ms = seen.emptied_ms;
        }
        seen.quiet_ms
    }

    /// Forgets all but these sales.
    pub(super) fn keep_only(&self, sales: &[ActivityId]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|sale, _| sales.contains(sale));
    }
}
