//! Where the broker is and how long to wait for it.

use std::{fmt, time::Duration};

use lapin::uri::AMQPUri;
use url::{Host, Url};

use super::QueueError;

/// What the queue needs to know. [`QueueOptions::new`] gives the defaults.
#[derive(Clone)]
pub struct QueueOptions {
    /// `amqp://user:password@host:port/vhost` or `amqps://…`.
    pub url: String,
    /// The first part of all names of exchanges and queues.
    pub prefix: String,
    /// How this process is called in the broker's list of connections.
    pub connection_name: String,
    /// The longest wait for a connection, handshake included.
    pub connect_timeout: Duration,
    /// The longest wait for the answer to a single step (open a channel, declare, acknowledge …).
    pub reply_timeout: Duration,
    /// The longest wait until a published batch is confirmed.
    pub confirm_timeout: Duration,
    /// A connection without any sign of life for twice as long is given up. Whole seconds, at least
    /// one. A `heartbeat` in the URL has precedence.
    pub heartbeat: Duration,
}

impl QueueOptions {
    /// The defaults for this address.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: "seckill".to_owned(),
            connection_name: "seckill".to_owned(),
            connect_timeout: Duration::from_secs(5),
            reply_timeout: Duration::from_secs(10),
            confirm_timeout: Duration::from_secs(5),
            heartbeat: Duration::from_secs(10),
        }
    }

    /// The address as the client library wants it.
    pub(super) fn address(&self) -> Result<AMQPUri, QueueError> {
        // The library's own messages may repeat the whole URL, password included.
        let unusable = || {
            QueueError::Settings(
                "the broker's URL is not usable; write amqp://user:password@host:port/vhost"
                    .to_owned(),
            )
        };
        let url = Url::parse(&self.url).map_err(|_| unusable())?;
        let mut address: AMQPUri = self.url.parse().map_err(|_| unusable())?;
        match url.host() {
            // The library takes names only and would go to localhost instead.
            Some(Host::Ipv6(ip)) => address.authority.host = ip.to_string(),
            Some(_) => {}
            None => return Err(unusable()),
        }
        // `amqp://host/` means the virtual host without a name, which nobody has: a slash too many.
        if address.vhost.is_empty() {
            "/".clone_into(&mut address.vhost);
        }
        let seconds = u16::try_from(self.heartbeat.as_secs().max(1)).unwrap_or(u16::MAX);
        address.query.heartbeat.get_or_insert(seconds);
        Ok(address)
    }
}

impl fmt::Debug for QueueOptions {
    /// All but the URL, which holds a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueOptions")
            .field("prefix", &self.prefix)
            .field("connection_name", &self.connection_name)
            .field("connect_timeout", &self.connect_timeout)
            .field("reply_timeout", &self.reply_timeout)
            .field("confirm_timeout", &self.confirm_timeout)
            .field("heartbeat", &self.heartbeat)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Result<AMQPUri, QueueError> {
        QueueOptions::new(url).address()
    }

    #[test]
    fn an_address_means_what_it_says() {
        let plain = address("amqp://u:p%40ss@[::1]:5673").unwrap();
        assert_eq!(plain.authority.host, "::1");
        assert_eq!(plain.authority.port, 5673);
        assert_eq!(plain.authority.userinfo.password, "p@ss");
        assert_eq!(plain.vhost, "/");
        assert_eq!(plain.query.heartbeat, Some(10));
        assert_eq!(address("amqp://h/").unwrap().vhost, "/");
        assert_eq!(address("amqp://h/%2f").unwrap().vhost, "/");
        assert_eq!(address("amqp://h/shop").unwrap().vhost, "shop");
        assert_eq!(address("amqps://h?heartbeat=3").unwrap().query.heartbeat, Some(3));
        assert_eq!(address("amqps://h").unwrap().authority.port, 5671);
    }

    #[test]
    fn an_unusable_address_is_refused_without_repeating_it() {
        for url in ["", "secret", "http://u:secret@h", "amqp:secret", "amqp://u:secret@h:99999"] {
            let error = address(url).expect_err(url).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        let options = QueueOptions::new("amqp://u:secret@h");
        assert!(!format!("{options:?}").contains("secret"));
    }
}
