//! An operator at work: finds an order and sees its way, reads a dead letter and sends it again, watches a
//! small sale; and every page of theirs on a desk and on a phone, by day and by night.

use seckill::gate::keys::Keys;
use seckill::queue::{Queue, QueueOptions, message};
use seckill::sale::ids::{ActivityId, Bucket};
use serde_json::json;

use super::person::Person;
use super::pipeline::figure;
use super::{Setting, Window};
use crate::harness::{App, Plan, Process, SOON, Sale, Shopper, eventually};

fn queue(app: &App) -> Queue {
    let prefix = app.places.prefix.clone();
    Queue::new(QueueOptions { prefix, ..QueueOptions::new(app.config.queue.url.reveal()) }).unwrap()
}

/// A purchase whose message ends among the dead letters; gives its number.
async fn is_buried(app: &mut App, sale: ActivityId, shopper: &Shopper) -> String {
    app.stop_worker().await;
    let order = shopper.must_buy(sale).await;
    let keys = Keys::of(sale, Bucket(0));
    let entry = app.gate.outbox(&keys, 1).await.unwrap().remove(0);
    app.gate.forget(&keys, std::slice::from_ref(&entry)).await.unwrap();
    let (body, properties) = message::encode(&entry.reservation.unwrap());
    let queue = queue(app);
    queue.publisher().publish_dead(&body, &properties, "a fault of ours").await.unwrap();
    queue.close().await;
    app.start_worker().await;
    order
}

/// Looks again until the page says so.
async fn sees_in_the_end(window: &Window, css: &str, text: &str) {
    let what = format!("{css} says {text:?} in the end");
    eventually(&what, SOON, || async {
        if window.text(css).await.as_deref() == Some(text) {
            return Some(());
        }
        window.reloads().await;
        None
    })
    .await;
}

async fn the_way(window: &Window) -> Vec<String> {
    let stations = "[...document.querySelectorAll('.station')].map((station) =>
        [...station.children].map((part) => part.textContent.trim()).join(': '))";
    serde_json::from_value(window.asks(stations).await).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_finds_an_order_by_its_number_and_sees_its_way() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let (buyer, other) = (app.shopper().await, app.shopper().await);
    let order = buyer.must_buy(sale).await;
    other.must_buy(sale).await;
    buyer.order_becomes(&order, "pending_payment").await;
    app.balanced("both are recorded", sale, |b| b.reserved == Some(0)).await;
    for setting in [Setting::DESK, Setting::PHONE] {
        let operator = Person::operator(&app, setting).await;
        let window = &operator.window;
        window.sees("h1", "Orders").await;
        window.types("#number", &order.to_lowercase()).await;
        window.clicks(".filters button").await;
        let row = format!("tbody tr:only-child a[href='/ops/orders/{order}']");
        window.sees(&row, &order).await;
        window.clicks(&row).await;
        window.sees("h1", &order).await;
        let way = [
            "Gate: Held by this order, and recorded.",
            "Outbox: Published; nothing waits.",
            "Queue: Through: the ledger has it.",
            "Ledger: Recorded; to be paid.",
        ];
        assert_eq!(the_way(window).await, way);
        window.sees(".history b", "To be paid").await;
        window.looks_at("ops-order").await;
        operator.has_no_complaint().await;
    }

    let operator = Person::operator(&app, Setting::DESK).await;
    let window = &operator.window;
    window.goes_to(&format!("/ops/orders/{order}")).await;
    window.clicks("#cancel summary").await;
    window.types("#reason", "The address does not exist.").await;
    window.clicks("#cancel button").await;
    window.sees("#said", "The order is cancelled, and its unit goes back on sale.").await;
    window.sees(".station-done b", "Ledger").await;
    window.sees(".history-words", "The address does not exist.").await;
    buyer.order_becomes(&order, "cancelled").await;
    operator.has_no_complaint().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_reads_a_dead_letter_sends_it_again_and_sees_its_order() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let shopper = app.shopper().await;
    let order = is_buried(&mut app, sale, &shopper).await;
    let operator = Person::operator(&app, Setting::DESK).await;
    let window = &operator.window;

    // From the pipeline, where it is red.
    window.goes_to("/ops/pipeline").await;
    window.sees("[data-alarm=dead-letters] .alarm-where", "Dead letters").await;
    window.clicks("[data-alarm=dead-letters] a").await;
    window.arrives_at("/ops/dead-letters").await;
    window.sees("tbody .words", "a fault of ours").await;
    window.clicks("tbody .named a").await;
    window.sees("dd .words", "a fault of ours").await;
    let body = window.text("pre.body").await.unwrap();
    assert!(body.contains(&order) && body.contains("\"request_id\""), "{body}");

    // The unit is promised, and nobody has the order.
    let letter = window.path().await;
    window.clicks("a[href^='/ops/orders?number=']").await;
    window
        .sees("#on-its-way .panel-title", "On its way: the gate has it, the ledger not yet")
        .await;
    let way = [
        "Gate: A unit is held for the shopper.",
        "Outbox: Published; nothing waits.",
        "Queue: Here, or with the recorder.",
        "Ledger: Not there yet.",
    ];
    assert_eq!(the_way(window).await, way);
    window.goes_to(&letter).await;
    window.sees("#state", "Waiting").await;
    window.clicks("#replay button").await;
    // By itself.
    window.sees("#state", "Sent again").await;
    window.looks_at("ops-letter-sent").await;
    shopper.order_becomes(&order, "pending_payment").await;
    window.clicks("a[href^='/ops/orders?number=']").await;
    window.clicks("tbody .named a").await;
    window.sees("h1", &order).await;
    window.sees(".station-here b", "Ledger").await;

    // One that cannot be mended comes back, and is put away.
    let queue = queue(&app);
    queue.publisher().publish_again("poison", Some("1"), b"<order/>").await.unwrap();
    window.clicks(".subnav a[href='/ops/dead-letters']").await;
    sees_in_the_end(window, "tbody .named bdi", "poison").await;
    window.clicks("tbody .named a").await;
    window.sees("pre.body", "<order/>").await;
    window.clicks("#replay button").await;
    window
        .sees(
            "#said",
            "It was sent again and came back: its cause is not mended. The reason below is the new one.",
        )
        .await;
    window.clicks("#discard summary").await;
    window.types("#reason", "Nobody's.").await;
    window.clicks("#discard button").await;
    window.sees("#state", "Put away").await;
    window.sees("#said", "It is put away.").await;
    operator.has_no_complaint().await;
    queue.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_watches_a_small_sale_pass() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let _worker = Process::start(&app, "worker").await;
    let sale = app.sale(Sale::of(6)).await;
    let operator = Person::operator(&app, Setting::PHONE).await;
    let window = &operator.window;
    window.clicks(".subnav a[href='/ops/pipeline']").await;
    figure(window, "Workers", |value| value == "1").await;
    let recorded = "td[data-label='Orders recorded']";
    for shopper in app.shoppers(6).await {
        let order = shopper.must_buy(sale).await;
        shopper.order_becomes(&order, "pending_payment").await;
    }
    let all = format!(
        "[...document.querySelectorAll(\"{recorded}\")].reduce((sum, cell) => sum + (Number(cell.textContent) || 0), 0)"
    );
    eventually("six orders are counted", SOON, || async {
        (window.asks(&all).await == json!(6)).then_some(())
    })
    .await;
    window.clicks(".subnav a[href='/ops/sales']").await;
    let sold = format!("#sale-{sale} td[data-label='Left']");
    window.sees(&sold, "0").await;
    operator.has_no_complaint().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_of_operators_fits_a_desk_and_a_phone() {
    let mut app = App::start().await;
    let title = "An uncommonly long name for a kettle that never ends and goes on";
    let sale = app.sale(Sale { title: title.into(), ..Sale::of(5) }).await;
    let (buyer, unlucky) = (app.shopper().await, app.shopper().await);
    let order = buyer.must_buy(sale).await;
    buyer.order_becomes(&order, "pending_payment").await;
    let buried = is_buried(&mut app, sale, &unlucky).await;
    let id = "long".repeat(45);
    let queue = queue(&app);
    queue.publisher().publish_again(&id, Some("9"), &[0xff; 200]).await.unwrap();
    for setting in [Setting::DESK, Setting::PHONE] {
        let operator = Person::operator(&app, setting).await;
        let window = &operator.window;
        window.goes_to("/ops/dead-letters").await;
        sees_in_the_end(window, "tbody tr:nth-child(2) .words", "a fault of ours").await;
        let letter = window.asks("document.querySelector('tbody .named a').pathname").await;
        let letter = letter.as_str().unwrap();
        for (scheme, language, headline) in [("light", "en", "Orders"), ("dark", "zh-CN", "订单")]
        {
            window.turns(scheme).await;
            window.goes_to("/ops/orders").await;
            window.clicks(&format!(".languages button[value={language}]")).await;
            window.sees("h1", headline).await;
            for (name, path) in [
                ("orders", "/ops/orders"),
                ("orders-nothing", "/ops/orders?state=lost&from=2026-01-01&to=2026-01-02"),
                (
                    "orders-faults",
                    "/ops/orders?shopper=nobody&activity=x&from=2026-02-02&to=2026-01-01",
                ),
                ("orders-on-its-way", &format!("/ops/orders?number={buried}&activity={sale}")),
                ("order", &format!("/ops/orders/{order}")),
                ("letters", "/ops/dead-letters?state=all"),
                ("letters-nothing", "/ops/dead-letters?state=discarded"),
                ("letter", letter),
                ("pipeline", "/ops/pipeline"),
                ("stuck", "/ops/stuck"),
                ("sales", "/ops/sales"),
                ("nothing", "/ops/nowhere"),
            ] {
                window.goes_to(path).await;
                window.looks_at(&format!("ops-{scheme}-{name}")).await;
            }
        }
        operator.has_no_complaint().await;
    }
    // Nothing is left behind.
    let operator = Person::operator(&app, Setting::DESK).await;
    operator.window.goes_to("/ops/dead-letters").await;
    operator.window.clicks("#replay-all summary").await;
    operator.window.clicks("#replay-all form button").await;
    operator.window.sees("#said", "2 letters are being sent again.").await;
    unlucky.order_becomes(&buried, "pending_payment").await;
    queue.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_the_top_bar_is_cut_off_on_the_phone_of_staff() {
    let app = App::start().await;
    let (operator, admin) =
        (Person::operator(&app, Setting::PHONE).await, Person::admin(&app, Setting::PHONE).await);
    for person in [&operator, &admin] {
        for language in ["en", "zh-CN"] {
            person.window.clicks(&format!(".languages button[value={language}]")).await;
            person.window.sees(".languages [aria-current]", own_name(language)).await;
            for bar in [".top-nav", ".subnav"] {
                let all = format!(
                    "[document.querySelector('{bar}')].every((bar) => bar.scrollWidth <= bar.clientWidth)"
                );
                assert_eq!(person.window.asks(&all).await, json!(true), "{bar} in {language}");
            }
        }
    }
}

fn own_name(language: &str) -> &'static str {
    if language == "en" { "English" } else { "中文" }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_back_to_the_address_of_a_form_is_led_to_its_page() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let buyer = app.shopper().await;
    let order = buyer.must_buy(sale).await;
    buyer.order_becomes(&order, "pending_payment").await;
    let operator = Person::operator(&app, Setting::DESK).await;
    let window = &operator.window;
    let page = format!("/ops/orders/{order}");
    window.goes_to(&page).await;
    window.clicks("#cancel summary").await;
    window.types("#reason", "   ").await;
    window.clicks("#cancel button").await;
    window.sees("#reason-fault", "Please say why.").await;
    window.arrives_at(&format!("{page}/cancel")).await;
    window.goes_to(&format!("{page}/cancel")).await;
    window.clicks(".message-links a.button").await;
    window.arrives_at(&page).await;
    operator.has_no_complaint().await;
}
