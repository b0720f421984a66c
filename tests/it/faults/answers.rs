//! The gate's answer gets lost on its way back to the site: never "failed", the number tells the truth.

use futures_util::future::join_all;
use seckill::sale::ids::ActivityId;
use seckill::stack::Kind;

use super::{all_buy, outbox};
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
    let answers = super::all_insist(&shoppers[5..], sale, 5).await;
    assert!(answers.iter().all(|answer| answer.outcome() != "sold_out"));
    app.balanced("the path works again", sale, |b| b.orders.pending_payment == 10).await;
    assert!(outbox(&app, sale).await.is_empty());
}
