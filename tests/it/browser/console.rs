//! An admin at the console: makes a sale that a shopper in another browser buys in, and sees every page
//! on a desk and on a phone, by day and by night.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use seckill::sale::actor::Actor;
use seckill::sale::ids::ActivityId;

use super::person::{BUY, Person, page_of};
use super::{Setting, Window};
use crate::harness::{App, SOON, Sale, eventually};

const SAVE: &str = "main form.form button[type=submit]";

/// As clocks in Shanghai show it.
fn in_shanghai(at: DateTime<Utc>) -> String {
    (at + TimeDelta::hours(8)).format("%Y-%m-%dT%H:%M:%S").to_string()
}

/// Makes a product with a picture and goes on to a sale of it.
async fn makes_a_product(window: &Window) {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("kettle.png");
    image::RgbImage::from_pixel(320, 240, image::Rgb([221, 44, 20])).save(&picture).unwrap();
    window.clicks(".subnav a[href='/admin/products']").await;
    window.clicks("a[href='/admin/products/new']").await;
    window.sees("h1", "New product").await;
    window.types("#name", "Travel kettle").await;
    window.types("#list_price", "59.97").await;
    window.types("input[type=file]", picture.to_str().unwrap()).await;
    window.clicks(SAVE).await;
    window.sees("h1", "Travel kettle").await;
    window.looks_at("console-product").await;
    window.clicks(".page-head a[href^='/admin/activities/new']").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admin_makes_a_sale_that_a_shopper_buys_in_when_it_opens() {
    let app = App::start().await;
    let setting = Setting { time_zone: "Asia/Shanghai", ..Setting::DESK };
    let (admin, shopper) =
        (Person::admin(&app, setting).await, Person::signed_in(&app, Setting::PHONE).await);
    let window = &admin.window;

    window.clicks(".top-nav a[href='/admin']").await;
    window.sees(".zone-note b", "Asia/Shanghai").await;
    makes_a_product(window).await;
    window.sees("h1", "New activity").await;
    window.types("#title", "Kettles in twenty seconds").await;
    window.types("#price", "19,99").await;
    window.types("#stock", "3").await;
    assert_eq!(window.asks("document.getElementById('zone').value").await, "Asia/Shanghai");
    let starts_at = Utc::now() + TimeDelta::seconds(20);
    window.sets("#starts_at", &in_shanghai(starts_at)).await;
    window.sets("#ends_at", &in_shanghai(starts_at + TimeDelta::hours(1))).await;
    window.clicks(SAVE).await;
    window
        .sees(
            "#price-fault",
            "Price: write digits with a point, like 19.99; no comma, no currency sign.",
        )
        .await;
    assert_eq!(
        window.asks("document.activeElement.id").await,
        "faults",
        "what is wrong is read first"
    );
    window.looks_at("console-form-fault").await;
    window.types("#price", "19.99").await;
    window.clicks(SAVE).await;
    window.sees("#said", "The draft is made. Shoppers do not see it before it is scheduled.").await;
    window.sees(".chip", "Draft").await;
    let path = window.path().await;
    let sale: ActivityId = path.rsplit('/').next().unwrap().parse().unwrap();
    window.clicks(".step summary").await;
    window.looks_at("console-scheduling").await;
    window.clicks(".step form button").await;
    window.sees("#said", "Scheduled. It opens by itself at its start.").await;

    let shop = &shopper.window;
    eventually("the shop has it", SOON, || async {
        shop.goes_to(&page_of(sale)).await;
        shop.text(BUY).await.map(drop)
    })
    .await;
    assert_eq!(
        shop.asks("document.querySelector('.sale-picture img')?.naturalWidth > 0").await,
        true,
        "the product's picture is shown"
    );
    shop.sees(BUY, "Buy now").await;
    assert!(Utc::now() >= starts_at - TimeDelta::seconds(1), "not before its start");
    shopper.buys(sale).await;
    shop.sees("h1", "Your order is placed").await;

    window.reloads().await;
    window.sees(".chip", "Open").await;
    window.sees(".figures > div:nth-child(4) dd", "1").await;
    window.looks_at("console-open").await;
    window.types("#units", "2").await;
    window.double_clicks("button[value=add]").await;
    window.sees("#said", "2 units were added. The activity has 5 now.").await;
    assert_eq!(app.balance(sale).await.total_stock, 5);

    // The dashboard shows it, and follows by itself what happens next.
    window.goes_to(&format!("/admin/activities/{sale}/dashboard")).await;
    window.sees(".chip", "Open").await;
    window.sees("#figures .tile-main dd", "4").await;
    window.looks_at("console-dashboard").await;
    app.shopper().await.must_buy(sale).await;
    window.sees("#figures .tile-main dd", "3").await;
    app.balanced("both orders", sale, |b| b.orders.pending_payment == 2).await;
    admin.has_no_complaint().await;
    shopper.has_no_complaint().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_about_activities_fits_a_desk() {
    fits(Setting::DESK).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_about_activities_fits_a_phone() {
    fits(Setting::PHONE).await;
}

async fn fits(setting: Setting) {
    let app = App::start().await;
    let by = Actor::command();
    let long = "An uncommonly long name for a kettle that never ends and goes on".to_owned();
    let named = |sale: Sale| Sale { title: long.clone(), captcha: true, ..sale };
    let draft = app.draft(named(Sale::of(500))).await;
    let upcoming = app.sale(named(Sale::of(500).opening_in(Duration::from_secs(2400)))).await;
    let open = app.sale(Sale::of(120)).await;
    app.shopper().await.must_buy(open).await;
    let paused = app.sale(named(Sale::of(5))).await;
    app.office.pause(paused, None, &by).await.unwrap();
    let ended =
        app.sale(Sale { title: "夜间特卖 Last night's lights".into(), ..Sale::of(5) }).await;
    app.office.end(ended, None, &by).await.unwrap();
    let setting = Setting { time_zone: "Europe/Berlin", ..setting };
    let admin = Person::admin(&app, setting).await;
    let window = &admin.window;
    window.goes_to("/admin/activities").await;
    window.sees(".zone-note b", "Europe/Berlin").await;

    for scheme in ["light", "dark"] {
        window.turns(scheme).await;
        let console = |page: &str| format!("/admin/activities{page}");
        for (name, path) in [
            ("list", console("")),
            ("nothing", console("?state=cancelled&q=teapot")),
            ("new", console("/new")),
            ("draft", console(&format!("/{draft}"))),
            ("draft-edit", console(&format!("/{draft}/edit"))),
            ("draft-preview", console(&format!("/{draft}/preview"))),
            ("upcoming", console(&format!("/{upcoming}"))),
            ("open", console(&format!("/{open}"))),
            ("open-edit", console(&format!("/{open}/edit"))),
            ("paused", console(&format!("/{paused}"))),
            ("ended", console(&format!("/{ended}"))),
        ] {
            window.goes_to(&path).await;
            window.looks_at(&format!("activities-{scheme}-{name}")).await;
        }
        window.goes_to(&console("/new")).await;
        window.clicks(SAVE).await;
        window
            .sees("#stock-fault", "Stock: a whole number from 0 to 100000000, in digits alone.")
            .await;
        window.looks_at(&format!("activities-{scheme}-faults")).await;
        window.goes_to(&console(&format!("/{upcoming}/edit"))).await;
        window.sets("#starts_at", "2037-10-25T02:30").await;
        window.sets("#ends_at", "2037-10-25T04:30").await;
        window.clicks(SAVE).await;
        window.sees(".folds label", "The earlier one, CEST (UTC+02:00)").await;
        window.looks_at(&format!("activities-{scheme}-twice")).await;

        window.goes_to(&console(&format!("/{draft}/edit"))).await;
        window.types("#price", "18.50").await;
        let now = app.office.preview(draft).await.unwrap();
        let mut plan = seckill::sale::plan::Plan::of(&now);
        plan.price = seckill::sale::money::Cents(plan.price.0 + 100);
        plan.ends_at += TimeDelta::hours(1);
        app.office.edit(draft, now.version, now.product.id, plan, &by).await.unwrap();
        window.clicks(SAVE).await;
        window
            .sees(
                "#changed .panel-title",
                "Somebody else changed this activity meanwhile. Nothing was saved.",
            )
            .await;
        window.looks_at(&format!("activities-{scheme}-changed")).await;
    }
    window.clicks(".languages button[value=zh-CN]").await;
    window.sees("h1", "编辑活动").await;
    window.goes_to("/admin/activities").await;
    window.sees("h1", "活动").await;
    window.looks_at("activities-zh-list").await;
    window.goes_to(&format!("/admin/activities/{open}")).await;
    window.looks_at("activities-zh-open").await;
    admin.has_no_complaint().await;
}
