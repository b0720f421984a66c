//! The way that everything is made for: wait, buy, pay; on a desk and on a phone.

use std::time::Duration;

use super::Setting;
use super::person::{BUY, PAY, PAY_AT_THE_SANDBOX, Person, SUBMIT, page_of, purchase_of};
use crate::harness::{App, Plan, SOON, Sale, eventually};

const SECONDS: &str = ".countdown [data-part=seconds]";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_desk_a_shopper_waits_for_the_start_buys_and_pays() {
    waits_for_the_start_buys_and_pays(Setting::DESK).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_phone_a_shopper_waits_for_the_start_buys_and_pays() {
    waits_for_the_start_buys_and_pays(Setting::PHONE).await;
}

async fn waits_for_the_start_buys_and_pays(setting: Setting) {
    // The worker comes later, so that there is time to see an order that is only reserved.
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let person = Person::new(&app, setting).await;
    let window = &person.window;
    let sale = app
        .sale(Sale {
            captcha: true,
            title: "Kettles at noon, brushed steel".into(),
            ..Sale::of(5).opening_in(Duration::from_secs(10))
        })
        .await;

    window.goes_to("/").await;
    window.looks_at("list").await;
    window.clicks(".card h3 a").await;
    window.arrives_at(&page_of(sale)).await;
    window.sees(BUY, "Sign in and be ready").await;
    window.clicks(BUY).await;
    window.sees("h1", "Sign in").await;
    window.looks_at("login").await;
    person.signs_in().await;
    window.arrives_at(&page_of(sale)).await;

    window.sees(BUY, "Opens soon").await;
    assert!(!window.is_enabled(BUY).await, "before the start the button is closed");
    window.looks_at("sale-before-the-start").await;
    for thing in ["h1", ".prices", ".countdown", BUY] {
        assert!(window.is_in_sight(thing).await, "{thing} can be seen without scrolling");
    }
    let shown = window.text(SECONDS).await.unwrap();
    eventually("the countdown runs", SOON, || async {
        (window.text(SECONDS).await? != shown).then_some(())
    })
    .await;
    window.sees(BUY, "Buy now").await;
    assert!(window.is_enabled(BUY).await, "at the start it opens");
    window.sees(".chip", "On now").await;
    window.looks_at("sale-open").await;

    window.clicks(BUY).await;
    window.arrives_at(&purchase_of(sale)).await;
    window.types("#captcha", "wrong").await;
    window.clicks(SUBMIT).await;
    window
        .sees(
            ".notice-warn[role=alert]:not([hidden])",
            "That was not what the picture shows. Nothing was taken; here is a new picture.",
        )
        .await;
    window.looks_at("purchase").await;
    person.types_what_the_picture_shows(sale).await;
    window.clicks(SUBMIT).await;

    let order = person.arrives_at_an_order().await;
    window.sees("h1", "Yours! Your order is being placed").await;
    window.looks_at("order-reserved").await;
    app.start_worker().await;
    window.sees("h1", "Your order is placed").await;
    window.looks_at("order-placed").await;
    window.goes_to("/orders").await;
    window.sees(".row .chip", "To be paid").await;
    window.looks_at("orders").await;
    window.clicks(".row h2 a").await;
    window.arrives_at(&order).await;
    window.clicks(PAY).await;
    window.sees("h1", "Sandbox payment").await;
    window.looks_at("sandbox").await;
    window.clicks(PAY_AT_THE_SANDBOX).await;
    window.sees("h1", "Paid. Thank you!").await;
    window.looks_at("order-paid").await;
    assert_eq!(window.path().await, order);

    let balance = app.balance(sale).await;
    assert_eq!((balance.orders.paid, balance.remain_stock), (1, 4));
    person.has_no_complaint().await;
}
