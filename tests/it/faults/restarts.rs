//! Processes that are restarted in mid-sale, and others that join (S9): nothing is reset or lost.

use std::collections::BTreeMap;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use seckill::gate::filling::Condition;
use seckill::sale::actor::Actor;
use seckill::sale::ids::ActivityId;

use super::{all_buy, all_insist, every_unit_went_to_one_of, insist, keys};
use crate::harness::shopper::redis_of;
use crate::harness::{App, Plan, Process, SOON, Sale, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_role_is_restarted_in_mid_sale_and_others_join_and_the_stock_stays_right() {
    let plan = Plan { no_worker: true, no_web: true, ..Plan::default() }
        .set("SECKILL__RELAY__LEASE_MS", 500);
    let mut app = App::start_with(plan).await;
    let (mut site, mut worker) =
        (Process::start(&app, "web").await, Process::start(&app, "worker").await);
    app.is_served_at(&site.url);
    let sale = app.sale(Sale::of(120)).await;
    let mut shoppers = app.shoppers(150).await;

    let mut answers = all_insist(&shoppers[..30], sale, 8).await;
    let mut second_site = Process::start(&app, "web").await;
    let mut second_worker = Process::start(&app, "worker").await;
    for shopper in shoppers.iter_mut().skip(1).step_by(2) {
        shopper.browser.goes_to(second_site.url.clone());
    }
    let restarts = async {
        worker.kill_and_start().await;
        site.kill_and_start().await;
        second_worker.kill_and_start().await;
        second_site.kill_and_start().await;
    };
    // The slow crowd takes about as long as that.
    let (more, ()) = tokio::join!(all_insist(&shoppers[30..100], sale, 1), restarts);
    answers.extend(more);
    answers.extend(all_insist(&shoppers[100..], sale, 8).await);

    for process in [worker, second_worker, second_site] {
        assert_eq!(process.terminate(Duration::from_secs(15)).await, Some(0));
    }
    app.start_worker().await;
    every_unit_went_to_one_of(&app, sale, 120, &shoppers, &answers).await;
}

/// All that the gate holds of a sale.
#[derive(Debug, PartialEq)]
struct Held {
    sale: BTreeMap<String, String>,
    users: BTreeMap<String, String>,
    stock: i64,
}

impl Held {
    async fn by(gate: &mut MultiplexedConnection, sale: ActivityId) -> Self {
        let keys = keys(sale);
        let mut read = redis::pipe();
        read.cmd("HGETALL").arg(keys.sale()).cmd("HGETALL").arg(keys.users());
        read.cmd("GET").arg(keys.stock());
        let (sale, users, stock) = read.query_async(gate).await.unwrap();
        Self { sale, users, stock }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_all_roles_changes_nothing_whatever_state_the_sale_is_in() {
    let mut app = App::start().await;
    let upcoming = app.sale(Sale::of(7).opening_in(Duration::from_secs(200))).await;
    let open = app.sale(Sale::of(7)).await;
    let paused = app.sale(Sale::of(7)).await;
    let sold_out = app.sale(Sale::of(3)).await;
    // The keeper looks at it after the others; mending it shows that it has looked at them.
    let last = app.sale(Sale::of(1)).await;
    let shoppers = app.shoppers(4).await;
    all_buy(&shoppers[..2], open).await;
    all_buy(&shoppers[..2], paused).await;
    all_buy(&shoppers[..3], sold_out).await;
    app.office.pause(paused, None, &Actor::command()).await.unwrap();
    let sales = [upcoming, open, paused, sold_out];
    for (sale, orders) in sales.into_iter().zip([0, 2, 2, 3]) {
        app.balanced("recorded", sale, |b| {
            b.orders.pending_payment == orders && b.reserved == Some(0)
        })
        .await;
    }
    let mut gate = redis_of(app.config.gate.url.reveal()).await;
    let mut before = Vec::new();
    for sale in sales {
        eventually("marked", SOON, || async {
            let held = Held::by(&mut gate.clone(), sale).await;
            held.users.values().all(|entry| !entry.contains("|reserved|")).then_some(())
        })
        .await;
        before.push(Held::by(&mut gate, sale).await);
    }

    app.stop_worker().await;
    app.stop_web().await;
    let () = redis::cmd("DEL").arg(keys(last).stock()).query_async(&mut gate).await.unwrap();
    app.start_worker().await;
    app.start_web().await;
    eventually("the keeper has looked at all", SOON, || async {
        let seen = app.gate.inspect(&keys(last)).await.unwrap();
        (seen.condition == Condition::Loaded && seen.epoch.0 == 2).then_some(())
    })
    .await;

    for (sale, before) in sales.into_iter().zip(before) {
        assert_eq!(Held::by(&mut gate, sale).await, before);
    }
    let mut shopper = app.shopper().await;
    let outcomes = [(upcoming, "not_open"), (open, "admitted"), (paused, "paused")];
    for (sale, outcome) in outcomes.into_iter().chain([(sold_out, "sold_out")]) {
        assert_eq!(shopper.buy(sale).await.outcome(), outcome);
    }
    // Who holds an order is shown it, by the new site too.
    shopper.browser.goes_to(app.url());
    assert_eq!(insist(&shopper, open).await.outcome(), "already_held");
}
