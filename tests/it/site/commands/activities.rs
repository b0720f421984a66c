//! Leading sales by commands.

use std::collections::BTreeSet;

use seckill::sale::ids::ActivityId;
use serde_json::Value;

use super::super::{row, rows};
use super::{CREATE, Done, Environment, places, seckill};
use crate::harness::{App, Plan, SOON, Sale, eventually};

async fn create(environment: &Environment, more: &[&str]) -> Done {
    let arguments = [&CREATE[..], &["--ends-at", "2999-01-01T00:00:00Z"], more].concat();
    seckill(environment, &arguments).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_activity_is_led_from_its_draft_to_its_end() {
    let app = places().await;
    let environment = app.environment();
    let run = async |arguments: &[&str]| seckill(&environment, arguments).await;
    let shown = async |id: &str| -> Value {
        serde_json::from_str(&run(&["activity", "show", id, "--json"]).await.well()).unwrap()
    };

    let out = create(&environment, &["--no-captcha", "--pay-within", "60"]).await.well();
    let id = out.trim_end();
    assert_eq!(out, format!("{}\n", id.parse::<ActivityId>().unwrap()));
    let made = "SELECT CONCAT_WS(' ', actor, action, subject) AS text FROM audit_log ORDER BY id";
    let product = row(&app, "SELECT CAST(MAX(id) AS CHAR) AS text FROM products");
    let expected = [
        format!("command product.create product:{product}"),
        format!("command activity.create activity:{id}"),
    ];
    assert_eq!(rows(&app, made), expected);
    let balance = shown(id).await;
    let fields: BTreeSet<_> = balance.as_object().unwrap().keys().map(String::as_str).collect();
    let expected =
        ["id", "state", "total_stock", "remain_stock", "gate_stock", "reserved", "orders"];
    assert_eq!(fields, BTreeSet::from(expected));
    for name in ["pending_payment", "paid", "cancelled"] {
        assert_eq!(balance["orders"][name], 0, "{balance}");
    }
    assert_eq!(balance["state"], "draft");
    assert_eq!((&balance["total_stock"], &balance["gate_stock"]), (&10.into(), &Value::Null));
    for step in ["pause", "resume", "end"] {
        run(&["activity", step, id]).await.failed();
    }
    assert!(run(&["activity", "list"]).await.well().contains("At noon"));
    assert!(run(&["activity", "show", id]).await.well().contains("Kettle"));

    assert_eq!(run(&["activity", "schedule", id]).await.well(), "");
    let balance = shown(id).await;
    assert_eq!((&balance["state"], &balance["gate_stock"]), (&"open".into(), &10.into()));
    for step in ["schedule", "resume"] {
        let reason = run(&["activity", step, id]).await.failed();
        assert!(reason.contains(id), "{reason}");
    }
    run(&["activity", "pause", id]).await.well();
    assert_eq!(shown(id).await["state"], "paused");
    run(&["activity", "pause", id]).await.failed();
    run(&["activity", "resume", id]).await.well();
    assert_eq!(shown(id).await["state"], "open");
    run(&["activity", "end", id]).await.well();
    assert_eq!(shown(id).await["state"], "ended");
    for step in ["schedule", "pause", "resume", "end", "cancel"] {
        run(&["activity", step, id]).await.failed();
    }
    run(&["activity", "adjust", id, "--stock", "+1"]).await.failed();

    let id = create(&environment, &[]).await.well().trim_end().to_owned();
    run(&["activity", "cancel", &id]).await.well();
    assert_eq!(shown(&id).await["state"], "cancelled");
    run(&["activity", "schedule", &id]).await.failed();
    for step in ["show", "schedule", "pause", "resume", "end", "cancel"] {
        let reason = run(&["activity", step, "424242"]).await.failed();
        assert!(reason.contains("424242"), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_activity_that_makes_no_sense_is_not_created() {
    let app = places().await;
    let environment = app.environment();
    let long = "x".repeat(10_000);
    for (name, value, named) in [
        ("--product", "", "product"),
        ("--product", &long, "product"),
        ("--product", "a\nb", "product"),
        ("--title", " ", "title"),
        ("--title", &long, "title"),
        ("--price", "0", "price"),
        ("--price", "100000000", "price"),
        ("--stock", "100000001", "stock"),
        ("--starts-at", "2999-01-01T00:00:00Z", "ends-at"),
        ("--starts-at", "1969-01-01T00:00:00Z", "starts-at"),
    ] {
        let mut arguments = CREATE.to_vec();
        let at = arguments.iter().position(|word| *word == name).unwrap();
        arguments[at + 1] = value;
        let arguments = [arguments, vec!["--ends-at", "2998-01-01T00:00:00Z"]].concat();
        let done = seckill(&environment, &arguments).await;
        assert!(done.out.is_empty() && matches!(done.code, Some(1 | 2)), "{name}: {done:?}");
        assert!(done.err.contains(named), "{name}: {done:?}");
    }
    for more in [["--buckets", "2"], ["--buckets", "0"], ["--pay-within", "9"], ["--rate", "0"]] {
        create(&environment, &more).await.failed();
    }
    let made = "SELECT CAST((SELECT COUNT(*) FROM activities) + (SELECT COUNT(*) FROM products) \
                AS CHAR) AS text";
    assert_eq!(row(&app, made), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stock_is_changed_exactly_and_once_for_each_change_id() {
    let app = App::start().await;
    let environment = app.environment();
    let sale = app.sale(Sale::of(10)).await;
    let other = app.sale(Sale::of(10)).await;
    let adjust = async |sale: ActivityId, by: &str, more: &[&str]| {
        let id = sale.to_string();
        let arguments = ["activity", "adjust", &id, "--stock", by];
        seckill(&environment, &[&arguments[..], more].concat()).await
    };
    let balances = async |total: i64, free: i64| {
        let balance = app.balance(sale).await;
        let figures = (balance.total_stock, balance.remain_stock, balance.gate_stock);
        assert_eq!(figures, (total, free, Some(free)));
    };
    assert_eq!(adjust(sale, "+5", &[]).await.well(), "changed by +5, total 15\n");
    assert_eq!(adjust(sale, "-3", &[]).await.well(), "changed by -3, total 12\n");
    balances(12, 12).await;

    for shopper in app.shoppers(2).await {
        let order_no = shopper.must_buy(sale).await;
        shopper.order_becomes(&order_no, "pending_payment").await;
    }
    // Once for each id: at once, and after other changes.
    for _ in 0..2 {
        let told = adjust(sale, "+10", &["--change-id", "more"]).await.well();
        assert_eq!(told, "changed by +10, total 22\n");
        balances(22, 20).await;
    }
    for _ in 0..2 {
        let told = adjust(sale, "-4", &["--change-id", "less"]).await.well();
        assert_eq!(told, "changed by -4, total 18\n");
        balances(18, 16).await;
    }
    adjust(sale, "+1", &["--change-id", "between"]).await.well();
    balances(19, 17).await;
    let told = adjust(sale, "-4", &["--change-id", "less"]).await.well();
    assert!(told.starts_with("changed by -4, "), "{told}");
    balances(19, 17).await;
    let told = adjust(sale, "+10", &["--change-id", "more"]).await.well();
    assert!(told.starts_with("changed by +10, "), "{told}");
    balances(19, 17).await;

    // An id that names another change is refused, and nothing happens.
    for (id, by) in [("more", "+9"), ("more", "-10"), ("less", "+4"), ("between", "-1")] {
        adjust(sale, by, &["--change-id", id]).await.failed();
        balances(19, 17).await;
    }
    for (id, by) in [("more", "+10"), ("less", "-4")] {
        adjust(other, by, &["--change-id", id]).await.failed();
        let balance = app.balance(other).await;
        assert_eq!((balance.total_stock, balance.gate_stock), (10, Some(10)));
    }

    // Never under what is sold.
    assert_eq!(adjust(sale, "-1000", &[]).await.well(), "changed by -17, total 2\n");
    balances(2, 0).await;
    assert_eq!(adjust(sale, "-1", &[]).await.well(), "changed by +0, total 2\n");
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "sold_out");
    adjust(sale, "+1", &[]).await.well();
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "admitted");
    adjust(sale, "+100000001", &[]).await.failed();

    let draft = app.draft(Sale::of(10)).await;
    assert_eq!(adjust(draft, "-4", &[]).await.well(), "changed by -4, total 6\n");
    assert_eq!(adjust(draft, "-40", &[]).await.well(), "changed by -6, total 0\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_activity_is_withdrawn_only_while_nobody_has_bought() {
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let environment = app.environment();
    let sale = app.sale(Sale::of(3)).await;
    let id = sale.to_string();
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;

    // Reserved counts: its order is on its way.
    let reason = seckill(&environment, &["activity", "cancel", &id]).await.failed();
    assert!(reason.contains("order"), "{reason}");
    assert_eq!(app.balance(sale).await.state, "open");
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "admitted");
    app.start_worker().await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    seckill(&environment, &["activity", "cancel", &id]).await.failed();
    assert_eq!(app.balance(sale).await.state, "open");

    let unsold = app.sale(Sale::of(3)).await;
    seckill(&environment, &["activity", "cancel", &unsold.to_string()]).await.well();
    let gone = shopper.buy(unsold).await;
    assert!(["ended", "paused"].contains(&gone.outcome().as_str()), "{}", gone.text);
    eventually("it is called off", SOON, || async {
        let page = shopper.browser.get(&format!("/activities/{unsold}")).await;
        page.text.contains("called off").then_some(())
    })
    .await;
}
