//! What this process tells of itself once a second, so that operators see all processes on one page.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::catalog::Catalog;
use crate::gate::Gate;
use crate::ledger::Ledger;
use crate::queue::{Publisher, Queue};
use crate::sale::lag::Lags;
use crate::sale::pipeline::OutboxFigures;
use crate::sale::pulse::{Moment, Pulse, QueueFigures, Work};

/// How often it is told.
const EVERY: Duration = Duration::from_secs(1);
/// How far back orders count for the time that they take.
const LAGS_KEPT: Duration = Duration::from_secs(10);
/// What the broker said longer ago than this says nothing of now.
const QUEUE_KNOWN: Duration = Duration::from_secs(4);

/// What the recorders of this process did. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<Measured>);

#[derive(Debug, Default)]
struct Measured {
    recorded: AtomicI64,
    /// By the second.
    lags: Mutex<VecDeque<(Instant, Lags)>>,
}

impl Meter {
    /// So many orders were recorded.
    pub fn recorded(&self, count: usize) {
        metrics::counter!("seckill_orders_recorded_total").increment(count as u64);
        self.0.recorded.fetch_add(i64::try_from(count).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// One took so long from its admission to the ledger, ms.
    pub fn took(&self, lag_ms: i64) {
        #[allow(clippy::cast_precision_loss, reason = "a histogram is of doubles by nature")]
        metrics::histogram!("seckill_record_lag_seconds").record(lag_ms as f64 / 1000.0);
        let mut seconds = self.lags();
        let now = Instant::now();
        if seconds.back().is_none_or(|(since, _)| now.duration_since(*since) >= EVERY) {
            seconds.push_back((now, Lags::default()));
        }
        if let Some((_, lags)) = seconds.back_mut() {
            lags.add(lag_ms);
        }
        forget(&mut seconds, now);
    }

    fn recent(&self) -> Lags {
        let mut seconds = self.lags();
        forget(&mut seconds, Instant::now());
        let mut all = Lags::default();
        for (_, lags) in &*seconds {
            all.add_all(lags);
        }
        all
    }

    fn lags(&self) -> MutexGuard<'_, VecDeque<(Instant, Lags)>> {
        self.0.lags.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn forget(seconds: &mut VecDeque<(Instant, Lags)>, now: Instant) {
    while seconds.front().is_some_and(|(since, _)| now.duration_since(*since) > LAGS_KEPT) {
        seconds.pop_front();
    }
}

/// Tells of this process.
#[derive(Debug)]
pub struct Heart {
    /// Whom it tells.
    pub gate: Gate,
    /// Whose connections it tells of.
    pub ledger: Ledger,
    /// Which outboxes there are.
    pub catalog: Catalog,
    /// This process among all that ever were.
    pub process: String,
    /// `web`, `worker` or `all`.
    pub role: &'static str,
    /// What a worker has beside.
    pub work: Option<(Queue, Meter)>,
}

impl Heart {
    /// Tells until `stop`; then says that nobody is to miss this process.
    pub async fn run(&self, stop: CancellationToken) {
        let queue = Mutex::default();
        tokio::select! {
            () = self.look_at_queue(&queue) => {}
            () = self.keep_telling(&queue, &stop) => {}
        }
        if let Err(error) = self.gate.end_pulse(&self.process).await {
            tracing::debug!(%error, "the gate does not hear that this process leaves");
        }
    }

    async fn keep_telling(&self, queue: &Known, stop: &CancellationToken) {
        let mut deaf = false;
        while !stop.is_cancelled() {
            let told = self.tell(queue).await;
            if let Err(error) = &told
                && !deaf
            {
                tracing::warn!(%error, "the gate does not hear how this process does");
            }
            deaf = told.is_err();
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn tell(&self, queue: &Known) -> Result<(), crate::gate::GateError> {
        let pool = self.ledger.pool();
        metrics::gauge!("seckill_ledger_pool_waiting").set(pool.waiting);
        let mut pulse = Pulse { role: self.role.to_owned(), pool, work: None };
        let Some((_, meter)) = &self.work else {
            return self.gate.tell_pulse(&self.process, &pulse, None).await;
        };
        let now_ms = chrono::Utc::now().timestamp_millis();
        let outbox = self.gate.outboxes(self.catalog.outboxes(), now_ms).await?;
        measure_outbox(&outbox);
        let queue = known(queue);
        let recorded = meter.0.recorded.load(Ordering::Relaxed);
        pulse.work = Some(Work { queue, recorded, lags: meter.recent() });
        let moment = Moment {
            at_ms: now_ms,
            recorded,
            queued: queue.map(|queue| queue.orders.into()),
            outbox: Some(outbox.entries),
        };
        self.gate.tell_pulse(&self.process, &pulse, Some(&moment)).await
    }

    /// The broker may take its time, which is not to make this process silent.
    async fn look_at_queue(&self, known: &Known) {
        let Some((queue, _)) = &self.work else { return std::future::pending().await };
        let mut publisher = queue.publisher();
        loop {
            if let Some(figures) = look(&mut publisher).await {
                let now = Some((Instant::now(), figures));
                *known.lock().unwrap_or_else(PoisonError::into_inner) = now;
            }
            tokio::time::sleep(EVERY).await;
        }
    }
}

/// What the broker said last, and when.
type Known = Mutex<Option<(Instant, QueueFigures)>>;

fn known(queue: &Known) -> Option<QueueFigures> {
    let (since, figures) = (*queue.lock().unwrap_or_else(PoisonError::into_inner))?;
    (since.elapsed() < QUEUE_KNOWN).then_some(figures)
}

async fn look(publisher: &mut Publisher) -> Option<QueueFigures> {
    let figures = publisher.look().await.ok()?;
    for (name, messages) in [("orders", figures.orders), ("dead", figures.dead)] {
        metrics::gauge!("seckill_queue_messages", "queue" => name).set(messages);
    }
    metrics::gauge!("seckill_queue_consumers").set(figures.consumers);
    Some(figures)
}

#[allow(clippy::cast_precision_loss, reason = "a gauge is a double by nature")]
fn measure_outbox(outbox: &OutboxFigures) {
    metrics::gauge!("seckill_outbox_entries").set(outbox.entries as f64);
    let oldest_s = outbox.oldest_ms.unwrap_or_default() as f64 / 1000.0;
    metrics::gauge!("seckill_outbox_oldest_seconds").set(oldest_s);
}
