//! What is done under an activity's lock.

use chrono::Utc;
use seckill::ledger::activities::stock::{StockChange, lower_stock, raise_stock};
use seckill::ledger::activities::{self, locked};
use seckill::ledger::{Conflict, LedgerError};
use seckill::sale::activity::Status;
use seckill::sale::actor::Actor;
use seckill::sale::ids::{ActivityId, Epoch};

use super::{Books, Sale, draft, migrated};

#[tokio::test]
async fn who_lost_the_lock_cannot_write() {
    let books = Books::open(Sale::default()).await;
    let (ledger, id) = (&books.ledger, books.activity);
    let stale = locked::take_fence(ledger, id).await.unwrap();
    let fresh = locked::take_fence(ledger, id).await.unwrap();
    assert_eq!(fresh.0, stale.0 + 1);
    let before = books.sale().await;
    let from: &'static [Status] = &[Status::Scheduled];
    let refused = [
        locked::set_status(ledger, id, from, Status::Paused, stale, Actor::clock()).await.err(),
        locked::end_now(ledger, id, stale, Actor::clock()).await.err(),
        locked::begin_epoch(ledger, id, stale, Epoch(1)).await.err(),
        raise_stock(ledger, id, stale, "a".into(), 1, Actor::clock()).await.err(),
        lower_stock(ledger, id, stale, "b".into(), 1, Actor::clock()).await.err(),
    ];
    assert!(refused.iter().all(|e| matches!(e, Some(LedgerError::Fenced))), "{refused:?}");
    assert_eq!(books.sale().await, before);
    locked::set_status(ledger, id, from, Status::Paused, fresh, Actor::clock()).await.unwrap();
    assert_eq!(books.sale().await.version, before.version + 1);
    let nowhere = locked::take_fence(ledger, ActivityId(99)).await;
    assert!(matches!(nowhere, Err(LedgerError::NotFound)));
}

#[tokio::test(flavor = "multi_thread")]
async fn fences_taken_at_once_all_differ() {
    let books = Books::open(Sale::default()).await;
    let fences: Vec<_> =
        (0..50).map(|_| locked::take_fence(&books.ledger, books.activity)).collect();
    let fences = futures_util::future::join_all(fences).await;
    let mut fences: Vec<_> = fences.into_iter().map(|fence| fence.unwrap().0).collect();
    fences.sort_unstable();
    fences.dedup();
    assert_eq!(fences.len(), 50);
}

#[tokio::test]
async fn a_state_is_left_only_from_where_it_may_be() {
    let ledger = migrated().await;
    let id = draft(&ledger, &Sale::default()).await;
    let fence = locked::take_fence(&ledger, id).await.unwrap();
    assert!(activities::snapshot(&ledger).await.unwrap().is_empty());
    let wrong = locked::set_status(
        &ledger,
        id,
        &[Status::Scheduled],
        Status::Paused,
        fence,
        Actor::clock(),
    )
    .await;
    assert!(matches!(wrong, Err(LedgerError::Conflict(Conflict::Status(Status::Draft)))));
    locked::set_status(&ledger, id, &[Status::Draft], Status::Scheduled, fence, Actor::clock())
        .await
        .unwrap();
    assert_eq!(activities::snapshot(&ledger).await.unwrap().len(), 1);
    assert_eq!(activities::list(&ledger, None, 10).await.unwrap().len(), 1);
    locked::set_status(&ledger, id, &[Status::Scheduled], Status::Cancelled, fence, Actor::clock())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_sale_with_orders_is_not_withdrawn() {
    let books = Books::open(Sale::default()).await;
    books.place(0).await;
    let fence = locked::take_fence(&books.ledger, books.activity).await.unwrap();
    let from = &[Status::Scheduled];
    let wrong = locked::set_status(
        &books.ledger,
        books.activity,
        from,
        Status::Cancelled,
        fence,
        Actor::clock(),
    );
    assert!(matches!(wrong.await, Err(LedgerError::Conflict(Conflict::HasOrders))));
}

#[tokio::test]
async fn ending_closes_the_window_by_the_ledgers_clock() {
    let books = Books::open(Sale::default()).await;
    let fence = locked::take_fence(&books.ledger, books.activity).await.unwrap();
    locked::end_now(&books.ledger, books.activity, fence, Actor::clock()).await.unwrap();
    let sale = books.sale().await;
    assert_eq!(sale.status, Status::Ended);
    assert!(sale.ends_at <= Utc::now() + chrono::TimeDelta::seconds(1));
    assert!(sale.ends_at > sale.starts_at);
    let again = locked::end_now(&books.ledger, books.activity, fence, Actor::clock()).await;
    assert!(matches!(again, Err(LedgerError::Conflict(Conflict::Status(Status::Ended)))));
}

#[tokio::test]
async fn of_two_preheats_one_is_told() {
    let ledger = migrated().await;
    let id = draft(&ledger, &Sale::default()).await;
    let fence = locked::take_fence(&ledger, id).await.unwrap();
    let (one, other) = tokio::join!(
        locked::begin_epoch(&ledger, id, fence, Epoch(0)),
        locked::begin_epoch(&ledger, id, fence, Epoch(0))
    );
    let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
    assert_eq!(won.unwrap(), Epoch(1));
    assert!(matches!(lost, Err(LedgerError::Conflict(Conflict::Epoch(1)))));
}

#[tokio::test]
async fn a_stock_change_asked_again_is_the_same_change() {
    let books = Books::open(Sale::default()).await;
    let (ledger, id) = (&books.ledger, books.activity);
    books.place(0).await;
    let fence = locked::take_fence(ledger, id).await.unwrap();
    let raised = StockChange { changed: 10, total_stock: 20, remain_stock: 19 };
    assert_eq!(
        raise_stock(ledger, id, fence, "up".into(), 10, Actor::clock()).await.unwrap(),
        raised
    );
    // The answer was lost and the lock with it; asked again under another one.
    let later = locked::take_fence(ledger, id).await.unwrap();
    assert_eq!(
        raise_stock(ledger, id, later, "up".into(), 10, Actor::clock()).await.unwrap(),
        raised
    );
    assert_eq!(
        raise_stock(ledger, id, fence, "up".into(), 10, Actor::clock()).await.unwrap(),
        raised
    );
    assert_eq!(books.sale().await.total_stock, 20);
    let other = lower_stock(ledger, id, later, "up".into(), 10, Actor::clock()).await;
    assert!(matches!(other, Err(LedgerError::Conflict(Conflict::ChangeId))));
    books.balance().await;
}

#[tokio::test]
async fn the_stock_is_never_lowered_under_what_is_held() {
    let books = Books::open(Sale::default()).await;
    let (ledger, id) = (&books.ledger, books.activity);
    books.place(0).await;
    books.place(1).await;
    let fence = locked::take_fence(ledger, id).await.unwrap();
    let lowered = lower_stock(ledger, id, fence, "down".into(), 100, Actor::clock()).await.unwrap();
    assert_eq!(lowered, StockChange { changed: -8, total_stock: 2, remain_stock: 0 });
    assert_eq!(
        lower_stock(ledger, id, fence, "down".into(), 100, Actor::clock()).await.unwrap(),
        lowered
    );
    let nothing = lower_stock(ledger, id, fence, "more".into(), 1, Actor::clock()).await.unwrap();
    assert_eq!(nothing.changed, 0);
    books.balance().await;
}
