//! Taking messages in batches, and acknowledging each alone.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, future::join_all};
use lapin::{
    Acker, BasicProperties, Channel,
    message::Delivery,
    options::{
        BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicNackOptions, BasicQosOptions,
    },
    types::FieldTable,
};
use tokio::time::{Instant, timeout, timeout_at};

use super::{Lane, Queue, QueueError, Unreadable, link::Bound, message};
use crate::sale::reservation::Reservation;

/// A consumer that has heard nothing for so long is opened anew: of a queue that was deleted and made again
/// at once, the broker may tell it nothing for ever.
const RENEW: Duration = Duration::from_secs(10);

/// A consumer of one lane on a channel of its own. After an error it is of no more use: drop it, and open
/// another; what was not acknowledged is delivered again.
#[derive(Debug)]
pub struct Consumer {
    queue: Queue,
    lane: Lane,
    prefetch: u16,
    channel: Channel,
    stream: lapin::Consumer,
    /// Shared with each message that somebody has in hand.
    in_hand: Arc<()>,
    /// Taken from the stream and not yet handed out, so that a wait may be abandoned without loss.
    waiting: Vec<Incoming>,
    ended: bool,
}

/// A delivered message. The broker gives it to nobody else until it is acknowledged or the consumer is
/// gone.
#[derive(Debug)]
pub struct Incoming {
    /// Properties and headers as published.
    pub properties: BasicProperties,
    /// The body as published.
    pub body: Vec<u8>,
    /// Whether it was delivered before, to whomever.
    pub redelivered: bool,
    acker: Acker,
    bound: Bound,
    _in_hand: Arc<()>,
}

impl Consumer {
    pub(super) async fn open(queue: Queue, lane: Lane, prefetch: u16) -> Result<Self, QueueError> {
        let channel = queue.consuming_channel().await?;
        let bound = queue.reply();
        // 0 would mean "all of them".
        let limit = channel.basic_qos(prefetch.max(1), BasicQosOptions { global: false });
        bound.on("set the prefetch", limit).await?;
        let consume = channel.basic_consume(
            queue.topology().short(lane).clone(),
            "".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        );
        let stream = bound.on("consume a queue", consume).await?;
        let (in_hand, waiting) = (Arc::default(), Vec::new());
        Ok(Self { queue, lane, prefetch, channel, stream, in_hand, waiting, ended: false })
    }

    /// Waits for a first message, then takes more until there are `max` (at least one) or `linger` has
    /// passed. The wait for the first has no end as long as the connection lives; it may be abandoned at
    /// any moment, and what had come by then is in the next batch. A wait of [`RENEW`] while nothing is in
    /// hand opens the consumer anew; what is dropped without an acknowledgement comes again by then.
    pub async fn next_batch(
        &mut self,
        max: usize,
        linger: Duration,
    ) -> Result<Vec<Incoming>, QueueError> {
        let max = max.max(1);
        if self.waiting.is_empty() {
            let first = self.first().await?;
            self.waiting.push(first);
        }
        let deadline = Instant::now() + linger;
        while self.waiting.len() < max {
            match timeout_at(deadline, self.next()).await {
                Ok(more) => self.waiting.push(more?),
                Err(_) => break,
            }
        }
        let batch = self.waiting.len().min(max);
        Ok(self.waiting.drain(..batch).collect())
    }

    /// Ends the consumer. Whatever is not acknowledged by now, handed out or not, goes back to the queue.
    pub async fn close(self) {
        let bound = self.queue.reply();
        let cancel = self.channel.basic_cancel(self.stream.tag(), BasicCancelOptions::default());
        let cancelled = bound.on("cancel a consumer", cancel).await;
        let closed = match cancelled {
            Ok(()) => bound.on("close a channel", self.channel.close(200, "done".into())).await,
            error => error,
        };
        if let Err(error) = closed {
            // The broker takes the messages back when it finds the connection gone.
            tracing::debug!(%error, "consumer left without goodbye");
        }
    }

    async fn first(&mut self) -> Result<Incoming, QueueError> {
        loop {
            match timeout(RENEW, self.next()).await {
                Ok(first) => return first,
                Err(_) if Arc::strong_count(&self.in_hand) == 1 => self.renew().await?,
                Err(_) => {}
            }
        }
    }

    /// The fresh one listens before this one stops, so that somebody always does; what came to this one
    /// meanwhile goes back to the queue.
    async fn renew(&mut self) -> Result<(), QueueError> {
        let fresh = Self::open(self.queue.clone(), self.lane, self.prefetch).await?;
        std::mem::replace(self, fresh).close().await;
        Ok(())
    }

    async fn next(&mut self) -> Result<Incoming, QueueError> {
        if self.ended {
            return Err(QueueError::ConsumerEnded);
        }
        let error = match self.stream.next().await {
            Some(Ok(delivery)) => {
                return Ok(Incoming::new(delivery, self.queue.reply(), self.in_hand.clone()));
            }
            Some(Err(reason)) => QueueError::broker("go on consuming", reason),
            None => QueueError::ConsumerEnded,
        };
        // The stream would be silent for ever after its end. What waits here cannot be acknowledged
        // any more and comes again.
        self.ended = true;
        self.waiting.clear();
        Err(error)
    }
}

impl Incoming {
    fn new(delivery: Delivery, bound: Bound, in_hand: Arc<()>) -> Self {
        let Delivery { properties, data: body, redelivered, acker, .. } = delivery;
        Self { properties, body, redelivered, acker, bound, _in_hand: in_hand }
    }

    /// The reservation in it.
    ///
    /// # Errors
    /// [`Unreadable`]: publish it to the dead letters with that as the reason, then acknowledge it.
    pub fn reservation(&self) -> Result<Reservation, Unreadable> {
        message::decode(&self.properties, &self.body)
    }

    /// Tells the broker that the message is done with; this one alone. After an error it may be delivered
    /// again.
    pub async fn ack(&self) -> Result<(), QueueError> {
        let ack = self.acker.ack(BasicAckOptions { multiple: false });
        settled(self.bound.on("acknowledge a message", ack).await)
    }

    /// Gives the message back to the queue, to be delivered again.
    pub async fn requeue(&self) -> Result<(), QueueError> {
        let nack = self.acker.nack(BasicNackOptions { multiple: false, requeue: true });
        settled(self.bound.on("give a message back", nack).await)
    }
}

/// Acknowledges several messages, each alone, all at once. One result for each, in the same order.
pub async fn acknowledge_all<'a>(
    messages: impl IntoIterator<Item = &'a Incoming>,
) -> Vec<Result<(), QueueError>> {
    join_all(messages.into_iter().map(Incoming::ack)).await
}

fn settled(outcome: Result<bool, QueueError>) -> Result<(), QueueError> {
    match outcome {
        Ok(true) => Ok(()),
        Ok(false) => Err(QueueError::DeliveryGone),
        Err(error) => Err(error),
    }
}
