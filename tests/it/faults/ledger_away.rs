//! The ledger is away, or silent, while reservations are on their way to it.

use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use seckill::stack::{Home, Kind, Server, Speed};

use super::{all_buy, all_insist, every_unit_went_to_one_of};
use crate::harness::{App, Plan, SOON, Sale, Shopper, Side, eventually};

/// A worker that may be cut off from the ledger, with short bounds.
fn cut_off_from_the_ledger() -> Plan {
    Plan::default()
        .behind(Side::Worker, Kind::MariaDb)
        .set("SECKILL__LEDGER__CHECKOUT_TIMEOUT_MS", 300)
        .set("SECKILL__LEDGER__STATEMENT_TIMEOUT_MS", 500)
        .set("SECKILL__LEDGER__CALL_TIMEOUT_MS", 1000)
}

async fn are_all(shoppers: &[Shopper], numbers: &[String], state: &str) {
    for (shopper, number) in shoppers.iter().zip(numbers) {
        assert_eq!(shopper.order(number).await.state(), state);
    }
}

async fn become_orders(app: &App, sale: seckill::sale::ids::ActivityId, count: i64) {
    let within = Duration::from_secs(20);
    eventually(&format!("{count} orders"), within, || async {
        (app.balance(sale).await.orders.pending_payment == count).then_some(())
    })
    .await;
    let orders = app.balance(sale).await.orders;
    assert_eq!((orders.rejected, orders.lost), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_that_is_away_delays_orders_and_loses_none() {
    let app = App::start_with(cut_off_from_the_ledger()).await;
    let proxy = app.proxy(Side::Worker, Kind::MariaDb);
    let sale = app.sale(Sale::of(60)).await;
    let shoppers = app.shoppers(40).await;
    let mut numbers = all_buy(&shoppers[..10], sale).await;
    become_orders(&app, sale, 10).await;

    proxy.refuse(true);
    proxy.cut();
    numbers.extend(all_buy(&shoppers[10..], sale).await);
    // They go through outbox and queue, into the hands of the recorder, and wait there.
    eventually("the outbox is empty", SOON, || async {
        super::outbox(&app, sale).await.is_empty().then_some(())
    })
    .await;
    super::queue_is_empty(&app).await;
    are_all(&shoppers[10..], &numbers[10..], "reserved").await;

    proxy.refuse(false);
    become_orders(&app, sale, 40).await;
    are_all(&shoppers, &numbers, "pending_payment").await;
    // Once more, in the middle of whatever it does.
    proxy.cut();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_that_falls_silent_is_found_again_by_the_worker_itself() {
    let app = App::start_with(cut_off_from_the_ledger()).await;
    let proxy = app.proxy(Side::Worker, Kind::MariaDb);
    let sale = app.sale(Sale::of(60)).await;
    let shoppers = app.shoppers(40).await;
    let mut numbers = all_buy(&shoppers[..10], sale).await;
    become_orders(&app, sale, 10).await;

    // Its answers are lost: what it was told may have been carried out.
    proxy.swallow_to_client(true);
    numbers.extend(all_buy(&shoppers[10..25], sale).await);
    let connections = proxy.connections();
    eventually("the silent connections are given up", SOON, || async {
        (proxy.connections() > connections + 1).then_some(())
    })
    .await;
    proxy.swallow_to_client(false);
    become_orders(&app, sale, 25).await;

    // Its machine is gone: nothing tells that the connections are dead.
    proxy.strand();
    numbers.extend(all_buy(&shoppers[25..], sale).await);
    become_orders(&app, sale, 40).await;
    are_all(&shoppers, &numbers, "pending_payment").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_killed_under_load_keeps_no_shopper_from_buying_and_ends_with_every_order() {
    let home = Home::temporary().unwrap();
    let server = Server::start_in(&home, Kind::MariaDb, "mariadb", Speed::Test).await.unwrap();
    let plan = Plan::default()
        .set("DATABASE_URL", server.url())
        .set("SECKILL__LEDGER__CHECKOUT_TIMEOUT_MS", 300)
        .set("SECKILL__RECORDER__BATCH", 2);
    let app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(80)).await;
    let shoppers = app.shoppers(100).await;

    let (mut answers, ()) = tokio::join!(all_insist(&shoppers[..50], sale, 4), async {
        eventually("orders", SOON, || async {
            (app.balance(sale).await.orders.pending_payment > 0).then_some(())
        })
        .await;
        server.kill().await;
    });
    answers.extend(all_insist(&shoppers[50..], sale, 8).await);
    assert!(answers.iter().filter(|answer| answer.outcome() != "sold_out").count() == 80);
    server.start().await.unwrap();
    every_unit_went_to_one_of(&app, sale, 80, &shoppers, &answers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_stands_still_with_the_row_of_the_sale_is_ended() {
    let app = App::start_with(Plan::default().set("SECKILL__LEDGER__LOCK_TIMEOUT_S", 1)).await;
    let sale = app.sale(Sale::of(10)).await;
    let shoppers = app.shoppers(5).await;

    let (tell, locked) = tokio::sync::oneshot::channel();
    let (go_on, still) = std::sync::mpsc::channel::<()>();
    let ledger = app.ledger.clone();
    let standing = tokio::spawn(async move {
        let step = move |conn: &mut diesel::MysqlConnection| {
            conn.batch_execute("START TRANSACTION").unwrap();
            let lock = format!("SELECT id FROM activities WHERE id = {sale} FOR UPDATE");
            conn.batch_execute(&lock).unwrap();
            tell.send(()).unwrap();
            // As a process that was stopped, or whose machine has vanished.
            let _told = still.recv();
            Ok(conn.batch_execute("COMMIT").is_ok())
        };
        ledger.run(step).await
    });
    locked.await.unwrap();

    all_buy(&shoppers, sale).await;
    become_orders(&app, sale, 5).await;
    go_on.send(()).unwrap();
    assert!(!matches!(standing.await.unwrap(), Ok(true)), "it was ended long ago");
}
