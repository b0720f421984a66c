//! The broker is away, or its confirms are (S5, S6).

use std::time::Duration;

use futures_util::future::join_all;
use lapin::options::QueueDeleteOptions;
use seckill::queue::{Lane, Queue, QueueOptions};
use seckill::stack::{Home, Kind, Server, Speed};

use super::{all_buy, all_insist, outbox};
use crate::harness::{App, Plan, SOON, Sale, Side, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_broker_is_down_purchases_go_on_up_to_the_bound_of_the_outbox() {
    let home = Home::temporary().unwrap();
    let broker = Server::start_in(&home, Kind::RabbitMq, "rabbitmq", Speed::Test).await.unwrap();
    let plan = Plan { amqp_url: Some(broker.url().to_owned()), ..Plan::default() }
        .set("SECKILL__SALE__OUTBOX_BOUND", 20);
    let app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(60)).await;
    let shoppers = app.shoppers(45).await;
    let (before, during) = shoppers.split_at(10);

    all_buy(before, sale).await;
    app.balanced("orders before", sale, |b| b.orders.pending_payment == 10).await;
    broker.stop().await;

    let answers = join_all(during.iter().map(|shopper| shopper.buy(sale))).await;
    let (admitted, busy): (Vec<_>, Vec<_>) =
        during.iter().zip(&answers).partition(|(_, answer)| answer.outcome() == "admitted");
    assert_eq!((admitted.len(), busy.len()), (20, 15));
    for (_, answer) in &busy {
        assert_eq!((answer.status, answer.outcome()), (503, "busy".into()), "{}", answer.text);
        assert!(answer.headers.contains_key("retry-after"));
    }
    for (shopper, answer) in &admitted {
        assert_eq!(shopper.order(&answer.order_no()).await.state(), "reserved");
    }
    assert_eq!(app.balance(sale).await.orders.pending_payment, 10);

    broker.start().await.unwrap();
    for (shopper, answer) in &admitted {
        shopper.order_becomes(&answer.order_no(), "pending_payment").await;
    }
    // Who was told to wait is served now.
    let answers = all_insist(during, sale, 8).await;
    assert!(answers.iter().all(|answer| answer.outcome() != "sold_out"));
    let balance = app.balanced("all", sale, |b| b.orders.pending_payment == 45).await;
    assert_eq!((balance.orders.rejected, balance.orders.lost, balance.remain_stock), (0, 0, 15));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_whose_confirm_is_lost_is_published_again_and_written_once() {
    let plan = Plan::default()
        .behind(Side::Worker, Kind::RabbitMq)
        .set("SECKILL__QUEUE__CONFIRM_TIMEOUT_MS", 300)
        .set("SECKILL__QUEUE__HEARTBEAT_S", 1);
    let app = App::start_with(plan).await;
    let proxy = app.proxy(Side::Worker, Kind::RabbitMq);
    let sale = app.sale(Sale::of(40)).await;
    let shoppers = app.shoppers(35).await;
    all_buy(&shoppers[..10], sale).await;
    app.balanced("a path that works", sale, |b| b.orders.pending_payment == 10).await;

    // The relay asks for the depth of the queue now and then; a silence that begins there keeps it from
    // publishing at all, and is another one than this test wants.
    let mut groups = shoppers[10..].chunks(5);
    let (group, numbers) = loop {
        let group = groups.next().expect("five silences all began at the same question");
        proxy.swallow_to_client(true);
        let heard = proxy.passed_to_server();
        let numbers = all_buy(group, sale).await;
        // A message has some 300 bytes of body alone.
        let are_published = eventually("they are published", SOON, || async {
            (proxy.passed_to_server() > heard + 5 * 300).then_some(())
        });
        if tokio::time::timeout(Duration::from_secs(2), are_published).await.is_ok() {
            break (group, numbers);
        }
        proxy.swallow_to_client(false);
        app.balanced("they are written", sale, |b| b.reserved == Some(0)).await;
    };
    // Unconfirmed, they stay in the outbox; nobody is told that anything failed.
    let connections = proxy.connections();
    eventually("the connection without confirms is given up", SOON, || async {
        (proxy.connections() > connections).then_some(())
    })
    .await;
    assert_eq!(outbox(&app, sale).await.len(), 5);
    for (shopper, number) in group.iter().zip(&numbers) {
        assert_eq!(shopper.order(number).await.state(), "reserved");
    }

    proxy.swallow_to_client(false);
    for (shopper, number) in group.iter().zip(&numbers) {
        shopper.order_becomes(number, "pending_payment").await;
    }
    let balance = app.balanced("written once", sale, |b| b.reserved == Some(0)).await;
    let orders = balance.orders;
    assert_eq!((orders.rejected, orders.lost), (0, 0));
    assert_eq!(orders.pending_payment, 40 - balance.remain_stock);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_to_the_broker_that_is_dead_but_not_closed_is_replaced() {
    let plan = Plan::default()
        .behind(Side::Worker, Kind::RabbitMq)
        .set("SECKILL__QUEUE__CONFIRM_TIMEOUT_MS", 500)
        .set("SECKILL__QUEUE__HEARTBEAT_S", 1);
    let app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(40)).await;
    let shoppers = app.shoppers(20).await;
    all_buy(&shoppers[..10], sale).await;
    app.balanced("a path that works", sale, |b| b.orders.pending_payment == 10).await;

    app.proxy(Side::Worker, Kind::RabbitMq).strand();
    all_buy(&shoppers[10..], sale).await;
    let within = Duration::from_secs(20);
    eventually("the path works again", within, || async {
        (app.balance(sale).await.orders.pending_payment == 20).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purchase_becomes_an_order_although_the_queue_was_deleted_and_made_again() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(3)).await;
    let (before, after, last) = (app.shopper().await, app.shopper().await, app.shopper().await);
    let order = before.must_buy(sale).await;
    before.order_becomes(&order, "pending_payment").await;
    app.balanced("nothing is in the queue", sale, |b| b.reserved == Some(0)).await;

    let properties = lapin::ConnectionProperties::default();
    let url = app.config.queue.url.reveal();
    let outside = lapin::Connection::connect(url, properties).await.unwrap();
    let channel = outside.create_channel().await.unwrap();
    let prefix = app.places.prefix.clone();
    let queue = Queue::new(QueueOptions { prefix, ..QueueOptions::new(url) }).unwrap();
    let name = queue.topology().name(Lane::Orders).to_owned();
    channel.queue_delete(name.into(), QueueDeleteOptions::default()).await.unwrap();
    queue.check().await.unwrap();

    let order = after.must_buy(sale).await;
    after.order_becomes(&order, "pending_payment").await;
    // What a consumer opened anew leaves at its end is as little as before.
    app.stop_worker().await;
    let order = last.must_buy(sale).await;
    app.start_worker().await;
    last.order_becomes(&order, "pending_payment").await;
    app.balanced("all", sale, |b| b.orders.pending_payment == 3 && b.remain_stock == 0).await;
    queue.close().await;
}
