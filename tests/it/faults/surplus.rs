//! The gate was given more units than the ledger has: the ledger is the last line.

use futures_util::future::join_all;

use super::keys;
use crate::harness::shopper::redis_of;
use crate::harness::{App, Sale};

/// What of the gate says that there are 50 units more.
#[derive(Clone, Copy, PartialEq)]
enum Raised {
    Stock,
    StockAndUnits,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gate_whose_stock_is_50_too_high_sells_not_one_unit_too_many() {
    sells_what_the_ledger_has(Raised::Stock).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gate_whose_stock_and_units_are_50_too_high_sells_not_one_unit_too_many() {
    sells_what_the_ledger_has(Raised::StockAndUnits).await;
}

async fn sells_what_the_ledger_has(raised: Raised) {
    let app = App::start().await;
    let sale = app.sale(Sale::of(100)).await;
    let shoppers = app.shoppers(160).await;
    let mut gate = redis_of(app.config.gate.url.reveal()).await;
    let mut spoil = redis::pipe();
    spoil.cmd("INCRBY").arg(keys(sale).stock()).arg(50).ignore();
    if raised == Raised::StockAndUnits {
        spoil.cmd("HINCRBY").arg(keys(sale).sale()).arg("units").arg(50).ignore();
    }
    let () = spoil.query_async(&mut gate).await.unwrap();

    let answers = join_all(shoppers.iter().map(|shopper| shopper.buy(sale))).await;
    let admitted = answers.iter().filter(|answer| answer.outcome() == "admitted").count();
    assert!(admitted > 100, "only {admitted} were admitted: nothing was tried");

    let surplus = i64::try_from(admitted).unwrap() - 100;
    let balance = app
        .balanced("100 orders, the surplus rejected", sale, |b| {
            b.orders.pending_payment == 100 && b.orders.rejected == surplus && b.reserved == Some(0)
        })
        .await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (0, Some(0)));
    for (shopper, answer) in shoppers.iter().zip(&answers) {
        if answer.outcome() != "admitted" {
            continue;
        }
        let order = shopper.order(&answer.order_no()).await;
        match order.state().as_str() {
            "pending_payment" => {}
            "rejected" => {
                assert_eq!(order.json()["reason"], "sold_out");
                assert_eq!(shopper.buy(sale).await.outcome(), "sold_out");
            }
            state => panic!("{state}: {}", order.text),
        }
    }
}
