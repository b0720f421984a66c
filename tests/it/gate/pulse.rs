//! `pulse.lua` and `pulses.lua`: what processes told is found, by the gate's time, and forgotten.

use seckill::sale::pulse::{Moment, PoolFigures, Pulse, QueueFigures, Work};

use super::sale::Sale;

fn pulse(role: &str, recorded: i64) -> Pulse {
    let queue = Some(QueueFigures { orders: 3, dead: 1, consumers: 2 });
    let work = Work { queue, recorded, ..Work::default() };
    let pool = PoolFigures { size: 8, in_use: 2, waiting: 1 };
    Pulse { role: role.into(), pool, work: (role == "worker").then_some(work) }
}

fn moment(recorded: i64) -> Moment {
    Moment { at_ms: 0, recorded, queued: Some(3), outbox: None }
}

#[tokio::test]
async fn what_was_told_last_is_found() {
    let sale = Sale::of(5).await;
    let gate = &sale.gate;
    assert!(gate.pulses().await.unwrap().heard.is_empty());
    for recorded in 0..4 {
        let told = pulse("worker", recorded);
        gate.tell_pulse("7-w", &told, Some(&moment(recorded))).await.unwrap();
    }
    gate.tell_pulse("8-v", &pulse("web", 0), None).await.unwrap();
    let pulses = gate.pulses().await.unwrap();
    let names: Vec<_> = pulses.heard.iter().map(|heard| heard.process.as_str()).collect();
    assert_eq!(names, ["8-v", "7-w"], "web before worker");
    assert_eq!(pulses.heard[1].pulse, pulse("worker", 3));
    assert!(pulses.heard.iter().all(|heard| !heard.is_silent()));
    let past = gate.past_of("7-w").await.unwrap();
    let recorded: Vec<_> = past.iter().map(|moment| moment.recorded).collect();
    assert_eq!(recorded, [0, 1, 2, 3]);
    assert!(past.iter().all(|m| m.at_ms > 1_700_000_000_000 && m.queued == Some(3)));
    assert!(gate.past_of("8-v").await.unwrap().is_empty());
    // Nothing stays for ever.
    for key in
        ["seckill:pulse:{pulse}", "seckill:pulse:{pulse}:7-w", "seckill:pulse:{pulse}:7-w:past"]
    {
        let life: i64 = sale.raw(&["PTTL", key]);
        assert!((1..=300_000).contains(&life), "{key}: {life}");
    }
    gate.end_pulse("7-w").await.unwrap();
    assert_eq!(gate.pulses().await.unwrap().heard.len(), 1);
    assert!(gate.past_of("7-w").await.unwrap().is_empty());
}

#[tokio::test]
async fn silence_is_by_the_gates_clock_and_forgotten_in_time() {
    let sale = Sale::of(5).await;
    let gate = &sale.gate;
    gate.tell_pulse("old", &pulse("worker", 0), None).await.unwrap();
    let now_ms = gate.pulses().await.unwrap().now_ms;
    let index = "seckill:pulse:{pulse}";
    sale.raw::<i64>(&["ZADD", index, &(now_ms - 60_000).to_string(), "old"]);
    let heard = gate.pulses().await.unwrap().heard;
    assert!(heard[0].is_silent() && heard[0].ago_ms >= 60_000, "{heard:?}");
    sale.raw::<i64>(&["ZADD", index, &(now_ms - 300_001).to_string(), "old"]);
    gate.tell_pulse("new", &pulse("worker", 0), None).await.unwrap();
    let heard = gate.pulses().await.unwrap().heard;
    assert_eq!(heard.len(), 1, "{heard:?}");
    // What another release wrote does not hide the process.
    sale.raw::<()>(&["SET", "seckill:pulse:{pulse}:new", "{\"unheard\":1}", "KEEPTTL"]);
    let heard = gate.pulses().await.unwrap().heard;
    assert_eq!((heard[0].process.as_str(), &heard[0].pulse), ("new", &Pulse::default()));
}

#[tokio::test]
async fn the_server_tells_how_it_does() {
    let sale = Sale::of(5).await;
    let vitals = sale.gate.vitals().await.unwrap();
    assert_eq!((vitals.policy.as_str(), vitals.evicted), ("noeviction", 0));
    assert!(vitals.memory > 100_000 && vitals.latency_us > 0, "{vitals:?}");
}
