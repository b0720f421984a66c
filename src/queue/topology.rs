//! The names of exchanges and queues, and their declaration.
//!
//! Two lanes, each a durable direct exchange with one queue bound by the queue's own name:
//!
//! ```text
//! relay    ──▶ seckill.orders ──▶ queue seckill.orders ──▶ recorder
//! recorder ──▶ seckill.dead   ──▶ queue seckill.dead   ──▶ worker ──▶ ledger
//! ```
//!
//! Why it is so:
//!
//! * **Quorum queues** survive the loss of a node, write to disk before they confirm, and took twice the
//!   confirmed messages of a classic queue when measured.
//! * **No delivery limit.** A message comes back whenever the ledger is away, as often as it takes; a
//!   limit would drop a reservation whose shopper was promised a unit. What can never be read, the
//!   recorder moves to the dead letters itself, so no limit is needed to get rid of it either.
//! * **No dead-letter exchange on the orders queue.** A message that the broker moves by itself is moved
//!   without a reason and, on most settings, without a confirm.
//! * **No length bound.** The relay pauses by the queue's depth; the gate's outbox has the bound.

use lapin::{
    Channel, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::{AMQPValue, FieldTable, ShortString},
};

use super::{QueueError, link::Bound};

/// One of the two ways through the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Reservations on their way to the ledger.
    Orders,
    /// Messages that could not be read, on their way to where operators see them.
    Dead,
}

impl Lane {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Orders, Self::Dead];
}

/// The names, made from a prefix.
#[derive(Debug, Clone)]
pub struct Topology {
    orders: ShortString,
    dead: ShortString,
}

/// How it is said that there is no delivery limit; the versions of `RabbitMQ` differ in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoLimit {
    /// Up to 3.x by saying nothing. There, a limit of −1 is taken and drops a message at its first return.
    Unsaid,
    /// From 4.0 on by a limit of −1. There, saying nothing means twenty returns.
    Spelled,
}

impl Topology {
    /// Names `PREFIX.orders` and `PREFIX.dead`. An empty or a very long prefix is refused.
    pub fn new(prefix: &str) -> Result<Self, QueueError> {
        let usable = !prefix.is_empty()
            && prefix.len() <= 100
            && !prefix.starts_with("amq.")
            && prefix.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-:".contains(&b));
        let name = |lane: &str| ShortString::try_new(format!("{prefix}.{lane}"));
        match (usable, name("orders"), name("dead")) {
            (true, Ok(orders), Ok(dead)) => Ok(Self { orders, dead }),
            _ => Err(QueueError::Settings(
                "the prefix of the queue's names must be 1 to 100 letters, digits or ._-: and not begin with amq."
                    .to_owned(),
            )),
        }
    }

    /// The name of a lane's exchange, of its queue, and of the key between them.
    #[must_use]
    pub fn name(&self, lane: Lane) -> &str {
        self.short(lane).as_str()
    }

    pub(super) fn short(&self, lane: Lane) -> &ShortString {
        match lane {
            Lane::Orders => &self.orders,
            Lane::Dead => &self.dead,
        }
    }

    /// Declares both lanes. What exists already stays as it is; a queue that someone deleted is there
    /// again afterwards. Costs the channel when the broker refuses.
    pub(super) async fn declare(
        &self,
        channel: &Channel,
        no_limit: NoLimit,
        bound: Bound,
    ) -> Result<(), QueueError> {
        for lane in Lane::ALL {
            self.declare_lane(channel, lane, no_limit, bound).await?;
        }
        Ok(())
    }

    async fn declare_lane(
        &self,
        channel: &Channel,
        lane: Lane,
        no_limit: NoLimit,
        bound: Bound,
    ) -> Result<(), QueueError> {
        let name = self.short(lane);
        let durable = ExchangeDeclareOptions { durable: true, ..Default::default() };
        let exchange = channel.exchange_declare(
            name.clone(),
            ExchangeKind::Direct,
            durable,
            FieldTable::default(),
        );
        bound.on("declare an exchange", exchange).await?;

        let durable = QueueDeclareOptions { durable: true, ..Default::default() };
        let queue = channel.queue_declare(name.clone(), durable, queue_arguments(no_limit));
        bound.on("declare a queue", queue).await?;

        let binding = channel.queue_bind(
            name.clone(),
            name.clone(),
            name.clone(),
            QueueBindOptions::default(),
            FieldTable::default(),
        );
        bound.on("bind a queue", binding).await
    }
}

fn queue_arguments(no_limit: NoLimit) -> FieldTable {
    let mut arguments = FieldTable::default();
    arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
    if no_limit == NoLimit::Spelled {
        arguments.insert("x-delivery-limit".into(), AMQPValue::LongInt(-1));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_contract() {
        let topology = Topology::new("seckill").unwrap();
        assert_eq!(topology.name(Lane::Orders), "seckill.orders");
        assert_eq!(topology.name(Lane::Dead), "seckill.dead");
    }

    #[test]
    fn a_prefix_that_the_broker_would_refuse_is_refused_here() {
        for bad in ["", "amq.x", "a b", "Ü", &"x".repeat(101)] {
            assert!(Topology::new(bad).is_err(), "{bad:?}");
        }
    }
}
