//! A reservation whose message was lost between outbox and ledger: found when it is old and nothing was on
//! its way since, sent again, and recorded once.

use seckill::queue::{Lane, Queue, QueueOptions};
use seckill::sale::ids::{ActivityId, UserId};
use seckill::sale::reconciliation::{Kind, Outcome};
use seckill::sale::reservation::Entry;

use super::{entry, forge, keys, said};
use crate::harness::{App, Plan, Sale, Shopper};

/// A shopper who holds a unit whose message is nowhere, since `ago_ms`.
async fn lost(ago_ms: i64) -> (App, ActivityId, Shopper, String) {
    let mut app = App::start_with(Plan::default()).await;
    let sale = app.sale(Sale::of(3)).await;
    let shopper = app.shopper().await;
    app.balanced("open", sale, |b| b.gate_stock == Some(3)).await;
    app.stop_worker().await;
    let number = shopper.must_buy(sale).await;
    let entries = app.gate.outbox(&keys(sale), 10).await.unwrap();
    app.gate.forget(&keys(sale), &entries).await.unwrap();
    age(&app, sale, shopper.id, ago_ms).await;
    (app, sale, shopper, number)
}

/// Makes an entry older than it is.
async fn age(app: &App, sale: ActivityId, shopper: UserId, by_ms: i64) {
    let held = entry(app, sale, shopper).await.unwrap();
    let older = Entry { reserved_at_ms: held.reserved_at_ms - by_ms, ..held };
    forge(app, sale, shopper, &older.to_string()).await;
}

fn queue(app: &App) -> Queue {
    let url = app.config.queue.url.reveal();
    Queue::new(QueueOptions { prefix: app.places.prefix.clone(), ..QueueOptions::new(url) })
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_whose_message_is_nowhere_becomes_an_order() {
    let (mut app, sale, shopper, number) = lost(120_000).await;
    assert_eq!(said(&app.reconcile(true).await), [(Kind::Waiting, Outcome::Found)]);
    assert_eq!(said(&app.reconcile(false).await), [(Kind::Waiting, Outcome::Repaired)]);
    let waiting = app.gate.outbox(&keys(sale), 10).await.unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].reservation.as_ref().unwrap().order_no.to_string(), number);
    app.start_worker().await;
    shopper.order_becomes(&number, "pending_payment").await;
    assert_eq!(app.balance(sale).await.remain_stock, 2);
    assert_eq!(said(&app.reconcile(false).await), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_not_sent_again_while_it_may_still_arrive() {
    let (mut app, sale, shopper, number) = lost(120_000).await;
    app.reconcile(false).await;
    // It waits in the outbox now.
    assert_eq!(said(&app.reconcile(false).await), []);
    // Lost once more: its turn comes only after a while.
    let entries = app.gate.outbox(&keys(sale), 10).await.unwrap();
    app.gate.forget(&keys(sale), &entries).await.unwrap();
    assert_eq!(said(&app.reconcile(false).await), [(Kind::Waiting, Outcome::Left)]);
    assert!(app.gate.outbox(&keys(sale), 10).await.unwrap().is_empty());
    let mut raw = super::raw(&app).await;
    let turn = keys(sale).again(shopper.id);
    let _over: i64 = redis::cmd("DEL").arg(turn).query_async(&mut raw).await.unwrap();
    assert_eq!(said(&app.reconcile(false).await), [(Kind::Waiting, Outcome::Repaired)]);
    app.start_worker().await;
    shopper.order_becomes(&number, "pending_payment").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_young_or_in_the_queue_is_on_its_way() {
    let (mut app, sale, shopper, number) = lost(0).await;
    assert_eq!(said(&app.reconcile(false).await), [], "young");
    // A full queue is no proof that anything was lost.
    age(&app, sale, shopper.id, 120_000).await;
    let queue = queue(&app);
    let held = entry(&app, sale, shopper.id).await.unwrap();
    let mut raw = super::raw(&app).await;
    let turn = keys(sale).again(shopper.id);
    app.gate.send_again(&keys(sale), shopper.id, held.order_no, "test", 1000).await.unwrap();
    let entries = app.gate.outbox(&keys(sale), 10).await.unwrap();
    let promised = entries[0].reservation.clone().unwrap();
    for sent in queue.publisher().publish_all(&[promised]).await {
        sent.unwrap();
    }
    app.gate.forget(&keys(sale), &entries).await.unwrap();
    let _over: i64 = redis::cmd("DEL").arg(turn).query_async(&mut raw).await.unwrap();
    assert_eq!(queue.depth(Lane::Orders).await.unwrap(), 1);
    assert_eq!(said(&app.reconcile(false).await), [], "in the queue");
    queue.close().await;
    app.start_worker().await;
    shopper.order_becomes(&number, "pending_payment").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sent_again_though_it_had_only_been_slow_it_is_one_order() {
    let (mut app, sale, shopper, number) = lost(120_000).await;
    let held = entry(&app, sale, shopper.id).await.unwrap();
    // The message that was thought lost comes after all, twice.
    for request in ["slow", "slower"] {
        let mut raw = super::raw(&app).await;
        let turn = keys(sale).again(shopper.id);
        let _over: i64 = redis::cmd("DEL").arg(turn).query_async(&mut raw).await.unwrap();
        app.gate.send_again(&keys(sale), shopper.id, held.order_no, request, 1).await.unwrap();
    }
    app.start_worker().await;
    shopper.order_becomes(&number, "pending_payment").await;
    let balance = app.balanced("all quiet", sale, |b| b.reserved == Some(0)).await;
    assert_eq!((balance.orders.pending_payment, balance.remain_stock), (1, 2));
    assert_eq!(said(&app.reconcile(false).await), []);
}

/// The broker comes back without what it had confirmed: its disk was lost, or somebody emptied the queue.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_lost_its_messages_loses_no_order() {
    let plan = Plan::default().set("SECKILL__RECONCILE__WAITING_S", 1);
    let mut app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(20)).await;
    let shoppers = app.shoppers(30).await;
    app.balanced("open", sale, |b| b.gate_stock == Some(20)).await;
    app.stop_worker().await;
    let answers = futures_util::future::join_all(shoppers.iter().map(|s| s.buy(sale))).await;
    let entries = app.gate.outbox(&keys(sale), 100).await.unwrap();
    let queue = queue(&app);
    let promised: Vec<_> = entries.iter().map(|e| e.reservation.clone().unwrap()).collect();
    for sent in queue.publisher().publish_all(&promised).await {
        sent.unwrap();
    }
    app.gate.forget(&keys(sale), &entries).await.unwrap();
    let options = lapin::ConnectionProperties::default();
    let broker = lapin::Connection::connect(app.config.queue.url.reveal(), options).await.unwrap();
    let channel = broker.create_channel().await.unwrap();
    let name = format!("{}.orders", app.places.prefix);
    let purged =
        channel.queue_purge(name.into(), lapin::options::QueuePurgeOptions::default()).await;
    assert_eq!(purged.unwrap(), 20);
    app.start_worker().await;
    app.start_reconciler().await;
    let balance = app.balanced("all are orders", sale, |b| b.orders.pending_payment == 20).await;
    assert_eq!((balance.remain_stock, balance.orders.rejected, balance.orders.lost), (0, 0, 0));
    let mut orders = 0;
    for (shopper, answer) in shoppers.iter().zip(&answers) {
        if answer.outcome() == "admitted" {
            shopper.order_becomes(&answer.order_no(), "pending_payment").await;
            orders += 1;
        } else {
            assert_eq!(answer.outcome(), "sold_out");
        }
    }
    assert_eq!(orders, 20);
    queue.close().await;
}

/// Redis was restarted with all of its data while no worker ran: what is in the queue was promised, and the
/// gate knows it still.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filling_without_a_recorder_loses_nothing_that_is_in_the_queue() {
    let plan = Plan::default().set("SECKILL__KEEPER__DRAIN_MS", 200);
    let mut app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(20)).await;
    let shoppers = app.shoppers(21).await;
    app.balanced("open", sale, |b| b.gate_stock == Some(20)).await;
    app.stop_worker().await;
    let (early, last) = shoppers.split_at(20);
    let mut numbers = Vec::new();
    for shopper in early {
        numbers.push(shopper.must_buy(sale).await);
    }
    let entries = app.gate.outbox(&keys(sale), 100).await.unwrap();
    let queue = queue(&app);
    let promised: Vec<_> = entries.iter().map(|e| e.reservation.clone().unwrap()).collect();
    for sent in queue.publisher().publish_all(&promised).await {
        sent.unwrap();
    }
    app.gate.forget(&keys(sale), &entries).await.unwrap();
    let mut raw = super::raw(&app).await;
    let mut cmd = redis::cmd("HSET");
    cmd.arg(keys(sale).sale()).arg("run_id").arg("of-the-server-before");
    let _same: i64 = cmd.query_async(&mut raw).await.unwrap();

    assert_eq!(said(&app.reconcile(false).await), [(Kind::Unfilled, Outcome::Repaired)]);
    assert_eq!(last[0].buy(sale).await.outcome(), "sold_out", "every unit is held");
    app.start_worker().await;
    for (shopper, number) in early.iter().zip(&numbers) {
        shopper.order_becomes(number, "pending_payment").await;
    }
    let balance = app.balanced("all quiet", sale, |b| b.reserved == Some(0)).await;
    assert_eq!((balance.orders.pending_payment, balance.orders.lost), (20, 0));
    queue.close().await;
}
