//! The way to the broker that everything else in this module stands on.

use std::sync::Arc;

use lapin::{Channel, options::QueueDeclareOptions, types::FieldTable, uri::AMQPUri};
use tokio::sync::OnceCell;

use super::{
    Consumer, Lane, Publisher, QueueError, QueueOptions, Topology,
    link::{Bound, Link},
    topology::NoLimit,
    version,
};

/// The broker, as publishers and consumers reach it. Cheap to clone; connects when first used and again
/// whenever a connection was lost. Waiting between two tries is the caller's business.
#[derive(Debug, Clone)]
pub struct Queue {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: QueueOptions,
    topology: Topology,
    address: AMQPUri,
    version: OnceCell<String>,
    /// Publishing has a connection of its own: a broker short of memory or disk stops reading from
    /// connections that publish, and acknowledgements, which would help it, must not stand behind.
    publishing: Link,
    consuming: Link,
}

impl Queue {
    /// Checks the settings. Nothing is connected yet.
    pub fn new(options: QueueOptions) -> Result<Self, QueueError> {
        let topology = Topology::new(&options.prefix)?;
        let address = options.address()?;
        let link = |role: &str| {
            let name = format!("{} {role}", options.connection_name);
            let (connect, reply) = (options.connect_timeout, options.reply_timeout);
            Link::new(name, address.clone(), Bound(connect), Bound(reply))
        };
        let (publishing, consuming) = (link("publishing"), link("consuming"));
        let version = OnceCell::new();
        let inner = Inner { options, topology, address, version, publishing, consuming };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The names in use.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.inner.topology
    }

    /// Connects if need be and declares exchanges and queues: what a start, a health check and a doctor
    /// want to know to work.
    pub async fn check(&self) -> Result<(), QueueError> {
        self.publishing_channel().await.map(drop)
    }

    /// The broker's version, like `3.10.8`. Asked once.
    pub async fn server_version(&self) -> Result<&str, QueueError> {
        let ask = || version::ask(&self.inner.address, Bound(self.inner.options.connect_timeout));
        self.inner.version.get_or_try_init(ask).await.map(String::as_str)
    }

    /// A publisher with a channel of its own; one per task that publishes.
    #[must_use]
    pub fn publisher(&self) -> Publisher {
        Publisher::new(self.clone())
    }

    /// Starts to consume a lane. At most `prefetch` messages (at least one) are out at a time, delivered
    /// and not acknowledged.
    pub async fn consume(&self, lane: Lane, prefetch: u16) -> Result<Consumer, QueueError> {
        Consumer::open(self.clone(), lane, prefetch).await
    }

    /// How many messages of a lane are ready for delivery. Those that are out with a consumer, not yet
    /// acknowledged, are not among them.
    pub async fn depth(&self, lane: Lane) -> Result<u32, QueueError> {
        let channel = self.publishing_channel().await?;
        self.depth_by(&channel, lane).await
    }

    /// Closes both connections. Whoever still holds a publisher or consumer gets errors, and a new
    /// connection with the next call.
    pub async fn close(&self) {
        self.inner.publishing.close().await;
        self.inner.consuming.close().await;
    }

    pub(super) fn options(&self) -> &QueueOptions {
        &self.inner.options
    }

    pub(super) fn reply(&self) -> Bound {
        Bound(self.inner.options.reply_timeout)
    }

    /// A fresh channel for publishing, with both lanes sure to be there.
    pub(super) async fn publishing_channel(&self) -> Result<Channel, QueueError> {
        self.declared_channel(&self.inner.publishing).await
    }

    /// A fresh channel for consuming, with both lanes sure to be there.
    pub(super) async fn consuming_channel(&self) -> Result<Channel, QueueError> {
        self.declared_channel(&self.inner.consuming).await
    }

    pub(super) async fn depth_by(&self, channel: &Channel, lane: Lane) -> Result<u32, QueueError> {
        self.look_by(channel, lane).await.map(|(messages, _)| messages)
    }

    /// How many messages of a lane are ready, and how many consumers listen.
    pub(super) async fn look_by(
        &self,
        channel: &Channel,
        lane: Lane,
    ) -> Result<(u32, u32), QueueError> {
        let only_look = QueueDeclareOptions { passive: true, ..Default::default() };
        let name = self.topology().short(lane).clone();
        let look = channel.queue_declare(name, only_look, FieldTable::default());
        let queue = self.reply().on("ask for the depth of a queue", look).await?;
        Ok((queue.message_count(), queue.consumer_count()))
    }

    async fn declared_channel(&self, link: &Link) -> Result<Channel, QueueError> {
        let major = version::major(self.server_version().await?);
        if major.is_none_or(|major| major < 4) {
            return self.declare_on(link, NoLimit::Unsaid).await;
        }
        match self.declare_on(link, NoLimit::Spelled).await {
            // Queues that were made before the broker was upgraded stay as they are.
            Err(error) if error.refused_arguments() => {
                tracing::warn!(%error, "the queues have a delivery limit; set it to -1 by a policy");
                self.declare_on(link, NoLimit::Unsaid).await
            }
            channel => channel,
        }
    }

    async fn declare_on(&self, link: &Link, no_limit: NoLimit) -> Result<Channel, QueueError> {
        let channel = link.channel().await?;
        self.topology().declare(&channel, no_limit, self.reply()).await?;
        Ok(channel)
    }
}
