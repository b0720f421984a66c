//! The edge, as people and programs meet it: the site, its answers, its commands, its tree.

mod access;
mod accounts;
mod activities;
mod audit;
mod bad_input;
mod bare_sockets;
mod commands;
mod dashboard;
mod endings;
mod export;
mod metrics;
mod names;
mod ops;
mod orders;
mod outcomes;
mod payments;
mod pipeline;
mod products;
mod purchase_guard;
mod sessions;
mod structure;

use std::collections::BTreeSet;

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::Text;
use diesel::{Connection as _, MysqlConnection, QueryableByName, RunQueryDsl as _, sql_query};
use seckill::gate::keys::Keys;
use seckill::sale::ids::{ActivityId, Bucket};

use crate::harness::shopper::redis_of;
use crate::harness::{Answer, App, SOON, eventually};

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    text: String,
}

/// Rows of the ledger; the query names its only column `text`.
fn rows(app: &App, query: &str) -> Vec<String> {
    let lines: Vec<Line> = sql_query(query).load(&mut connection(app)).expect(query);
    lines.into_iter().map(|line| line.text).collect()
}

/// The only row of a query.
fn row(app: &App, query: &str) -> String {
    let mut rows = rows(app, query);
    assert_eq!(rows.len(), 1, "{query}: {rows:?}");
    rows.remove(0)
}

/// Changes the ledger behind Seckill's back.
pub(crate) fn execute(app: &App, statement: &str) {
    connection(app).batch_execute(statement).expect(statement);
}

fn connection(app: &App) -> MysqlConnection {
    let mut conn = MysqlConnection::establish(&app.places.database_url).expect("the ledger");
    conn.batch_execute("SET NAMES utf8mb4").expect("the connection speaks utf8mb4");
    conn
}

/// The keys of a sale at the gate.
fn keys(sale: ActivityId) -> Keys {
    Keys::of(sale, Bucket(0))
}

/// One command to the gate, behind Seckill's back.
async fn gate<T: redis::FromRedisValue>(app: &App, command: &mut redis::Cmd) -> T {
    let mut conn = redis_of(&app.places.redis_url).await;
    command.query_async(&mut conn).await.expect("the gate answers")
}

/// Everything that a refused request must leave as it was: the rows of the ledger, and stock, holders and
/// outbox of each sale at the gate.
async fn books(app: &App) -> Vec<String> {
    let mut books = Vec::new();
    for query in [
        "SELECT CONCAT_WS(' ', 'sale', id, status, total_stock, remain_stock, title) AS text \
         FROM activities ORDER BY id",
        "SELECT CONCAT_WS(' ', 'order', order_no, user_id, status, IFNULL(reason, '-'), pay_before, \
         IFNULL(paid_at, '-'), IFNULL(cancelled_at, '-')) AS text FROM orders ORDER BY id",
        "SELECT CONCAT_WS(' ', 'user', id, username, role, epoch, password_hash) AS text \
         FROM users ORDER BY id",
        "SELECT CONCAT_WS(' ', 'events', COUNT(*)) AS text FROM order_events",
    ] {
        books.extend(rows(app, query));
    }
    for id in rows(app, "SELECT CAST(id AS CHAR) AS text FROM activities ORDER BY id") {
        let keys = keys(id.parse().unwrap());
        let stock: Option<i64> = gate(app, redis::cmd("GET").arg(keys.stock())).await;
        let holders: Vec<String> = gate(app, redis::cmd("HGETALL").arg(keys.users())).await;
        let outbox: i64 = gate(app, redis::cmd("XLEN").arg(keys.outbox())).await;
        let holders: BTreeSet<_> = holders.chunks(2).map(|pair| pair.join("=")).collect();
        books.push(format!("gate {id} {stock:?} {outbox} {holders:?}"));
    }
    books
}

/// The books once nothing is on its way any more.
async fn still_books(app: &App) -> Vec<String> {
    eventually("nothing is on its way", SOON, || async {
        let books = books(app).await;
        (!books.iter().any(|line| line.contains("|reserved|"))).then_some(books)
    })
    .await
}

/// Units left at the gate.
async fn stock(app: &App, sale: ActivityId) -> i64 {
    gate(app, redis::cmd("GET").arg(keys(sale).stock())).await
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers.get(name).map_or("", |value| value.to_str().unwrap())
}

/// The headers that every answer of the site has, whatever became of the request.
fn is_careful(answer: &Answer) {
    let told = || format!("{} {:?} {}", answer.status, answer.headers, answer.text);
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        assert_eq!(header(answer, name), value, "{name}: {}", told());
    }
    let policy = header(answer, "content-security-policy");
    assert!(policy.starts_with("default-src 'none'"), "{}", told());
    assert!(!policy.contains("unsafe"), "{}", told());
    assert_eq!(header(answer, "x-request-id").len(), 26, "{}", told());
}

/// A page that tells a person that it did not work out: what happened, whether anything was taken, a way on.
fn is_refusal_page(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{:?} {}", answer.headers, answer.text);
    is_careful(answer);
    assert!(header(answer, "content-type").starts_with("text/html"), "{:?}", answer.headers);
    let text = &answer.text;
    let tells = text.contains("Nothing was taken") || text.contains("it may have gone through");
    assert!(tells, "{text}");
    let main = text.split_once("<main").expect("a page").1;
    assert!(main.contains("<h1>") && main.contains("href=\"/"), "{text}");
}

/// A refusal as JSON, without a word that its kind does not have.
fn is_refusal_json(answer: &Answer, status: u16, outcome: &str) {
    assert_eq!((answer.status, answer.outcome().as_str()), (status, outcome), "{}", answer.text);
    is_careful(answer);
    assert_eq!(header(answer, "content-type"), "application/json");
    let body = answer.json();
    let fields: BTreeSet<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = BTreeSet::from(["outcome", "message"]);
    if outcome == "not_open" {
        expected.insert("opens_at_ms");
    }
    assert_eq!(fields, expected, "{}", answer.text);
    assert!(!body["message"].as_str().unwrap().is_empty(), "{}", answer.text);
}
