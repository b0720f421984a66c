//! What people do when they are in a hurry: everything twice.

use super::Setting;
use super::person::{BUY, Person, SUBMIT, page_of, purchase_of};
use crate::harness::{App, Sale};

const TICKET: &str = "document.querySelector('[name=ticket]').value";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn double_click_back_reload_and_two_tabs_lead_to_one_order() {
    let app = App::start().await;
    let sale = app.sale(Sale { captcha: true, ..Sale::of(5) }).await;
    let person = Person::signed_in(&app, Setting::DESK).await;
    let window = &person.window;

    // The second tab has the form as well, before anything was bought.
    window.goes_to(&page_of(sale)).await;
    window.clicks(BUY).await;
    window.arrives_at(&purchase_of(sale)).await;
    let first = window.tab().await;
    let ticket = window.asks(TICKET).await;
    let second = window.opens_tab().await;
    window.goes_to(&purchase_of(sale)).await;
    person.types_what_the_picture_shows(sale).await;
    assert_eq!(window.asks(TICKET).await, ticket, "two tabs share the ticket");

    window.goes_to_tab(&first).await;
    person.types_what_the_picture_shows(sale).await;
    window.double_clicks(SUBMIT).await;
    let order = person.arrives_at_an_order().await;
    window.sees("h1", "Your order is placed").await;

    window.reloads().await;
    window.sees("h1", "Your order is placed").await;
    window.goes_back().await;
    // The form is gone: whoever holds an order is shown it.
    window.arrives_at(&order).await;
    window.sees("h1", "Your order is placed").await;
    window.goes_back().await;
    window.arrives_at(&page_of(sale)).await;
    window.double_clicks(BUY).await;
    window.arrives_at(&order).await;

    window.goes_to_tab(&second).await;
    window.double_clicks(SUBMIT).await;
    window.arrives_at(&order).await;
    window.sees("h1", "Your order is placed").await;

    let balance = app.balanced("one order", sale, |b| b.orders.pending_payment == 1).await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (4, Some(4)));
    person.has_no_complaint().await;
}
