//! All that tells one kind of server from another, as data.

use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::process::Launch;

/// What a server is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// Real sales: a commit is on the disk before it is answered.
    Durable,
    /// Tests: data survives a killed server, but not a killed machine.
    Test,
}

#[derive(Debug)]
pub(super) struct Plan {
    /// The server with user and password, without a path.
    pub(super) address: String,
    /// The address with the place that Seckill uses.
    pub(super) url: String,
    pub(super) port: u16,
    pub(super) data: Data,
    /// Run beside the server, started before it and stopped after it.
    pub(super) helper: Option<Launch>,
    pub(super) main: Launch,
    pub(super) probe: Probe,
    pub(super) ready_within: Duration,
    pub(super) stop_within: Duration,
}

/// How the data directory comes into being.
#[derive(Debug)]
pub(super) enum Data {
    /// The server fills an empty directory itself.
    Empty,
    /// A program makes it, under this name; it gets its right name when it is whole.
    Installed { unfinished: &'static str, by: Launch },
}

/// A first exchange on the port that shows that the server serves.
#[derive(Debug)]
pub(super) struct Probe {
    pub(super) hello: Vec<u8>,
    /// Whether the server serves, as far as these bytes tell; none when more must come.
    pub(super) serves: fn(&[u8]) -> Option<bool>,
}

impl Probe {
    pub(super) async fn answered(&self, port: u16) -> bool {
        let exchange = tokio::time::timeout(Duration::from_secs(5), self.exchange(port)).await;
        matches!(exchange, Ok(Ok(true)))
    }

    async fn exchange(&self, port: u16) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.write_all(&self.hello).await?;
        let mut answer = Vec::with_capacity(512);
        while stream.read_buf(&mut answer).await? > 0 {
            if let Some(serves) = (self.serves)(&answer) {
                return Ok(serves);
            }
        }
        Ok(false)
    }
}

/// What a kind of server needs to know to plan: its folder, which exists.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'a> {
    pub(super) dir: &'a Path,
    pub(super) speed: Speed,
}

/// Below [`Site::dir`]; only the server writes there.
pub(super) const DATA: &str = "data";
/// Below [`Site::dir`]: the ports and the password that the server keeps.
pub(super) const PORTS: &str = "ports";
pub(super) const PASSWORD: &str = "password";
