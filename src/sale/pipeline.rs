//! The path from the gate to the ledger in figures, and which of them are past their bounds.

use super::demand::Outcomes;
use super::lag::Lags;
use super::pulse::{Heard, PoolFigures, QueueFigures};

/// What is seen of the path at one moment. `None` is: not to be had now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path {
    /// When, ms since the epoch.
    pub at_ms: i64,
    /// Answers in the last seconds, and how many milliseconds those were.
    pub admissions: Option<(Outcomes, i64)>,
    /// Orders recorded in the last seconds, and how many milliseconds those were.
    pub recorded: Option<(i64, i64)>,
    /// What waits in the outboxes.
    pub outbox: Option<OutboxFigures>,
    /// Processes that were heard of, those that work and those that fell silent.
    pub processes: Option<Vec<Heard>>,
    /// Redis.
    pub gate: Option<GateFigures>,
    /// The ledger.
    pub ledger: Option<LedgerFigures>,
}

/// The outboxes of all sales.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutboxFigures {
    /// Entries.
    pub entries: i64,
    /// Entries of the fullest one, which has a bound.
    pub fullest: i64,
    /// Age of the oldest entry, ms.
    pub oldest_ms: Option<i64>,
    /// What has left them and is not recorded yet.
    pub underway: i64,
    /// Age of the oldest of those, ms.
    pub underway_oldest_ms: Option<i64>,
}

/// Redis, by its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateFigures {
    /// Commands of a second.
    pub ops_per_s: i64,
    /// From here to Redis and back, microseconds.
    pub latency_us: i64,
    /// Bytes in use.
    pub memory: i64,
    /// Bytes that it may use; 0: all there are.
    pub memory_bound: i64,
    /// `noeviction` is the only right one.
    pub policy: String,
    /// Keys thrown away for want of memory since it began.
    pub evicted: i64,
    /// Whether it writes what it does to a file.
    pub append_only: bool,
    /// Whether the last writing of that file went well.
    pub writes_ok: bool,
    /// Entries of its list of slow commands.
    pub slow: i64,
    /// How long ago the last of them was, s.
    pub slow_ago_s: Option<i64>,
}

/// The ledger, as far as the path goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LedgerFigures {
    /// Dead letters about which nobody has decided.
    pub dead_letters: i64,
    /// The last reconciliation, if there was one.
    pub reconciled: Option<Reconciled>,
}

/// A reconciliation that is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// How long ago, ms.
    pub ago_ms: i64,
    /// What it found.
    pub differences: i64,
    /// What it put right.
    pub repaired: i64,
    /// What only a person can put right.
    pub alarms: i64,
    /// Sales that it could not compare.
    pub skipped: i64,
}

/// From where on something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Entries at which an outbox lets nobody in any more.
    pub outbox: i64,
    /// Age of an entry of an outbox, ms.
    pub outbox_age_ms: i64,
    /// Age of a reservation that has left its outbox and is not recorded, ms.
    pub underway_age_ms: i64,
    /// Messages in the queue at which the relay pauses.
    pub queue: i64,
    /// From admission to the ledger for 99 of 100 orders, ms.
    pub lag_ms: i64,
    /// To Redis and back, microseconds.
    pub latency_us: i64,
    /// Time without a reconciliation, ms.
    pub unreconciled_ms: i64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            outbox: 50_000,
            outbox_age_ms: 10_000,
            underway_age_ms: 30_000,
            queue: 100_000,
            lag_ms: 5000,
            latency_us: 50_000,
            unreconciled_ms: 180_000,
        }
    }
}

/// A place on the path, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Station {
    /// Where shoppers ask.
    Admissions,
    /// Redis.
    Gate,
    /// What waits for the queue.
    Outbox,
    /// `RabbitMQ`.
    Queue,
    /// The workers that write the queue into the ledger.
    Recorder,
    /// The ledger and its connections.
    Ledger,
    /// Messages that could not be recorded.
    DeadLetters,
    /// What compares gate and ledger.
    Reconciliation,
}

/// Something is past its bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alarm {
    /// Redis does not answer.
    GateAway,
    /// It throws keys away when memory is short: this policy.
    Evicts(String),
    /// It has thrown so many keys away.
    Evicted(i64),
    /// It does not write to a file.
    NotAppendOnly,
    /// Its file cannot be written.
    WritesFail,
    /// So many per cent of its memory are in use.
    MemoryFull(i64),
    /// It takes so long, ms.
    GateSlow(i64),
    /// A command was slow within the last minute.
    SlowCommands,
    /// The oldest entry waits so long, s.
    OutboxOld(i64),
    /// The fullest outbox is at so many per cent of its bound.
    OutboxFull(i64),
    /// The broker does not answer those workers that ask it.
    QueueAway,
    /// So many messages wait.
    QueueLong(i64),
    /// Nobody takes messages from the queue.
    NoConsumer,
    /// No worker is heard of.
    NoWorker,
    /// So many processes fell silent.
    Silent(i64),
    /// Orders take so long, s.
    LagLong(i64),
    /// A reservation left its outbox so long ago, s, and is no order yet.
    UnderwayOld(i64),
    /// The ledger does not answer.
    LedgerAway,
    /// In a process, so many calls wait for a connection while all are in use.
    PoolShort(i64),
    /// So many dead letters wait for a decision.
    DeadLetters(i64),
    /// The last reconciliation left so many things that only a person can put right.
    ReconcileAlarms(i64),
    /// The last reconciliation was so many minutes ago.
    Unreconciled(i64),
    /// There was no reconciliation yet.
    NeverReconciled,
    /// The last one could not compare so many sales.
    Uncompared(i64),
}

impl Alarm {
    /// Where on the path.
    #[must_use]
    pub const fn station(&self) -> Station {
        match self {
            Self::GateAway
            | Self::Evicts(_)
            | Self::Evicted(_)
            | Self::NotAppendOnly
            | Self::WritesFail
            | Self::MemoryFull(_)
            | Self::GateSlow(_)
            | Self::SlowCommands => Station::Gate,
            Self::OutboxOld(_) | Self::OutboxFull(_) => Station::Outbox,
            Self::QueueAway | Self::QueueLong(_) | Self::NoConsumer => Station::Queue,
            Self::NoWorker | Self::Silent(_) | Self::LagLong(_) | Self::UnderwayOld(_) => {
                Station::Recorder
            }
            Self::LedgerAway | Self::PoolShort(_) => Station::Ledger,
            Self::DeadLetters(_) => Station::DeadLetters,
            Self::ReconcileAlarms(_)
            | Self::Unreconciled(_)
            | Self::NeverReconciled
            | Self::Uncompared(_) => Station::Reconciliation,
        }
    }

    /// Whether it can wait until the morning: nobody is held up by it now.
    #[must_use]
    pub const fn can_wait(&self) -> bool {
        matches!(
            self,
            Self::SlowCommands
                | Self::Silent(_)
                | Self::NotAppendOnly
                | Self::Unreconciled(_)
                | Self::NeverReconciled
                | Self::Uncompared(_)
        )
    }
}

/// A minute, in which a slow command is news.
const SLOW_IS_NEWS_S: i64 = 60;
/// From so many per cent on, what has a bound is told before it is there.
const NEARLY: i64 = 80;

impl Path {
    /// Workers that are heard.
    pub fn workers(&self) -> impl Iterator<Item = &Heard> {
        self.heard().filter(|heard| heard.pulse.work.is_some())
    }

    /// Processes that are heard.
    pub fn heard(&self) -> impl Iterator<Item = &Heard> {
        self.processes.iter().flatten().filter(|heard| !heard.is_silent())
    }

    /// The queues, as the workers see them.
    #[must_use]
    pub fn queue(&self) -> Option<QueueFigures> {
        let seen = self.workers().filter_map(|heard| heard.pulse.work.as_ref()?.queue);
        // All look at the same queue, a moment apart.
        seen.max_by_key(|queue| (queue.consumers, queue.orders))
    }

    /// From admission to the ledger, all workers together.
    #[must_use]
    pub fn lags(&self) -> Lags {
        let mut all = Lags::default();
        for work in self.workers().filter_map(|heard| heard.pulse.work.as_ref()) {
            all.add_all(&work.lags);
        }
        all
    }

    /// The connections of all processes to the ledger.
    #[must_use]
    pub fn pool(&self) -> PoolFigures {
        let add = |all: PoolFigures, heard: &Heard| PoolFigures {
            size: all.size.saturating_add(heard.pulse.pool.size),
            in_use: all.in_use.saturating_add(heard.pulse.pool.in_use),
            waiting: all.waiting.saturating_add(heard.pulse.pool.waiting),
        };
        self.heard().fold(PoolFigures::default(), add)
    }

    /// What is past its bound, what holds shoppers up first.
    #[must_use]
    pub fn alarms(&self, bounds: &Bounds) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        match &self.gate {
            None => alarms.push(Alarm::GateAway),
            Some(gate) => gate.alarms(bounds, &mut alarms),
        }
        if let Some(outbox) = &self.outbox {
            outbox.alarms(bounds, &mut alarms);
        }
        self.worker_alarms(bounds, &mut alarms);
        match &self.ledger {
            None => alarms.push(Alarm::LedgerAway),
            Some(ledger) => ledger.alarms(bounds, &mut alarms),
        }
        let short = |heard: &&Heard| {
            let pool = heard.pulse.pool;
            // One or two wait at any moment when there is a lot to do.
            pool.in_use >= pool.size && pool.waiting >= pool.size.max(1)
        };
        let waiting = self.heard().filter(short).map(|heard| heard.pulse.pool.waiting).max();
        alarms.extend(waiting.map(|waiting| Alarm::PoolShort(waiting.into())));
        // Sorting is stable: within each half the order of the path stays.
        alarms.sort_by_key(Alarm::can_wait);
        alarms
    }

    fn worker_alarms(&self, bounds: &Bounds, alarms: &mut Vec<Alarm>) {
        // What workers tell comes through the gate.
        let Some(processes) = &self.processes else { return };
        if self.workers().next().is_none() {
            alarms.push(Alarm::NoWorker);
        } else if let Some(queue) = self.queue() {
            if queue.consumers == 0 {
                alarms.push(Alarm::NoConsumer);
            }
            if i64::from(queue.orders) >= share(bounds.queue, NEARLY) {
                alarms.push(Alarm::QueueLong(queue.orders.into()));
            }
        } else {
            alarms.push(Alarm::QueueAway);
        }
        if let Some(lag_ms) = self.lags().quantile(99).filter(|lag_ms| *lag_ms > bounds.lag_ms) {
            alarms.push(Alarm::LagLong(lag_ms / 1000));
        }
        let silent = processes.iter().filter(|heard| heard.is_silent()).count();
        if silent > 0 {
            alarms.push(Alarm::Silent(i64::try_from(silent).unwrap_or(i64::MAX)));
        }
    }
}

impl GateFigures {
    fn alarms(&self, bounds: &Bounds, alarms: &mut Vec<Alarm>) {
        if self.policy != "noeviction" {
            alarms.push(Alarm::Evicts(self.policy.clone()));
        }
        if self.evicted > 0 {
            alarms.push(Alarm::Evicted(self.evicted));
        }
        if !self.append_only {
            alarms.push(Alarm::NotAppendOnly);
        } else if !self.writes_ok {
            alarms.push(Alarm::WritesFail);
        }
        if let Some(used) = percent(self.memory, self.memory_bound).filter(|used| *used >= NEARLY) {
            alarms.push(Alarm::MemoryFull(used));
        }
        if self.latency_us > bounds.latency_us {
            alarms.push(Alarm::GateSlow(self.latency_us / 1000));
        }
        if self.slow_ago_s.is_some_and(|ago_s| ago_s < SLOW_IS_NEWS_S) {
            alarms.push(Alarm::SlowCommands);
        }
    }
}

impl OutboxFigures {
    fn alarms(&self, bounds: &Bounds, alarms: &mut Vec<Alarm>) {
        if let Some(age_ms) = self.oldest_ms.filter(|age_ms| *age_ms > bounds.outbox_age_ms) {
            alarms.push(Alarm::OutboxOld(age_ms / 1000));
        }
        if let Some(full) = percent(self.fullest, bounds.outbox).filter(|full| *full >= NEARLY) {
            alarms.push(Alarm::OutboxFull(full));
        }
        let late = self.underway_oldest_ms.filter(|age_ms| *age_ms > bounds.underway_age_ms);
        alarms.extend(late.map(|age_ms| Alarm::UnderwayOld(age_ms / 1000)));
    }
}

impl LedgerFigures {
    fn alarms(&self, bounds: &Bounds, alarms: &mut Vec<Alarm>) {
        if self.dead_letters > 0 {
            alarms.push(Alarm::DeadLetters(self.dead_letters));
        }
        let Some(last) = self.reconciled else {
            alarms.push(Alarm::NeverReconciled);
            return;
        };
        if last.alarms > 0 {
            alarms.push(Alarm::ReconcileAlarms(last.alarms));
        }
        if last.skipped > 0 {
            alarms.push(Alarm::Uncompared(last.skipped));
        }
        if last.ago_ms > bounds.unreconciled_ms {
            alarms.push(Alarm::Unreconciled(last.ago_ms / 60_000));
        }
    }
}

/// So many of a whole in per cent; `None` where there is no whole.
fn percent(part: i64, whole: i64) -> Option<i64> {
    (whole > 0).then(|| part.saturating_mul(100) / whole)
}

const fn share(whole: i64, percent: i64) -> i64 {
    whole / 100 * percent
}

#[cfg(test)]
#[path = "pipeline_test.rs"]
mod tests;
