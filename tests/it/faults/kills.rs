//! Processes that are killed under load (S4).

use std::time::Duration;

use super::{a_random_moment, all_insist, every_unit_went_to_one_of};
use crate::harness::{App, Plan, Process, SOON, Sale, eventually};

const KILLS: usize = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_killed_at_random_moments_loses_and_doubles_nothing() {
    // In small steps, so that the kills fall between any two of them.
    let plan = Plan { no_worker: true, ..Plan::default() }
        .set("SECKILL__RELAY__BATCH", 4)
        .set("SECKILL__RELAY__LEASE_MS", 500)
        .set("SECKILL__RECORDER__BATCH", 2)
        .set("SECKILL__RECORDER__PREFETCH", 4);
    let mut app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(200)).await;
    let shoppers = app.shoppers(230).await;
    let remain = async || app.balance(sale).await.remain_stock;

    let buying = all_insist(&shoppers, sale, 4);
    let killing = async {
        for _ in 0..KILLS {
            let before = remain().await;
            let mut worker = Process::start(&app, "worker").await;
            eventually("the worker records", SOON, || async {
                let now = remain().await;
                (now < before || now == 0).then_some(())
            })
            .await;
            a_random_moment(Duration::from_millis(40)).await;
            worker.kill();
        }
    };
    let (answers, ()) = tokio::join!(buying, killing);

    app.start_worker().await;
    every_unit_went_to_one_of(&app, sale, 200, &shoppers, &answers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_killed_at_random_moments_leaves_each_shopper_with_their_one_order() {
    let mut app = App::start_with(Plan { no_web: true, ..Plan::default() }).await;
    let mut site = Process::start(&app, "web").await;
    app.is_served_at(&site.url);
    let sale = app.sale(Sale::of(100)).await;
    let shoppers = app.shoppers(130).await;
    let stock = async || app.balance(sale).await.gate_stock.unwrap();

    let buying = all_insist(&shoppers, sale, 6);
    let killing = async {
        for _ in 0..KILLS {
            let before = stock().await;
            eventually("shoppers buy", SOON, || async {
                let now = stock().await;
                (now < before || now == 0).then_some(())
            })
            .await;
            a_random_moment(Duration::from_millis(60)).await;
            site.kill_and_start().await;
        }
    };
    let (answers, ()) = tokio::join!(buying, killing);

    every_unit_went_to_one_of(&app, sale, 100, &shoppers, &answers).await;
    for (shopper, answer) in shoppers.iter().zip(&answers) {
        if answer.outcome() != "sold_out" {
            shopper.order_becomes(&answer.order_no(), "pending_payment").await;
        }
    }
}
