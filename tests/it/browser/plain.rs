//! Without JavaScript everything still works; the pages refresh themselves.

use std::time::Duration;

use super::Setting;
use super::person::{BUY, PAY, PAY_AT_THE_SANDBOX, Person, page_of};
use crate::harness::{App, Sale};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_javascript_a_shopper_waits_buys_pays_and_cancels() {
    let app = App::start().await;
    let person = Person::signed_in(&app, Setting { javascript: false, ..Setting::DESK }).await;
    let window = &person.window;
    let soon =
        app.sale(Sale { captcha: true, ..Sale::of(5).opening_in(Duration::from_secs(4)) }).await;

    window.goes_to(&page_of(soon)).await;
    window.sees(BUY, "Opens soon").await;
    window.sees(BUY, "Buy now").await;
    person.buys(soon).await;
    window.sees("h1", "Your order is placed").await;
    window.clicks(PAY).await;
    window.sees("h1", "Sandbox payment").await;
    window.clicks(PAY_AT_THE_SANDBOX).await;
    window.sees("h1", "Paid. Thank you!").await;

    let other = app.sale(Sale { captcha: true, ..Sale::of(5) }).await;
    window.goes_to(&page_of(other)).await;
    let order = person.buys(other).await;
    window.sees("h1", "Your order is placed").await;
    window.clicks(".cancel summary").await;
    window.clicks(".cancel form button").await;
    window.sees("h1", "Order cancelled").await;
    assert_eq!(window.path().await, order);

    app.balanced("one paid", soon, |b| b.orders.paid == 1).await;
    app.balanced("one cancelled", other, |b| b.orders.cancelled == 1).await;
}
