//! The gate's answer gets lost on its way back to the site: never "failed", the number tells the truth.

use futures_util::future::join_all;
use seckill::sale::ids::ActivityId;
use seckill::stack::{Home, Kind, Server, Speed};

use super::{all_buy, all_insist, every_unit_went_to_one_of, outbox};
use crate::harness::{Answer, App, Plan, SOON, Sale, Shopper, Side, eventually};

/// A site that may be cut off from the gate; the worker is not.
fn cut_off_from_the_gate() -> Plan {
    Plan::default()
        .behind(Side::Web, Kind::Redis)
        .set("SECKILL__GATE__CALL_TIMEOUT_MS", 250)
        .set("SECKILL__SALE__TICKET_LIFE_S", 10)
}

/// The filled form.
struct Form<'a> {
    shopper: &'a Shopper,
    token: String,
    ticket: String,
}

async fn form(shopper: &Shopper, sale: ActivityId) -> Form<'_> {
    let page = shopper.ticket(sale).await.json();
    let text = |name: &str| page[name].as_str().unwrap().to_owned();
    Form { shopper, token: text("csrf_token"), ticket: text("ticket") }
}

impl Form<'_> {
    async fn send(&self, sale: ActivityId) -> Answer {
        self.shopper.submit(sale, &self.token, &self.ticket, "").await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admission_whose_answer_is_lost_is_found_under_its_number() {
    let app = App::start_with(cut_off_from_the_gate()).await;
    let proxy = app.proxy(Side::Web, Kind::Redis);
    let sale = app.sale(Sale::of(20)).await;
    let shoppers = app.shoppers(10).await;
    let forms = join_all(shoppers.iter().map(|shopper| form(shopper, sale))).await;

    proxy.swallow_to_client(true);
    let answers = join_all(forms.iter().map(|form| form.send(sale))).await;
    for (shopper, answer) in shoppers.iter().zip(&answers) {
        assert_eq!((answer.status, answer.outcome()), (202, "unknown".into()), "{}", answer.text);
        // The ledger has the order while the site is still deaf to the gate.
        shopper.order_becomes(&answer.order_no(), "pending_payment").await;
    }
    proxy.swallow_to_client(false);
    proxy.cut();
    for (shopper, answer) in shoppers.iter().zip(&answers) {
        let again = eventually("the gate is heard again", SOON, || async {
            Some(shopper.buy(sale).await).filter(|again| again.status < 500)
        })
        .await;
        assert_eq!((again.status, again.outcome()), (200, "already_held".into()));
        assert_eq!(again.order_no(), answer.order_no());
    }
    assert_eq!(app.balance(sale).await.orders.pending_payment, 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purchase_that_never_reached_the_gate_is_checking_and_then_lost_and_can_be_repeated() {
    let app = App::start_with(cut_off_from_the_gate()).await;
    let proxy = app.proxy(Side::Web, Kind::Redis);
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let form = form(&shopper, sale).await;

    proxy.swallow_to_server(true);
    let answer = form.send(sale).await;
    assert_eq!((answer.status, answer.outcome()), (202, "unknown".into()), "{}", answer.text);
    let number = answer.order_no();
    assert_eq!(shopper.order(&number).await.state(), "checking");
    proxy.swallow_to_server(false);
    proxy.cut();

    let again = super::insist(&shopper, sale).await;
    assert_eq!(again.outcome(), "admitted");
    assert_ne!(again.order_no(), number);
    assert_eq!(shopper.order(&number).await.state(), "checking");
    shopper.order_becomes(&again.order_no(), "pending_payment").await;
    shopper.order_becomes(&number, "lost").await;
    assert_eq!(app.balance(sale).await.orders.pending_payment, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_to_the_gate_that_is_dead_but_not_closed_is_replaced() {
    let plan = cut_off_from_the_gate().behind(Side::Worker, Kind::Redis);
    let app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(20)).await;
    let shoppers = app.shoppers(10).await;
    all_buy(&shoppers[..5], sale).await;
    app.balanced("a path that works", sale, |b| b.orders.pending_payment == 5).await;

    app.proxy(Side::Web, Kind::Redis).strand();
    app.proxy(Side::Worker, Kind::Redis).strand();
    let answers = all_insist(&shoppers[5..], sale, 5).await;
    assert!(answers.iter().all(|answer| answer.outcome() != "sold_out"));
    app.balanced("the path works again", sale, |b| b.orders.pending_payment == 10).await;
    assert!(outbox(&app, sale).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_unit_cancelled_while_the_gate_is_away_is_sellable_when_it_is_back() {
    let app = App::start_with(cut_off_from_the_gate()).await;
    let proxy = app.proxy(Side::Web, Kind::Redis);
    let sale = app.sale(Sale::of(1)).await;
    let (first, second) = (app.shopper().await, app.shopper().await);
    let number = first.must_buy(sale).await;
    first.order_becomes(&number, "pending_payment").await;

    proxy.refuse(true);
    proxy.cut();
    let cancelled = first.cancel(&number).await;
    assert_eq!((cancelled.status, cancelled.state()), (200, "cancelled".into()));
    assert_eq!(app.balance(sale).await.gate_stock, Some(0));
    proxy.refuse(false);
    app.balanced("the unit is back", sale, |b| b.gate_stock == Some(1)).await;
    assert_eq!(super::insist(&second, sale).await.outcome(), "admitted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gate_that_stands_still_for_a_while_gives_no_unit_twice() {
    let home = Home::temporary().unwrap();
    let redis = Server::start_in(&home, Kind::Redis, "redis", Speed::Test).await.unwrap();
    let plan = Plan { redis_url: Some(redis.url().to_owned()), ..Plan::default() }
        .set("SECKILL__GATE__CALL_TIMEOUT_MS", 250);
    let app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(30)).await;
    let shoppers = app.shoppers(40).await;
    let forms = join_all(shoppers.iter().map(|shopper| form(shopper, sale))).await;

    // What is asked meanwhile waits in the gate's sockets and is carried out when it goes on, long after
    // it was given up.
    redis.freeze().await;
    let asked = join_all(forms.iter().map(|form| form.send(sale))).await;
    for answer in &asked {
        assert!(["unknown", "busy"].contains(&answer.outcome().as_str()), "{}", answer.text);
    }
    redis.thaw().await;
    let answers = all_insist(&shoppers, sale, 8).await;
    every_unit_went_to_one_of(&app, sale, 30, &shoppers, &answers).await;
    for (shopper, (asked, last)) in shoppers.iter().zip(asked.iter().zip(&answers)) {
        if asked.outcome() == "unknown" {
            let fate = shopper.order(&asked.order_no()).await.state();
            let is_theirs = asked.order_no() == last.order_no();
            assert_eq!(fate, if is_theirs { "pending_payment" } else { "checking" });
        }
    }
}
