//! The reconciler: every minute, and whenever it is asked, each sale's two sides are compared and put right.
//!
//! A difference counts only when two looks some seconds apart show the same one: what is on its way looks
//! like a difference too. What was found is kept in the ledger, where operators see it.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use super::diff::differences;
use super::keeper::Keeper;
use super::load::{LoadError, load};
use super::quiet::Quiet;
use crate::back_office::BackOffice;
use crate::catalog::Catalog;
use crate::gate::GateError;
use crate::gate::lock::Lock;
use crate::ledger::{LedgerError, activities, reconciliations, settlements};
use crate::sale::activity::Activity;
use crate::sale::ids::{ActivityId, Epoch};
use crate::sale::reconciliation::{Difference, Finding, Kind, Outcome, Report, Skipped};

/// One reconciler works at a time; its lock lives so long beyond its last sign of life.
const LOCK: &str = "reconcile";
const LOCK_LIFE: Duration = Duration::from_secs(15);
/// How long a single run waits for another's end.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it looks whether it is time.
const LOOK: Duration = Duration::from_secs(1);
/// Sales of one round.
const SALES: i64 = 10_000;
/// How far a look for sales that were settled goes back beyond the last round, ms.
const OVERLAP_MS: i64 = 60_000;

/// How the reconciler works.
#[derive(Debug, Clone)]
pub struct ReconcilerTerms {
    /// Time from one round to the next.
    pub every: Duration,
    /// Time between the two looks.
    pub apart: Duration,
    /// A reservation that has no order after this time, ms, and whose message is nowhere, is sent again; at
    /// most once in this time.
    pub waiting_ms: i64,
    /// Names this process as the owner of the lock.
    pub owner: String,
}

/// The reconciler.
#[derive(Debug, Clone)]
pub struct Reconciler {
    /// Its tools.
    pub office: BackOffice,
    /// Which sales there are, for the moment at which one was filled anew.
    pub catalog: Catalog,
    /// Who fills, configures and levels a sale as a whole.
    pub keeper: Keeper,
    /// When nothing was on its way.
    pub quiet: Quiet,
    /// How.
    pub terms: ReconcilerTerms,
}

/// Why there was no round.
#[derive(Debug, thiserror::Error)]
pub enum RoundError {
    /// The gate could not be asked for the lock.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The ledger could not be asked.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Another process is at it.
    #[error("another reconciliation is under way; try again in a moment")]
    Busy,
    /// The process is to end.
    #[error("stopped before the second look")]
    Stopped,
}

impl Reconciler {
    /// Compares and repairs until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        let mut begun: Option<Instant> = None;
        let mut fillings = HashMap::new();
        while !stop.is_cancelled() {
            let filled = self.fillings();
            let is_wanted = filled != fillings || self.is_asked_for().await;
            if is_wanted || begun.is_none_or(|begun| begun.elapsed() >= self.terms.every) {
                begun = Some(Instant::now());
                fillings = filled;
                match self.turn(is_wanted, &stop).await {
                    Ok(()) | Err(RoundError::Stopped) => {}
                    Err(error) => tracing::warn!(%error, "gate and ledger were not compared"),
                }
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// The filling of each sale: a new one is looked at at once.
    fn fillings(&self) -> HashMap<ActivityId, Epoch> {
        let snapshot = self.catalog.snapshot();
        let live = snapshot.listings().filter(|l| l.activity.status.lives_at_gate());
        live.map(|listing| (listing.activity.id, listing.activity.gate_epoch)).collect()
    }

    async fn is_asked_for(&self) -> bool {
        reconciliations::is_asked_for(&self.office.ledger).await.unwrap_or(false)
    }

    /// A round, unless another process is at it, or just was and nobody wants one more.
    async fn turn(&self, is_wanted: bool, stop: &CancellationToken) -> Result<(), RoundError> {
        let Some(lock) = self.lock(Duration::ZERO).await? else { return Ok(()) };
        let done = match self.just_was().await {
            Ok(true) if !is_wanted => Ok(()),
            Ok(_) => self.round_and_keep(false, stop).await.map(drop),
            Err(error) => Err(error.into()),
        };
        lock.free().await;
        done
    }

    /// Whether another process finished a round a short while ago.
    async fn just_was(&self) -> Result<bool, LedgerError> {
        let last = reconciliations::last(&self.office.ledger).await?;
        let half_ms = i64::try_from(self.terms.every.as_millis() / 2).unwrap_or(i64::MAX);
        Ok(last.is_some_and(|last| last.ago_ms < half_ms))
    }

    /// One round for whoever asks for it by a command.
    ///
    /// # Errors
    /// [`RoundError::Busy`] when another one does not end in time.
    pub async fn once(
        &self,
        dry_run: bool,
        stop: &CancellationToken,
    ) -> Result<Report, RoundError> {
        if dry_run {
            // Looking on disturbs nobody.
            return self.round_and_keep(true, stop).await;
        }
        let lock = self.lock(PATIENCE).await?.ok_or(RoundError::Busy)?;
        let done = self.round_and_keep(false, stop).await;
        lock.free().await;
        done
    }

    async fn lock(&self, wait: Duration) -> Result<Option<Lock>, GateError> {
        self.office.gate.lock(LOCK, &self.terms.owner, LOCK_LIFE, wait).await
    }

    async fn round_and_keep(
        &self,
        dry_run: bool,
        stop: &CancellationToken,
    ) -> Result<Report, RoundError> {
        let begun = Instant::now();
        let report = self.round(dry_run, stop).await?;
        if !dry_run {
            tell(&report);
        }
        let took_ms = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        reconciliations::keep(&self.office.ledger, report.clone(), took_ms).await?;
        let swept = reconciliations::sweep(&self.office.ledger).await?;
        if swept > 0 {
            tracing::debug!(swept, "old reports went");
        }
        Ok(report)
    }

    async fn round(&self, dry_run: bool, stop: &CancellationToken) -> Result<Report, RoundError> {
        let mut report = Report { dry_run, ..Report::default() };
        let sales = self.sales().await?;
        self.quiet.keep_only(&sales);
        let mut first: Vec<(ActivityId, HashSet<Difference>)> = Vec::new();
        for id in sales {
            match self.look(id).await {
                Ok(look) if look.found.is_empty() => report.take(id, look.why_not),
                Ok(look) => first.push((id, look.found.into_iter().collect())),
                Err(error) => report.take(id, Some(error.to_string())),
            }
        }
        if first.is_empty() {
            return Ok(report);
        }
        tokio::select! {
            () = stop.cancelled() => return Err(RoundError::Stopped),
            () = tokio::time::sleep(self.terms.apart) => {}
        }
        for (id, before) in first {
            match self.look(id).await {
                Ok(Look { activity, found, why_not }) => {
                    report.take(id, why_not);
                    let both = found.into_iter().filter(|one| before.contains(one)).collect();
                    report.add(self.settle(activity, both, dry_run).await);
                }
                Err(error) => report.take(id, Some(error.to_string())),
            }
        }
        Ok(report)
    }

    /// The sales that the gate holds or is to hold, and those that were settled since the last round: each is
    /// looked at once more when it is over.
    async fn sales(&self) -> Result<Vec<ActivityId>, LedgerError> {
        let ledger = &self.office.ledger;
        let live = activities::at_gate(ledger, SALES).await?;
        let mut sales: Vec<ActivityId> = live.iter().map(|activity| activity.id).collect();
        let last = reconciliations::last_round(ledger).await?;
        let since_ms = last.and_then(|round| round.done).map_or(0, |(begun_ms, _)| begun_ms);
        sales.extend(settlements::since(ledger, since_ms - OVERLAP_MS, SALES).await?);
        Ok(sales)
    }

    async fn look(&self, id: ActivityId) -> Result<Look, LoadError> {
        let sides = load(&self.office, &self.quiet, id).await?;
        let now_ms = chrono::Utc::now().timestamp_millis();
        let mut found = differences(&sides, now_ms, self.terms.waiting_ms);
        found.sort_by_key(|difference| difference.kind);
        let why_not = sides.gate_away.map(|error| error.to_string());
        Ok(Look { activity: sides.books.map(|(activity, _)| activity), found, why_not })
    }

    async fn settle(
        &self,
        activity: Option<Activity>,
        differences: Vec<Difference>,
        dry_run: bool,
    ) -> Vec<Finding> {
        let found = |difference| Finding { difference, outcome: Outcome::Found };
        match activity {
            Some(activity) if !dry_run => self.repair(&activity, differences).await,
            _ => differences.into_iter().map(found).collect(),
        }
    }
}

/// One look at a sale.
struct Look {
    activity: Option<Activity>,
    found: Vec<Difference>,
    /// Why its sides could not be compared, if so.
    why_not: Option<String>,
}

/// To the logs and the metrics.
fn tell(report: &Report) {
    for Finding { difference, outcome } in &report.findings {
        let Difference { activity, kind, .. } = difference;
        let (shopper, order_no) = (difference.shopper.map(|s| s.0), difference.order_no);
        let order_no = order_no.map(|number| number.to_string());
        let (units, outcome) = (difference.units, outcome.as_str());
        if kind.is_alarm() {
            tracing::error!(%activity, %kind, shopper, order_no, units, "gate and ledger differ, and only a person can tell why");
        } else {
            tracing::warn!(%activity, %kind, shopper, order_no, units, outcome, "gate and ledger differed");
        }
        // Levelled units are counted where they are levelled.
        if *kind != Kind::Units {
            metrics::counter!("seckill_reconcile_differences_total", "kind" => kind.as_str())
                .increment(1);
        }
    }
    for Skipped { activity, why } in &report.skipped {
        tracing::warn!(%activity, why, "the sale could not be compared");
    }
    // One that compared nothing is none.
    if report.skipped.is_empty() || !report.compared.is_empty() {
        metrics::counter!("seckill_reconciliations_total").increment(1);
    }
    #[allow(clippy::cast_precision_loss, reason = "a gauge, and never more than some thousands")]
    metrics::gauge!("seckill_reconcile_alarms").set(report.alarms as f64);
}
