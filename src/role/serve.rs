//! One process with one role or all of them, from its sockets to its graceful end.

use std::{
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::RoleError;
use super::places::{Places, accounts, identity};
use super::reconciler::reconciler;
use super::web::WebParts;
use super::worker::Worker;
use crate::config::{Config, Needs};
use crate::purchase::pulse::Heart;
use crate::telemetry::{self, Check, OpsServer};

/// How long a start waits for the first look at the ledger.
const FIRST_LOOK: Duration = Duration::from_secs(15);

/// Which roles a process has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roles {
    /// Pages only.
    Web,
    /// The path behind the gate only.
    Worker,
    /// The comparison of gate and ledger only.
    Reconcile,
    /// All of them.
    All,
}

impl Roles {
    const fn has_web(self) -> bool {
        matches!(self, Self::Web | Self::All)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Worker => "worker",
            Self::Reconcile => "reconcile",
            Self::All => "all",
        }
    }

    const fn has_worker(self) -> bool {
        matches!(self, Self::Worker | Self::All)
    }

    const fn has_reconciler(self) -> bool {
        matches!(self, Self::Reconcile | Self::All)
    }
}

/// The sockets of a process, taken before anything else: a port that is not free is told at once.
#[derive(Debug)]
pub struct Sockets {
    site: Option<TcpListener>,
    ops: TcpListener,
}

impl Sockets {
    /// Takes the sockets that these roles need.
    pub fn take(config: &Config, roles: Roles) -> Result<Self, RoleError> {
        let site = roles.has_web().then(|| listen("SECKILL_BIND", config.site.bind)).transpose()?;
        Ok(Self { site, ops: listen("SECKILL_OPS_BIND", config.site.ops_bind)? })
    }
}

fn listen(key: &'static str, address: SocketAddr) -> Result<TcpListener, RoleError> {
    let taken = TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    taken.map_err(|error| RoleError::Bind { key, address, error })
}

/// Runs the roles until `stop`; then takes no new work, finishes what is in hand within the configured
/// bound, and returns. `on_ready` is called once, with the site's address or the ops port's.
pub async fn serve(
    config: &Config,
    roles: Roles,
    sockets: Sockets,
    stop: CancellationToken,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), RoleError> {
    let secret_key = roles.has_web();
    let queue = roles.has_worker() || roles.has_reconciler();
    config.require(Needs { gate: true, ledger: true, queue, secret_key })?;
    let places = Places::open(config).await?;
    let schema = places.ledger.schema_version().await?;
    if !schema.is_current() {
        let missing = schema.missing.join(", ");
        let message = format!("the ledger lacks migrations ({missing}); run `seckill migrate`");
        return Err(RoleError::Other(message));
    }
    let catalog = places.catalog();
    let tasks = TaskTracker::new();
    let mut checks = vec![gate_check(&places), ledger_check(&places)];
    // Built before anything runs, so that a wrong setting stops the start and not the process.
    let worker =
        roles.has_worker().then(|| Worker::build(config, &places, &catalog)).transpose()?;
    let reconciler =
        roles.has_reconciler().then(|| reconciler(config, &places, &catalog)).transpose()?;
    let accounts = roles.has_web().then(|| accounts(config, places.ledger.clone())).transpose()?;
    let queue = worker.as_ref().map(|worker| &worker.queue);
    if let Some(queue) = queue.or(reconciler.as_ref().map(|reconciler| &reconciler.keeper.queue)) {
        let queue = queue.clone();
        checks.push(Check::new("queue", move || {
            let queue = queue.clone();
            async move { queue.check().await.map_err(|error| error.to_string()) }
        }));
    }
    let ops_address = sockets.ops.local_addr()?;
    let ops = OpsServer::new(checks).map_err(RoleError::Other)?.serve(sockets.ops)?;
    telemetry::begin(roles.has_web(), roles.has_worker(), roles.has_reconciler());
    let ops_handle = ops.handle();
    tokio::spawn(ops);

    let keeping = (catalog.clone(), stop.clone());
    tasks.spawn(async move { keeping.0.keep_fresh(keeping.1).await });
    // A node that has just started refuses a session that was ended before, from its first request on.
    let endings = accounts.as_ref().map(|accounts| accounts.endings().clone());
    if let Some(endings) = endings.clone() {
        let stop = stop.clone();
        tasks.spawn(async move { endings.keep_fresh(stop).await });
    }
    let hearing = (catalog.clone(), stop.clone());
    tasks.spawn(async move { hearing.0.hear_changes(hearing.1).await });
    let first_look = async {
        while !catalog.is_loaded() || endings.as_ref().is_some_and(|known| !known.are_loaded()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    if tokio::time::timeout(FIRST_LOOK, first_look).await.is_err() {
        stop.cancel();
        return Err(RoleError::Other("the ledger did not give its activities in time".into()));
    }
    let heart = Heart {
        gate: places.gate.clone(),
        ledger: places.ledger.clone(),
        catalog: catalog.clone(),
        process: format!("{}-{}", roles.word(), identity()),
        role: roles.word(),
        work: worker.as_ref().map(|worker| (worker.queue.clone(), worker.meter.clone())),
    };
    let told = stop.clone();
    tasks.spawn(async move { heart.run(told).await });
    if let Some(worker) = worker {
        tasks.spawn(worker.run(stop.clone()));
    }
    if let Some(reconciler) = reconciler {
        let told = stop.clone();
        tasks.spawn(async move { reconciler.run(told).await });
    }
    let mut address = ops_address;
    let mut site = None;
    let tally = places.tally(catalog.clone());
    if let Some((listener, accounts)) = sockets.site.zip(accounts) {
        address = listener.local_addr()?;
        let counting = (tally.clone(), stop.clone());
        tasks.spawn(async move { counting.0.keep_telling(counting.1).await });
        let clerk = super::web::clerk(config, &places, address)?;
        let told = stop.clone();
        tasks.spawn(async move { clerk.run(told).await });
        let parts = WebParts { accounts, tally: tally.clone(), stop: stop.clone() };
        let server = super::web::build(config, &places, &catalog, parts, listener)?;
        site = Some(server.handle());
        tokio::spawn(server);
    }
    on_ready(address);

    stop.cancelled().await;
    tracing::info!("stopping: no new work, what is in hand is finished");
    let bound = Duration::from_secs(config.site.shutdown_timeout_s);
    let finish = async {
        if let Some(site) = site {
            site.stop(true).await;
        }
        tasks.close();
        tasks.wait().await;
        // The last answers were given while the site stopped.
        tally.tell().await;
    };
    if tokio::time::timeout(bound, finish).await.is_err() {
        tracing::warn!(?bound, "stopped with work in hand; it is taken up again elsewhere");
    }
    ops_handle.stop(false).await;
    Ok(())
}

fn gate_check(places: &Places) -> Check {
    let gate = places.gate.clone();
    Check::new("gate", move || {
        let gate = gate.clone();
        async move { gate.ping().await.map_err(|error| error.to_string()) }
    })
}

fn ledger_check(places: &Places) -> Check {
    let ledger = places.ledger.clone();
    Check::new("ledger", move || {
        let ledger = ledger.clone();
        async move {
            let schema = ledger.schema_version().await.map_err(|error| error.to_string())?;
            if schema.is_current() { Ok(()) } else { Err("migrations are missing".into()) }
        }
    })
}

/// A token that is cancelled by SIGTERM or SIGINT. A second signal ends the process at once.
///
/// # Errors
/// When the system refuses the handlers.
pub fn stop_on_signals() -> std::io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let told = stop.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if told.is_cancelled() {
                std::process::exit(130);
            }
            told.cancel();
        }
    });
    Ok(stop)
}
