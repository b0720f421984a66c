//! What the pipeline's page shows.

use askama::Template;

use super::{pictures, words};
use crate::back_office::ops::pipeline::Pipeline;
use crate::sale::pipeline::{Alarm, Path, Station};
use crate::sale::pulse::Heard;
use crate::web::chart::{Picture, real};
use crate::web::figures::{number, outcome, rate};
use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// The page: `GET /ops/pipeline`.
#[derive(Debug, Template)]
#[template(path = "ops/pipeline.html")]
pub struct PipelinePage {
    /// What every page has.
    pub f: Frame,
    /// The path.
    pub d: Shown,
}

/// The part of it that changes every second.
#[derive(Debug, Template)]
#[template(path = "ops/pipeline_figures.html")]
pub struct FiguresPart<'a> {
    /// What every page has.
    pub f: &'a Frame,
    /// The path.
    pub d: &'a Shown,
}

/// The part with the pictures.
#[derive(Debug, Template)]
#[template(path = "pictures.html")]
pub struct PicturesPart<'a> {
    /// What every page has.
    pub f: &'a Frame,
    /// The path.
    pub d: &'a Shown,
}

/// The path in the words of a page.
#[derive(Debug, Clone)]
pub struct Shown {
    /// When the figures were taken, ms since the epoch.
    pub at_ms: i64,
    /// Whether there are no newer ones to be had.
    pub stale: bool,
    /// What is wrong, the most urgent first.
    pub alarms: Vec<Told>,
    /// The stations in their order.
    pub stations: Vec<Shed>,
    /// The processes that were heard of.
    pub processes: Vec<Process>,
    /// The last minutes; empty where they were not wanted.
    pub pictures: Vec<Picture>,
}

/// An alarm in words.
#[derive(Debug, Clone)]
pub struct Told {
    /// A word by which it is found.
    pub word: &'static str,
    /// Whether somebody is held up now.
    pub urgent: bool,
    /// Where.
    pub station: Message,
    /// What it means.
    pub meaning: Message,
    /// What to do.
    pub remedy: Message,
    /// The page on which to do it, and its name.
    pub page: Option<(&'static str, Message)>,
}

/// A station and its figures.
#[derive(Debug, Clone)]
pub struct Shed {
    /// Its name.
    pub name: Message,
    /// The page that tells more of it.
    pub page: Option<&'static str>,
    /// A word that the style sheet knows: `good`, `warn`, `bad`.
    pub state: &'static str,
    /// Its figures.
    pub figures: Vec<Figure>,
    /// Instead of figures, or beside them.
    pub note: Option<Message>,
}

/// A figure.
#[derive(Debug, Clone)]
pub struct Figure {
    /// What it is.
    pub name: Message,
    /// As it is written.
    pub value: String,
    /// Whether it is past its bound.
    pub bad: bool,
}

/// A process.
#[derive(Debug, Clone)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// What it is.
    pub role: Message,
    /// Connections in use, and how many there are.
    pub pool: String,
    /// Calls that wait for one.
    pub waiting: String,
    /// Orders recorded since it began.
    pub recorded: String,
    /// How long ago it was heard, s.
    pub ago_s: i64,
    /// Whether it should have been heard since.
    pub silent: bool,
}

impl Shown {
    /// The path as it is to be shown; with the pictures if they are wanted.
    #[must_use]
    pub fn of(seen: &Pipeline, f: &Frame, with_pictures: bool) -> Self {
        let Pipeline { path, alarms, .. } = seen;
        let told = |alarm: &Alarm| Told {
            word: words::word(alarm),
            urgent: !alarm.can_wait(),
            station: words::station(alarm.station()),
            meaning: words::meaning(alarm),
            remedy: words::remedy(alarm),
            page: words::page(alarm),
        };
        Self {
            at_ms: path.at_ms,
            stale: seen.stale,
            alarms: alarms.iter().map(told).collect(),
            stations: Stations { path, seen }.all(),
            processes: path.processes.iter().flatten().map(process).collect(),
            pictures: if with_pictures { pictures::of(&seen.history, f) } else { Vec::new() },
        }
    }

    /// How many alarms cannot wait.
    #[must_use]
    pub fn urgent(&self) -> i64 {
        let urgent = self.alarms.iter().filter(|alarm| alarm.urgent).count();
        i64::try_from(urgent).unwrap_or(i64::MAX)
    }
}

/// The stations of a path.
struct Stations<'a> {
    path: &'a Path,
    seen: &'a Pipeline,
}

impl Stations<'_> {
    fn all(&self) -> Vec<Shed> {
        vec![
            self.admissions(),
            self.gate(),
            self.outbox(),
            self.queue(),
            self.recorder(),
            self.ledger(),
            self.dead_letters(),
            self.reconciliation(),
        ]
    }

    fn shed(&self, station: Station, figures: Vec<Figure>, note: Option<Message>) -> Shed {
        let mut state = "good";
        for alarm in self.seen.alarms.iter().filter(|alarm| alarm.station() == station) {
            state = if alarm.can_wait() && state != "bad" { "warn" } else { "bad" };
        }
        Shed { name: words::station(station), page: words::page_of(station), state, figures, note }
    }

    /// Whether an alarm of this kind is about.
    fn any(&self, kind: fn(&Alarm) -> bool) -> bool {
        self.seen.alarms.iter().any(kind)
    }

    fn admissions(&self) -> Shed {
        let Some((answers, length_ms)) = &self.path.admissions else {
            let note = Some(key("pipeline-admissions-unknown"));
            return self.shed(Station::Admissions, Vec::new(), note);
        };
        let per_s = |name, count| figure(name, rate(count, *length_ms));
        let mut figures = vec![
            per_s(key("pipeline-answers"), answers.total()),
            per_s(outcome("admitted"), answers.of("admitted")),
            per_s(outcome("sold_out"), answers.of("sold_out")),
        ];
        let others = answers
            .iter()
            .filter(|(word, count)| *count > 0 && !matches!(*word, "admitted" | "sold_out"));
        figures.extend(others.map(|(word, count)| per_s(outcome(word), count)));
        self.shed(Station::Admissions, figures, Some(key("pipeline-per-second")))
    }

    fn gate(&self) -> Shed {
        let Some(gate) = &self.path.gate else {
            return self.shed(Station::Gate, Vec::new(), Some(key("pipeline-no-answer")));
        };
        let memory = match gate.memory_bound {
            0 => megabytes(gate.memory),
            bound => format!("{} / {}", megabytes(gate.memory), megabytes(bound)),
        };
        let latency = format!("{:.1} ms", real(gate.latency_us) / 1000.0);
        let figures = vec![
            figure(key("pipeline-ops"), number(gate.ops_per_s)),
            figure(key("pipeline-latency"), latency)
                .bad(self.any(|alarm| matches!(alarm, Alarm::GateSlow(_)))),
            figure(key("pipeline-memory"), memory)
                .bad(self.any(|alarm| matches!(alarm, Alarm::MemoryFull(_)))),
            figure(key("pipeline-policy"), gate.policy.clone())
                .bad(self.any(|alarm| matches!(alarm, Alarm::Evicts(_)))),
            figure(key("pipeline-evicted"), number(gate.evicted)).bad(gate.evicted > 0),
            figure(key("pipeline-slow"), number(gate.slow))
                .bad(self.any(|alarm| matches!(alarm, Alarm::SlowCommands))),
        ];
        self.shed(Station::Gate, figures, None)
    }

    fn outbox(&self) -> Shed {
        let Some(outbox) = &self.path.outbox else {
            return self.shed(Station::Outbox, Vec::new(), Some(key("pipeline-not-known")));
        };
        let oldest = outbox.oldest_ms.map_or_else(none, length);
        let figures = vec![
            figure(key("pipeline-entries"), number(outbox.entries))
                .bad(self.any(|alarm| matches!(alarm, Alarm::OutboxFull(_)))),
            figure(key("pipeline-oldest"), oldest)
                .bad(self.any(|alarm| matches!(alarm, Alarm::OutboxOld(_)))),
        ];
        self.shed(Station::Outbox, figures, None)
    }

    fn queue(&self) -> Shed {
        let Some(queue) = self.path.queue() else {
            return self.shed(Station::Queue, Vec::new(), Some(key("pipeline-queue-unknown")));
        };
        let figures = vec![
            figure(key("pipeline-depth"), number(queue.orders.into()))
                .bad(self.any(|alarm| matches!(alarm, Alarm::QueueLong(_)))),
            figure(key("pipeline-consumers"), number(queue.consumers.into()))
                .bad(self.any(|alarm| matches!(alarm, Alarm::NoConsumer))),
            figure(key("pipeline-dead-queue"), number(queue.dead.into())),
        ];
        self.shed(Station::Queue, figures, None)
    }

    /// How many reservations are between outbox and ledger, and for how long the oldest is.
    fn underway(&self) -> String {
        let Some(outbox) = &self.path.outbox else { return none() };
        let oldest = outbox.underway_oldest_ms.map(|ms| format!(" ({})", length(ms)));
        number(outbox.underway) + &oldest.unwrap_or_default()
    }

    fn recorder(&self) -> Shed {
        let workers = self.path.workers().count();
        let lags = self.path.lags();
        let quantile = |percent| lags.quantile(percent).map_or_else(none, length);
        let per_s = self.path.recorded.map_or_else(none, |(count, ms)| rate(count, ms));
        let figures = vec![
            figure(key("pipeline-workers"), number(i64::try_from(workers).unwrap_or(i64::MAX)))
                .bad(self.any(|alarm| matches!(alarm, Alarm::NoWorker))),
            figure(key("pipeline-recorded"), per_s),
            figure(key("pipeline-underway"), self.underway())
                .bad(self.any(|alarm| matches!(alarm, Alarm::UnderwayOld(_)))),
            figure(key("pipeline-lag-half"), quantile(50)),
            figure(key("pipeline-lag-most"), quantile(99))
                .bad(self.any(|alarm| matches!(alarm, Alarm::LagLong(_)))),
        ];
        let note = (lags.count() == 0).then(|| key("pipeline-no-orders"));
        self.shed(Station::Recorder, figures, note)
    }

    fn ledger(&self) -> Shed {
        let pool = self.path.pool();
        let short = self.any(|alarm| matches!(alarm, Alarm::PoolShort(_)));
        let in_use = format!("{} / {}", pool.in_use, pool.size);
        let figures = vec![
            figure(key("pipeline-pool-in-use"), in_use).bad(short),
            figure(key("pipeline-pool-waiting"), number(pool.waiting.into())).bad(short),
        ];
        let note = self.path.ledger.is_none().then(|| key("pipeline-no-answer"));
        self.shed(Station::Ledger, figures, note)
    }

    fn dead_letters(&self) -> Shed {
        let Some(ledger) = &self.path.ledger else {
            return self.shed(Station::DeadLetters, Vec::new(), Some(key("pipeline-not-known")));
        };
        let waiting = figure(key("pipeline-undecided"), number(ledger.dead_letters))
            .bad(ledger.dead_letters > 0);
        self.shed(Station::DeadLetters, vec![waiting], None)
    }

    fn reconciliation(&self) -> Shed {
        let station = Station::Reconciliation;
        let Some(ledger) = &self.path.ledger else {
            return self.shed(station, Vec::new(), Some(key("pipeline-not-known")));
        };
        let Some(last) = &ledger.reconciled else {
            return self.shed(station, Vec::new(), Some(key("pipeline-never-reconciled")));
        };
        let figures = vec![
            figure(key("pipeline-reconciled-ago"), length(last.ago_ms))
                .bad(self.any(|alarm| matches!(alarm, Alarm::Unreconciled(_)))),
            figure(key("pipeline-differences"), number(last.differences)),
            figure(key("pipeline-repaired"), number(last.repaired)),
            figure(key("pipeline-for-a-person"), number(last.alarms)).bad(last.alarms > 0),
        ];
        self.shed(station, figures, None)
    }
}

impl Figure {
    fn bad(self, bad: bool) -> Self {
        Self { bad, ..self }
    }
}

fn figure(name: Message, value: String) -> Figure {
    Figure { name, value, bad: false }
}

fn none() -> String {
    "–".to_owned()
}

fn process(heard: &Heard) -> Process {
    let pool = heard.pulse.pool;
    Process {
        name: heard.process.clone(),
        role: match heard.pulse.role.as_str() {
            "web" => key("pipeline-role-web"),
            "worker" => key("pipeline-role-worker"),
            "all" => key("pipeline-role-all"),
            _ => key("pipeline-role-other"),
        },
        pool: format!("{} / {}", pool.in_use, pool.size),
        waiting: number(pool.waiting.into()),
        recorded: heard.pulse.work.as_ref().map_or_else(none, |work| number(work.recorded)),
        ago_s: heard.ago_ms / 1000,
        silent: heard.is_silent(),
    }
}

fn megabytes(bytes: i64) -> String {
    format!("{:.1} MiB", real(bytes) / 1_048_576.0)
}

/// A length of time, ms, to two or three digits.
fn length(ms: i64) -> String {
    match ms {
        ..1000 => format!("{} ms", ms.max(0)),
        1000..60_000 => format!("{:.1} s", real(ms) / 1000.0),
        60_000..3_600_000 => format!("{} min", ms / 60_000),
        _ => format!("{} h", ms / 3_600_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short() {
        let lengths = [(-3, "0 ms"), (999, "999 ms"), (1250, "1.2 s"), (61_000, "1 min")];
        for (ms, text) in lengths {
            assert_eq!(length(ms), text);
        }
        assert_eq!(length(7_200_000), "2 h");
        assert_eq!(megabytes(1_572_864), "1.5 MiB");
    }
}
