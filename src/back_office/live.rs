//! The figures of a sale while somebody watches: taken once a second on this node, however many watch.

use std::{collections::VecDeque, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::watch::{self, Watches};
use super::{BackOffice, BackOfficeError, Figures};
use crate::sale::demand::{Demand, Outcomes};
use crate::sale::ids::ActivityId;
use crate::sale::sample::Sample;

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
pub type Watching = watch::Watching<Live>;

/// The sales that are being watched on this node. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Dashboards {
    office: BackOffice,
    watches: Watches<ActivityId, Live>,
}

impl Dashboards {
    /// Nobody watches yet. The figures are taken on the present runtime, until `stop`.
    #[must_use]
    pub fn new(office: BackOffice, stop: CancellationToken) -> Self {
        Self { office, watches: Watches::new(stop) }
    }

    /// Watches a sale; the present figures are there at once.
    ///
    /// # Errors
    /// When there is no such sale, or no figures of it can be had.
    pub async fn watch(&self, id: ActivityId) -> Result<Watching, BackOfficeError> {
        self.watches.watch(id, || Taking::new(self.office.clone(), id)).await
    }
}

/// What is remembered from one taking of figures to the next.
#[derive(Debug)]
struct Taking {
    office: BackOffice,
    id: ActivityId,
    history: Vec<Arc<Sample>>,
    /// The most that was ever told: the gate may have lost some of it.
    known: Option<Demand>,
    /// Times, ms since the epoch, and the answers until then.
    answers: VecDeque<(i64, Outcomes)>,
}

impl watch::Taking for Taking {
    type Seen = Live;
    /// An index of millions of orders may have to be counted: about a sixth of the time is spent on it, at
    /// most.
    const REST: u32 = 5;

    async fn take(&mut self) -> Result<Live, BackOfficeError> {
        let mut figures = self.office.figures(self.id).await?;
        let known_until = self.history.last().map(|sample| sample.at_ms);
        let fresh = self.office.history(self.id, known_until).await?;
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

    fn grown_old(live: &Live) -> Live {
        Live { stale: true, ..live.clone() }
    }
}

impl Taking {
    const fn new(office: BackOffice, id: ActivityId) -> Self {
        Self { office, id, history: Vec::new(), known: None, answers: VecDeque::new() }
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
