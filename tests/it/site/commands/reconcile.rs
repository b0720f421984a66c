//! `seckill reconcile`: once for a person or a script, and as a role.

use serde_json::Value;

use super::roles::Running;
use super::{key, places, seckill, with};
use crate::harness::{App, SOON, Sale, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_round_says_what_it_found_and_does_it_unless_it_is_a_dry_run() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let number = shopper.must_buy(sale).await;
    shopper.order_becomes(&number, "pending_payment").await;
    app.stop_worker().await;
    let environment = app.environment();
    let nothing = seckill(&environment, &["reconcile", "--once"]).await.well();
    assert_eq!(nothing.trim(), "1 compared, 0 differences, 0 repaired, 0 alarms");

    app.gate
        .release(
            &super::super::keys(sale),
            shopper.id,
            number.parse().unwrap(),
            seckill::gate::release::Return::Free,
        )
        .await
        .unwrap();
    let looked = seckill(&environment, &["reconcile", "--once", "--dry-run"]).await.well();
    let lines: Vec<&str> = looked.lines().collect();
    assert!(
        lines[0].starts_with(&format!("activity {sale}: absent: "))
            && lines[0].contains(&format!("order {number}; shopper {}", shopper.id))
            && lines[0].ends_with(": found"),
        "{looked}"
    );
    assert_eq!(lines[1], "1 compared, 1 differences, nothing repaired (dry run)");

    let json = seckill(&environment, &["reconcile", "--once", "--json"]).await.well();
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&report["differences"], &report["repaired"]), (&1.into(), &1.into()));
    let found = &report["findings"][0];
    assert_eq!((&found["kind"], &found["outcome"]), (&"absent".into(), &"repaired".into()));
    assert_eq!(found["order_no"], number);
    assert_eq!(app.balance(sale).await.gate_stock, Some(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sale_that_cannot_be_compared_is_no_success() {
    let mut app = App::start().await;
    app.sale(Sale::of(5)).await;
    app.stop_worker().await;
    let away = with(&app.environment(), "REDIS_URL", "redis://127.0.0.1:1/0");
    let reason = seckill(&away, &["reconcile", "--once", "--dry-run"]).await.failed_after_all();
    assert!(reason.contains("1 not compared") && reason.contains("the gate"), "{reason}");
    let reason = seckill(&away, &["reconcile", "--once"]).await.failed_after_all();
    assert!(reason.contains("the gate"), "{reason}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reconciler_is_a_process_of_its_own() {
    let app = places().await;
    let environment = with(&app.environment(), "SECKILL_SECRET_KEY", &key());
    let running = Running::start(&environment, &["reconcile"]).await;
    let ready = reqwest::get(format!("{}/readyz", running.url)).await.unwrap();
    assert_eq!(ready.status(), 200);
    let expected = serde_json::json!({"gate": "ok", "ledger": "ok", "queue": "ok"});
    assert_eq!(ready.json::<Value>().await.unwrap(), expected);
    eventually("it has compared", SOON, || async {
        let told =
            reqwest::get(format!("{}/metrics", running.url)).await.ok()?.text().await.ok()?;
        let counted =
            told.lines().find_map(|l| l.strip_prefix("seckill_reconciliations_total "))?;
        (counted.parse::<f64>().ok()? >= 1.0 && told.contains("seckill_reconcile_alarms 0"))
            .then_some(())
    })
    .await;
    assert_eq!(running.terminate().await, Some(0));
}
