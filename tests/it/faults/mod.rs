//! What goes wrong in a sale, one file a kind of fault: a process is killed, a server is stopped, loses
//! its data or falls silent, an answer gets lost, something comes twice. Each test says how it must end;
//! that the books balance is checked after every one by the harness.

mod answers;
mod broker;
mod goodbye;
mod keys;
mod kills;
mod leaks;
mod leases;
mod ledger_away;
mod redelivery;
mod redis_lost;
mod restarts;
mod surplus;

use std::collections::HashSet;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use seckill::gate::keys::Keys;
use seckill::gate::outbox::OutboxEntry;
use seckill::ledger::orders;
use seckill::queue::{Lane, Queue, QueueOptions};
use seckill::sale::ids::{ActivityId, Bucket};
use seckill::sale::order::OrderState;
use seckill::sale::reservation::Reservation;

use crate::harness::{Answer, App, Plan, SOON, Sale, Shopper, eventually};

/// The keys of a sale that is not split.
fn keys(sale: ActivityId) -> Keys {
    Keys::of(sale, Bucket(0))
}

/// Asks until there is a decision, with the same session: as a person who reloads a page that broke.
async fn insist(shopper: &Shopper, sale: ActivityId) -> Answer {
    eventually("a decision", Duration::from_secs(60), || async {
        let answer = shopper.try_buy(sale).await.ok()?;
        let said = answer.outcome();
        ["admitted", "already_held", "sold_out"].contains(&said.as_str()).then_some(answer)
    })
    .await
}

/// All of them insist, a few at a time.
async fn all_insist(shoppers: &[Shopper], sale: ActivityId, at_once: usize) -> Vec<Answer> {
    futures_util::stream::iter(shoppers)
        .map(|shopper| insist(shopper, sale))
        .buffered(at_once)
        .collect()
        .await
}

/// All of them buy and are admitted; their orders' numbers.
async fn all_buy(shoppers: &[Shopper], sale: ActivityId) -> Vec<String> {
    join_all(shoppers.iter().map(|shopper| shopper.must_buy(sale))).await
}

/// Demand above the stock, all decided: exactly `stock` orders, of exactly those who were promised one
/// and under the number that they were told; all others were told "sold out".
async fn every_unit_went_to_one_of(
    app: &App,
    sale: ActivityId,
    stock: usize,
    shoppers: &[Shopper],
    answers: &[Answer],
) {
    let placed = i64::try_from(stock).unwrap();
    let balance = app.balanced("all orders", sale, |b| b.orders.pending_payment == placed).await;
    assert_eq!((balance.remain_stock, balance.orders.rejected, balance.orders.lost), (0, 0, 0));
    let mut winners = HashSet::new();
    for (shopper, answer) in shoppers.iter().zip(answers) {
        let rows = orders::of_user(&app.ledger, shopper.id, None, 10).await.unwrap();
        let numbers: Vec<String> = rows.iter().map(|order| order.order_no.to_string()).collect();
        if answer.outcome() == "sold_out" {
            assert!(numbers.is_empty(), "{} holds {numbers:?}", shopper.name);
        } else {
            assert_eq!(numbers, [answer.order_no()], "{}", shopper.name);
            assert_eq!(rows[0].state, OrderState::PendingPayment);
            winners.insert(answer.order_no());
        }
    }
    assert_eq!(winners.len(), stock);
}

/// The reservations that wait in the outbox.
async fn outbox(app: &App, sale: ActivityId) -> Vec<Reservation> {
    let entries = entries_of_outbox(app, sale).await;
    entries.into_iter().map(|entry| entry.reservation.unwrap()).collect()
}

/// Asked again when the gate was restarted since it was asked last.
async fn entries_of_outbox(app: &App, sale: ActivityId) -> Vec<OutboxEntry> {
    eventually("the outbox", SOON, || async { app.gate.outbox(&keys(sale), 1000).await.ok() }).await
}

/// Does what the relay does, while no worker runs: the whole outbox goes into the queue.
pub(crate) async fn relay_by_hand(app: &App, sale: ActivityId) -> Vec<Reservation> {
    let reservations = take_outbox(app, sale).await;
    publish(app, &reservations).await;
    reservations
}

/// Empties the outbox into the test's hands.
pub(crate) async fn take_outbox(app: &App, sale: ActivityId) -> Vec<Reservation> {
    let entries = entries_of_outbox(app, sale).await;
    app.gate.forget(&keys(sale), &entries).await.unwrap();
    entries.into_iter().map(|entry| entry.reservation.unwrap()).collect()
}

/// The queue as the test sees it, past every proxy.
fn queue(app: &App) -> Queue {
    Queue::new(QueueOptions {
        prefix: app.places.prefix.clone(),
        ..QueueOptions::new(app.config.queue.url.reveal())
    })
    .unwrap()
}

async fn publish(app: &App, reservations: &[Reservation]) {
    let queue = queue(app);
    for result in queue.publisher().publish_all(reservations).await {
        result.unwrap();
    }
    queue.close().await;
}

/// Waits until no message is ready in the queue.
async fn queue_is_empty(app: &App) {
    queue_is(app, "empty", |depth| depth == 0).await;
}

/// Waits until messages that were out with somebody are there again.
async fn messages_are_back(app: &App) {
    queue_is(app, "not empty", |depth| depth > 0).await;
}

async fn queue_is(app: &App, what: &str, is: impl Fn(u32) -> bool) {
    let queue = queue(app);
    eventually(&format!("the queue is {what}"), SOON, || async {
        queue.depth(Lane::Orders).await.ok().filter(|depth| is(*depth))
    })
    .await;
    queue.close().await;
}

/// A worker that takes one message after the other, for [`deliver`].
fn one_after_the_other(plan: Plan) -> Plan {
    plan.set("SECKILL__RECORDER__CONSUMERS", 1)
}

/// Publishes messages, again or for the first time, and waits until the worker is done with them: two
/// purchases of another sale have passed behind them, the second in a later batch.
async fn deliver(app: &App, reservations: &[Reservation]) {
    publish(app, reservations).await;
    let other = app.sale(Sale::of(2)).await;
    for _ in 0..2 {
        let behind = app.shopper().await;
        let number = behind.must_buy(other).await;
        behind.order_becomes(&number, "pending_payment").await;
    }
}

/// A moment after which a fault strikes; the tests hold for every moment.
async fn a_random_moment(below: Duration) {
    tokio::time::sleep(below.mul_f64(rand::random())).await;
}
