//! What one node tells all others: that an activity was changed. A message that is lost costs nothing but
//! time, since every node looks by itself as well; so nobody waits for one, and none is repeated.

use futures_util::StreamExt as _;
use redis::aio::PubSubStream;

use super::conn::Gate;
use super::error::GateError;
use crate::sale::ids::ActivityId;

/// What other nodes announce, from the moment of listening on.
pub struct Announcements(PubSubStream);

impl std::fmt::Debug for Announcements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Announcements")
    }
}

impl Announcements {
    /// Waits for the next one; None when the connection is gone.
    pub async fn next(&mut self) -> Option<()> {
        self.0.next().await.map(drop)
    }
}

impl Gate {
    /// Tells all nodes that an activity was changed.
    pub async fn announce(&self, id: ActivityId) -> Result<(), GateError> {
        let mut publish = redis::cmd("PUBLISH");
        publish.arg(self.channel()).arg(id.0);
        // A cluster passes it on to all its nodes.
        self.ask_one_node::<i64>(&publish).await.map(drop)
    }

    /// Listens on a connection of its own.
    pub async fn listen(&self) -> Result<Announcements, GateError> {
        let listening = async {
            let mut listener = self.listener().get_async_pubsub().await?;
            listener.subscribe(self.channel()).await?;
            Ok(Announcements(listener.into_on_message()))
        };
        match tokio::time::timeout(self.call_timeout(), listening).await {
            Ok(listening) => listening.map_err(GateError::unreached),
            Err(_) => Err(GateError::Unavailable("nobody to listen to in time".into())),
        }
    }

    /// Messages know no logical databases, so the name tells them apart.
    fn channel(&self) -> String {
        format!("seckill:changes:{}", self.listener().get_connection_info().redis_settings().db())
    }
}
