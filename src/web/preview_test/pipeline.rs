//! The operators' pipeline: sound, with all that can be wrong, and with everything away.

use askama::Template;

use super::samples::{frame, now};
use crate::back_office::ops::pipeline::Pipeline;
use crate::sale::pipeline::{
    Alarm, Bounds, GateFigures, LedgerFigures, OutboxFigures, Path, Reconciled,
};
use crate::sale::pulse::{Heard, PoolFigures, Pulse, QueueFigures, Step, Work};
use crate::web::language::Language;
use crate::web::ops::pipeline::view::{FiguresPart, PicturesPart, PipelinePage, Shown};
use crate::web::page::Role;

pub fn all(language: Language) -> Vec<(String, String)> {
    let mut f = frame(language, true, "/ops/pipeline");
    if let Some(viewer) = &mut f.viewer {
        viewer.role = Role::Operator;
    }
    let away =
        Pipeline { alarms: Path::default().alarms(&Bounds::default()), ..Pipeline::default() };
    let states = [("sound", sound()), ("alarms", with_every_alarm()), ("away", away)];
    let page = |(name, seen): (&str, Pipeline)| {
        let d = Shown::of(&seen, &f, true);
        // The parts hold what the page holds.
        let html = PipelinePage { f: f.clone(), d: d.clone() }.render().unwrap();
        let part = FiguresPart { f: &f, d: &d }.render().unwrap();
        assert!(html.contains(part.trim()) && part.contains("class=\"path-stations\""));
        assert!(html.contains(PicturesPart { f: &f, d: &d }.render().unwrap().trim()));
        (format!("pipeline-{name}"), html)
    };
    states.into_iter().map(page).collect()
}

fn worker(process: &str, ago_ms: i64) -> Heard {
    let mut work = Work {
        queue: Some(QueueFigures { orders: 1240, dead: 0, consumers: 4 }),
        recorded: 88_912,
        ..Work::default()
    };
    for lag_ms in [40, 60, 80, 240, 900] {
        work.lags.add(lag_ms);
    }
    let pool = PoolFigures { size: 8, in_use: 5, waiting: 0 };
    let pulse = Pulse { role: "worker".into(), pool, work: Some(work) };
    Heard { process: process.into(), pulse, ago_ms }
}

fn sound() -> Pipeline {
    let web = Heard {
        process: "4711-0f3c22d1".into(),
        pulse: Pulse {
            role: "web".into(),
            pool: PoolFigures { size: 8, in_use: 1, waiting: 0 },
            work: None,
        },
        ago_ms: 600,
    };
    let answers = [("admitted", 420), ("sold_out", 9120), ("too_fast", 88), ("odd_word", 3)];
    let path = Path {
        at_ms: now(),
        admissions: Some((answers.into_iter().collect(), 5000)),
        recorded: Some((415, 5000)),
        outbox: Some(OutboxFigures {
            entries: 312,
            fullest: 312,
            oldest_ms: Some(140),
            underway: 58,
            underway_oldest_ms: Some(400),
        }),
        processes: Some(vec![web, worker("4712-aa01b2c3", 300), worker("4713-bb01b2c3", 800)]),
        gate: Some(GateFigures {
            ops_per_s: 31_400,
            latency_us: 420,
            memory: 61_000_000,
            memory_bound: 512_000_000,
            policy: "noeviction".into(),
            append_only: true,
            writes_ok: true,
            slow: 3,
            ..GateFigures::default()
        }),
        ledger: Some(LedgerFigures {
            dead_letters: 0,
            reconciled: Some(Reconciled {
                ago_ms: 41_000,
                differences: 2,
                repaired: 2,
                alarms: 0,
                skipped: 0,
            }),
        }),
    };
    let step = |second: i64| Step {
        at_ms: now() - 300_000 + second * 2000,
        recorded: (second - 30).clamp(0, 80) * 20,
        queued: Some((second - 40).clamp(0, 60) * (120 - second).max(0)),
        outbox: (second != 70).then_some(second % 7 * 40),
    };
    let alarms = path.alarms(&Bounds::default());
    assert!(alarms.is_empty(), "{alarms:?}");
    Pipeline { path, alarms, history: (0..120).map(step).collect(), stale: false }
}

fn with_every_alarm() -> Pipeline {
    let mut seen = sound();
    seen.stale = true;
    seen.path.processes.iter_mut().flatten().for_each(|heard| heard.ago_ms = 62_000);
    seen.path.admissions = None;
    if let Some(gate) = &mut seen.path.gate {
        gate.policy = "allkeys-lru".into();
        gate.evicted = 12;
    }
    seen.alarms = vec![
        Alarm::GateAway,
        Alarm::Evicts("allkeys-lru".into()),
        Alarm::Evicted(12),
        Alarm::WritesFail,
        Alarm::MemoryFull(91),
        Alarm::GateSlow(120),
        Alarm::OutboxOld(44),
        Alarm::OutboxFull(86),
        Alarm::QueueAway,
        Alarm::QueueLong(91_000),
        Alarm::NoConsumer,
        Alarm::NoWorker,
        Alarm::LagLong(62),
        Alarm::LedgerAway,
        Alarm::PoolShort(19),
        Alarm::DeadLetters(1),
        Alarm::ReconcileAlarms(2),
        Alarm::NotAppendOnly,
        Alarm::SlowCommands,
        Alarm::Silent(3),
        Alarm::Unreconciled(14),
    ];
    seen
}
