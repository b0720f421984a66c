//! Step 4: the recorder writes the queue into the ledger.
//!
//! Batches go through as a whole where they can; where not, each message is settled alone, so that one
//! never decides for its neighbours. The order is always commit, then mark (or release) at the gate, then
//! acknowledge. Whatever fails is kept in hand and tried again; nothing but a message that cannot be read
//! or written at all goes to the dead letters.

use std::{collections::HashMap, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::gate::release::{Released, Return};
use crate::gate::{Gate, GateError, keys::Keys};
use crate::ledger::orders::{self, BatchOutcome, Fate, Known};
use crate::ledger::{Ledger, LedgerError, activities};
use crate::queue::{
    Consumer, Incoming, Lane, PublishError, Publisher, Queue, QueueError, acknowledge_all,
};
use crate::sale::activity::Activity;
use crate::sale::ids::{ActivityId, Epoch, UserId};
use crate::sale::order::{OrderState, RejectReason};
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

/// Why a message stays in hand.
#[derive(Debug, thiserror::Error)]
enum Unsettled {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error(transparent)]
    Dead(#[from] PublishError),
    #[error("of an epoch that the ledger has not begun")]
    EpochAhead,
    #[error("the gate is being restored")]
    Restoring,
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
                acknowledge(&group).await?;
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
            match self.settle_alone(&message, publisher).await {
                Ok(()) => acknowledge(std::slice::from_ref(&message)).await?,
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
                metrics::counter!("seckill_orders_recorded_total").increment(recorded as u64);
            }
        }
        self.mark(group.iter().map(|m| &m.reservation)).await?;
        Ok(true)
    }

    async fn mark(
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

    /// Settles one message by itself. `Ok` means that it may be acknowledged.
    async fn settle_alone(
        &self,
        message: &Message,
        publisher: &mut Publisher,
    ) -> Result<(), Unsettled> {
        let reservation = &message.reservation;
        let fate = match orders::settle_one(&self.ledger, reservation.clone(), None).await? {
            Fate::AskGate => {
                let names_it = self.gate_names(reservation).await?;
                orders::settle_one(&self.ledger, reservation.clone(), Some(names_it)).await?
            }
            fate => fate,
        };
        match fate {
            Fate::Placed => {
                metrics::counter!("seckill_orders_recorded_total").increment(1);
                Ok(self.mark(std::iter::once(reservation)).await?)
            }
            Fate::AlreadyKnown(known) => self.follow(reservation, &known).await,
            Fate::Refused(reason) => {
                metrics::counter!("seckill_orders_rejected_total", "reason" => reason.as_str())
                    .increment(1);
                let request_id = &reservation.request_id;
                tracing::warn!(order_no = %reservation.order_no, request_id, %reason, "refused by the ledger");
                self.release_refused(reservation, reason).await
            }
            Fate::Lost => {
                tracing::warn!(request_id = %reservation.request_id, order_no = %reservation.order_no, "lost with a former filling");
                self.release(reservation, Return::Free).await
            }
            // (Given the answer, the ledger does not ask for it again.)
            Fate::EpochAhead | Fate::AskGate => Err(Unsettled::EpochAhead),
            Fate::NoSuchActivity => {
                Ok(bury(publisher, &message.incoming, "no such activity").await?)
            }
            Fate::Unrecordable(rule) => Ok(bury(publisher, &message.incoming, &rule).await?),
        }
    }

    /// Whether a newer filling of the gate than the message's names its number. While one is being made it
    /// may yet come to: a rebuild puts back what it finds in the outbox.
    async fn gate_names(&self, reservation: &Reservation) -> Result<bool, Unsettled> {
        let keys = Keys::of(reservation.activity_id, reservation.bucket);
        let held = self.gate.holding(&keys, reservation.user_id).await?;
        let newer = held.epoch.is_some_and(|epoch| epoch > reservation.epoch);
        if newer && (held.names(reservation.order_no) || !held.restoring) {
            return Ok(held.names(reservation.order_no));
        }
        let activity = self.activity(reservation).await?;
        if activity.is_some_and(|activity| activity.status.lives_at_gate()) {
            return Err(Unsettled::Restoring);
        }
        Ok(false)
    }

    /// The number has its row from an earlier delivery: the gate hears of it once more.
    async fn follow(&self, reservation: &Reservation, known: &Known) -> Result<(), Unsettled> {
        match known.state {
            OrderState::PendingPayment | OrderState::Paid => {
                Ok(self.mark(std::iter::once(reservation)).await?)
            }
            OrderState::Rejected => {
                let reason = known.reason.as_deref().and_then(|word| word.parse().ok());
                self.release_refused(reservation, reason.unwrap_or(RejectReason::AlreadyHeld)).await
            }
            OrderState::Cancelled => {
                let rebuy = self.activity(reservation).await?.is_none_or(|a| a.rebuy);
                let how = if rebuy { Return::Free } else { Return::Bar };
                self.release(reservation, how).await
            }
            OrderState::Lost => self.release(reservation, Return::Free).await,
        }
    }

    async fn release_refused(
        &self,
        reservation: &Reservation,
        reason: RejectReason,
    ) -> Result<(), Unsettled> {
        let how = match reason {
            RejectReason::SoldOut => {
                let total = self.activity(reservation).await?.map_or(0, |activity| {
                    activity.share_of(reservation.bucket, activity.total_stock)
                });
                Return::Surplus { ledger_total: total }
            }
            RejectReason::AlreadyHeld => Return::Free,
            RejectReason::Barred => Return::Bar,
        };
        self.release(reservation, how).await
    }

    /// A gate that does not hold the sale has nothing to release: it is filled from the ledger, where this
    /// number holds nothing.
    async fn release(&self, reservation: &Reservation, how: Return) -> Result<(), Unsettled> {
        let keys = Keys::of(reservation.activity_id, reservation.bucket);
        let (shopper, order_no) = (reservation.user_id, reservation.order_no);
        if self.gate.release(&keys, shopper, order_no, how).await? == Released::Done {
            metrics::counter!("seckill_releases_total", "reason" => "refused").increment(1);
        }
        Ok(())
    }

    async fn activity(&self, reservation: &Reservation) -> Result<Option<Activity>, LedgerError> {
        activities::get(&self.ledger, reservation.activity_id).await
    }
}

/// Each message by its own tag, all at once.
async fn acknowledge(messages: &[Message]) -> Result<(), QueueError> {
    let now_ms = chrono::Utc::now().timestamp_millis();
    for Message { reservation, .. } in messages {
        let lag_ms = now_ms.saturating_sub(reservation.reserved_at_ms);
        #[allow(clippy::cast_precision_loss, reason = "a histogram is of doubles by nature")]
        metrics::histogram!("seckill_record_lag_seconds").record(lag_ms as f64 / 1000.0);
        let (order_no, request_id) = (reservation.order_no, &reservation.request_id);
        tracing::debug!(%order_no, %request_id, lag_ms, "settled");
    }
    acknowledge_all(messages.iter().map(|message| &message.incoming)).await.into_iter().collect()
}

async fn bury(
    publisher: &mut Publisher,
    incoming: &Incoming,
    reason: &str,
) -> Result<(), PublishError> {
    tracing::error!(%reason, "a message goes to the dead letters");
    metrics::counter!("seckill_dead_letters_total").increment(1);
    publisher.publish_dead(&incoming.body, &incoming.properties, reason).await
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
