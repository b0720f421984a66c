//! The operators' pages.

mod indexes;
mod letters;
mod orders;
mod reconciliation;
mod sales;
mod stuck;
mod unstick;

use seckill::sale::shopper::Role;

use super::{books, execute, is_careful, row, rows};
use crate::harness::{Answer, App, Plan, SOON, Sale, Shopper, eventually};

/// Somebody of this role, signed in.
async fn staff(app: &App, role: Role) -> Shopper {
    let (id, name) = app.account(role).await;
    Shopper::sign_in(app, id, &name).await
}

async fn operator(app: &App) -> Shopper {
    staff(app, Role::Operator).await
}

/// A form of a page, sent with its token.
async fn post(who: &Shopper, path: &str, fields: &[(&str, &str)]) -> Answer {
    let token = who.browser.csrf_token().await;
    let fields: Vec<_> = fields.iter().copied().chain([("csrf_token", token.as_str())]).collect();
    who.browser.post(path, &fields).await
}

async fn page(who: &Shopper, path: &str) -> String {
    let answer = who.browser.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    is_careful(&answer);
    answer.text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_and_admins_come_in_and_nobody_else_does_anything() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let shopper = app.shopper().await;
    let order = shopper.must_buy(sale).await;
    shopper.order_becomes(&order, "pending_payment").await;
    execute(
        &app,
        "INSERT INTO dead_letters (message_id, content_hash, body, reason) VALUES ('m', 'h', 'b', 'r')",
    );
    let letters = || row(&app, "SELECT GROUP_CONCAT(status) AS text FROM dead_letters");
    let pages = [
        "/ops/orders".to_owned(),
        format!("/ops/orders/{order}"),
        "/ops/orders.csv".to_owned(),
        "/ops/stuck".to_owned(),
        "/ops/reconciliation".to_owned(),
        "/ops/reconciliation?found=yes".to_owned(),
        "/ops/dead-letters".to_owned(),
        "/ops/dead-letters/1".to_owned(),
        "/ops/sales".to_owned(),
    ];
    let actions = [
        format!("/ops/orders/{order}/cancel"),
        "/ops/dead-letters/replay".to_owned(),
        "/ops/dead-letters/1/replay".to_owned(),
        "/ops/dead-letters/1/discard".to_owned(),
        "/ops/stuck/refund".to_owned(),
        "/ops/stuck/send-again".to_owned(),
        "/ops/stuck/release".to_owned(),
        "/ops/stuck/end".to_owned(),
        "/ops/reconciliation".to_owned(),
    ];
    let (activity, buyer) = (sale.to_string(), shopper.id.to_string());
    let fields = [
        ("reason", "because"),
        ("last", "9"),
        ("payment", "01HF7YAT00E3R38E1NCBS0D1ZG"),
        ("activity", &activity),
        ("shopper", &buyer),
        ("order", &order),
    ];
    let before = books(&app).await;
    let stranger = crate::harness::shopper::Browser::new(&app);
    let (operator, admin) = (operator(&app).await, staff(&app, Role::Admin).await);
    let before: Vec<_> = before.into_iter().filter(|line| !line.starts_with("user")).collect();
    for path in pages.iter().map(String::as_str).chain(["/ops", "/ops/nothing"]) {
        let answer = stranger.get(path).await;
        assert_eq!(answer.status, 303, "{path}");
        assert!(answer.location.unwrap().starts_with("/login"), "{path}");
        assert_eq!(shopper.browser.get(path).await.status, 403, "{path}");
        let expected = match path {
            "/ops" => 303,
            "/ops/nothing" => 404,
            _ => 200,
        };
        for who in [&operator, &admin] {
            assert_eq!(who.browser.get(path).await.status, expected, "{path}");
        }
    }
    for path in &actions {
        assert_eq!(post(&shopper, path, &fields).await.status, 403, "{path}");
        assert_eq!(stranger.post(path, &fields).await.status, 401, "{path}");
        let answer = operator.browser.post(path, &fields).await;
        assert!([400, 403].contains(&answer.status), "{path} without a token: {}", answer.status);
        let get = operator.browser.get(path).await;
        // The list of comparisons stands where one is asked for.
        let expected = if path == "/ops/reconciliation" { 200 } else { 405 };
        assert_eq!(get.status, expected, "{path}");
    }
    assert!(!shopper.browser.get("/").await.text.contains("href=\"/ops\""));
    assert!(operator.browser.get("/").await.text.contains("href=\"/ops\""));
    let after: Vec<_> =
        books(&app).await.into_iter().filter(|line| !line.starts_with("user")).collect();
    assert_eq!(after, before);
    assert_eq!(letters(), "waiting");
    let audited = row(
        &app,
        "SELECT CAST(COUNT(*) AS CHAR) AS text FROM audit_log WHERE action LIKE 'order.%' OR action LIKE 'dead%' \
         OR action LIKE 'stuck.%' OR action LIKE 'reconciliation.%'",
    );
    assert_eq!(audited, "0");
    assert_eq!(row(&app, "SELECT CAST(COUNT(*) AS CHAR) AS text FROM reconciliations"), "0");
}
