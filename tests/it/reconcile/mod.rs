//! Gate and ledger are made to differ, in every way that we know of; the reconciler finds it, says it, and
//! puts it right, once. That the books balance is checked after each test by the harness.

mod alarms;
mod kinds;
mod lost;
mod role;
mod storm;

use redis::aio::MultiplexedConnection;
use seckill::gate::keys::Keys;
use seckill::sale::ids::{ActivityId, Bucket, UserId};
use seckill::sale::reconciliation::{Kind, Outcome, Report};
use seckill::sale::reservation::Entry;

use crate::harness::shopper::redis_of;
use crate::harness::{App, Plan, Sale, Shopper};

/// The keys of a sale that is not split.
fn keys(sale: ActivityId) -> Keys {
    Keys::of(sale, Bucket(0))
}

/// Redis behind the gate's back.
async fn raw(app: &App) -> MultiplexedConnection {
    redis_of(app.config.gate.url.reveal()).await
}

async fn entry(app: &App, sale: ActivityId, shopper: UserId) -> Option<Entry> {
    app.gate.holding(&keys(sale), shopper).await.unwrap().entry
}

/// Writes a shopper's entry as it should not be.
async fn forge(app: &App, sale: ActivityId, shopper: UserId, entry: &str) {
    let mut raw = raw(app).await;
    let mut cmd = redis::cmd("HSET");
    cmd.arg(keys(sale).users()).arg(shopper.0).arg(entry);
    let _new: i64 = cmd.query_async(&mut raw).await.unwrap();
}

async fn remove(app: &App, sale: ActivityId, shopper: UserId) {
    let mut raw = raw(app).await;
    let mut cmd = redis::cmd("HDEL");
    let _gone: i64 =
        cmd.arg(keys(sale).users()).arg(shopper.0).query_async(&mut raw).await.unwrap();
}

/// The stock as the rule has it, after the entries were changed behind the gate's back.
async fn recount(app: &App, sale: ActivityId) {
    let seen = app.gate.inspect(&keys(sale)).await.unwrap();
    let mut raw = raw(app).await;
    let mut cmd = redis::cmd("SET");
    cmd.arg(keys(sale).stock()).arg(seen.units - seen.holders).arg("KEEPTTL");
    let () = cmd.query_async(&mut raw).await.unwrap();
}

/// A sale of ten in which two shoppers hold an order each, and nothing runs behind the gate any more.
async fn two_orders(sale: Sale) -> (App, ActivityId, [(Shopper, String); 2]) {
    let mut app = App::start_with(Plan::default()).await;
    let sale = app.sale(sale).await;
    let mut orders = Vec::new();
    for _ in 0..2 {
        let shopper = app.shopper().await;
        let order_no = shopper.must_buy(sale).await;
        shopper.order_becomes(&order_no, "pending_payment").await;
        orders.push((shopper, order_no));
    }
    app.stop_worker().await;
    (app, sale, orders.try_into().unwrap())
}

/// What a report says, in short.
fn said(report: &Report) -> Vec<(Kind, Outcome)> {
    report.findings.iter().map(|found| (found.difference.kind, found.outcome)).collect()
}

/// A look finds this, and changes nothing; a round puts it right; the next one finds nothing.
async fn finds_and_repairs(app: &App, sale: ActivityId, kinds: &[Kind]) {
    let before = everything(app, sale).await;
    let looked = app.reconcile(true).await;
    let found: Vec<_> = kinds.iter().map(|kind| (*kind, Outcome::Found)).collect();
    assert_eq!(said(&looked), found, "{looked:?}");
    assert_eq!((looked.repaired, &looked.skipped), (0, &Vec::new()));
    assert_eq!(everything(app, sale).await, before, "a dry run writes nothing at the gate");

    let report = app.reconcile(false).await;
    let repaired: Vec<_> = kinds.iter().map(|kind| (*kind, Outcome::Repaired)).collect();
    assert_eq!(said(&report), repaired, "{report:?}");
    assert_eq!(said(&app.reconcile(false).await), [], "once is enough");
}

async fn everything(app: &App, sale: ActivityId) -> Vec<Option<Vec<u8>>> {
    let mut raw = raw(app).await;
    let keys = keys(sale);
    let mut all = Vec::new();
    for key in [keys.sale(), keys.stock(), keys.users(), keys.outbox(), keys.underway()] {
        all.push(redis::cmd("DUMP").arg(key).query_async(&mut raw).await.unwrap());
    }
    all
}
