//! Redis goes away in mid-sale and comes back with its data, without the last of it, or empty (S7, S8,
//! S28), while reservations are in the outbox and in the queue.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::join_all;
use seckill::ledger::orders;
use seckill::queue::Lane;
use seckill::sale::ids::ActivityId;
use seckill::sale::order::OrderState;
use seckill::stack::{Home, Kind, Server, Speed};

use super::{
    all_buy, all_insist, deliver, keys, one_after_the_other, outbox, queue, relay_by_hand,
};
use crate::harness::shopper::redis_of;
use crate::harness::{App, Plan, SOON, Sale, Shopper, eventually};

/// A sale of 50 units in its middle, on a Redis of its own. No worker runs: ten orders are placed, then
/// ten reservations wait in the queue and ten in the outbox.
struct MidSale {
    /// Before its Redis, which it needs to its end.
    app: App,
    redis: Server,
    sale: ActivityId,
    shoppers: Vec<Shopper>,
    /// Of the first thirty shoppers.
    numbers: Vec<String>,
}

impl MidSale {
    async fn begin() -> Self {
        let home = Home::temporary().unwrap();
        let redis = Server::start_in(&home, Kind::Redis, "redis", Speed::Test).await.unwrap();
        let plan =
            Plan { redis_url: Some(redis.url().to_owned()), no_worker: true, ..Plan::default() };
        let plan = one_after_the_other(plan).set("SECKILL__SALE__TICKET_LIFE_S", 10);
        let mut app = App::start_with(plan).await;
        // What was answered is in the file, so that a test can say where it ends.
        let mut cmd = redis::cmd("CONFIG");
        cmd.arg("SET").arg("appendfsync").arg("always");
        let () = cmd.query_async(&mut redis_of(redis.url()).await).await.unwrap();

        let sale = app.sale(Sale::of(50)).await;
        let shoppers = app.shoppers(70).await;
        let mut numbers = all_buy(&shoppers[..10], sale).await;
        app.start_worker().await;
        app.balanced("ten orders", sale, |b| b.orders.pending_payment == 10).await;
        app.stop_worker().await;
        numbers.extend(all_buy(&shoppers[10..20], sale).await);
        relay_by_hand(&app, sale).await;
        numbers.extend(all_buy(&shoppers[20..30], sale).await);
        Self { app, redis, sale, shoppers, numbers }
    }

    /// Nobody is told anything wrong before the keeper has been there.
    async fn is_restoring(&self) {
        let newcomer = &self.shoppers[69];
        let answer = eventually("the gate is back", SOON, || async {
            Some(newcomer.buy(self.sale).await).filter(|answer| answer.outcome() != "busy")
        })
        .await;
        assert_eq!((answer.status, answer.outcome()), (503, "restoring".into()), "{}", answer.text);
        assert!(answer.headers.contains_key("retry-after"));
    }

    async fn states(&self, of: std::ops::Range<usize>) -> Vec<String> {
        let ask = of.map(async |at| self.shoppers[at].order(&self.numbers[at]).await.state());
        join_all(ask).await
    }

    /// The rest of the crowd comes. At the end 50 different shoppers have one order each, and every
    /// number that was ever promised has one fate.
    async fn sells_out(&self) {
        let answers = all_insist(&self.shoppers, self.sale, 8).await;
        let sold_out = answers.iter().filter(|answer| answer.outcome() == "sold_out").count();
        assert_eq!(sold_out, 20);
        let is_sold = |b: &seckill::back_office::Balance| b.orders.pending_payment == 50;
        let balance = self.app.balanced("sold", self.sale, is_sold).await;
        assert_eq!((balance.remain_stock, balance.gate_stock), (0, Some(0)));
        for (shopper, answer) in self.shoppers.iter().zip(&answers) {
            let rows = orders::of_user(&self.app.ledger, shopper.id, None, 10).await.unwrap();
            let holding: Vec<_> = rows.iter().filter(|order| order.state.holds_unit()).collect();
            match answer.outcome().as_str() {
                "sold_out" => assert!(holding.is_empty(), "{holding:?}"),
                _ => assert_eq!(holding[0].order_no.to_string(), answer.order_no()),
            }
            assert!(holding.len() < 2, "{holding:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_comes_back_with_its_data_loses_no_reservation() {
    let mut m = MidSale::begin().await;
    m.redis.kill().await;
    let answer = m.shoppers[69].buy(m.sale).await;
    assert_eq!((answer.status, answer.outcome()), (503, "busy".into()), "{}", answer.text);
    assert_eq!(m.states(29..30).await, ["checking"]);
    m.redis.start().await.unwrap();
    m.is_restoring().await;
    assert_eq!(m.states(29..30).await, ["reserved"]);

    m.app.start_worker().await;
    m.app.balanced("all 30", m.sale, |b| b.orders.pending_payment == 30).await;
    assert_eq!(m.states(0..30).await, ["pending_payment"; 30]);
    m.sells_out().await;
    assert_eq!(m.states(0..30).await, ["pending_payment"; 30]);
}

/// The file of the commands since the last base.
fn appended(redis: &Server) -> PathBuf {
    let files = fs::read_dir(redis.data_dir().join("appendonlydir")).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    paths.find(|path| path.to_string_lossy().ends_with(".incr.aof")).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_comes_back_without_its_last_second_sells_nothing_twice() {
    let mut m = MidSale::begin().await;
    let file = appended(&m.redis);
    let kept = fs::metadata(&file).unwrap().len();
    // From here on the gate forgets: that these ten are safe in the queue and out of the outbox, ...
    relay_by_hand(&m.app, m.sale).await;
    // ... five who are in the queue and not in the gate any more, and five who are nowhere.
    let more = all_buy(&m.shoppers[30..35], m.sale).await;
    relay_by_hand(&m.app, m.sale).await;
    m.numbers.extend(more);
    m.numbers.extend(all_buy(&m.shoppers[35..40], m.sale).await);
    m.redis.kill().await;
    fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(kept).unwrap();
    m.redis.start().await.unwrap();
    assert_eq!(outbox(&m.app, m.sale).await.len(), 10);
    m.is_restoring().await;

    m.app.start_worker().await;
    m.app.balanced("all that is known", m.sale, |b| b.orders.pending_payment == 35).await;
    assert_eq!(m.states(0..35).await, ["pending_payment"; 35]);
    assert_eq!(m.states(35..40).await, ["checking"; 5]);
    let again = all_insist(&m.shoppers[35..40], m.sale, 5).await;
    for (answer, lost) in again.iter().zip(&m.numbers[35..]) {
        assert_eq!(answer.outcome(), "admitted");
        assert_ne!(&answer.order_no(), lost);
    }
    m.sells_out().await;
    assert_eq!(m.app.balance(m.sale).await.orders.lost, 0, "duplicates were written once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_comes_back_empty_loses_the_outbox_and_those_shoppers_are_told_and_may_buy() {
    let mut m = MidSale::begin().await;
    m.redis.wipe().await.unwrap();
    m.redis.start().await.unwrap();
    m.is_restoring().await;
    assert_eq!(m.states(0..30).await[10..], ["checking"; 20]);

    m.app.start_worker().await;
    m.app.balanced("what was in the queue", m.sale, |b| b.orders.pending_payment == 20).await;
    assert_eq!(m.states(0..20).await, ["pending_payment"; 20]);
    // One who waits until they are told, the others at once.
    let again = all_insist(&m.shoppers[21..30], m.sale, 9).await;
    assert!(again.iter().all(|answer| answer.outcome() == "admitted"));
    assert_eq!(m.states(20..30).await, ["checking"; 10]);
    eventually("they are told", Duration::from_secs(30), || async {
        (m.states(20..30).await == ["lost"; 10]).then_some(())
    })
    .await;
    assert_eq!(m.shoppers[20].buy(m.sale).await.outcome(), "admitted");
    m.sells_out().await;
    assert_eq!(m.states(20..30).await, ["lost"; 10]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_messages_of_an_emptied_gate_that_come_after_its_rebuild_are_neither_sold_nor_doubled()
 {
    let mut m = MidSale::begin().await;
    relay_by_hand(&m.app, m.sale).await;
    m.numbers.extend(all_buy(&m.shoppers[30..50], m.sale).await);
    let messages = relay_by_hand(&m.app, m.sale).await;
    // They are out with a consumer that stands still, where nobody can count them.
    let queue = queue(&m.app);
    let mut still = queue.consume(Lane::Orders, 100).await.unwrap();
    let mut held = Vec::new();
    while held.len() < 40 {
        held.extend(still.next_batch(100, Duration::from_millis(50)).await.unwrap());
    }
    m.redis.wipe().await.unwrap();
    m.redis.start().await.unwrap();
    m.is_restoring().await;
    m.app.start_worker().await;
    // All may buy again, since nobody knows of them; half of them do.
    let again = all_insist(&m.shoppers[10..30], m.sale, 8).await;
    assert!(again.iter().all(|answer| answer.outcome() == "admitted"));

    drop(held);
    still.close().await;
    queue.close().await;
    m.app
        .balanced("each has its fate", m.sale, |b| {
            b.orders.lost == 40 && b.orders.pending_payment == 30
        })
        .await;
    assert_eq!(m.states(10..50).await, ["lost"; 40]);
    // Again, and nothing loops.
    deliver(&m.app, &messages).await;
    m.sells_out().await;
    assert_eq!(m.app.balance(m.sale).await.orders.lost, 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_emptied_twice_under_load_sells_each_unit_once() {
    let home = Home::temporary().unwrap();
    let redis = Server::start_in(&home, Kind::Redis, "redis", Speed::Test).await.unwrap();
    let plan = Plan { redis_url: Some(redis.url().to_owned()), ..Plan::default() }
        .set("SECKILL__RECORDER__BATCH", 3)
        .set("SECKILL__KEEPER__DRAIN_MS", 300);
    let app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(80)).await;
    let shoppers = app.shoppers(100).await;

    let emptying = async {
        for left in [60, 30] {
            eventually("many have bought", SOON, || async {
                (app.gate.inspect(&keys(sale)).await.ok()?.stock <= left).then_some(())
            })
            .await;
            redis.wipe().await.unwrap();
            redis.start().await.unwrap();
            eventually("the gate is rebuilt", SOON, || async {
                let seen = app.gate.inspect(&keys(sale)).await.ok()?;
                (seen.condition == seckill::gate::filling::Condition::Loaded).then_some(())
            })
            .await;
        }
    };
    let (promised, ()) = tokio::join!(all_insist(&shoppers, sale, 6), emptying);
    // Who lost a reservation finds out and comes again.
    let mut answers = Vec::new();
    let is_quiet = |b: &seckill::back_office::Balance| b.reserved == Some(0);
    app.balanced("quiet", sale, is_quiet).await;
    answers.extend(all_insist(&shoppers, sale, 8).await);

    app.balanced("sold", sale, |b| b.orders.pending_payment == 80 && b.remain_stock == 0).await;
    for (shopper, (first, last)) in shoppers.iter().zip(promised.iter().zip(&answers)) {
        let rows = orders::of_user(&app.ledger, shopper.id, None, 10).await.unwrap();
        let holding: Vec<_> = rows.iter().filter(|order| order.state.holds_unit()).collect();
        assert_eq!(holding.len(), usize::from(last.outcome() != "sold_out"), "{rows:?}");
        // A promise that was not kept is a row that says so, or a number that nobody knows.
        for order in rows.iter().filter(|order| order.order_no.to_string() == first.order_no()) {
            let fates = [OrderState::PendingPayment, OrderState::Lost];
            assert!(fates.contains(&order.state), "{order:?}");
        }
    }
}
