//! What only a person can put right is told, again and again, and never repaired by guess.

use seckill::ledger::dead_letters::{self, NewDeadLetter};
use seckill::sale::reconciliation::{Kind, Outcome};
use seckill::sale::reservation::Entry;

use super::{entry, forge, keys, said, two_orders};
use crate::harness::{App, Plan, Sale};
use crate::site::execute;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn books_that_do_not_balance_are_an_alarm_and_stay_as_they_are() {
    let mut app = App::start_with(Plan { unbalanced: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(10)).await;
    let shopper = app.shopper().await;
    let number = shopper.must_buy(sale).await;
    shopper.order_becomes(&number, "pending_payment").await;
    app.stop_worker().await;
    execute(&app, &format!("UPDATE activities SET remain_stock = 8 WHERE id = {sale}"));
    for _ in 0..2 {
        let report = app.reconcile(false).await;
        assert_eq!(said(&report), [(Kind::Books, Outcome::Alarm)], "{report:?}");
        assert_eq!(report.findings[0].difference.units, Some(1), "one unit is nowhere");
        assert_eq!((report.alarms, report.repaired), (1, 0));
    }
    let balance = app.balance(sale).await;
    assert_eq!((balance.total_stock, balance.remain_stock), (10, 8));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_entry_that_cannot_be_read_is_an_alarm_and_hides_no_other_difference() {
    let (app, sale, [(alice, _), (bob, _)]) = two_orders(Sale::of(10)).await;
    let (hers, his) =
        (entry(&app, sale, alice.id).await.unwrap(), entry(&app, sale, bob.id).await.unwrap());
    forge(&app, sale, alice.id, "what is this").await;
    forge(&app, sale, bob.id, &his.to_string().replace("recorded", "reserved")).await;
    let report = app.reconcile(false).await;
    let expected = [(Kind::Unreadable, Outcome::Alarm), (Kind::Unmarked, Outcome::Repaired)];
    assert_eq!(said(&report), expected, "{report:?}");
    assert_eq!(report.findings[0].difference.shopper, Some(alice.id));
    forge(&app, sale, alice.id, &hers.to_string()).await;
    assert_eq!(said(&app.reconcile(false).await), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_whose_message_is_a_dead_letter_is_not_sent_again() {
    let mut app = App::start_with(Plan::default()).await;
    let sale = app.sale(Sale::of(3)).await;
    let shopper = app.shopper().await;
    app.balanced("open", sale, |b| b.gate_stock == Some(3)).await;
    app.stop_worker().await;
    let number = shopper.must_buy(sale).await;
    let entries = app.gate.outbox(&keys(sale), 10).await.unwrap();
    let letter = NewDeadLetter {
        message_id: number.clone(),
        body: b"{}".to_vec(),
        schema_header: None,
        reason: "unreadable".into(),
    };
    dead_letters::insert(&app.ledger, letter).await.unwrap();
    app.gate.forget(&keys(sale), &entries).await.unwrap();
    let report = app.reconcile(false).await;
    assert_eq!(said(&report), [(Kind::Buried, Outcome::Alarm)], "{report:?}");
    assert!(app.gate.outbox(&keys(sale), 10).await.unwrap().is_empty());
    // An operator puts it away. Another copy may still be on its way; when it cannot be any more, the unit
    // comes back, and can be bought.
    execute(&app, "UPDATE dead_letters SET status = 'discarded'");
    assert_eq!(said(&app.reconcile(false).await), []);
    let held = entry(&app, sale, shopper.id).await.unwrap();
    let older = Entry { reserved_at_ms: held.reserved_at_ms - 120_000, ..held };
    forge(&app, sale, shopper.id, &older.to_string()).await;
    let report = app.reconcile(false).await;
    assert_eq!(said(&report), [(Kind::PutAway, Outcome::Repaired)], "{report:?}");
    assert_eq!(entry(&app, sale, shopper.id).await, None);
    assert_eq!(app.balance(sale).await.gate_stock, Some(3));
    assert_eq!(said(&app.reconcile(false).await), []);
    app.start_worker().await;
    let again = shopper.must_buy(sale).await;
    shopper.order_becomes(&again, "pending_payment").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_gate_is_away_the_ledgers_own_books_are_looked_at_all_the_same() {
    let mut app = App::start_with(Plan { unbalanced: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(10)).await;
    app.balanced("open", sale, |b| b.gate_stock == Some(10)).await;
    app.stop_worker().await;
    execute(&app, &format!("UPDATE activities SET remain_stock = 8 WHERE id = {sale}"));
    let mut away = app.environment();
    away.insert("REDIS_URL".into(), "redis://127.0.0.1:1/0".into());
    let config = seckill::config::Config::from_variables(away).unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let report = seckill::role::reconcile_once(&config, true, &stop).await.unwrap();
    assert_eq!(said(&report), [(Kind::Books, Outcome::Found)], "{report:?}");
    assert_eq!((report.alarms, report.compared.len()), (1, 0));
    assert_eq!(report.skipped[0].activity, sale);
}
