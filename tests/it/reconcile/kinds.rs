//! One difference at a time.

use std::time::Duration;

use seckill::back_office::Balance;
use seckill::gate::release::Return;
use seckill::sale::reconciliation::{Kind, Outcome};
use seckill::sale::reservation::{Entry, EntryState};

use super::{entry, finds_and_repairs, forge, keys, raw, recount, remove, said, two_orders};
use crate::harness::{App, Plan, Sale};

fn gate_and_ledger(balance: &Balance) -> (Option<i64>, i64) {
    (balance.gate_stock, balance.remain_stock)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sides_that_agree_are_left_alone() {
    let (app, sale, [(alice, number), _]) = two_orders(Sale::of(10)).await;
    let report = app.reconcile(false).await;
    assert_eq!((said(&report), report.compared), (Vec::new(), vec![sale]));
    assert_eq!(entry(&app, sale, alice.id).await.unwrap().order_no.to_string(), number);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_the_gate_forgot_is_put_back() {
    let (app, sale, [(alice, _), _]) = two_orders(Sale::of(10)).await;
    let before = entry(&app, sale, alice.id).await;
    remove(&app, sale, alice.id).await;
    recount(&app, sale).await;
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(9), 8), "one is for sale twice");
    finds_and_repairs(&app, sale, &[Kind::Absent]).await;
    assert_eq!(entry(&app, sale, alice.id).await, before);
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(8), 8));
    assert_eq!(alice.buy(sale).await.outcome(), "already_held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_was_recorded_unheard_is_marked() {
    let (app, sale, [(alice, _), _]) = two_orders(Sale::of(10)).await;
    let recorded = entry(&app, sale, alice.id).await.unwrap();
    let reserved = Entry { state: EntryState::Reserved, ..recorded };
    forge(&app, sale, alice.id, &reserved.to_string()).await;
    finds_and_repairs(&app, sale, &[Kind::Unmarked]).await;
    assert_eq!(entry(&app, sale, alice.id).await, Some(recorded));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_unit_that_a_cancelled_order_still_holds_comes_back() {
    for rebuy in [true, false] {
        let (app, sale, [(alice, number), _]) = two_orders(Sale { rebuy, ..Sale::of(10) }).await;
        let held = entry(&app, sale, alice.id).await.unwrap();
        assert_eq!(alice.cancel(&number).await.state(), "cancelled");
        // As if the process had died between the two: the gate did not hear of it.
        forge(&app, sale, alice.id, &held.to_string()).await;
        if !rebuy {
            let mut raw = raw(&app).await;
            let mut cmd = redis::cmd("HSET");
            cmd.arg(keys(sale).sale()).arg("barred").arg(0);
            let _same: i64 = cmd.query_async(&mut raw).await.unwrap();
        }
        recount(&app, sale).await;
        assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(8), 9));
        finds_and_repairs(&app, sale, &[Kind::Held]).await;
        assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(9), 9));
        let again = alice.buy(sale).await.outcome();
        assert_eq!(again, if rebuy { "admitted" } else { "barred" });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shopper_who_cancelled_and_may_not_buy_again_is_barred_once_more() {
    let (app, sale, [(alice, number), _]) = two_orders(Sale { rebuy: false, ..Sale::of(10) }).await;
    assert_eq!(alice.cancel(&number).await.state(), "cancelled");
    remove(&app, sale, alice.id).await;
    let mut raw = raw(&app).await;
    let mut cmd = redis::cmd("HSET");
    cmd.arg(keys(sale).sale()).arg("barred").arg(0);
    let _same: i64 = cmd.query_async(&mut raw).await.unwrap();
    finds_and_repairs(&app, sale, &[Kind::Unbarred]).await;
    assert_eq!(entry(&app, sale, alice.id).await.unwrap().state, EntryState::Barred);
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(9), 9));
    assert_eq!(alice.buy(sale).await.outcome(), "barred");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn units_that_the_gate_has_too_many_are_levelled() {
    let (app, sale, _) = two_orders(Sale::of(10)).await;
    let mut raw = raw(&app).await;
    let mut cmd = redis::cmd("HINCRBY");
    let _units: i64 =
        cmd.arg(keys(sale).sale()).arg("units").arg(3).query_async(&mut raw).await.unwrap();
    recount(&app, sale).await;
    finds_and_repairs(&app, sale, &[Kind::Units]).await;
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(8), 8));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stock_that_somebody_changed_by_hand_is_counted_anew() {
    let (app, sale, [(alice, number), _]) = two_orders(Sale::of(10)).await;
    let mut raw = raw(&app).await;
    let mut cmd = redis::cmd("INCRBY");
    let _stock: i64 = cmd.arg(keys(sale).stock()).arg(3).query_async(&mut raw).await.unwrap();
    finds_and_repairs(&app, sale, &[Kind::Stock]).await;
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(8), 8));
    // So is one after an entry that was removed by hand, as for one that cannot be read.
    assert_eq!(alice.cancel(&number).await.state(), "cancelled");
    forge(&app, sale, alice.id, "what is this").await;
    recount(&app, sale).await;
    remove(&app, sale, alice.id).await;
    finds_and_repairs(&app, sale, &[Kind::Stock]).await;
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(9), 9));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_that_the_gate_never_heard_of_are_told_again() {
    let (app, sale, _) = two_orders(Sale::of(10)).await;
    let mut raw = raw(&app).await;
    for (field, value) in [("version", "0"), ("price_cents", "1")] {
        let mut cmd = redis::cmd("HSET");
        cmd.arg(keys(sale).sale()).arg(field).arg(value);
        let _same: i64 = cmd.query_async(&mut raw).await.unwrap();
    }
    finds_and_repairs(&app, sale, &[Kind::Terms]).await;
    let mut cmd = redis::cmd("HGET");
    let price: i64 =
        cmd.arg(keys(sale).sale()).arg("price_cents").query_async(&mut raw).await.unwrap();
    assert_eq!(price, 1999);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sale_that_the_gate_lost_is_filled_from_the_ledger_by_one_command() {
    let (app, sale, [(alice, number), _]) = two_orders(Sale::of(10)).await;
    let mut raw = raw(&app).await;
    let keys = keys(sale);
    let gone = [keys.sale(), keys.stock(), keys.users()];
    let _gone: i64 = redis::cmd("DEL").arg(&gone).query_async(&mut raw).await.unwrap();
    let before = app.office.read(sale).await.unwrap().gate_epoch;
    finds_and_repairs(&app, sale, &[Kind::Unfilled]).await;
    let after = app.office.read(sale).await.unwrap().gate_epoch;
    assert_eq!(after.0, before.0 + 1, "filled once");
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(8), 8));
    assert_eq!(entry(&app, sale, alice.id).await.unwrap().order_no.to_string(), number);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_order_is_not_put_back_over_another_entry_but_after_it() {
    let (app, sale, [(alice, first), _]) = two_orders(Sale::of(10)).await;
    let held = entry(&app, sale, alice.id).await.unwrap();
    assert_eq!(alice.cancel(&first).await.state(), "cancelled");
    let mut app = app;
    app.start_worker().await;
    let second = alice.must_buy(sale).await;
    alice.order_becomes(&second, "pending_payment").await;
    app.stop_worker().await;
    // The gate came back with the first, the ledger has the second.
    forge(&app, sale, alice.id, &held.to_string()).await;
    assert_eq!(said(&app.reconcile(false).await), [(Kind::Held, Outcome::Repaired)]);
    assert_eq!(said(&app.reconcile(false).await), [(Kind::Absent, Outcome::Repaired)]);
    assert_eq!(entry(&app, sale, alice.id).await.unwrap().order_no.to_string(), second);
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(8), 8));
}

/// The order ends at the very moment at which its entry comes back; whoever is later sees the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_is_cancelled_while_it_is_put_back_keeps_no_unit() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(20)).await;
    let shoppers = app.shoppers(20).await;
    let mut orders = Vec::new();
    for shopper in &shoppers {
        orders.push((shopper, shopper.must_buy(sale).await));
    }
    app.balanced("all orders", sale, |b| b.orders.pending_payment == 20).await;
    app.stop_worker().await;
    for (tried, (shopper, number)) in (1..).zip(orders) {
        remove(&app, sale, shopper.id).await;
        recount(&app, sale).await;
        let (report, cancelled) = tokio::join!(app.reconcile(false), async {
            // About when the second look is over, now a little earlier, now a little later.
            tokio::time::sleep(Duration::from_millis(300 + 4 * tried)).await;
            shopper.cancel(&number).await
        });
        assert_eq!(cancelled.state(), "cancelled");
        assert_eq!(report.alarms, 0, "{report:?}");
        let back = i64::try_from(tried).unwrap();
        assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(back), back), "{report:?}");
        assert_eq!(entry(&app, sale, shopper.id).await, None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_surplus_order_held_leaves_no_unit_too_many() {
    let (app, sale, [(alice, _), _]) = two_orders(Sale::of(10)).await;
    // Released by hand, as an old message would be, and put right by the round.
    let held = entry(&app, sale, alice.id).await.unwrap();
    let surplus = Return::Surplus { ledger_total: 10 };
    app.gate.release(&keys(sale), alice.id, held.order_no, surplus).await.unwrap();
    finds_and_repairs(&app, sale, &[Kind::Absent]).await;
    assert_eq!(gate_and_ledger(&app.balance(sale).await), (Some(8), 8));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_and_a_sale_that_is_not_yet_in_the_gate_are_no_difference() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    app.draft(Sale::of(5)).await;
    let later = Sale::of(5).opening_in(Duration::from_secs(1800));
    let sale = app.sale(later).await;
    let report = app.reconcile(false).await;
    assert_eq!((said(&report), report.compared), (Vec::new(), vec![sale]));
}
