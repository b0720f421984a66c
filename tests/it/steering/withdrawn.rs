//! What an admin takes back: a draft that nobody saw, and a withdrawal that comes to nothing.

use chrono::TimeDelta;
use seckill::back_office::BackOfficeError;
use seckill::gate::keys::Keys;
use seckill::sale::activity::Status;
use seckill::sale::ids::Bucket;

use super::{admin, edit};
use crate::harness::shopper::redis_of;
use crate::harness::{App, Plan, SOON, Sale, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_that_is_withdrawn_stays_unseen_and_a_sale_that_was_is_called_off() {
    let app = App::start().await;
    let secret = app.draft(Sale { title: "A secret".into(), ..Sale::of(5) }).await;
    let published = app.sale(Sale::of(5)).await;
    app.office.withdraw(secret, None, &admin()).await.unwrap();
    app.office.withdraw(published, None, &admin()).await.unwrap();
    let page = async |id| {
        let answer = app.http.get(format!("{}/activities/{id}", app.url())).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    eventually("the sale is called off", SOON, || async {
        let (status, text) = page(published).await;
        (status == 200 && text.contains("called off")).then_some(())
    })
    .await;
    let (status, text) = page(secret).await;
    assert_eq!(status, 404);
    assert!(!text.contains("A secret"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_withdrawal_that_comes_to_nothing_leaves_the_sale_as_it_was() {
    let app = App::start_with(Plan { no_worker: true, unbalanced: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(5)).await;
    // The gate cannot tell who holds what.
    let mut gate = redis_of(app.config.gate.url.reveal()).await;
    let stock = Keys::of(sale, Bucket(0)).stock();
    let () = redis::cmd("DEL").arg(stock).query_async(&mut gate).await.unwrap();
    let withdrawn = app.office.withdraw(sale, None, &admin()).await;
    assert!(matches!(withdrawn, Err(BackOfficeError::Busy(_))), "{withdrawn:?}");
    assert_eq!(app.office.read(sale).await.unwrap().status, Status::Scheduled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_knows_only_the_former_end_cannot_end_a_sale_that_was_extended() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(5)).await;
    edit(&app.office, sale, |terms| terms.ends_at += TimeDelta::hours(1)).await.unwrap();
    // As a keeper does whose look at the sale is old, or whose clock is ahead.
    let held = app.office.hold_if_free(sale).await.unwrap().unwrap();
    app.office.advance(&held, Status::Ended).await.unwrap();
    held.free().await;
    assert_eq!(app.office.read(sale).await.unwrap().status, Status::Scheduled);
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "admitted");
}
