//! The path from the gate to the ledger while somebody watches it: taken once a second on this node.
//!
//! Whatever cannot be asked is left open, not an error: a server that is away is what the page is for.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::back_office::watch::{self, Watches};
use crate::back_office::{BackOffice, BackOfficeError};
use crate::catalog::Catalog;
use crate::gate::GateError;
use crate::ledger::{LedgerError, dead_letters, reconciliations};
use crate::sale::demand::Outcomes;
use crate::sale::ids::ActivityId;
use crate::sale::pipeline::{Alarm, Bounds, LedgerFigures, Path};
use crate::sale::pulse::{Heard, Moment, Step, together};

/// Over how many takings the answers of a second are averaged: nodes tell their counts once a second.
const TAKINGS: usize = 6;
/// How long gate and ledger are waited for: the page tells within seconds that one is away.
const PATIENCE: Duration = Duration::from_secs(2);
/// Every how many takings the history is read anew.
const HISTORY_EVERY: u32 = 5;

/// The path at one moment, and how it came there.
#[derive(Debug, Clone, Default)]
pub struct Pipeline {
    /// The figures.
    pub path: Path,
    /// What is past its bound, the most urgent first.
    pub alarms: Vec<Alarm>,
    /// The last minutes, the oldest first.
    pub history: Vec<Step>,
    /// Whether all of it is old because there is nothing newer to be had.
    pub stale: bool,
}

/// What a watcher looks through.
pub type Watching = watch::Watching<Pipeline>;

/// Whoever watches the path on this node. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pipelines {
    office: BackOffice,
    catalog: Catalog,
    bounds: Bounds,
    watches: Watches<(), Pipeline>,
}

impl Pipelines {
    /// Nobody watches yet. The figures are taken on the present runtime, until `stop`.
    #[must_use]
    pub fn new(
        office: BackOffice,
        catalog: Catalog,
        bounds: Bounds,
        stop: CancellationToken,
    ) -> Self {
        Self { office, catalog, bounds, watches: Watches::new(stop) }
    }

    /// Watches; the present figures are there at once.
    ///
    /// # Errors
    /// When the node stops.
    pub async fn watch(&self) -> Result<Watching, BackOfficeError> {
        let taking = || Taking {
            office: self.office.clone(),
            catalog: self.catalog.clone(),
            bounds: self.bounds,
            taken: 0,
            counted: VecDeque::new(),
            history: Vec::new(),
        };
        self.watches.watch((), taking).await
    }
}

/// Answers by sale: one that is over must not take its counts along.
type Answers = BTreeMap<ActivityId, Outcomes>;

/// What was counted until a moment.
#[derive(Debug)]
struct Counted {
    /// When, ms since the epoch.
    at_ms: i64,
    answers: Answers,
    /// Orders recorded by each worker since it began.
    recorded: BTreeMap<String, i64>,
}

/// What is remembered from one taking to the next.
#[derive(Debug)]
struct Taking {
    office: BackOffice,
    catalog: Catalog,
    bounds: Bounds,
    taken: u32,
    /// The oldest first.
    counted: VecDeque<Counted>,
    history: Vec<Step>,
}

impl watch::Taking for Taking {
    type Seen = Pipeline;
    const REST: u32 = 1;

    async fn take(&mut self) -> Result<Pipeline, BackOfficeError> {
        let path = self.path().await;
        let alarms = path.alarms(&self.bounds);
        Ok(Pipeline { path, alarms, history: self.history.clone(), stale: false })
    }

    fn grown_old(seen: &Pipeline) -> Pipeline {
        Pipeline { stale: true, ..seen.clone() }
    }
}

impl Taking {
    async fn path(&mut self) -> Path {
        let at_ms = chrono::Utc::now().timestamp_millis();
        let mut path = Path { at_ms, ..Path::default() };
        // Both may be away; nobody waits for one because of the other.
        let (gate, ledger) = tokio::join!(
            timeout(PATIENCE, self.ask_gate(&mut path)),
            timeout(PATIENCE, ledger_figures(&self.office)),
        );
        path.ledger = ledger.ok().and_then(Result::ok);
        match gate {
            Ok(Ok((answers, now_ms))) => {
                self.count(answers, &mut path);
                if self.taken.is_multiple_of(HISTORY_EVERY) {
                    let processes = path.processes.as_deref().unwrap_or_default();
                    if let Ok(pasts) = pasts(&self.office, processes).await {
                        self.history = together(&pasts, now_ms);
                    }
                }
                self.taken = self.taken.wrapping_add(1);
            }
            Ok(Err(_)) | Err(_) => self.counted.clear(),
        }
        path
    }

    /// Fills in what the gate knows; gives the answers of each sale and the gate's time.
    async fn ask_gate(&self, path: &mut Path) -> Result<(Answers, i64), GateError> {
        let gate = &self.office.gate;
        path.gate = Some(gate.vitals().await?);
        let pulses = gate.pulses().await?;
        path.processes = Some(pulses.heard);
        path.outbox = Some(gate.outboxes(self.catalog.outboxes(), pulses.now_ms).await?);
        let mut answers = Answers::new();
        let snapshot = self.catalog.snapshot();
        for listing in snapshot.listings().filter(|l| l.activity.status.lives_at_gate()) {
            let id = listing.activity.id;
            let demand = gate.demand(id).await?;
            answers.insert(id, demand.map(|demand| demand.outcomes).unwrap_or_default());
        }
        Ok((answers, pulses.now_ms))
    }

    /// Fills in what came in the last seconds.
    fn count(&mut self, answers: Answers, path: &mut Path) {
        let at_ms = path.at_ms;
        let workers = path.processes.iter().flatten();
        let recorded: BTreeMap<String, i64> = workers
            .filter_map(|heard| Some((heard.process.clone(), heard.pulse.work.as_ref()?.recorded)))
            .collect();
        let length_ms = self.counted.front().map(|first| at_ms.saturating_sub(first.at_ms));
        if let Some(length_ms) = length_ms.filter(|length_ms| *length_ms > 0) {
            path.admissions = Some((self.answered(&answers), length_ms));
            path.recorded = Some((self.recorded(&recorded), length_ms));
        }
        self.counted.push_back(Counted { at_ms, answers, recorded });
        if self.counted.len() > TAKINGS {
            self.counted.pop_front();
        }
    }

    /// A sale counts from when it was seen first: it may have been asked for long before, unseen.
    fn answered(&self, answers: &Answers) -> Outcomes {
        let mut recent = Outcomes::default();
        for (id, now) in answers {
            let known = self.counted.iter().find_map(|counted| counted.answers.get(id));
            for (word, count) in known.map(|known| now.since(known)).iter().flat_map(Outcomes::iter)
            {
                recent.add(word, count);
            }
        }
        recent
    }

    /// A worker that was not there before has recorded everything since.
    fn recorded(&self, recorded: &BTreeMap<String, i64>) -> i64 {
        let grown = recorded.iter().map(|(process, now)| {
            let first = self.counted.front().and_then(|counted| counted.recorded.get(process));
            now.saturating_sub(first.copied().unwrap_or_default()).max(0)
        });
        grown.sum()
    }
}

async fn ledger_figures(office: &BackOffice) -> Result<LedgerFigures, LedgerError> {
    Ok(LedgerFigures {
        dead_letters: dead_letters::undecided(&office.ledger).await?,
        reconciled: reconciliations::last(&office.ledger).await?,
    })
}

async fn pasts(office: &BackOffice, processes: &[Heard]) -> Result<Vec<Vec<Moment>>, GateError> {
    let mut pasts = Vec::new();
    for worker in processes.iter().filter(|heard| heard.pulse.work.is_some()) {
        pasts.push(office.gate.past_of(&worker.process).await?);
    }
    Ok(pasts)
}
