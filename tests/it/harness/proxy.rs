//! A TCP proxy that misbehaves on request, in front of any of the three servers.
//!
//! It knows nothing of what passes through: it copies bytes, or loses them, or cuts.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, ToSocketAddrs, lookup_host},
};
use tokio_util::sync::CancellationToken;

/// Listens on a free port of its own and passes on to the target, until told otherwise. Dropping it cuts
/// all connections and ends the listening.
#[derive(Debug)]
pub(crate) struct Proxy {
    addr: SocketAddr,
    control: Arc<Control>,
    listening: CancellationToken,
}

#[derive(Debug, Default)]
struct Control {
    swallow_to_client: AtomicBool,
    swallow_to_server: AtomicBool,
    hold_to_server: AtomicBool,
    refuse: AtomicBool,
    passed_to_server: AtomicU64,
    lost_to_client: AtomicU64,
    connections: AtomicU64,
    /// Lines up to this one are dead and do not know it.
    stranded: AtomicU64,
    /// Cancelled by a cut; the connections after it live under the next one.
    lines: Mutex<CancellationToken>,
}

/// Which way bytes flow.
#[derive(Clone, Copy)]
enum Way {
    ToServer,
    ToClient,
}

impl Proxy {
    /// Starts a proxy for this server.
    pub(crate) async fn start(target: impl ToSocketAddrs) -> Self {
        let target = lookup_host(target).await.unwrap().next().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let control = Arc::new(Control::default());
        let listening = CancellationToken::new();
        tokio::spawn(listening.clone().run_until_cancelled_owned(accept(
            listener,
            target,
            Arc::clone(&control),
        )));
        Self { addr, control, listening }
    }

    /// The same URL with the proxy's host and port in place of the server's.
    pub(crate) fn url(&self, of: &str) -> String {
        let mut url = url::Url::parse(of).unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(self.addr.port())).unwrap();
        url.to_string()
    }

    /// Loses what the server answers, while the connections stay open.
    pub(crate) fn swallow_to_client(&self, on: bool) {
        self.control.swallow_to_client.store(on, Ordering::SeqCst);
    }

    /// Loses what clients say, while the connections stay open.
    pub(crate) fn swallow_to_server(&self, on: bool) {
        self.control.swallow_to_server.store(on, Ordering::SeqCst);
    }

    /// What is sent to the server waits here, and arrives when this is taken back.
    pub(crate) fn hold_to_server(&self, on: bool) {
        self.control.hold_to_server.store(on, Ordering::SeqCst);
    }

    /// Closes each new connection at once. Present ones live on.
    pub(crate) fn refuse(&self, on: bool) {
        self.control.refuse.store(on, Ordering::SeqCst);
    }

    /// Closes all present connections. New ones are served.
    pub(crate) fn cut(&self) {
        let mut lines = self.control.lines.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *lines).cancel();
    }

    /// Whatever passes on present connections is lost from now on, and not even their end is told: as when
    /// the other machine has vanished. New connections are served.
    pub(crate) fn strand(&self) {
        self.control.stranded.store(self.connections(), Ordering::SeqCst);
    }

    /// How many bytes have reached the server so far.
    pub(crate) fn passed_to_server(&self) -> u64 {
        self.control.passed_to_server.load(Ordering::SeqCst)
    }

    /// How many bytes that the server said were lost so far.
    pub(crate) fn lost_to_client(&self) -> u64 {
        self.control.lost_to_client.load(Ordering::SeqCst)
    }

    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> u64 {
        self.control.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.cancel();
        self.cut();
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, control: Arc<Control>) {
    while let Ok((client, _)) = listener.accept().await {
        if control.refuse.load(Ordering::SeqCst) {
            continue;
        }
        let number = control.connections.fetch_add(1, Ordering::SeqCst) + 1;
        let line = control.lines.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let serve = serve(number, client, target, Arc::clone(&control));
        tokio::spawn(line.run_until_cancelled_owned(serve));
    }
}

/// Ends when either side closes.
async fn serve(number: u64, client: TcpStream, target: SocketAddr, control: Arc<Control>) {
    let Ok(server) = TcpStream::connect(target).await else { return };
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    tokio::select! {
        () = pass(&mut from_client, &mut to_server, (number, Way::ToServer), &control) => {}
        () = pass(&mut from_server, &mut to_client, (number, Way::ToClient), &control) => {}
    }
    if control.is_stranded(number) {
        std::future::pending::<()>().await;
    }
}

async fn pass(
    from: &mut (impl AsyncReadExt + Unpin),
    to: &mut (impl AsyncWriteExt + Unpin),
    (line, way): (u64, Way),
    control: &Control,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if control.is_stranded(line) || control.swallows(way) {
            if matches!(way, Way::ToClient) {
                control.lost_to_client.fetch_add(length as u64, Ordering::SeqCst);
            }
            continue;
        }
        while matches!(way, Way::ToServer) && control.hold_to_server.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
        if matches!(way, Way::ToServer) {
            control.passed_to_server.fetch_add(length as u64, Ordering::SeqCst);
        }
    }
}

impl Control {
    fn is_stranded(&self, line: u64) -> bool {
        line <= self.stranded.load(Ordering::SeqCst)
    }

    fn swallows(&self, way: Way) -> bool {
        match way {
            Way::ToServer => self.swallow_to_server.load(Ordering::SeqCst),
            Way::ToClient => self.swallow_to_client.load(Ordering::SeqCst),
        }
    }
}
