//! Migrations, and the rules that hold whatever the program does.

use chrono::Utc;
use diesel::connection::SimpleConnection;
use seckill::ledger::dead_letters::{self, NewDeadLetter};
use seckill::ledger::products::{self, NewProduct};
use seckill::ledger::{Ledger, LedgerError, LedgerOptions};

use super::{Books, Sale, fresh_database, migrated};

#[tokio::test(flavor = "multi_thread")]
async fn migrations_run_once_however_many_run_them() {
    let ledger = Ledger::open(LedgerOptions::new(fresh_database())).unwrap();
    let before = ledger.schema_version().await.unwrap();
    assert!(before.applied.is_none() && !before.is_current());
    let runs = (0..6).map(|_| ledger.migrate());
    let ran = futures_util::future::join_all(runs).await;
    let ran: usize = ran.into_iter().map(|run| run.expect("migrates").len()).sum();
    assert_eq!(ran, before.missing.len());
    let after = ledger.schema_version().await.unwrap();
    assert!(after.is_current());
    assert_eq!(after.applied.as_ref(), before.missing.last());
    assert!(ledger.migrate().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_migration_that_was_cut_off_is_run_again() {
    let ledger = migrated().await;
    let forget = "DELETE FROM __diesel_schema_migrations; DROP TABLE audit_log";
    ledger.run(move |conn| Ok(conn.batch_execute(forget)?)).await.unwrap();
    assert!(!ledger.schema_version().await.unwrap().is_current());
    ledger.migrate().await.unwrap();
    let gone = ledger.run(|conn| Ok(conn.batch_execute("SELECT 1 FROM audit_log")?)).await;
    assert!(gone.is_ok(), "{gone:?}");
}

#[tokio::test]
async fn each_connection_is_strict_in_utc_and_bounded() {
    let ledger = migrated().await;
    let facts = ledger.server_facts().await.unwrap();
    assert_eq!(facts.isolation, "READ-COMMITTED");
    assert_eq!(facts.charset, "utf8mb4");
    assert_eq!(facts.time_zone, "+00:00");
    assert!(facts.sql_mode.contains("STRICT_ALL_TABLES"));
    assert!((Utc::now() - facts.now).num_seconds().abs() < 5, "{facts:?}");
}

#[tokio::test]
async fn the_tables_refuse_what_no_program_may_write() {
    let books = Books::open(Sale::default()).await;
    let order_no = books.place(0).await;
    let order = |change: &str| format!("UPDATE orders SET {change} WHERE order_no = '{order_no}'");
    let sale =
        |change: &str| format!("UPDATE activities SET {change} WHERE id = {}", books.activity);
    let refused = [
        order("holder_id = NULL"),
        order("status = 2"),
        order("status = 5"),
        order(&format!("holder_id = {}", books.shoppers[1])),
        order("price_cents = 0"),
        order("user_id = 999"),
        sale("remain_stock = -1"),
        sale("remain_stock = total_stock + 1"),
        sale("total_stock = remain_stock - 1"),
        sale("price_cents = 0"),
        sale("ends_at = starts_at"),
        sale("status = 'open'"),
        sale("bucket_count = 0"),
        sale("title = REPEAT('x', 201)"),
        format!("DELETE FROM users WHERE id = {}", books.shoppers[0]),
        format!("INSERT INTO orders SELECT * FROM orders WHERE order_no = '{order_no}'"),
    ];
    for statement in refused {
        assert!(books.force(statement.clone()).await.is_err(), "passes: {statement}");
    }
    assert!(books.force(order("status = 2, holder_id = NULL")).await.is_ok());
}

#[tokio::test]
async fn a_refused_check_is_told_as_one() {
    let books = Books::open(Sale::default()).await;
    let error = books.ledger.run(|conn| {
        diesel::RunQueryDsl::execute(
            diesel::sql_query("UPDATE activities SET remain_stock = -1"),
            conn,
        )?;
        Ok(())
    });
    assert!(matches!(error.await, Err(LedgerError::Violation(_))));
    let long = NewProduct { name: "x".repeat(201), description: String::new(), list_price: None };
    let error = products::find_or_create(&books.ledger, long).await;
    assert!(matches!(error, Err(LedgerError::Violation(_))), "{error:?}");
}

#[tokio::test]
async fn a_dead_letter_is_kept_once_and_whole() {
    let ledger = migrated().await;
    let letter = NewDeadLetter {
        message_id: "💥".repeat(300),
        body: vec![0xFF, 0x00, 0xFE],
        schema_header: Some("9".into()),
        reason: "unreadable".into(),
    };
    assert!(dead_letters::insert(&ledger, letter.clone()).await.unwrap());
    assert!(!dead_letters::insert(&ledger, letter.clone()).await.unwrap());
    let other = NewDeadLetter { body: b"{}".to_vec(), ..letter.clone() };
    assert!(dead_letters::insert(&ledger, other).await.unwrap());
    let kept = dead_letters::list(&ledger, None, None, 10).await.unwrap();
    assert_eq!(kept.len(), 2);
    let (_, body) = dead_letters::get(&ledger, kept[1].id).await.unwrap().unwrap();
    assert_eq!(body, letter.body);
    assert_eq!(dead_letters::list(&ledger, None, Some(kept[0].id), 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_product_is_found_by_its_exact_name() {
    let ledger = migrated().await;
    let named = |name: &str| NewProduct {
        name: name.into(),
        description: "“quoted” עברית 😀".into(),
        list_price: None,
    };
    let find = |name: &'static str| products::find_or_create(&ledger, named(name));
    let first = find("Tea 😀").await.unwrap();
    assert_eq!(find("Tea 😀").await.unwrap(), first);
    assert_ne!(find("Tea 😁").await.unwrap(), first);
    assert_ne!(find("tea 😀").await.unwrap(), first);
}
