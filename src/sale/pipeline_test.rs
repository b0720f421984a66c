//! Which figures raise which alarms.

use super::*;
use crate::sale::pulse::{Pulse, Work};

fn worker(ago_ms: i64, queue: impl Into<Option<QueueFigures>>) -> Heard {
    let pool = PoolFigures { size: 8, in_use: 1, waiting: 0 };
    let work = Work { queue: queue.into(), ..Work::default() };
    let pulse = Pulse { role: "worker".into(), pool, work: Some(work) };
    Heard { process: "1".into(), pulse, ago_ms }
}

fn queue(orders: u32, consumers: u32) -> QueueFigures {
    QueueFigures { orders, dead: 0, consumers }
}

fn gate() -> GateFigures {
    GateFigures {
        policy: "noeviction".into(),
        append_only: true,
        writes_ok: true,
        latency_us: 300,
        ..GateFigures::default()
    }
}

fn sound() -> Path {
    Path {
        outbox: Some(OutboxFigures::default()),
        processes: Some(vec![worker(900, queue(3, 2))]),
        gate: Some(gate()),
        ledger: Some(LedgerFigures { dead_letters: 0, reconciled: Some(Reconciled::default()) }),
        ..Path::default()
    }
}

fn alarms(path: &Path) -> Vec<Alarm> {
    path.alarms(&Bounds::default())
}

#[test]
fn a_sound_path_is_quiet() {
    assert_eq!(alarms(&sound()), []);
}

#[test]
fn nothing_at_all_is_no_quiet() {
    assert_eq!(alarms(&Path::default()), [Alarm::GateAway, Alarm::LedgerAway]);
}

#[test]
fn redis_has_to_keep_everything() {
    let gates = [
        (
            GateFigures { policy: "allkeys-lru".into(), ..gate() },
            Alarm::Evicts("allkeys-lru".into()),
        ),
        (GateFigures { evicted: 3, ..gate() }, Alarm::Evicted(3)),
        (GateFigures { append_only: false, writes_ok: false, ..gate() }, Alarm::NotAppendOnly),
        (GateFigures { writes_ok: false, ..gate() }, Alarm::WritesFail),
        (GateFigures { memory: 80, memory_bound: 100, ..gate() }, Alarm::MemoryFull(80)),
        (GateFigures { latency_us: 50_001, ..gate() }, Alarm::GateSlow(50)),
        (GateFigures { slow: 9, slow_ago_s: Some(59), ..gate() }, Alarm::SlowCommands),
    ];
    for (gate, alarm) in gates {
        assert_eq!(alarm.station(), Station::Gate);
        assert_eq!(alarms(&Path { gate: Some(gate), ..sound() }), [alarm]);
    }
    let old =
        GateFigures { slow: 9, slow_ago_s: Some(60), memory: 79, memory_bound: 100, ..gate() };
    assert_eq!(alarms(&Path { gate: Some(old), ..sound() }), []);
}

#[test]
fn the_outbox_may_be_neither_old_nor_full() {
    let with = |outbox| alarms(&Path { outbox: Some(outbox), ..sound() });
    let outbox = OutboxFigures {
        entries: 50_000,
        fullest: 39_999,
        oldest_ms: Some(10_000),
        underway: 7,
        underway_oldest_ms: Some(30_000),
    };
    assert_eq!(with(outbox), []);
    assert_eq!(with(OutboxFigures { fullest: 40_000, ..outbox }), [Alarm::OutboxFull(80)]);
    assert_eq!(with(OutboxFigures { oldest_ms: Some(10_001), ..outbox }), [Alarm::OutboxOld(10)]);
    let late = OutboxFigures { underway_oldest_ms: Some(31_000), ..outbox };
    assert_eq!(with(late), [Alarm::UnderwayOld(31)]);
}

#[test]
fn somebody_has_to_work() {
    let with = |processes| alarms(&Path { processes: Some(processes), ..sound() });
    assert_eq!(with(Vec::new()), [Alarm::NoWorker]);
    // The queue's last figures are nothing to go by any more.
    assert_eq!(with(vec![worker(5001, queue(3, 0))]), [Alarm::NoWorker, Alarm::Silent(1)]);
    let one_of_two = vec![worker(9000, None), worker(0, queue(3, 2))];
    assert_eq!(with(one_of_two), [Alarm::Silent(1)]);
    assert_eq!(with(vec![worker(0, None)]), [Alarm::QueueAway]);
    assert_eq!(with(vec![worker(0, queue(3, 0))]), [Alarm::NoConsumer]);
    assert_eq!(with(vec![worker(0, queue(80_000, 1))]), [Alarm::QueueLong(80_000)]);
    // What is told comes through Redis: without it, that is the one thing to look at.
    let cut_off = Path { processes: None, gate: None, outbox: None, ..sound() };
    assert_eq!(alarms(&cut_off), [Alarm::GateAway]);
}

#[test]
fn orders_may_not_take_long() {
    let mut slow = worker(0, queue(0, 1));
    let mut quick = worker(0, queue(0, 1));
    for _ in 0..10 {
        slow.pulse.work.as_mut().unwrap().lags.add(60_000);
        quick.pulse.work.as_mut().unwrap().lags.add(10);
    }
    let found = alarms(&Path { processes: Some(vec![slow, quick.clone()]), ..sound() });
    assert!(matches!(found[..], [Alarm::LagLong(60..=72)]), "{found:?}");
    assert_eq!(alarms(&Path { processes: Some(vec![quick]), ..sound() }), []);
}

#[test]
fn connections_are_short_when_another_round_waits() {
    let with = |in_use, waiting| {
        let mut worker = worker(0, queue(0, 1));
        worker.pulse.pool = PoolFigures { size: 8, in_use, waiting };
        alarms(&Path { processes: Some(vec![worker]), ..sound() })
    };
    assert_eq!(with(8, 7), []);
    assert_eq!(with(8, 8), [Alarm::PoolShort(8)]);
}

#[test]
fn letters_and_differences_want_a_person() {
    let with = |ledger| alarms(&Path { ledger: Some(ledger), ..sound() });
    let none = LedgerFigures { dead_letters: 2, reconciled: None };
    assert_eq!(with(none), [Alarm::DeadLetters(2), Alarm::NeverReconciled]);
    let last = Reconciled { ago_ms: 180_001, differences: 3, repaired: 2, alarms: 1, skipped: 4 };
    let both = [Alarm::ReconcileAlarms(1), Alarm::Uncompared(4), Alarm::Unreconciled(3)];
    assert_eq!(with(LedgerFigures { dead_letters: 0, reconciled: Some(last) }), both);
}

#[test]
fn what_can_wait_stands_below() {
    let gate = GateFigures { append_only: false, ..gate() };
    let found = alarms(&Path { gate: Some(gate), processes: Some(Vec::new()), ..sound() });
    assert_eq!(found, [Alarm::NoWorker, Alarm::NotAppendOnly]);
}
