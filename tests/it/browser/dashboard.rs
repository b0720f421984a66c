//! A sale's dashboard in front of an admin: it moves by itself, and turns into the settlement.

use seckill::sale::actor::Actor;
use seckill::sale::ids::ActivityId;
use serde_json::json;

use super::person::Person;
use super::{Setting, Window};
use crate::harness::{App, SOON, Sale, eventually};

async fn admin(app: &App, setting: Setting) -> Window {
    Person::admin(app, setting).await.window
}

fn dashboard_of(sale: ActivityId) -> String {
    format!("/admin/activities/{sale}/dashboard")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_move_before_the_eyes_and_end_as_the_settlement() {
    let app = App::start().await;
    let sale = app.sale(Sale { title: "Kettles & <pots>".into(), ..Sale::of(5) }).await;
    let buyer = app.shopper().await;
    let desk = admin(&app, Setting::DESK).await;
    let phone = admin(&app, Setting::PHONE).await;
    for window in [&desk, &phone] {
        window.goes_to(&dashboard_of(sale)).await;
        window.sees("h1", "Kettles & <pots>").await;
        window.sees("#figures .tile-main dd", "5").await;
        // Gone if the page were loaded again.
        window.asks("window.sameAsBefore = true").await;
    }
    let order = buyer.must_buy(sale).await;
    buyer.order_becomes(&order, "pending_payment").await;
    for window in [&desk, &phone] {
        window.sees("#figures .tile-main dd", "4").await;
        window.sees("#figures .table-narrow tbody th", "Admitted").await;
        assert_eq!(window.asks("window.sameAsBefore === true").await, json!(true));
        eventually("both pictures", SOON, || async {
            let drawn = window.asks("document.querySelectorAll('svg.chart').length").await;
            (drawn == json!(2)).then_some(())
        })
        .await;
        window.looks_at("dashboard").await;
    }
    buyer.pay(&order).await;
    for window in [&desk, &phone] {
        window.sees("#figures .tile-good dd", "1").await;
    }
    app.office.end(sale, None, &Actor::command()).await.unwrap();
    for window in [&desk, &phone] {
        window.sees("#settlement-title", "Settlement").await;
        window.looks_at("settlement").await;
        window.goes_to("/admin/audit").await;
        window.sees("h1", "Audit").await;
        window.looks_at("audit").await;
        assert_eq!(window.complaints().await, Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_scripts_the_page_is_loaded_again_by_itself() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let window = admin(&app, Setting { javascript: false, ..Setting::DESK }).await;
    window.goes_to(&dashboard_of(sale)).await;
    window.sees("#figures .tile-main dd", "5").await;
    app.shopper().await.must_buy(sale).await;
    window.sees("#figures .tile-main dd", "4").await;
}
