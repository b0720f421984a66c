//! The pipeline in front of an operator during a small sale: it moves by itself, turns red, and recovers.

use serde_json::json;

use super::person::Person;
use super::{Setting, Window};
use crate::harness::{App, Plan, Process, SOON, Sale, eventually};

async fn operator(app: &App, setting: Setting) -> Window {
    Person::operator(app, setting).await.window
}

/// Waits for a figure to be as `is` says.
pub(super) async fn figure(window: &Window, name: &str, is: impl Fn(&str) -> bool) {
    let script = format!(
        "[...document.querySelectorAll('#figures .tile-figure')]\
         .find((tile) => tile.querySelector('dt').textContent === {})\
         ?.querySelector('dd').textContent ?? ''",
        json!(name)
    );
    eventually(name, SOON, || async {
        let value = window.asks(&script).await;
        is(value.as_str().unwrap_or_default()).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_sees_a_small_sale_pass_and_a_worker_die() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let mut worker = Process::start(&app, "worker").await;
    let sale = app.sale(Sale::of(20)).await;
    let shoppers = app.shoppers(4).await;
    let desk = operator(&app, Setting::DESK).await;
    let phone = operator(&app, Setting::PHONE).await;
    for window in [&desk, &phone] {
        window.goes_to("/ops/pipeline").await;
        window.sees("h1", "Pipeline").await;
        figure(window, "Workers", |value| value == "1").await;
        // Gone if the page were loaded again.
        window.asks("window.sameAsBefore = true").await;
    }
    for shopper in &shoppers {
        let order = shopper.must_buy(sale).await;
        shopper.order_becomes(&order, "pending_payment").await;
    }
    for window in [&desk, &phone] {
        figure(window, "Lag, p99", |value| value.ends_with('s')).await;
        eventually("four orders are counted", SOON, || async {
            let text = window.asks("document.querySelector('.processes').textContent").await;
            text.as_str().is_some_and(|text| text.contains('4')).then_some(())
        })
        .await;
        eventually("both pictures", SOON, || async {
            let drawn = window.asks("document.querySelectorAll('svg.chart').length").await;
            (drawn == json!(2)).then_some(())
        })
        .await;
        window.looks_at("pipeline").await;
    }
    worker.kill();
    for window in [&desk, &phone] {
        window.sees("[data-alarm=no-worker] .alarm-where", "Recorder").await;
        window.looks_at("pipeline-red").await;
    }
    let _again = Process::start(&app, "worker").await;
    for window in [&desk, &phone] {
        eventually("it is gone", SOON, || async {
            let script = "document.querySelector('[data-alarm=no-worker]') === null";
            (window.asks(script).await == json!(true)).then_some(())
        })
        .await;
        assert_eq!(window.asks("window.sameAsBefore === true").await, json!(true));
        assert_eq!(window.complaints().await, Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_scripts_the_pipeline_is_loaded_again_by_itself() {
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let window = operator(&app, Setting { javascript: false, ..Setting::DESK }).await;
    window.goes_to("/ops/pipeline").await;
    window.sees("[data-alarm=no-worker] .alarm-where", "Recorder").await;
    app.start_worker().await;
    window.sees(".processes tr:last-child td:nth-child(2)", "worker").await;
}
