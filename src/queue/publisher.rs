//! Publishing with certainty: each message is either known to be safe in the broker, or not.

use std::{collections::HashSet, time::Duration};

use futures_util::future::join_all;
use lapin::{
    BasicProperties, Channel, Confirmation, PublisherConfirm,
    options::{BasicPublishOptions, ConfirmSelectOptions},
};
use tokio::time::{Instant, timeout_at};

use super::{Lane, PublishError, Queue, QueueError, dead_letter, message};
use crate::sale::pulse::QueueFigures;
use crate::sale::reservation::Reservation;

/// Publishes on a channel of its own. After any failure the channel is given up: what may still come on
/// it would be taken for an answer to the next batch. The next call opens a fresh one and declares
/// exchanges and queues again, so that a deleted queue is back before the next try.
#[derive(Debug)]
pub struct Publisher {
    queue: Queue,
    channel: Option<Channel>,
}

/// A message as it goes to the broker.
struct Outgoing {
    body: Vec<u8>,
    properties: BasicProperties,
}

/// What the broker says of one message.
enum Answer {
    Acked,
    Failed(PublishError),
}

impl Publisher {
    pub(super) fn new(queue: Queue) -> Self {
        Self { queue, channel: None }
    }

    /// Publishes the batch and waits until each is confirmed or the time for it is over. One result for
    /// each, in the same order; `Ok` means that the broker has the message safe in the queue.
    ///
    /// Whoever drops the future in between knows nothing of any of them, and publishes them again.
    pub async fn publish_all(
        &mut self,
        reservations: &[Reservation],
    ) -> Vec<Result<(), PublishError>> {
        let encode = |reservation| {
            let (body, properties) = message::encode(reservation);
            Outgoing { body, properties }
        };
        let batch: Vec<Outgoing> = reservations.iter().map(encode).collect();
        self.publish(Lane::Orders, &batch).await
    }

    /// Publishes a message that cannot be read to the dead letters: the original body and headers, and
    /// `reason` in the header `x-reason`. When exchange or queue are missing they are made and the
    /// message published once more.
    pub async fn publish_dead(
        &mut self,
        body: &[u8],
        properties: &BasicProperties,
        reason: &str,
    ) -> Result<(), PublishError> {
        let properties = dead_letter::properties(properties, reason);
        let letter = [Outgoing { body: body.to_vec(), properties }];
        match self.publish_one(Lane::Dead, &letter).await {
            Err(PublishError::Unroutable | PublishError::Lost(_)) => {
                self.publish_one(Lane::Dead, &letter).await
            }
            result => result,
        }
    }

    /// Publishes a dead letter's message to the orders once more: its body, id and schema as they were, so
    /// that it is judged as if it came for the first time. `Ok` means that the broker has it safe.
    pub async fn publish_again(
        &mut self,
        message_id: &str,
        schema: Option<&str>,
        body: &[u8],
    ) -> Result<(), PublishError> {
        let properties = dead_letter::properties_again(message_id, schema);
        let message = [Outgoing { body: body.to_vec(), properties }];
        self.publish_one(Lane::Orders, &message).await
    }

    /// How many messages are ready in a lane's queue. Those that are out with a consumer, delivered and
    /// not yet acknowledged, are not among them.
    pub async fn queue_depth(&mut self, lane: Lane) -> Result<u32, QueueError> {
        let channel = self.take_channel().await?;
        let depth = self.queue.depth_by(&channel, lane).await?;
        self.channel = Some(channel);
        Ok(depth)
    }

    /// Both lanes: their messages, and who listens to the orders.
    pub async fn look(&mut self) -> Result<QueueFigures, QueueError> {
        let channel = self.take_channel().await?;
        let (orders, consumers) = self.queue.look_by(&channel, Lane::Orders).await?;
        let (dead, _) = self.queue.look_by(&channel, Lane::Dead).await?;
        self.channel = Some(channel);
        Ok(QueueFigures { orders, dead, consumers })
    }

    async fn publish_one(
        &mut self,
        lane: Lane,
        letter: &[Outgoing; 1],
    ) -> Result<(), PublishError> {
        self.publish(lane, letter).await.into_iter().collect()
    }

    async fn publish(&mut self, lane: Lane, batch: &[Outgoing]) -> Vec<Result<(), PublishError>> {
        if batch.is_empty() {
            return Vec::new();
        }
        // Taken, and put back only when all went well; so it is also gone when this future is dropped.
        let channel = match self.take_channel().await {
            Ok(channel) => channel,
            Err(error) => return not_sent(batch, &error),
        };
        let results = self.publish_on(&channel, lane, batch).await;
        if results.iter().all(Result::is_ok) {
            self.channel = Some(channel);
        }
        results
    }

    async fn publish_on(
        &self,
        channel: &Channel,
        lane: Lane,
        batch: &[Outgoing],
    ) -> Vec<Result<(), PublishError>> {
        let bound = self.queue.options().confirm_timeout;
        let deadline = Instant::now() + bound;
        let sending = batch.iter().map(|message| self.send(channel, lane, message));
        let Ok(sent) = timeout_at(deadline, join_all(sending)).await else {
            return batch.iter().map(|_| Err(PublishError::Unconfirmed(bound))).collect();
        };
        let mut answers = Vec::with_capacity(batch.len());
        let mut returned = HashSet::new();
        for confirm in sent {
            answers.push(answer(confirm, deadline, bound, &mut returned).await);
        }
        judge(batch, answers, &returned, bound)
    }

    async fn send(
        &self,
        channel: &Channel,
        lane: Lane,
        message: &Outgoing,
    ) -> lapin::Result<PublisherConfirm> {
        // The queue is bound to the exchange of its own name by that name.
        let name = self.queue.topology().short(lane);
        let mandatory = BasicPublishOptions { mandatory: true, ..Default::default() };
        let properties = message.properties.clone();
        channel
            .basic_publish(name.clone(), name.clone(), mandatory, &message.body, properties)
            .await
    }

    async fn take_channel(&mut self) -> Result<Channel, QueueError> {
        if let Some(channel) = self.channel.take().filter(|c| c.status().connected()) {
            return Ok(channel);
        }
        let channel = self.queue.publishing_channel().await?;
        let select = channel.confirm_select(ConfirmSelectOptions::default());
        self.queue.reply().on("ask for confirms", select).await?;
        Ok(channel)
    }
}

/// Waits for one confirm. A confirm that is there already counts even after the deadline.
async fn answer(
    confirm: lapin::Result<PublisherConfirm>,
    deadline: Instant,
    bound: Duration,
    returned: &mut HashSet<String>,
) -> Answer {
    let confirm = match confirm {
        Ok(confirm) => timeout_at(deadline, confirm).await,
        Err(error) => return Answer::Failed(PublishError::Lost(error)),
    };
    match confirm {
        Ok(Ok(Confirmation::Ack(None))) => Answer::Acked,
        Ok(Ok(Confirmation::Ack(Some(message)))) => {
            returned.insert(id_of(&message.delivery.properties).to_owned());
            Answer::Acked
        }
        Ok(Ok(Confirmation::Nack(message))) => {
            returned.extend(message.map(|m| id_of(&m.delivery.properties).to_owned()));
            Answer::Failed(PublishError::Nacked)
        }
        Ok(Err(error)) => Answer::Failed(PublishError::Lost(error)),
        Ok(Ok(Confirmation::NotRequested)) | Err(_) => {
            Answer::Failed(PublishError::Unconfirmed(bound))
        }
    }
}

/// The library hands a returned message to the next confirm that comes, which may be a neighbour's. So
/// what was returned is told by its message id; and while answers are missing, a return may not have
/// been seen yet, and an acknowledged message of a batch with returns is not certain.
fn judge(
    batch: &[Outgoing],
    answers: Vec<Answer>,
    returned: &HashSet<String>,
    bound: Duration,
) -> Vec<Result<(), PublishError>> {
    let complete = answers
        .iter()
        .all(|answer| matches!(answer, Answer::Acked | Answer::Failed(PublishError::Nacked)));
    let verdict = |(message, answer): (&Outgoing, Answer)| match answer {
        _ if returned.contains(id_of(&message.properties)) => Err(PublishError::Unroutable),
        Answer::Failed(error) => Err(error),
        Answer::Acked if complete || returned.is_empty() => Ok(()),
        Answer::Acked => Err(PublishError::Unconfirmed(bound)),
    };
    batch.iter().zip(answers).map(verdict).collect()
}

fn id_of(properties: &BasicProperties) -> &str {
    properties.message_id().as_ref().map_or("", |id| id.as_str())
}

fn not_sent(batch: &[Outgoing], error: &QueueError) -> Vec<Result<(), PublishError>> {
    batch.iter().map(|_| Err(PublishError::NotSent(error.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Duration = Duration::from_secs(1);

    fn labels(answers: Vec<Answer>, returned: &[&str]) -> Vec<&'static str> {
        let numbered = |n: usize| {
            let properties = BasicProperties::default().with_message_id(n.to_string().into());
            Outgoing { body: Vec::new(), properties }
        };
        let batch: Vec<_> = (0..answers.len()).map(numbered).collect();
        let returned = returned.iter().map(|id| (*id).to_owned()).collect();
        let word = |result: Result<(), PublishError>| result.map_or_else(|e| e.label(), |()| "ok");
        judge(&batch, answers, &returned, BOUND).into_iter().map(word).collect()
    }

    fn missing() -> Answer {
        Answer::Failed(PublishError::Unconfirmed(BOUND))
    }

    #[test]
    fn a_return_counts_for_the_message_that_was_returned() {
        let acked = || vec![Answer::Acked, Answer::Acked, Answer::Acked];
        assert_eq!(labels(acked(), &[]), ["ok", "ok", "ok"]);
        assert_eq!(labels(acked(), &["1"]), ["ok", "unroutable", "ok"]);
        let nacked = vec![Answer::Failed(PublishError::Nacked), Answer::Acked];
        assert_eq!(labels(nacked, &[]), ["nacked", "ok"]);
    }

    #[test]
    fn with_answers_missing_a_return_makes_its_neighbours_uncertain() {
        let answers = || vec![Answer::Acked, missing(), Answer::Acked];
        assert_eq!(labels(answers(), &[]), ["ok", "unconfirmed", "ok"]);
        assert_eq!(labels(answers(), &["2"]), ["unconfirmed", "unconfirmed", "unroutable"]);
    }
}
