//! The figures of a sale while somebody watches: taken once a second on this node, however many watch.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::runtime::Handle;
use tokio::sync::{OnceCell, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{BackOffice, BackOfficeError, Figures};
use crate::sale::demand::{Demand, Outcomes};
use crate::sale::ids::ActivityId;
use crate::sale::sample::Sample;

/// How often figures are taken.
const EVERY: Duration = Duration::from_secs(1);
/// Figures that took long (an index of millions of orders is counted) are followed by a pause of so many
/// times their length: about a sixth of the time is spent on them, at most.
const REST: u32 = 5;
/// Over how many takings the requests of a second are averaged: nodes tell their counts once a second, so
/// that two takings alone see none or twice as many.
const TAKINGS: usize = 6;
/// A sample of the history that is older than this tells nothing of the present.
const PRESENT_MS: i64 = 120_000;

/// A sale at one moment, and how it came there.
#[derive(Debug, Clone)]
pub struct Live {
    /// The figures.
    pub figures: Figures,
    /// Requests by outcome in the last seconds, and how many milliseconds those were. `None`: not known yet.
    pub recent: Option<(Outcomes, i64)>,
    /// The history, the oldest first.
    pub history: Vec<Arc<Sample>>,
    /// Whether the figures are old because there are no newer ones to be had.
    pub stale: bool,
}

/// What a watcher looks through.
pub type Watching = watch::Receiver<Arc<Live>>;

/// The sales that are being watched on this node. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Dashboards(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    office: BackOffice,
    runtime: Handle,
    stop: CancellationToken,
    watched: Mutex<HashMap<ActivityId, Arc<Watched>>>,
}

/// A sale that somebody watches. The cell is filled by whoever comes first; the others wait for it.
#[derive(Debug, Default)]
struct Watched(OnceCell<watch::Sender<Arc<Live>>>);

impl Dashboards {
    /// Nobody watches yet. The figures are taken on the present runtime, until `stop`.
    #[must_use]
    pub fn new(office: BackOffice, stop: CancellationToken) -> Self {
        let (runtime, watched) = (Handle::current(), Mutex::default());
        Self(Arc::new(Inner { office, runtime, stop, watched }))
    }

    /// Watches a sale; the present figures are there at once.
    ///
    /// # Errors
    /// When there is no such sale, or no figures of it can be had.
    pub async fn watch(&self, id: ActivityId) -> Result<Watching, BackOfficeError> {
        loop {
            if self.0.stop.is_cancelled() {
                return Err(BackOfficeError::Busy(id));
            }
            let watched = Arc::clone(self.watched().entry(id).or_default());
            if let Err(error) = watched.0.get_or_try_init(|| self.begin(id)).await {
                self.forget(id, &watched);
                return Err(error);
            }
            if let Some(watching) = self.join(id, &watched) {
                return Ok(watching);
            }
        }
    }

    /// Joins those who watch, unless the last of them has just left.
    fn join(&self, id: ActivityId, watched: &Arc<Watched>) -> Option<Watching> {
        let all = self.watched();
        all.get(&id).filter(|present| Arc::ptr_eq(present, watched))?;
        watched.0.get().map(watch::Sender::subscribe)
    }

    /// Takes an entry out that nobody has filled.
    fn forget(&self, id: ActivityId, watched: &Arc<Watched>) {
        let mut all = self.watched();
        let empty =
            |present: &&Arc<Watched>| Arc::ptr_eq(present, watched) && present.0.get().is_none();
        if all.get(&id).as_ref().is_some_and(empty) {
            all.remove(&id);
        }
    }

    async fn begin(&self, id: ActivityId) -> Result<watch::Sender<Arc<Live>>, BackOfficeError> {
        let mut taking = Taking::new(id);
        let live = taking.take(&self.0.office).await?;
        let sender = watch::Sender::new(Arc::new(live));
        let (dashboards, told) = (self.clone(), sender.clone());
        self.0.runtime.spawn(async move { dashboards.go_on(taking, told).await });
        Ok(sender)
    }

    async fn go_on(&self, mut taking: Taking, told: watch::Sender<Arc<Live>>) {
        let stop = &self.0.stop;
        let mut pause = EVERY;
        loop {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
            }
            if self.is_over(taking.id, &told) {
                return;
            }
            let begun = Instant::now();
            match taking.take(&self.0.office).await {
                Ok(live) => drop(told.send_replace(Arc::new(live))),
                Err(error) => {
                    tracing::warn!(activity = %taking.id, %error, "no fresh figures");
                    told.send_modify(|live| {
                        *live = Arc::new(Live { stale: true, ..Live::clone(live) });
                    });
                }
            }
            pause = EVERY.max(begun.elapsed() * REST);
        }
    }

    /// Whether nobody watches any more, or the node stops; the sale's entry is gone then.
    fn is_over(&self, id: ActivityId, told: &watch::Sender<Arc<Live>>) -> bool {
        let mut all = self.watched();
        let over = self.0.stop.is_cancelled() || told.receiver_count() == 0;
        if over {
            all.remove(&id);
        }
        over
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<ActivityId, Arc<Watched>>> {
        self.0.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is remembered from one taking of figures to the next.
#[derive(Debug)]
struct Taking {
    id: ActivityId,
    history: Vec<Arc<Sample>>,
    /// The most that was ever told: the gate may have lost some of it.
    known: Option<Demand>,
    /// Times, ms since the epoch, and the answers until then.
    answers: VecDeque<(i64, Outcomes)>,
}

impl Taking {
    const fn new(id: ActivityId) -> Self {
        Self { id, history: Vec::new(), known: None, answers: VecDeque::new() }
    }

    async fn take(&mut self, office: &BackOffice) -> Result<Live, BackOfficeError> {
        let mut figures = office.figures(self.id).await?;
        let known_until = self.history.last().map(|sample| sample.at_ms);
        let fresh = office.history(self.id, known_until).await?;
        for demand in fresh.iter().filter_map(Sample::demand).chain(figures.demand.take()) {
            self.known = Some(match self.known.take() {
                Some(known) => known.or_more(&demand),
                None => demand,
            });
        }
        figures.demand.clone_from(&self.known);
        self.history.extend(fresh.into_iter().map(Arc::new));
        let recent = figures
            .demand
            .as_ref()
            .and_then(|demand| self.answered(figures.at_ms, &demand.outcomes));
        Ok(Live { figures, recent, history: self.history.clone(), stale: false })
    }

    /// The answers of the last seconds.
    fn answered(&mut self, at_ms: i64, outcomes: &Outcomes) -> Option<(Outcomes, i64)> {
        if self.answers.is_empty() {
            self.answers.extend(self.last_known(at_ms));
        }
        let recent = self
            .answers
            .front()
            .map(|(since_ms, before)| (outcomes.since(before), at_ms.saturating_sub(*since_ms)));
        self.answers.push_back((at_ms, outcomes.clone()));
        if self.answers.len() > TAKINGS {
            self.answers.pop_front();
        }
        recent.filter(|(_, length_ms)| *length_ms > 0)
    }

    /// What the history knows, for the first taking.
    fn last_known(&self, at_ms: i64) -> Option<(i64, Outcomes)> {
        let present = |sample: &&Arc<Sample>| {
            sample.outcomes.is_some() && (1000..PRESENT_MS).contains(&(at_ms - sample.at_ms))
        };
        let sample = self.history.iter().rev().find(present)?;
        Some((sample.at_ms, sample.outcomes.clone()?))
    }
}
