//! The connections to the ledger, and the one way to use them: [`Ledger::run`].
//!
//! Diesel and its client library block and have no socket time-outs, so a call runs on a blocking thread
//! and is waited for with a bound. A semaphore as large as the pool keeps such threads from piling up.
//! When a call is not answered within the bound, its connection cannot be taken back from the library;
//! the whole set of connections is left to itself and a new one begun, so that one silent server, or a
//! network that swallows everything, cannot use up the connections for ever.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::mysql::MysqlConnection;
use diesel::r2d2::{ConnectionManager, HandleError, Pool};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::LedgerError;
use super::session::Session;
use crate::sale::pulse::PoolFigures;

/// How the ledger is reached and how long it is waited for.
#[derive(Clone)]
pub struct LedgerOptions {
    /// `mysql://user:password@host:port/name`.
    pub url: String,
    /// Connections at most, and calls at the same time.
    pub pool_size: u32,
    /// How long a call waits for a connection.
    pub checkout_timeout: Duration,
    /// After which the server stops a statement.
    pub statement_timeout: Duration,
    /// How long a statement waits for a locked row; counted in whole seconds.
    pub lock_timeout: Duration,
    /// How long a whole call is waited for. Longer than the other bounds, so that it only ends a call
    /// whose server has fallen silent.
    pub call_timeout: Duration,
}

impl LedgerOptions {
    /// The usual bounds for this address.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            pool_size: 8,
            checkout_timeout: Duration::from_secs(3),
            statement_timeout: Duration::from_secs(5),
            lock_timeout: Duration::from_secs(3),
            call_timeout: Duration::from_secs(15),
        }
    }
}

impl fmt::Debug for LedgerOptions {
    /// Without the address, which holds a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LedgerOptions").field("pool_size", &self.pool_size).finish_non_exhaustive()
    }
}

/// The ledger. Cheap to clone; all clones share the connections.
#[derive(Clone)]
pub struct Ledger(Arc<Inner>);

struct Inner {
    options: LedgerOptions,
    current: Mutex<Arc<Generation>>,
    /// Calls that wait for a connection.
    waiting: AtomicU32,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.options.fmt(f)
    }
}

impl Ledger {
    /// Begins to connect, without waiting for it: whether the server answers is told by the first call.
    pub fn open(options: LedgerOptions) -> Result<Self, LedgerError> {
        check_address(&options.url)?;
        let current = Mutex::new(Arc::new(Generation::begin(&options, 0)));
        Ok(Self(Arc::new(Inner { options, current, waiting: AtomicU32::new(0) })))
    }

    /// How this ledger is reached.
    #[must_use]
    pub fn options(&self) -> &LedgerOptions {
        &self.0.options
    }

    /// Runs `step` with a connection, away from the async threads.
    ///
    /// # Errors
    /// `Unavailable` when no connection came in time and nothing was done; `TimedOut` when the step was
    /// begun and not answered; else what `step` says.
    pub async fn run<T, F>(&self, step: F) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        F: FnOnce(&mut MysqlConnection) -> Result<T, LedgerError> + Send + 'static,
    {
        let asked = Instant::now();
        let generation = self.0.current();
        let permit = self.permit(&generation).await?;
        let call = Call { generation: Arc::clone(&generation), permit, asked };
        let given_up = Arc::new(AtomicBool::new(false));
        let work = {
            let (given_up, wait) = (Arc::clone(&given_up), self.0.options.checkout_timeout);
            tokio::task::spawn_blocking(move || call.carry_out(wait, &given_up, step))
        };
        match tokio::time::timeout(self.0.options.call_timeout, work).await {
            Ok(Ok(result)) => {
                self.note(&generation, &result);
                result
            }
            Ok(Err(_)) => Err(LedgerError::Panicked),
            Err(_) => {
                given_up.store(true, Ordering::Release);
                self.0.leave(&generation);
                Err(LedgerError::TimedOut)
            }
        }
    }

    /// Whether the ledger answers.
    pub async fn ping(&self) -> Result<(), LedgerError> {
        // Checking a connection out asks the server already.
        self.run(|_| Ok(())).await
    }

    /// The connections at this moment.
    #[must_use]
    pub fn pool(&self) -> PoolFigures {
        let size = self.0.options.pool_size.max(1);
        let free = self.0.current().permits.available_permits();
        let free = u32::try_from(free).unwrap_or(u32::MAX);
        let waiting = self.0.waiting.load(Ordering::Relaxed);
        PoolFigures { size, in_use: size.saturating_sub(free), waiting }
    }

    async fn permit(&self, generation: &Generation) -> Result<OwnedSemaphorePermit, LedgerError> {
        let _waiting = Waiting::begin(&self.0.waiting);
        let permit = Arc::clone(&generation.permits).acquire_owned();
        match tokio::time::timeout(self.0.options.checkout_timeout, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(LedgerError::Unavailable("all connections are busy".into())),
        }
    }

    /// Learns from an answer whether these connections are of use.
    fn note<T>(&self, generation: &Arc<Generation>, result: &Result<T, LedgerError>) {
        if !matches!(result, Err(LedgerError::Unavailable(_))) {
            generation.proven.store(true, Ordering::Relaxed);
        } else if generation.has_none_for_too_long(self.0.options.call_timeout) {
            self.0.leave(generation);
        }
    }
}

impl Inner {
    fn current(&self) -> Arc<Generation> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins new connections, unless another call has done so already.
    fn leave(&self, silent: &Arc<Generation>) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, silent) {
            let proven = silent.proven.load(Ordering::Relaxed);
            let failures = if proven { 0 } else { silent.failures.saturating_add(1) };
            tracing::warn!(failures, "the ledger has fallen silent; connecting anew");
            let former = std::mem::replace(
                &mut *current,
                Arc::new(Generation::begin(&self.options, failures)),
            );
            // Its idle connections are closed when it goes, which nobody else should wait for.
            drop(current);
            drop(former);
        }
    }
}

/// A set of connections that lives until it falls silent.
struct Generation {
    pool: Pool<ConnectionManager<MysqlConnection>>,
    permits: Arc<Semaphore>,
    born: Instant,
    /// Sets before this one, in a row, that never answered.
    failures: u32,
    proven: AtomicBool,
}

impl Generation {
    fn begin(options: &LedgerOptions, failures: u32) -> Self {
        let session = Session {
            statement_timeout: Some(options.statement_timeout),
            lock_timeout: options.lock_timeout,
        };
        let pool = Pool::builder()
            .max_size(options.pool_size.max(1))
            // None ahead of need: a command that is done at once must not end while a thread of the client
            // library is still making a connection, which it does not survive.
            .min_idle(Some(0))
            .connection_timeout(options.checkout_timeout)
            .test_on_check_out(true)
            .connection_customizer(Box::new(session))
            .error_handler(Box::new(Traced))
            .build_unchecked(ConnectionManager::new(&options.url));
        let permits = usize::try_from(options.pool_size.max(1)).unwrap_or(1);
        Self {
            pool,
            permits: Arc::new(Semaphore::new(permits)),
            born: Instant::now(),
            failures,
            proven: AtomicBool::new(false),
        }
    }

    /// The threads that connect may hang like any other. The bound doubles with each set that never
    /// answered, so that few are left behind while a server is away for hours.
    fn has_none_for_too_long(&self, bound: Duration) -> bool {
        let patience = bound.saturating_mul(1 << self.failures.min(2));
        self.pool.state().connections == 0 && self.born.elapsed() > patience
    }

    fn measure(&self) {
        let state = self.pool.state();
        let in_use = state.connections.saturating_sub(state.idle_connections);
        metrics::gauge!("seckill_ledger_pool_connections", "state" => "in_use").set(in_use);
        metrics::gauge!("seckill_ledger_pool_connections", "state" => "idle")
            .set(state.idle_connections);
    }
}

/// A call that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicU32);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicU32) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One call on its blocking thread.
struct Call {
    generation: Arc<Generation>,
    permit: OwnedSemaphorePermit,
    asked: Instant,
}

impl Call {
    fn carry_out<T>(
        self,
        wait: Duration,
        given_up: &AtomicBool,
        step: impl FnOnce(&mut MysqlConnection) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let left = wait.saturating_sub(self.asked.elapsed()).max(Duration::from_millis(1));
        let mut conn = self
            .generation
            .pool
            .get_timeout(left)
            .map_err(|error| LedgerError::Unavailable(error.to_string()))?;
        metrics::histogram!("seckill_ledger_pool_wait_seconds").record(self.asked.elapsed());
        self.generation.measure();
        if given_up.load(Ordering::Acquire) {
            // The caller was told long ago; nothing may happen behind their back now.
            return Err(LedgerError::TimedOut);
        }
        let result = step(&mut conn);
        drop(conn);
        self.generation.measure();
        drop(self.permit);
        result
    }
}

/// Failing connections are told to the log, at most one line a try.
#[derive(Debug)]
struct Traced;

impl HandleError<diesel::r2d2::Error> for Traced {
    fn handle_error(&self, error: diesel::r2d2::Error) {
        tracing::warn!(%error, "connecting to the ledger failed");
    }
}

/// Says what is wrong with an address, without repeating it: it holds a password.
fn check_address(address: &str) -> Result<(), LedgerError> {
    let wrong = |what: &str| Err(LedgerError::Misconfigured(what.into()));
    match url::Url::parse(address) {
        Ok(url) if url.scheme() != "mysql" => wrong("write mysql://user:password@host:port/name"),
        Ok(url) if url.path().len() < 2 => wrong("the database's name is missing at its end"),
        Ok(_) => Ok(()),
        Err(_) => wrong("write mysql://user:password@host:port/name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unusable_address_is_refused_without_repeating_it() {
        for bad in ["", "postgres://a:secret@b/c", "mysql://a:secret@b:3306", "secret"] {
            let error = Ledger::open(LedgerOptions::new(bad)).expect_err(bad);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
