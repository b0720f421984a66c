//! What is looked at by many at once, and taken once a second on this node, however many watch.

use std::{
    collections::HashMap,
    future::Future,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::runtime::Handle;
use tokio::sync::{OnceCell, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::BackOfficeError;

/// How often it is taken.
const EVERY: Duration = Duration::from_secs(1);

/// Takes what is looked at, again and again, and remembers what it needs from one time to the next.
pub trait Taking: Send + 'static {
    /// What is looked at.
    type Seen: Send + Sync + 'static;

    /// A taking is followed by a pause of so many times its length, if that is longer than the usual one.
    const REST: u32;

    /// Takes it.
    fn take(&mut self) -> impl Future<Output = Result<Self::Seen, BackOfficeError>> + Send;

    /// The same, marked as old: nothing newer is to be had.
    fn grown_old(seen: &Self::Seen) -> Self::Seen;
}

/// What a watcher looks through.
pub type Watching<S> = watch::Receiver<Arc<S>>;

/// Everything of one kind that is being watched on this node, by its name. Cheap to clone.
#[derive(Debug)]
pub struct Watches<K, S>(Arc<Inner<K, S>>);

#[derive(Debug)]
struct Inner<K, S> {
    runtime: Handle,
    stop: CancellationToken,
    watched: Mutex<HashMap<K, Arc<Watched<S>>>>,
}

/// Something that somebody watches. The cell is filled by whoever comes first; the others wait for it.
#[derive(Debug)]
struct Watched<S>(OnceCell<watch::Sender<Arc<S>>>);

impl<K, S> Clone for Watches<K, S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, S> Watches<K, S>
where
    K: Clone + Eq + Hash + std::fmt::Debug + Send + 'static,
    S: Send + Sync + 'static,
{
    /// Nobody watches yet. What is watched is taken on the present runtime, until `stop`.
    #[must_use]
    pub fn new(stop: CancellationToken) -> Self {
        Self(Arc::new(Inner { runtime: Handle::current(), stop, watched: Mutex::default() }))
    }

    /// Watches it; what is there now is there at once. Whoever comes first begins the taking.
    ///
    /// # Errors
    /// When it cannot be taken, or the node stops.
    pub async fn watch<T: Taking<Seen = S>>(
        &self,
        key: K,
        taking: impl Fn() -> T,
    ) -> Result<Watching<S>, BackOfficeError> {
        loop {
            if self.0.stop.is_cancelled() {
                return Err(BackOfficeError::Stopping);
            }
            let watched = {
                let mut all = self.watched();
                let entry = all.entry(key.clone());
                Arc::clone(entry.or_insert_with(|| Arc::new(Watched(OnceCell::new()))))
            };
            let begin = || self.begin(key.clone(), taking());
            if let Err(error) = watched.0.get_or_try_init(begin).await {
                self.forget(&key, &watched);
                return Err(error);
            }
            if let Some(watching) = self.join(&key, &watched) {
                return Ok(watching);
            }
        }
    }

    /// Joins those who watch, unless the last of them has just left.
    fn join(&self, key: &K, watched: &Arc<Watched<S>>) -> Option<Watching<S>> {
        let all = self.watched();
        all.get(key).filter(|present| Arc::ptr_eq(present, watched))?;
        watched.0.get().map(watch::Sender::subscribe)
    }

    /// Takes an entry out that nobody has filled.
    fn forget(&self, key: &K, watched: &Arc<Watched<S>>) {
        let mut all = self.watched();
        let empty =
            |present: &&Arc<Watched<S>>| Arc::ptr_eq(present, watched) && present.0.get().is_none();
        if all.get(key).as_ref().is_some_and(empty) {
            all.remove(key);
        }
    }

    async fn begin<T: Taking<Seen = S>>(
        &self,
        key: K,
        mut taking: T,
    ) -> Result<watch::Sender<Arc<S>>, BackOfficeError> {
        let seen = taking.take().await?;
        let sender = watch::Sender::new(Arc::new(seen));
        let (watches, told) = (self.clone(), sender.clone());
        self.0.runtime.spawn(async move { watches.go_on(key, taking, told).await });
        Ok(sender)
    }

    async fn go_on<T: Taking<Seen = S>>(&self, key: K, mut taking: T, told: watch::Sender<Arc<S>>) {
        let stop = &self.0.stop;
        let mut pause = EVERY;
        loop {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
            }
            if self.is_over(&key, &told) {
                return;
            }
            let begun = Instant::now();
            match taking.take().await {
                Ok(seen) => drop(told.send_replace(Arc::new(seen))),
                Err(error) => {
                    tracing::warn!(?key, %error, "no fresh figures");
                    told.send_modify(|seen| *seen = Arc::new(T::grown_old(seen)));
                }
            }
            pause = EVERY.max(begun.elapsed() * T::REST);
        }
    }

    /// Whether nobody watches any more, or the node stops; the entry is gone then.
    fn is_over(&self, key: &K, told: &watch::Sender<Arc<S>>) -> bool {
        let mut all = self.watched();
        let over = self.0.stop.is_cancelled() || told.receiver_count() == 0;
        if over {
            all.remove(key);
        }
        over
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<K, Arc<Watched<S>>>> {
        self.0.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
