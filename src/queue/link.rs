//! One connection to the broker, made again whenever it is found dead.

use std::{
    future::Future,
    io,
    net::{Shutdown, TcpStream},
    os::fd::AsFd,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::io::{AsyncRead, AsyncWrite};
use lapin::{
    Channel, Connection, ConnectionProperties,
    runtime::default_runtime,
    tcp::{AsyncTcpStream, OwnedTLSConfig},
    uri::{AMQPScheme, AMQPUri},
};
use tokio::{sync::Mutex as Turn, time::timeout};

use super::QueueError;

/// The longest that a step may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound(pub(super) Duration);

impl Bound {
    /// Carries out one step, or gives up on it.
    pub(super) async fn on<T>(
        self,
        step: &'static str,
        work: impl Future<Output = lapin::Result<T>>,
    ) -> Result<T, QueueError> {
        match timeout(self.0, work).await {
            Ok(done) => done.map_err(|reason| QueueError::broker(step, reason)),
            Err(_) => Err(QueueError::TimedOut { step, bound: self.0 }),
        }
    }
}

/// A connection that may be alive or not. Channels are opened on it one after the other, so that a dead
/// one is replaced once and not by everyone who notices.
pub(super) struct Link {
    name: String,
    address: AMQPUri,
    connect: Bound,
    reply: Bound,
    live: Turn<Option<Live>>,
}

/// Dropping it ends the connection, whatever state it is in.
struct Live {
    connection: Connection,
    _wire: Wire,
}

impl Link {
    pub(super) fn new(name: String, address: AMQPUri, connect: Bound, reply: Bound) -> Self {
        Self { name, address, connect, reply, live: Turn::new(None) }
    }

    /// A new channel. A connection on which none can be opened is given up, and a new one is tried, once.
    pub(super) async fn channel(&self) -> Result<Channel, QueueError> {
        let mut live = self.turn().await?;
        if let Some(channel) = self.on_present(live.as_ref()).await {
            return Ok(channel);
        }
        *live = None;
        let fresh = self.dial().await?;
        let channel = self.open(&fresh).await?;
        *live = Some(fresh);
        Ok(channel)
    }

    /// Says goodbye to the broker, if it listens.
    pub(super) async fn close(&self) {
        let Ok(mut live) = self.turn().await else { return };
        if let Some(Live { connection, _wire }) = live.take() {
            let goodbye = connection.close(200, "done".into());
            if let Err(error) = self.reply.on("close the connection", goodbye).await {
                tracing::debug!(link = self.name, %error, "the broker was left without goodbye");
            }
        }
    }

    async fn turn(&self) -> Result<tokio::sync::MutexGuard<'_, Option<Live>>, QueueError> {
        // Who is before us tries to connect and to open a channel at most.
        let bound = self.connect.0 + self.reply.0;
        timeout(bound, self.live.lock())
            .await
            .map_err(|_| QueueError::TimedOut { step: "wait for the connection", bound })
    }

    async fn on_present(&self, live: Option<&Live>) -> Option<Channel> {
        let live = live.filter(|live| live.connection.status().connected())?;
        self.open(live)
            .await
            .inspect_err(|error| tracing::warn!(link = self.name, %error, "connection given up"))
            .ok()
    }

    async fn open(&self, live: &Live) -> Result<Channel, QueueError> {
        self.reply.on("open a channel", live.connection.create_channel()).await
    }

    async fn dial(&self) -> Result<Live, QueueError> {
        let wire = Wire::default();
        let held = wire.clone_handle();
        let bound = self.connect.0;
        let properties =
            ConnectionProperties::default().with_connection_name(self.name.clone().into());
        let runtime =
            default_runtime().map_err(|reason| QueueError::broker("find the runtime", reason))?;
        // The library waits for the socket on a thread of its own, and for ever; so the bound has to
        // be inside as well, or each try at a broker that is not there would leave a thread behind.
        let connecting = Connection::connector(
            self.address.clone(),
            runtime,
            async move |address, runtime| {
                let stream = async {
                    let peer = (address.authority.host.clone(), address.authority.port);
                    let peer = runtime.to_socket_addrs(peer);
                    let stream = AsyncTcpStream::connect(&runtime, peer).await?;
                    if let AsyncTcpStream::Plain(socket) = &stream {
                        held.hold(socket.get_ref())?;
                    }
                    secure(stream, &address).await
                };
                let stream: io::Result<_> =
                    timeout(bound, stream).await.map_err(io::Error::from)?;
                Ok(stream?)
            },
            properties,
        );
        let connection = self.connect.on("connect to the broker", connecting).await?;
        tracing::info!(link = self.name, "connected to the broker");
        Ok(Live { connection, _wire: wire })
    }
}

/// Adds TLS where the address asks for it; the broker's certificate must be known to this machine.
pub(super) async fn secure<S>(
    stream: AsyncTcpStream<S>,
    address: &AMQPUri,
) -> io::Result<AsyncTcpStream<S>>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    match address.scheme {
        AMQPScheme::AMQP => Ok(stream),
        AMQPScheme::AMQPS => {
            let tls = OwnedTLSConfig::default();
            stream.into_tls(&address.authority.host, tls.as_ref()).await
        }
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A second handle on the connection's socket, to cut it. The library offers no way to end a connection
/// whose other side is silent; with the socket shut down it ends at once, and so do its thread and every
/// wait on its channels. Cuts when dropped, so that an abandoned attempt to connect ends as well.
#[derive(Debug, Default)]
struct Wire(Handle);

#[derive(Debug, Default, Clone)]
struct Handle(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
enum Held {
    #[default]
    Nothing,
    Socket(TcpStream),
    Cut,
}

impl Wire {
    fn clone_handle(&self) -> Handle {
        self.0.clone()
    }
}

impl Handle {
    fn hold(&self, socket: &impl AsFd) -> io::Result<()> {
        let socket = TcpStream::from(socket.as_fd().try_clone_to_owned()?);
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*held, Held::Cut) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        *held = Held::Socket(socket);
        Ok(())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        let mut held = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Held::Socket(socket) = std::mem::replace(&mut *held, Held::Cut) {
            // It may be closed already, which is just as well.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}
