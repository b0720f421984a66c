//! The life of an activity through the console: each step, what it says, and what the audit keeps.

use std::time::Duration;

use chrono::{TimeDelta, Utc};

use super::{
    App, Form, address, admin, fault, input, notice, product, row, rows, status, step, step_on,
    version,
};
use crate::harness::{SOON, Sale, Shopper, eventually};
use seckill::sale::ids::ActivityId;

/// Clocks in UTC, so many seconds from now.
fn in_seconds(seconds: i64) -> String {
    (Utc::now() + TimeDelta::seconds(seconds)).format("%Y-%m-%dT%H:%M:%S").to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sale_is_made_published_stopped_goes_on_and_is_ended_from_the_browser() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let form = Form::new(&product(&app, "Kettle").await)
        .with("starts_at", &in_seconds(4))
        .with("ends_at", &in_seconds(3600))
        .without("captcha");
    let id = form.create(&admin).await;
    let path = address(id);
    assert!(notice(&admin.browser.get(&path).await).contains("The draft is made"));
    assert_eq!(notice(&admin.browser.get(&path).await), "", "it is said once");

    assert_eq!(step(&admin, id, "schedule").await.status, 303);
    assert!(notice(&admin.browser.get(&path).await).contains("opens by itself at its start"));
    // Made while everything runs, it can be bought when its time has come.
    let shopper = app.shopper().await;
    let order = eventually("the sale opens", SOON, || async {
        let answer = shopper.buy(id).await;
        (answer.outcome() == "admitted").then(|| answer.order_no())
    })
    .await;
    shopper.order_becomes(&order, "pending_payment").await;

    for (step_name, said, state) in [
        ("pause", "Nobody can buy now", "paused"),
        ("resume", "It goes on", "scheduled"),
        ("end", "Nobody can buy any more", "ended"),
    ] {
        assert_eq!(step(&admin, id, step_name).await.status, 303, "{step_name}");
        assert_eq!(status(&app, id), state);
        assert!(notice(&admin.browser.get(&path).await).contains(said), "{step_name}");
    }
    let page = admin.browser.get(&path).await;
    for link in ["dashboard", "orders.csv"] {
        assert!(page.text.contains(&format!("href=\"{path}/{link}\"")), "{link}");
    }
    assert!(page.text.contains(&format!("href=\"/admin/audit?subject=activity:{id}\"")));
    assert_eq!(shopper.pay(&order).await.status, 200);
    eventually("the sale is settled", SOON, || async {
        (status(&app, id) == "settled").then_some(())
    })
    .await;
    assert!(admin.browser.get(&path).await.text.contains("chip-settled"));
    let audit = format!(
        "SELECT CONCAT(action, ' ', actor) AS text FROM audit_log WHERE subject = 'activity:{id}' ORDER BY id"
    );
    let by = |action: &str| format!("activity.{action} {}", admin.name);
    assert_eq!(
        rows(&app, &audit),
        [
            by("create"),
            by("publish"),
            by("pause"),
            by("resume"),
            by("end"),
            "activity.settle clock".into()
        ]
    );
    let ids = format!(
        "SELECT CAST(COUNT(DISTINCT request_id) AS CHAR) AS text FROM audit_log \
         WHERE subject = 'activity:{id}' AND request_id <> ''"
    );
    assert_eq!(row(&app, &ids), "5", "each finds its request again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_orders_is_not_withdrawn_and_what_has_not_begun_is_not_ended() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let sold = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let stale = version(&admin.browser.get(&address(sold)).await);
    let order = shopper.must_buy(sold).await;
    shopper.order_becomes(&order, "pending_payment").await;
    let told = step_on(&admin, sold, "cancel", &stale, &[]).await;
    assert_eq!((told.status, notice(&told).contains("has an order")), (409, true), "{}", told.text);
    assert!(!told.text.contains("/cancel\""), "it is not offered any more: {}", told.text);
    assert_eq!(status(&app, sold), "scheduled");

    let upcoming = app.sale(Sale::of(5).opening_in(Duration::from_mins(30))).await;
    let told = step(&admin, upcoming, "end").await;
    assert_eq!(
        (told.status, notice(&told).contains("has not begun")),
        (409, true),
        "{}",
        told.text
    );
    assert_eq!(step(&admin, upcoming, "cancel").await.status, 303);
    assert_eq!(status(&app, upcoming), "cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_whose_time_came_meanwhile_is_not_published_by_surprise() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let form = Form::new(&product(&app, "Kettle").await);
    let late = form.clone().with("starts_at", &in_seconds(-60)).create(&admin).await;
    let present = version(&admin.browser.get(&address(late)).await);
    let page = admin.browser.get(&address(late)).await;
    assert!(page.text.contains("Its start has passed: it opens at once."));
    let told = step_on(&admin, late, "schedule", &present, &[]).await;
    assert_eq!((told.status, status(&app, late).as_str()), (422, "draft"));
    assert!(notice(&told).contains("it opens at once"), "{}", told.text);
    let knowing = input(&told, "knowing").unwrap();
    let done = step_on(&admin, late, "schedule", &present, &[("knowing", &knowing)]).await;
    assert_eq!(done.status, 303);

    let over = form.with("starts_at", &in_seconds(-60)).with("ends_at", &in_seconds(-30));
    let over = over.create(&admin).await;
    let page = admin.browser.get(&address(over)).await;
    assert!(!page.text.contains("/schedule\""), "{}", page.text);
    let told = step_on(&admin, over, "schedule", &version(&page), &[("knowing", "past")]).await;
    assert_eq!((told.status, status(&app, over).as_str()), (422, "draft"));
    app.office.end(late, None, &seckill::sale::actor::Actor::command()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clone_is_a_draft_of_its_own() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let id = app.sale(Sale { title: "Kettles, first time".into(), ..Sale::of(7) }).await;
    let token = admin.browser.csrf_token().await;
    let made =
        admin.browser.post(&format!("{}/clone", address(id)), &[("csrf_token", &token)]).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let copy = made.location.unwrap();
    let page = admin.browser.get(&copy).await;
    assert!(notice(&page).contains(&format!("copy of activity #{id}")), "{}", page.text);
    assert!(page.text.contains("chip-draft") && page.text.contains("Kettles, first time"));
    assert_eq!(status(&app, id), "scheduled");
    let copied = "SELECT CONCAT_WS(' ', total_stock, starts_at > UTC_TIMESTAMP()) AS text FROM activities ORDER BY id DESC LIMIT 1";
    assert_eq!(row(&app, copied), "7 1");
}

async fn adjust(
    admin: &Shopper,
    id: ActivityId,
    change_id: &str,
    change: &str,
    units: &str,
) -> crate::harness::Answer {
    let token = admin.browser.csrf_token().await;
    let fields = [
        ("csrf_token", token.as_str()),
        ("change_id", change_id),
        ("change", change),
        ("units", units),
    ];
    admin.browser.post(&format!("{}/adjust", address(id)), &fields).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn units_are_added_once_and_taken_as_far_as_they_are_free() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let id = app.sale(Sale::of(5)).await;
    for shopper in app.shoppers(3).await {
        shopper.must_buy(id).await;
    }
    let path = address(id);
    let change = input(&admin.browser.get(&path).await, "change_id").unwrap();
    // Sent three times at once, as by an impatient hand.
    let sent =
        futures_util::future::join_all((0..3).map(|_| adjust(&admin, id, &change, "add", "10")));
    let statuses: Vec<_> = sent.await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [303, 303, 303]);
    let page = admin.browser.get(&path).await;
    assert_eq!(notice(&page), "10 units were added. The activity has 15 now.");
    let misused = adjust(&admin, id, &change, "take", "3").await;
    assert_eq!((misused.status, notice(&misused).contains("used for another change")), (409, true));

    let change = input(&page, "change_id").unwrap();
    for _ in 0..2 {
        assert_eq!(adjust(&admin, id, &change, "take", "50").await.status, 303);
        assert_eq!(
            notice(&admin.browser.get(&path).await),
            "12 of 50 units were taken away: no more were free. The activity has 3 \
             now."
        );
    }
    let change = input(&admin.browser.get(&path).await, "change_id").unwrap();
    assert_eq!(adjust(&admin, id, &change, "take", "1").await.status, 303);
    let page = admin.browser.get(&path).await;
    assert_eq!(notice(&page), "No unit was free, so none was taken away. The activity has 3.");
    let is_sold = |b: &seckill::back_office::Balance| (b.total_stock, b.remain_stock) == (3, 0);
    app.balanced("the three orders are recorded", id, is_sold).await;

    for units in ["", "0", "-1", "1e3", "ten", "1.5", "100000001", &"9".repeat(40)] {
        let refused = adjust(&admin, id, &change, "add", units).await;
        assert_eq!(refused.status, 422, "{units}");
        assert!(fault(&refused, "units").is_some_and(|fault| fault.starts_with("Units:")));
        assert_eq!(input(&refused, "units").as_deref(), Some(units));
    }
    for (change_id, change) in [("", "add"), ("x", "add"), (&change[..], "more")] {
        assert_eq!(adjust(&admin, id, change_id, change, "1").await.status, 400);
    }
    assert_eq!(app.balance(id).await.total_stock, 3);
}
