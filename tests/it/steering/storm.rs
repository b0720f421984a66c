//! Stock, price, end and state change while a crowd buys (S19): the books stay exact, and the price that a
//! shopper saw is the price of the order.

use std::time::Duration;

use chrono::TimeDelta;
use futures_util::StreamExt as _;
use seckill::ledger::orders;
use seckill::sale::ids::ActivityId;
use seckill::sale::money::Cents;
use seckill::sale::order::OrderState;

use super::{admin, edit, insist};
use crate::harness::shopper::redis_of;
use crate::harness::{App, SOON, Sale, Shopper, eventually};

/// What a shopper came home with.
#[derive(Debug)]
struct Told {
    outcome: String,
    /// The order's number, and the price that was on the page when the form was sent.
    order: Option<(String, i64)>,
}

/// Reads the page, takes note of the price, buys; waits out a pause.
async fn buy(app: &App, shopper: &Shopper, sale: ActivityId) -> Told {
    let gate = redis_of(app.config.gate.url.reveal()).await;
    eventually("an answer that stays", Duration::from_secs(60), || {
        let mut gate = gate.clone();
        async move {
            let page = shopper.ticket(sale).await;
            let answer = if let Some(ticket) = page.json()["ticket"].as_str() {
                let key = format!("seckill:ticket:{{{sale}:0}}:{}", shopper.id);
                let price: Option<i64> = redis::cmd("HGET")
                    .arg(key)
                    .arg("price_cents")
                    .query_async(&mut gate)
                    .await
                    .unwrap();
                let token = page.json()["csrf_token"].as_str().unwrap().to_owned();
                let answer = shopper.submit(sale, &token, ticket, "").await;
                if answer.outcome() == "admitted" {
                    let order = Some((answer.order_no(), price.unwrap()));
                    return Some(Told { outcome: "admitted".into(), order });
                }
                answer
            } else {
                page
            };
            let outcome = answer.outcome();
            let stays = ["sold_out", "ended"].contains(&outcome.as_str());
            let passes = ["paused", "too_fast", "ticket_invalid", "restoring", "busy"];
            assert!(stays || passes.contains(&outcome.as_str()), "{}", answer.text);
            stays.then_some(Told { outcome, order: None })
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_an_admin_changes_while_a_crowd_buys_the_books_are_exact() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(120)).await;
    let shoppers = app.shoppers(400).await;
    let buying = futures_util::stream::iter(&shoppers)
        .map(|shopper| buy(&app, shopper, sale))
        .buffered(16)
        .collect::<Vec<_>>();

    let steering = async {
        let office = &app.office;
        let mut changed = 0;
        for round in 0..6 {
            let adjust = async |by: i64| {
                let id = format!("storm-{round}-{by}");
                insist(async || office.adjust(sale, by, &id, &admin()).await).await.changed
            };
            changed += adjust(25).await;
            insist(async || edit(office, sale, |terms| terms.price = Cents(1500 + round)).await)
                .await;
            changed += adjust(-10).await;
            insist(async || office.pause(sale, None, &admin()).await).await;
            changed += adjust(-1000).await;
            insist(async || {
                edit(office, sale, |terms| terms.ends_at += TimeDelta::minutes(1)).await
            })
            .await;
            insist(async || office.resume(sale, None, &admin()).await).await;
            changed += adjust(7).await;
        }
        changed
    };
    let (told, changed) = tokio::join!(buying, steering);
    let late = app.shopper().await;
    insist(async || app.office.end(sale, None, &admin()).await).await;
    assert_eq!(buy(&app, &late, sale).await.outcome, "ended");

    let orders: Vec<_> = told.iter().filter_map(|told| told.order.as_ref()).collect();
    let count = i64::try_from(orders.len()).unwrap();
    let balance = app.balanced("all orders", sale, |b| b.orders.pending_payment == count).await;
    assert_eq!(balance.total_stock, 120 + changed);
    assert_eq!(balance.remain_stock, balance.total_stock - count);
    assert_eq!((balance.orders.rejected, balance.orders.lost), (0, 0));
    assert!(balance.remain_stock >= 0 && count > 0);
    for (shopper, told) in shoppers.iter().zip(&told) {
        let rows = orders::of_user(&app.ledger, shopper.id, None, 10).await.unwrap();
        let kept: Vec<_> = rows.iter().map(|row| (row.order_no.to_string(), row.price.0)).collect();
        let expected: Vec<_> = told.order.clone().into_iter().collect();
        assert_eq!(kept, expected, "{}", shopper.name);
        assert!(rows.iter().all(|row| row.state == OrderState::PendingPayment));
    }
    let prices: std::collections::HashSet<_> = orders.iter().map(|(_, price)| price).collect();
    assert!(prices.len() > 1, "the price changed while they bought: {prices:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_that_is_brought_forward_closes_the_sale_and_one_put_off_keeps_it_open() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shoppers = app.shoppers(3).await;
    shoppers[0].must_buy(sale).await;
    let soon = chrono::Utc::now() + TimeDelta::seconds(2);
    edit(&app.office, sale, |terms| terms.ends_at = soon).await.unwrap();
    edit(&app.office, sale, |terms| terms.ends_at = soon + TimeDelta::hours(1)).await.unwrap();
    eventually("the first end has passed", SOON, || async {
        (chrono::Utc::now() > soon).then_some(())
    })
    .await;
    shoppers[1].must_buy(sale).await;
    let now = chrono::Utc::now() + TimeDelta::seconds(1);
    edit(&app.office, sale, |terms| terms.ends_at = now).await.unwrap();
    app.balanced("it is over", sale, |b| b.state == "ended").await;
    assert_eq!(shoppers[2].buy(sale).await.outcome(), "ended");
    app.balanced("two orders", sale, |b| b.orders.pending_payment == 2).await;
}
