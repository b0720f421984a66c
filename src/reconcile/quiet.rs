//! When nothing of a sale was on its way: outbox and queue were seen empty. What was reserved before that and
//! has no order yet has lost its message.

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

/// The last quiet moment of each sale.
#[derive(Debug, Clone)]
pub struct Quiet {
    queue: Queue,
    seen: Arc<Mutex<HashMap<ActivityId, i64>>>,
}

impl Quiet {
    /// Nothing was looked at yet.
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self { queue, seen: Arc::default() }
    }

    /// Looks at the queue, and gives the last moment at which both were empty, ms since the epoch. (The queue
    /// does not count what a recorder has in hand; that is why nothing is called lost before its time.)
    pub(super) async fn look(
        &self,
        sale: ActivityId,
        buckets: &[(Bucket, Inspection)],
    ) -> Option<i64> {
        let now_ms = chrono::Utc::now().timestamp_millis();
        let emptied = buckets.iter().all(|(_, seen)| seen.outbox == 0);
        let is_quiet = emptied
            && matches!(
                tokio::time::timeout(BOUND, self.queue.depth(Lane::Orders)).await,
                Ok(Ok(0))
            );
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if is_quiet {
            seen.insert(sale, now_ms);
        }
        seen.get(&sale).copied()
    }

    /// Forgets all but these sales.
    pub(super) fn keep_only(&self, sales: &[ActivityId]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|sale, _| sales.contains(sale));
    }
}
