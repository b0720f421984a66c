//! Messages that come again: what was decided stays decided (S11, S26, S27).

use seckill::sale::ids::ActivityId;
use seckill::stack::Kind;

use super::{
    deliver, keys, messages_are_back, one_after_the_other, publish, relay_by_hand, take_outbox,
};
use crate::harness::shopper::redis_of;
use crate::harness::{App, Plan, Process, Sale, Shopper, Side};

/// A worker that settles messages, and whose acknowledgements get lost.
fn with_acknowledgements_to_lose() -> Plan {
    one_after_the_other(Plan { no_worker: true, ..Plan::default() })
        .behind(Side::Worker, Kind::RabbitMq)
}

/// Waits until the worker, whatever else it does, certainly consumes.
async fn is_at_work(shopper: &Shopper, number: &str) {
    shopper.order_becomes(number, "pending_payment").await;
}

/// One unit more in the gate than in the ledger.
async fn one_too_many(app: &App, sale: ActivityId) {
    let mut gate = redis_of(app.config.gate.url.reveal()).await;
    let keys = keys(sale);
    let () = redis::pipe()
        .cmd("INCR")
        .arg(keys.stock())
        .ignore()
        .cmd("HINCRBY")
        .arg(keys.sale())
        .arg("units")
        .arg(1)
        .ignore()
        .query_async(&mut gate)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_unit_is_recorded_and_its_message_comes_again_and_nothing_changes() {
    let mut app = App::start_with(with_acknowledgements_to_lose()).await;
    let sale = app.sale(Sale::of(2)).await;
    let (first, last) = (app.shopper().await, app.shopper().await);
    let first_number = first.must_buy(sale).await;
    relay_by_hand(&app, sale).await;
    let last_number = last.must_buy(sale).await;
    let last_unit = take_outbox(&app, sale).await;

    let mut worker = Process::start(&app, "worker").await;
    is_at_work(&first, &first_number).await;
    app.proxy(Side::Worker, Kind::RabbitMq).swallow_to_server(true);
    publish(&app, &last_unit).await;
    last.order_becomes(&last_number, "pending_payment").await;
    worker.kill();
    messages_are_back(&app).await;

    app.proxy(Side::Worker, Kind::RabbitMq).swallow_to_server(false);
    app.start_worker().await;
    deliver(&app, &last_unit).await;
    let balance = app.balance(sale).await;
    assert_eq!((balance.orders.pending_payment, balance.orders.rejected), (2, 0));
    assert_eq!((balance.remain_stock, balance.gate_stock), (0, Some(0)));
    assert_eq!(last.order(&last_number).await.state(), "pending_payment");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_that_was_refused_stays_refused_when_a_unit_came_back_meanwhile() {
    let mut app = App::start_with(with_acknowledgements_to_lose()).await;
    let sale = app.sale(Sale::of(1)).await;
    one_too_many(&app, sale).await;
    let (winner, surplus) = (app.shopper().await, app.shopper().await);
    let won = winner.must_buy(sale).await;
    relay_by_hand(&app, sale).await;
    let refused = surplus.must_buy(sale).await;
    let message = take_outbox(&app, sale).await;

    let mut worker = Process::start(&app, "worker").await;
    is_at_work(&winner, &won).await;
    app.proxy(Side::Worker, Kind::RabbitMq).swallow_to_server(true);
    publish(&app, &message).await;
    let order = surplus.order_becomes(&refused, "rejected").await;
    assert_eq!(order.json()["reason"], "sold_out");
    app.balanced("the surplus is gone", sale, |b| b.reserved == Some(0)).await;
    worker.kill();
    messages_are_back(&app).await;
    assert_eq!(winner.cancel(&won).await.status, 200);
    app.balanced("a unit is back", sale, |b| b.gate_stock == Some(1) && b.remain_stock == 1).await;

    app.proxy(Side::Worker, Kind::RabbitMq).swallow_to_server(false);
    app.start_worker().await;
    deliver(&app, &message).await;
    assert_eq!(surplus.order(&refused).await.state(), "rejected");
    let balance = app.balance(sale).await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (1, Some(1)));
    // They were told the truth, and may try again.
    let number = surplus.must_buy(sale).await;
    assert_ne!(number, refused);
    surplus.order_becomes(&number, "pending_payment").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_cancels_and_buys_again_keeps_the_new_order_when_the_first_message_comes_again() {
    let plan = one_after_the_other(Plan { no_worker: true, ..Plan::default() });
    let mut app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(2)).await;
    let shopper = app.shopper().await;
    let first = shopper.must_buy(sale).await;
    let message = take_outbox(&app, sale).await;
    app.start_worker().await;
    deliver(&app, &message).await;
    assert_eq!(shopper.cancel(&first).await.status, 200);

    // While the new order is only reserved, and when it is recorded.
    app.stop_worker().await;
    let second = shopper.must_buy(sale).await;
    assert_ne!(second, first);
    publish(&app, &message).await;
    app.start_worker().await;
    shopper.order_becomes(&second, "pending_payment").await;
    deliver(&app, &message).await;

    assert_eq!(shopper.order(&first).await.state(), "cancelled");
    assert_eq!(shopper.order(&second).await.state(), "pending_payment");
    assert_eq!(shopper.buy(sale).await.order_no(), second);
    let balance = app.balance(sale).await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (1, Some(1)));
    assert_eq!((balance.orders.pending_payment, balance.orders.cancelled), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_cancels_at_once_bring_one_unit_back() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(3)).await;
    let shopper = app.shopper().await;
    let number = shopper.must_buy(sale).await;
    shopper.order_becomes(&number, "pending_payment").await;

    let cancels = futures_util::future::join_all((0..8).map(|_| shopper.cancel(&number))).await;
    for cancel in &cancels {
        assert_eq!((cancel.status, cancel.state()), (200, "cancelled".into()), "{}", cancel.text);
    }
    let balance = app.balance(sale).await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (3, Some(3)));
    assert_eq!(balance.orders.cancelled, 1);

    // One late, when they have bought again.
    let again = shopper.must_buy(sale).await;
    assert_eq!(shopper.cancel(&number).await.status, 200);
    shopper.order_becomes(&again, "pending_payment").await;
    assert_eq!(app.balance(sale).await.gate_stock, Some(2));
}
