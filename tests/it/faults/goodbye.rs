//! The graceful end: SIGTERM to a process with all roles, under load.

use std::time::Duration;

use futures_util::future::join_all;
use seckill::stack::Kind;

use super::{all_insist, every_unit_went_to_one_of};
use crate::harness::{Answer, App, Plan, Process, SOON, Sale, Shopper, Side, eventually};

/// The configured bound of the tests, and what a slow machine takes beside it.
const BOUND: Duration = Duration::from_secs(5 + 5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_is_told_to_end_under_load_ends_in_time_and_loses_nothing() {
    let mut app = App::start_with(Plan { no_worker: true, no_web: true, ..Plan::default() }).await;
    let process = Process::start(&app, "serve").await;
    app.is_served_at(&process.url);
    let sale = app.sale(Sale::of(100)).await;
    let mut shoppers = app.shoppers(120).await;

    let some_bought = eventually("some have bought", SOON, || async {
        (app.balance(sale).await.gate_stock? <= 70).then_some(())
    });
    let buying = join_all(shoppers.iter().map(|shopper| shopper.try_buy(sale)));
    let ending = async {
        some_bought.await;
        process.terminate(BOUND).await
    };
    let (before, code) = tokio::join!(buying, ending);
    assert_eq!(code, Some(0));
    // An answer, or a closed door; never a page of an error.
    let answers: Vec<_> = before.iter().flatten().collect();
    let admitted = |answer: &Answer| answer.status == 202 && answer.outcome() == "admitted";
    for answer in &answers {
        // On a slow machine all units may be gone before the process is.
        assert!(admitted(answer) || answer.outcome() == "sold_out", "{}", answer.text);
    }
    assert!(answers.iter().filter(|answer| admitted(answer)).count() >= 30);

    app.start_worker().await;
    app.start_web().await;
    for shopper in &mut shoppers {
        shopper.browser.goes_to(app.url());
    }
    let after = all_insist(&shoppers, sale, 8).await;
    for (before, after) in before.iter().zip(&after) {
        if let Some(before) = before.as_ref().ok().filter(|before| admitted(before)) {
            assert_eq!(after.order_no(), before.order_no());
        }
    }
    every_unit_went_to_one_of(&app, sale, 100, &shoppers, &after).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_flight_are_answered_before_the_process_ends() {
    let plan = Plan { no_worker: true, no_web: true, ..Plan::default() }
        .behind(Side::Worker, Kind::Redis)
        .set("SECKILL__GATE__CALL_TIMEOUT_MS", 500);
    let mut app = App::start_with(plan).await;
    let process = Process::start(&app, "serve").await;
    app.is_served_at(&process.url);
    let sale = app.sale(Sale::of(10)).await;
    let mut shoppers: Vec<Shopper> = app.shoppers(5).await;
    let forms = join_all(shoppers.iter().map(|shopper| shopper.ticket(sale))).await;

    // The gate decides, and the site waits in vain for its answers.
    let proxy = app.proxy(Side::Worker, Kind::Redis);
    proxy.swallow_to_client(true);
    let sending = join_all(shoppers.iter().zip(&forms).map(async |(shopper, form)| {
        let form = form.json();
        let text = |name: &str| form[name].as_str().unwrap().to_owned();
        shopper.submit(sale, &text("csrf_token"), &text("ticket"), "").await
    }));
    let ending = async {
        app.balanced("they are in flight", sale, |b| b.gate_stock == Some(5)).await;
        process.terminate(BOUND).await
    };
    let (answers, code) = tokio::join!(sending, ending);
    assert_eq!(code, Some(0));
    for answer in &answers {
        assert_eq!((answer.status, answer.outcome()), (202, "unknown".into()), "{}", answer.text);
    }

    app.proxy(Side::Worker, Kind::Redis).swallow_to_client(false);
    app.start_worker().await;
    app.start_web().await;
    for (shopper, answer) in shoppers.iter_mut().zip(&answers) {
        shopper.browser.goes_to(app.url());
        shopper.order_becomes(&answer.order_no(), "pending_payment").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_whose_ledger_is_silent_ends_in_time_and_leaves_its_work_to_the_next() {
    let plan = Plan { no_worker: true, ..Plan::default() }.behind(Side::Worker, Kind::MariaDb);
    let mut app = App::start_with(plan).await;
    let worker = Process::start(&app, "worker").await;
    let sale = app.sale(Sale::of(20)).await;
    let shoppers = app.shoppers(15).await;
    super::all_buy(&shoppers[..5], sale).await;
    app.balanced("it works", sale, |b| b.orders.pending_payment == 5).await;

    app.proxy(Side::Worker, Kind::MariaDb).swallow_to_client(true);
    super::all_buy(&shoppers[5..], sale).await;
    super::queue_is_empty(&app).await;
    assert_eq!(worker.terminate(BOUND).await, Some(0));

    app.proxy(Side::Worker, Kind::MariaDb).swallow_to_client(false);
    app.start_worker().await;
    let balance = app.balanced("all", sale, |b| b.orders.pending_payment == 15).await;
    assert_eq!((balance.orders.rejected, balance.orders.lost), (0, 0));
}
