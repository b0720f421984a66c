//! Several nodes and admins at once: of two who change the same thing one wins and the other is told (S24),
//! and all nodes follow.

use std::time::Duration;

use futures_util::future::join_all;
use seckill::back_office::BackOfficeError;
use seckill::sale::activity::Status;
use seckill::sale::ids::Epoch;
use seckill::sale::money::Cents;

use super::{admin, another_office, edit, now_ms};
use crate::harness::{App, Plan, Process, SOON, Sale, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_admins_who_publish_at_once_one_does_and_the_stock_is_as_configured() {
    let app = App::start().await;
    let offices = [another_office(&app).await, another_office(&app).await];
    let sale = app.draft(Sale::of(9)).await;
    let by = admin();
    let published = join_all(offices.iter().map(|office| office.schedule(sale, None, &by))).await;
    assert_eq!(published.iter().filter(|result| result.is_ok()).count(), 1, "{published:?}");
    let told = |error: &BackOfficeError| {
        matches!(error, BackOfficeError::State { status: Status::Scheduled, .. })
    };
    assert!(published.iter().filter_map(|result| result.as_ref().err()).all(told));
    let balance = app.balance(sale).await;
    assert_eq!((balance.state, balance.total_stock, balance.gate_stock), ("open", 9, Some(9)));
    assert_eq!(app.office.read(sale).await.unwrap().gate_epoch, Epoch(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_admins_who_edit_the_same_version_the_second_is_told_what_it_became() {
    let app = App::start().await;
    let offices = [another_office(&app).await, another_office(&app).await];
    for sale in [app.draft(Sale::of(9)).await, app.sale(Sale::of(9)).await] {
        let before = app.office.read(sale).await.unwrap();
        let edits = offices.iter().zip([1111, 2222]).map(|(office, price)| {
            let mut terms = seckill::sale::plan::Plan::of(&before);
            terms.price = Cents(price);
            async move {
                let by = admin();
                office.edit(sale, before.version, before.product.id, terms, &by).await
            }
        });
        let edited = join_all(edits).await;
        assert_eq!(edited.iter().filter(|result| result.is_ok()).count(), 1, "{edited:?}");
        let after = app.office.read(sale).await.unwrap();
        assert_eq!(after.version, before.version + 1);
        let told = edited.into_iter().find_map(Result::err).unwrap();
        let BackOfficeError::Changed(now) = told else { panic!("{told}") };
        assert_eq!(now.price, after.price);
        // Nor does a step go through that was meant for what is no more.
        let stale = app.office.end(sale, Some(before.version), &admin()).await;
        assert!(matches!(stale, Err(BackOfficeError::Changed(_))), "{stale:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_keepers_one_preheats() {
    let plan = Plan::default()
        .set("SECKILL__SALE__PREHEAT_BEFORE_S", 4)
        .set("SECKILL__KEEPER__EVERY_MS", 100);
    let app = App::start_with(plan).await;
    let workers = [Process::start(&app, "worker").await, Process::start(&app, "worker").await];
    let opens_in = Duration::from_secs(8);
    let sales = join_all((1..=6).map(|stock| app.sale(Sale::of(stock).opening_in(opens_in)))).await;
    for (sale, stock) in sales.iter().zip(1..) {
        let balance =
            app.balanced("preheated", *sale, |balance| balance.gate_stock == Some(stock)).await;
        assert_eq!((balance.state, balance.reserved), ("scheduled", Some(0)));
        assert_eq!(app.office.read(*sale).await.unwrap().gate_epoch, Epoch(1));
    }
    drop(workers);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sale_made_while_the_system_runs_opens_on_every_node_at_its_start() {
    let app = App::start().await;
    let second = Process::start(&app, "web").await;
    let mut shoppers = app.shoppers(2).await;
    shoppers[1].browser.goes_to(second.url.clone());
    let sale = app.draft(Sale::of(2).opening_in(Duration::from_secs(5))).await;
    app.office.schedule(sale, None, &admin()).await.unwrap();
    let opens_ms = app.office.read(sale).await.unwrap().opens_ms();

    let waiting = shoppers.iter().map(|shopper| async move {
        eventually("it opens here", SOON, || async {
            let asked_ms = now_ms();
            let answer = shopper.buy(sale).await;
            match answer.outcome().as_str() {
                "admitted" => {
                    assert!(now_ms() >= opens_ms, "too early");
                    Some(())
                }
                "not_open" => {
                    assert!(asked_ms < opens_ms + 1000, "a second late and still not open");
                    None
                }
                // The node has not heard of it yet.
                "not_found" => None,
                other => panic!("{other}: {}", answer.text),
            }
        })
        .await;
    });
    join_all(waiting).await;
    app.balanced("two orders", sale, |b| b.orders.pending_payment == 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_reaches_pages_and_gate_of_every_node() {
    let app = App::start().await;
    let second = Process::start(&app, "web").await;
    let sale = app.sale(Sale::of(5)).await;
    edit(&app.office, sale, |terms| {
        terms.title = "Kettles, cheaper".into();
        terms.price = Cents(1234);
    })
    .await
    .unwrap();
    for url in [app.url(), second.url.clone()] {
        eventually("the page tells it", SOON, || async {
            let page = app.http.get(format!("{url}/activities/{sale}")).send().await.ok()?;
            let text = page.text().await.ok()?;
            (text.contains("Kettles, cheaper") && text.contains("12<")).then_some(())
        })
        .await;
    }
    let mut shopper = app.shopper().await;
    shopper.browser.goes_to(second.url.clone());
    let number = shopper.must_buy(sale).await;
    let order = shopper.order_becomes(&number, "pending_payment").await;
    assert_eq!(order.json()["amount"], 1234, "{}", order.text);
}
