//! A crowd at the gate: every unit goes to exactly one shopper, everybody gets a true answer.

use std::collections::{HashMap, HashSet};

use futures_util::{StreamExt as _, future::join_all, stream};
use seckill::ledger::orders;
use seckill::sale::ids::ActivityId;

use crate::harness::{Answer, App, Plan, Sale, Shopper};

/// How often each outcome came.
fn outcomes(answers: &[Answer]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for answer in answers {
        *counts.entry(answer.outcome()).or_default() += 1;
    }
    counts
}

fn counted<const N: usize>(counts: [(&str, usize); N]) -> HashMap<String, usize> {
    counts.into_iter().map(|(outcome, count)| (outcome.to_owned(), count)).collect()
}

/// The shoppers who hold an order of this sale, by the ledger.
async fn holders(app: &App, sale: ActivityId) -> HashSet<i64> {
    let page = orders::holders_page(&app.ledger, sale, None, 10_000).await.unwrap();
    let holders: HashSet<i64> = page.iter().map(|holder| holder.user_id.0).collect();
    assert_eq!(holders.len(), page.len(), "nobody holds two");
    holders
}

async fn buy_at_once(shoppers: &[Shopper], sale: ActivityId, at_once: usize) -> Vec<Answer> {
    stream::iter(shoppers).map(|s| s.buy(sale)).buffered(at_once).collect().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_unit_and_200_shoppers_make_one_order_and_199_true_sold_out() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let shoppers = app.shoppers(200).await;

    let answers = join_all(shoppers.iter().map(|shopper| shopper.buy(sale))).await;

    assert_eq!(outcomes(&answers), counted([("admitted", 1), ("sold_out", 199)]));
    let balance = app.balanced("one order", sale, |b| b.orders.pending_payment == 1).await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (0, Some(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_units_and_2000_shoppers_make_100_orders_of_100_shoppers() {
    let app = App::start().await;
    let sale = app.sale(Sale { captcha: true, ..Sale::of(100) }).await;
    let shoppers = app.shoppers(2000).await;

    // First everybody gets a ticket and reads the picture, then all send the form.
    let tickets: Vec<_> = stream::iter(&shoppers)
        .map(|shopper| async move {
            let page = shopper.ticket(sale).await.json();
            let answer = shopper.read_picture(sale).await;
            (page["csrf_token"].clone(), page["ticket"].clone(), answer)
        })
        .buffered(64)
        .collect()
        .await;
    let answers: Vec<Answer> = stream::iter(shoppers.iter().zip(&tickets))
        .map(|(shopper, (token, ticket, answer))| {
            let (token, ticket) = (token.as_str().unwrap(), ticket.as_str().unwrap());
            shopper.submit(sale, token, ticket, answer)
        })
        .buffered(500)
        .collect()
        .await;

    assert_eq!(outcomes(&answers), counted([("admitted", 100), ("sold_out", 1900)]));
    let balance = app.balanced("100 orders", sale, |b| b.orders.pending_payment == 100).await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (0, Some(0)));
    let admitted: HashSet<i64> = shoppers
        .iter()
        .zip(&answers)
        .filter(|(_, answer)| answer.outcome() == "admitted")
        .map(|(shopper, _)| shopper.id.0)
        .collect();
    assert_eq!(holders(&app, sale).await, admitted, "who was told so has the order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shopper_who_buys_again_before_the_order_is_written_keeps_the_same_number() {
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;

    let order_no = shopper.must_buy(sale).await;
    let again = shopper.buy(sale).await;
    assert_eq!((again.status, again.outcome()), (200, "already_held".into()));
    assert_eq!(again.order_no(), order_no);
    assert_eq!(shopper.order(&order_no).await.state(), "reserved");
    let mine = shopper.browser.get_json("/orders").await.json();
    assert_eq!(mine["orders"][0]["order_no"], order_no.as_str(), "{mine}");

    app.start_worker().await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    assert_eq!(app.balance(sale).await.orders.pending_payment, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn units_that_come_back_are_bought_by_others_until_all_are_paid() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(10)).await;
    let shoppers = app.shoppers(30).await;
    let (first, later) = shoppers.split_at(10);

    let answers = buy_at_once(first, sale, 10).await;
    assert_eq!(outcomes(&answers), counted([("admitted", 10)]));
    for (at, (shopper, answer)) in first.iter().zip(&answers).enumerate() {
        shopper.order_becomes(&answer.order_no(), "pending_payment").await;
        let done = match at % 2 {
            0 => shopper.pay(&answer.order_no()).await,
            _ => shopper.cancel(&answer.order_no()).await,
        };
        assert_eq!(done.status, 200, "{}", done.text);
    }
    app.balanced("five units back", sale, |b| b.gate_stock == Some(5)).await;

    let answers = buy_at_once(later, sale, 20).await;
    assert_eq!(outcomes(&answers), counted([("admitted", 5), ("sold_out", 15)]));
    app.balanced("all held again", sale, |b| b.orders.paid + b.orders.pending_payment == 10).await;
}
