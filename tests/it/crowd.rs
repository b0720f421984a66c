//! A crowd at the gate: every unit goes to exactly one shopper, everybody gets a true answer.

use std::collections::HashSet;

use futures_util::future::join_all;

use crate::harness::{App, Plan, Sale};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_unit_and_200_shoppers_make_one_order_and_199_true_sold_out() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let shoppers = app.shoppers(200).await;

    let answers = join_all(shoppers.iter().map(|shopper| shopper.buy(sale))).await;

    let admitted = answers.iter().filter(|answer| answer.outcome() == "admitted").count();
    let sold_out = answers.iter().filter(|answer| answer.outcome() == "sold_out").count();
    assert_eq!(
        (admitted, sold_out),
        (1, 199),
        "{:?}",
        answers.iter().map(|a| a.outcome()).collect::<HashSet<_>>()
    );
    let balance = app.balanced("one order", sale, |b| b.orders.pending_payment == 1).await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (0, Some(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shopper_who_buys_again_before_the_order_is_written_keeps_the_same_number() {
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;

    let order_no = shopper.must_buy(sale).await;
    let again = shopper.buy(sale).await;
    assert_eq!(
        (again.status, again.outcome(), again.order_no()),
        (200, "already_held".into(), order_no.clone())
    );
    assert_eq!(shopper.order(&order_no).await.state(), "reserved");

    app.start_worker().await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    assert_eq!(app.balance(sale).await.orders.pending_payment, 1);
}
