//! Keys of the gate that are missing, expired, or 0 (S10).

use futures_util::future::join_all;
use redis::aio::MultiplexedConnection;
use seckill::back_office::Balance;
use seckill::sale::actor::Actor;
use seckill::sale::ids::ActivityId;

use super::{all_buy, keys};
use crate::harness::shopper::redis_of;
use crate::harness::{App, Plan, SOON, Sale, eventually};

async fn gate_of(app: &App) -> MultiplexedConnection {
    redis_of(app.config.gate.url.reveal()).await
}

async fn run(gate: &mut MultiplexedConnection, words: &[&str]) {
    let mut cmd = redis::cmd(words[0]);
    cmd.arg(&words[1..]);
    let _reply: redis::Value = cmd.query_async(gate).await.unwrap();
}

/// Waits until the keeper has filled the gate anew, after it was found short of something.
async fn rebuilt(app: &App, sale: ActivityId, epoch: i64) -> Balance {
    eventually("the gate is rebuilt", SOON, || async {
        let seen = app.gate.inspect(&keys(sale)).await.unwrap();
        let loaded = seen.condition == seckill::gate::filling::Condition::Loaded;
        (loaded && seen.epoch.0 == epoch).then_some(())
    })
    .await;
    app.balance(sale).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stock_that_is_0_or_missing_or_gone_for_good_gets_three_different_answers() {
    // Nobody mends anything while the answers are looked at.
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let mut gate = gate_of(&app).await;
    let stock = keys(sale).stock();

    run(&mut gate, &["SET", &stock, "0", "KEEPTTL"]).await;
    let answer = shopper.buy(sale).await;
    assert_eq!((answer.status, answer.outcome()), (409, "sold_out".into()));
    for missing in [&["DEL", &stock][..], &["SET", &stock, "5", "PX", "1"][..]] {
        run(&mut gate, missing).await;
        eventually("it is gone", SOON, || async {
            let exists = redis::cmd("EXISTS").arg(&stock).to_owned();
            let count: i64 = exists.query_async(&mut gate.clone()).await.unwrap();
            (count == 0).then_some(())
        })
        .await;
        let answer = shopper.buy(sale).await;
        assert_eq!((answer.status, answer.outcome()), (503, "restoring".into()));
        assert!(answer.headers.contains_key("retry-after"));
    }
    app.start_worker().await;
    let balance = rebuilt(&app, sale, 2).await;
    assert_eq!(balance.gate_stock, Some(5));

    app.office.end(sale, None, &Actor::command()).await.unwrap();
    app.balanced("settled", sale, |b| b.state == "settled").await;
    run(&mut gate, &["DEL", &stock]).await;
    let answer = shopper.buy(sale).await;
    assert_eq!((answer.status, answer.outcome()), (409, "ended".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn holders_whose_key_is_gone_cannot_buy_twice() {
    for gone in [&["DEL"][..], &["PEXPIRE", "1"][..]] {
        let app = App::start().await;
        let sale = app.sale(Sale::of(20)).await;
        let shoppers = app.shoppers(30).await;
        let numbers = all_buy(&shoppers[..12], sale).await;
        app.balanced("orders", sale, |b| b.orders.pending_payment == 12).await;

        let mut words = vec![gone[0]];
        let users = keys(sale).users();
        words.push(&users);
        words.extend(&gone[1..]);
        run(&mut gate_of(&app).await, &words).await;
        // All of them at once, while the keeper is at it.
        let answers = join_all(shoppers[..12].iter().map(|shopper| shopper.buy(sale))).await;
        for (answer, number) in answers.iter().zip(&numbers) {
            match answer.outcome().as_str() {
                "restoring" => assert_eq!(answer.status, 503),
                "already_held" => assert_eq!(&answer.order_no(), number),
                said => panic!("{said}: {}", answer.text),
            }
        }
        let balance = rebuilt(&app, sale, 2).await;
        assert_eq!((balance.gate_stock, balance.reserved), (Some(8), Some(0)));
        for (shopper, number) in shoppers.iter().zip(&numbers) {
            assert_eq!(&shopper.buy(sale).await.order_no(), number);
        }
        let answers = super::all_insist(&shoppers[12..], sale, 8).await;
        let admitted = answers.iter().filter(|answer| answer.outcome() == "admitted").count();
        assert_eq!(admitted, 8);
        app.balanced("sold", sale, |b| b.orders.pending_payment == 20).await;
    }
}
