//! Step 4: the recorder writes the queue into the ledger.
//!
//! Batches go through as a whole where they can; where not, each message is settled alone, so that one
//! never decides for its neighbours. The order is always commit, then mark (or release) at the gate, then
//! acknowledge. Whatever fails is kept in hand and tried again; nothing but a message that cannot be read
//! or written at all goes to the dead letters.

use std::{collections::HashMap, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::pulse::Meter;
use super::settle::{Unsettled, bury};
use crate::gate::{Gate, GateError, keys::Keys};
use crate::ledger::Ledger;
use crate::ledger::orders::{self, BatchOutcome};
use crate::queue::{Consumer, Incoming, Lane, Publisher, Queue, QueueError, acknowledge_all};
use crate::sale::ids::{ActivityId, Epoch, UserId};
use crate::sale::order_number::OrderNo;
use crate::sale::reservation::Reservation;

/// Longest wait before a message in hand is tried again.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How long a consumer that stepped back stays away.
const STEPPED_BACK: Duration = Duration::from_secs(10);

/// How the recorder works.
#[derive(Debug, Clone)]
pub struct RecorderTerms {
    /// Unacknowledged messages of one consumer.
    pub prefetch: u16,
    /// Messages taken together.
    pub batch: usize,
    /// How long a batch waits for more.
    pub linger: Duration,
    /// How long nothing may go through before the consumer is cancelled and comes back later.
    pub step_back_after: Duration,
}

/// One consumer of the queue.
#[derive(Debug, Clone)]
pub struct Recorder {
    /// Where holders are marked and refused ones released.
    pub gate: Gate,
    /// Where orders are written.
    pub ledger: Ledger,
    /// Where reservations come from.
    pub queue: Queue,
    /// What came of it.
    pub meter: Meter,
    /// How.
    pub terms: RecorderTerms,
}

/// A message in hand.
struct Message {
    incoming: Incoming,
    reservation: Reservation,
    tries: u32,
    due: Instant,
}

impl Recorder {
    /// Records until `stop`; what is in hand then is finished, the rest is delivered again elsewhere.
    pub async fn run(&self, stop: CancellationToken) {
        let mut failures: u32 = 0;
        while !stop.is_cancelled() {
            match self.queue.consume(Lane::Orders, self.terms.prefetch).await {
                Ok(consumer) => {
                    failures = 0;
                    if let Err(error) = self.consume(consumer, &stop).await {
                        tracing::warn!(%error, "the consumer ended and is opened again");
                    }
                }
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%error, "the queue cannot be consumed yet");
                }
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(backed_off(failures)) => {}
            }
        }
    }

    async fn consume(
        &self,
        mut consumer: Consumer,
        stop: &CancellationToken,
    ) -> Result<(), QueueError> {
        let mut publisher = self.queue.publisher();
        let mut in_hand: Vec<Message> = Vec::new();
        let mut stuck_since: Option<Instant> = None;
        loop {
            let due = in_hand.iter().map(|message| message.due).min();
            let incoming = tokio::select! {
                () = stop.cancelled() => break,
                batch = consumer.next_batch(self.terms.batch, self.terms.linger) => batch?,
                () = until(due) => Vec::new(),
            };
            let now = Instant::now();
            let mut batch = self.readable(incoming, &mut publisher).await?;
            let (due, waiting) = in_hand.into_iter().partition(|message| message.due <= now);
            in_hand = waiting;
            batch.extend::<Vec<Message>>(due);
            let taken = batch.len();
            let unsettled = self.settle(batch, &mut publisher).await?;
            stuck_since = match stuck_since {
                since if taken == 0 => since,
                _ if unsettled.len() < taken => None,
                since => since.or(Some(now)),
            };
            in_hand.extend(unsettled);
            if stuck_since.is_some_and(|since| since.elapsed() > self.terms.step_back_after) {
                tracing::error!("nothing goes through; the messages go back to the queue");
                consumer.close().await;
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = tokio::time::sleep(STEPPED_BACK) => {}
                }
                return Ok(());
            }
        }
        consumer.close().await;
        Ok(())
    }

    /// Reads what has come; what cannot be read is published to the dead letters, then acknowledged.
    async fn readable(
        &self,
        incoming: Vec<Incoming>,
        publisher: &mut Publisher,
    ) -> Result<Vec<Message>, QueueError> {
        let mut messages = Vec::with_capacity(incoming.len());
        for incoming in incoming {
            match incoming.reservation() {
                Ok(reservation) => {
                    messages.push(Message { incoming, reservation, tries: 0, due: Instant::now() });
                }
                Err(unreadable) => {
                    let reason = unreadable.to_string();
                    match bury(publisher, &incoming, &reason).await {
                        Ok(()) => incoming.ack().await?,
                        // It stays with the broker and comes again.
                        Err(error) => {
                            tracing::error!(%error, %reason, "a dead letter cannot be buried yet");
                            incoming.requeue().await?;
                            tokio::time::sleep(Duration::from_millis(200)).await;
                        }
                    }
                }
            }
        }
        Ok(messages)
    }

    /// Settles a batch; gives back what has to be tried again.
    async fn settle(
        &self,
        batch: Vec<Message>,
        publisher: &mut Publisher,
    ) -> Result<Vec<Message>, QueueError> {
        let mut groups: HashMap<(ActivityId, Epoch), Vec<Message>> = HashMap::new();
        for message in batch {
            let group = (message.reservation.activity_id, message.reservation.epoch);
            groups.entry(group).or_default().push(message);
        }
        let mut unsettled = Vec::new();
        for ((activity, epoch), group) in groups {
            unsettled.extend(self.settle_group(activity, epoch, group, publisher).await?);
        }
        Ok(unsettled)
    }

    async fn settle_group(
        &self,
        activity: ActivityId,
        epoch: Epoch,
        group: Vec<Message>,
        publisher: &mut Publisher,
    ) -> Result<Vec<Message>, QueueError> {
        match self.record_whole(activity, epoch, &group).await {
            Ok(true) => {
                acknowledge(&group, &self.meter).await?;
                return Ok(Vec::new());
            }
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%activity, %error, messages = group.len(), "to be tried again");
                return Ok(group.into_iter().map(later).collect());
            }
        }
        let mut unsettled = Vec::new();
        for message in group {
            match self.settle_alone(&message.reservation, &message.incoming, publisher).await {
                Ok(()) => acknowledge(std::slice::from_ref(&message), &self.meter).await?,
                Err(error) => {
                    tracing::warn!(order_no = %message.reservation.order_no, %error, "to be tried again");
                    unsettled.push(later(message));
                }
            }
        }
        Ok(unsettled)
    }

    /// Records a group in one transaction and marks its holders; false when it does not go as a whole.
    async fn record_whole(
        &self,
        activity: ActivityId,
        epoch: Epoch,
        group: &[Message],
    ) -> Result<bool, Unsettled> {
        let numbers: Vec<OrderNo> = group.iter().map(|m| m.reservation.order_no).collect();
        let known = orders::known(&self.ledger, numbers).await?;
        if known.iter().any(|known| !known.state.holds_unit()) {
            return Ok(false);
        }
        // What was recorded before is done, and so is the second of two equal messages.
        let mut fresh: HashMap<OrderNo, &Reservation> =
            group.iter().map(|m| (m.reservation.order_no, &m.reservation)).collect();
        for known in &known {
            fresh.remove(&known.order_no);
        }
        let fresh: Vec<Reservation> = fresh.into_values().cloned().collect();
        let recorded = fresh.len();
        match orders::record_batch(&self.ledger, activity, epoch, fresh).await? {
            BatchOutcome::NotAsAWhole => return Ok(false),
            BatchOutcome::Recorded => {
                self.meter.recorded(recorded);
            }
        }
        self.mark(group.iter().map(|m| &m.reservation)).await?;
        Ok(true)
    }

    pub(super) async fn mark(
        &self,
        reservations: impl Iterator<Item = &Reservation>,
    ) -> Result<(), GateError> {
        let mut buckets: HashMap<Keys, Vec<(UserId, OrderNo)>> = HashMap::new();
        for r in reservations {
            let keys = Keys::of(r.activity_id, r.bucket);
            buckets.entry(keys).or_default().push((r.user_id, r.order_no));
        }
        for (keys, holders) in buckets {
            self.gate.mark_recorded(&keys, &holders).await?;
        }
        Ok(())
    }
}

/// Each message by its own tag, all at once.
async fn acknowledge(messages: &[Message], meter: &Meter) -> Result<(), QueueError> {
    let now_ms = chrono::Utc::now().timestamp_millis();
    for Message { reservation, .. } in messages {
        let lag_ms = now_ms.saturating_sub(reservation.reserved_at_ms);
        meter.took(lag_ms);
        let (order_no, request_id) = (reservation.order_no, &reservation.request_id);
        tracing::debug!(%order_no, %request_id, lag_ms, "settled");
    }
    acknowledge_all(messages.iter().map(|message| &message.incoming)).await.into_iter().collect()
}

fn later(message: Message) -> Message {
    let due = Instant::now() + backed_off(message.tries + 1);
    Message { tries: message.tries + 1, due, ..message }
}

fn backed_off(tries: u32) -> Duration {
    Duration::from_millis(50).saturating_mul(1 << tries.min(8)).min(LONGEST_WAIT)
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}
