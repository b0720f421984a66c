//! A holder of a lock who stops for longer than it lives, and then goes on (S23).

use std::time::Duration;

use rustix::process::Signal;
use seckill::gate::filling::Condition;
use seckill::stack::Kind;

use super::{all_buy, all_insist, every_unit_went_to_one_of, keys};
use crate::harness::shopper::redis_of;
use crate::harness::{App, Plan, Process, SOON, Sale, Side, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relay_that_stops_for_longer_than_its_lease_and_goes_on_doubles_nothing() {
    let plan = Plan { no_worker: true, ..Plan::default() }
        .set("SECKILL__RELAY__LEASE_MS", 500)
        .set("SECKILL__RELAY__BATCH", 3)
        .set("SECKILL__RECORDER__PREFETCH", 4)
        .set("SECKILL__RECORDER__BATCH", 2)
        .set("SECKILL__LEDGER__LOCK_TIMEOUT_S", 1)
        .set("SECKILL__QUEUE__HEARTBEAT_S", 1);
    let mut app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(120)).await;
    let shoppers = app.shoppers(150).await;
    let placed = async |app: &App| app.balance(sale).await.orders.pending_payment;

    let first = Process::start(&app, "worker").await;
    let mut answers = all_insist(&shoppers[..60], sale, 8).await;
    eventually("it works", SOON, || async { (placed(&app).await > 0).then_some(()) }).await;
    first.signal(Signal::STOP);
    // Some of the messages are out with the one that stands still; the broker takes them back.
    app.start_worker().await;
    answers.extend(all_insist(&shoppers[60..100], sale, 8).await);
    eventually("another took over", SOON, || async { (placed(&app).await == 100).then_some(()) })
        .await;

    first.signal(Signal::CONT);
    answers.extend(all_insist(&shoppers[100..], sale, 8).await);
    every_unit_went_to_one_of(&app, sale, 120, &shoppers, &answers).await;
    assert_eq!(first.terminate(Duration::from_secs(15)).await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rebuild_that_stands_still_until_another_has_done_it_cannot_undo_what_was_sold_since() {
    let plan = Plan { no_worker: true, ..Plan::default() }
        .behind(Side::Worker, Kind::RabbitMq)
        .set("SECKILL__KEEPER__LOCK_MS", 600);
    let mut app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(10)).await;
    let shoppers = app.shoppers(8).await;
    let state = async |app: &App| {
        let mut gate = redis_of(app.config.gate.url.reveal()).await;
        let read = redis::cmd("HGET").arg(keys(sale).sale()).arg("state").to_owned();
        read.query_async::<String>(&mut gate).await.unwrap()
    };

    // Without the broker it waits for what may be on its way, its lock in hand.
    app.proxy(Side::Worker, Kind::RabbitMq).refuse(true);
    let mut gate = redis_of(app.config.gate.url.reveal()).await;
    let () = redis::cmd("DEL").arg(keys(sale).stock()).query_async(&mut gate).await.unwrap();
    let first = Process::start(&app, "worker").await;
    eventually("it has begun", SOON, || async { (state(&app).await == "restoring").then_some(()) })
        .await;
    first.signal(Signal::STOP);
    app.proxy(Side::Worker, Kind::RabbitMq).refuse(false);
    app.start_worker().await;
    eventually("another has rebuilt it", SOON, || async {
        let seen = app.gate.inspect(&keys(sale)).await.unwrap();
        (seen.condition == Condition::Loaded).then_some(())
    })
    .await;
    let epoch = app.gate.inspect(&keys(sale)).await.unwrap().epoch;
    all_buy(&shoppers, sale).await;

    first.signal(Signal::CONT);
    // It finishes what it has in hand, which is the rebuild, before it goes.
    assert_eq!(first.terminate(Duration::from_secs(20)).await, Some(0));
    let seen = app.gate.inspect(&keys(sale)).await.unwrap();
    assert_eq!((seen.condition, seen.epoch), (Condition::Loaded, epoch));
    assert_eq!((seen.stock, seen.holders), (2, 8));
    let balance = app.balanced("8 orders", sale, |b| b.orders.pending_payment == 8).await;
    assert_eq!((balance.orders.lost, balance.gate_stock), (0, Some(2)));
}
