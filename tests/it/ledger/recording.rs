//! From reservations to orders: batches, single ones, deliveries that come again.

use std::collections::HashSet;

use seckill::ledger::activities::locked;
use seckill::ledger::orders::{self, BatchOutcome, CancelOutcome, Fate, Known};
use seckill::sale::ids::{ActivityId, Epoch, UserId};
use seckill::sale::money::Cents;
use seckill::sale::order::{CancelReason, OrderState, RejectReason};
use seckill::sale::reservation::Reservation;

use super::{Books, Sale};

async fn batch(books: &Books, batch: Vec<Reservation>) -> BatchOutcome {
    orders::record_batch(&books.ledger, books.activity, Epoch(1), batch).await.expect("records")
}

async fn settle(books: &Books, reservation: &Reservation) -> Fate {
    orders::settle_one(&books.ledger, reservation.clone(), None).await.expect("settles")
}

fn known(reservation: &Reservation, state: OrderState, reason: Option<&str>) -> Fate {
    let reason = reason.map(ToOwned::to_owned);
    Fate::AlreadyKnown(Known { order_no: reservation.order_no, state, reason })
}

#[tokio::test]
async fn a_batch_becomes_orders_with_a_deadline_and_a_history() {
    let books = Books::open(Sale::default()).await;
    let reservations: Vec<_> = (0..3).map(|n| books.reservation(n)).collect();
    assert_eq!(batch(&books, reservations.clone()).await, BatchOutcome::Recorded);
    assert_eq!(books.sale().await.remain_stock, 7);
    let first = &reservations[0];
    let order = orders::get(&books.ledger, first.order_no).await.unwrap().unwrap();
    assert_eq!(order.user_id, first.user_id);
    assert_eq!(order.state, OrderState::PendingPayment);
    assert_eq!(order.price, Cents(1999));
    assert_eq!(order.pay_before_ms, order.created_at_ms + 900_000);
    let history = orders::history(&books.ledger, first.order_no).await.unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(
        (history[0].kind.as_str(), history[0].actor.as_str()),
        ("pending_payment", "recorder")
    );
    assert_eq!(history[0].request_id, "req-1");
    assert_eq!(history[0].at_ms, order.created_at_ms);
    books.balance().await;
}

#[tokio::test]
async fn a_batch_beyond_one_statement_is_still_one_transaction() {
    let books = Books::open(Sale { stock: 2000, shoppers: 3, ..Sale::default() }).await;
    let accounts = "INSERT INTO users (username, username_key, password_hash, role)
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        SELECT i, CONCAT('key ', i), 'none', 'shopper' FROM n";
    books.force(accounts.into()).await.unwrap();
    let of = |user: i64| Reservation { user_id: UserId(user), ..books.reservation(0) };
    let mut many: Vec<_> = (1..=900).map(of).collect();
    many.push(of(900));
    assert_eq!(batch(&books, many.clone()).await, BatchOutcome::NotAsAWhole);
    assert_eq!(books.counts().await.holding(), 0);
    many.pop();
    assert_eq!(batch(&books, many).await, BatchOutcome::Recorded);
    assert_eq!(books.counts().await.holding(), 900);
    books.balance().await;
}

#[tokio::test]
async fn a_batch_that_does_not_fit_leaves_nothing_behind() {
    let books = Books::open(Sale { stock: 2, ..Sale::default() }).await;
    let three: Vec<_> = (0..3).map(|n| books.reservation(n)).collect();
    assert_eq!(batch(&books, three.clone()).await, BatchOutcome::NotAsAWhole);
    assert_eq!(batch(&books, three[..2].to_vec()).await, BatchOutcome::Recorded);
    // One of these has a row already.
    let again = vec![three[0].clone()];
    assert_eq!(batch(&books, again).await, BatchOutcome::NotAsAWhole);
    let mut older = books.reservation(2);
    older.epoch = Epoch(0);
    let outcome =
        orders::record_batch(&books.ledger, books.activity, Epoch(0), vec![older]).await.unwrap();
    assert_eq!(outcome, BatchOutcome::NotAsAWhole);
    assert_eq!(batch(&books, Vec::new()).await, BatchOutcome::Recorded);
    assert_eq!(books.counts().await.holding(), 2);
    books.balance().await;
}

#[tokio::test]
async fn one_bad_message_decides_for_itself_alone() {
    let books = Books::open(Sale::default()).await;
    let mut stranger = books.reservation(0);
    stranger.user_id = UserId(i64::MAX);
    let neighbours = vec![books.reservation(0), stranger.clone(), books.reservation(1)];
    assert_eq!(batch(&books, neighbours.clone()).await, BatchOutcome::NotAsAWhole);
    assert_eq!(settle(&books, &neighbours[0]).await, Fate::Placed);
    assert!(matches!(settle(&books, &stranger).await, Fate::Unrecordable(_)));
    assert_eq!(settle(&books, &neighbours[2]).await, Fate::Placed);
    let free = Reservation { price: Cents(0), ..books.reservation(2) };
    assert!(matches!(settle(&books, &free).await, Fate::Unrecordable(_)));
    let nowhere = Reservation { activity_id: ActivityId(99), ..books.reservation(2) };
    assert_eq!(settle(&books, &nowhere).await, Fate::NoSuchActivity);
    books.balance().await;
}

#[tokio::test]
async fn absurd_times_and_long_words_of_a_message_do_not_stop_it() {
    let books = Books::open(Sale::default()).await;
    for (shopper, reserved_at_ms) in [i64::MIN, -1, i64::MAX].into_iter().enumerate() {
        let request_id = "😀".repeat(1000);
        let odd = Reservation { reserved_at_ms, request_id, ..books.reservation(shopper) };
        assert_eq!(settle(&books, &odd).await, Fate::Placed, "{reserved_at_ms}");
    }
}

#[tokio::test]
async fn a_delivery_that_comes_again_changes_nothing() {
    let books = Books::open(Sale { stock: 1, ..Sale::default() }).await;
    let (last_unit, too_late) = (books.reservation(0), books.reservation(1));
    assert_eq!(settle(&books, &last_unit).await, Fate::Placed);
    assert_eq!(
        settle(&books, &last_unit).await,
        known(&last_unit, OrderState::PendingPayment, None)
    );
    assert_eq!(settle(&books, &too_late).await, Fate::Refused(RejectReason::SoldOut));

    // A unit comes back; what was refused stays refused.
    let by = books.by_shopper(0);
    orders::cancel(&books.ledger, last_unit.order_no, None, CancelReason::ByShopper, by)
        .await
        .unwrap();
    assert_eq!(books.sale().await.remain_stock, 1);
    assert_eq!(
        settle(&books, &too_late).await,
        known(&too_late, OrderState::Rejected, Some("sold_out"))
    );
    assert_eq!(batch(&books, vec![too_late.clone()]).await, BatchOutcome::NotAsAWhole);
    let numbers = vec![last_unit.order_no, too_late.order_no, books.reservation(2).order_no];
    let found = orders::known(&books.ledger, numbers).await.unwrap();
    let found: HashSet<_> = found.into_iter().map(|k| (k.order_no, k.state)).collect();
    assert_eq!(
        found,
        HashSet::from([
            (last_unit.order_no, OrderState::Cancelled),
            (too_late.order_no, OrderState::Rejected)
        ])
    );
    assert_eq!(books.sale().await.remain_stock, 1);
    books.balance().await;
}

#[tokio::test]
async fn who_holds_an_order_gets_no_second_one_until_it_is_cancelled() {
    let books = Books::open(Sale::default()).await;
    let (first, second, third) = (books.reservation(0), books.reservation(0), books.reservation(0));
    assert_eq!(settle(&books, &first).await, Fate::Placed);
    assert_eq!(batch(&books, vec![second.clone()]).await, BatchOutcome::NotAsAWhole);
    assert_eq!(settle(&books, &second).await, Fate::Refused(RejectReason::AlreadyHeld));
    let by = books.by_shopper(0);
    orders::cancel(&books.ledger, first.order_no, None, CancelReason::ByShopper, by).await.unwrap();
    assert_eq!(batch(&books, vec![third.clone()]).await, BatchOutcome::Recorded);
    // Cancelled, bought again, and now the first message once more: the new order stands.
    assert_eq!(
        settle(&books, &first).await,
        known(&first, OrderState::Cancelled, Some("by_shopper"))
    );
    let order = orders::get(&books.ledger, third.order_no).await.unwrap().unwrap();
    assert_eq!(order.state, OrderState::PendingPayment);
    books.balance().await;
}

#[tokio::test]
async fn who_cancelled_may_not_buy_again_where_the_sale_says_so() {
    let books = Books::open(Sale { rebuy: false, ..Sale::default() }).await;
    let order_no = books.place(0).await;
    let by = books.by_shopper(0);
    let outcome =
        orders::cancel(&books.ledger, order_no, None, CancelReason::ByShopper, by).await.unwrap();
    assert!(matches!(outcome, CancelOutcome::Cancelled(ended) if !ended.rebuy));
    let again = books.reservation(0);
    let both = vec![books.reservation(1), again.clone()];
    assert_eq!(batch(&books, both).await, BatchOutcome::NotAsAWhole);
    assert_eq!(settle(&books, &again).await, Fate::Refused(RejectReason::Barred));
    let (barred, last) =
        orders::barred_page(&books.ledger, books.activity, None, 10).await.unwrap();
    assert_eq!(barred.iter().map(|h| h.user_id).collect::<Vec<_>>(), [books.shoppers[0]]);
    let (rest, end) = orders::barred_page(&books.ledger, books.activity, last, 10).await.unwrap();
    assert!(rest.is_empty() && end.is_none());
    books.balance().await;
}

#[tokio::test]
async fn a_message_of_a_former_filling_counts_only_if_the_gate_still_names_it() {
    let books = Books::open(Sale::default()).await;
    let fence = locked::take_fence(&books.ledger, books.activity).await.unwrap();
    locked::begin_epoch(&books.ledger, books.activity, fence, Epoch(1)).await.unwrap();
    let (named, lost) = (books.reservation(0), books.reservation(1));
    assert_eq!(batch(&books, vec![named.clone()]).await, BatchOutcome::NotAsAWhole);
    assert_eq!(settle(&books, &named).await, Fate::AskGate);
    let named_fate = orders::settle_one(&books.ledger, named.clone(), Some(true)).await.unwrap();
    assert_eq!(named_fate, Fate::Placed);
    let lost_fate = orders::settle_one(&books.ledger, lost.clone(), Some(false)).await.unwrap();
    assert_eq!(lost_fate, Fate::Lost);
    // For ever: not even the gate's word changes it now.
    let again = orders::settle_one(&books.ledger, lost.clone(), Some(true)).await.unwrap();
    assert_eq!(again, known(&lost, OrderState::Lost, None));
    // Who lost a reservation can buy.
    let anew = Reservation { epoch: Epoch(2), ..books.reservation(1) };
    assert_eq!(settle(&books, &anew).await, Fate::Placed);
    let ahead = Reservation { epoch: Epoch(3), ..books.reservation(2) };
    assert_eq!(settle(&books, &ahead).await, Fate::EpochAhead);
    books.balance().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_recorders_with_mixed_batches_never_oversell() {
    const SHOPPERS: usize = 320;
    let books = Books::open(Sale { stock: 100, shoppers: SHOPPERS, ..Sale::default() }).await;
    let books = std::sync::Arc::new(books);
    let mut tasks = Vec::new();
    for recorder in 0..16 {
        let books = std::sync::Arc::clone(&books);
        tasks.push(tokio::spawn(async move {
            // Every shopper is in the hands of two recorders, under two numbers.
            let mine: Vec<_> =
                (0..40).map(|n| books.reservation((recorder * 20 + n) % SHOPPERS)).collect();
            let mut fates = Vec::new();
            for some in mine.chunks(1 + recorder % 5) {
                if batch(&books, some.to_vec()).await == BatchOutcome::NotAsAWhole {
                    for reservation in some {
                        fates.push(settle(&books, reservation).await);
                    }
                }
            }
            fates
        }));
    }
    let mut refused = 0;
    for task in tasks {
        for fate in task.await.expect("a recorder") {
            match fate {
                Fate::Placed => {}
                Fate::Refused(RejectReason::SoldOut | RejectReason::AlreadyHeld) => refused += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    let counts = books.counts().await;
    assert_eq!(books.sale().await.remain_stock, 0);
    assert_eq!(counts.holding(), 100);
    assert_eq!((counts.rejected, refused), (540, 540));
    books.balance().await;
    let holders = orders::holders_page(&books.ledger, books.activity, None, 1000).await.unwrap();
    assert_eq!(holders.iter().map(|h| h.user_id).collect::<HashSet<_>>().len(), 100);
}

#[tokio::test]
async fn holders_and_orders_are_read_in_pages() {
    let books = Books::open(Sale { shoppers: 7, ..Sale::default() }).await;
    for shopper in 0..7 {
        books.place(shopper).await;
    }
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = orders::holders_page(&books.ledger, books.activity, after, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.user_id);
        seen.extend(page.into_iter().map(|holder| holder.user_id));
    }
    assert_eq!(seen, books.shoppers);
    let by = books.by_shopper(0);
    let first =
        orders::of_user(&books.ledger, books.shoppers[0], None, 10).await.unwrap()[0].clone();
    orders::cancel(&books.ledger, first.order_no, None, CancelReason::ByShopper, by).await.unwrap();
    let second = books.place(0).await;
    let page = orders::of_user(&books.ledger, books.shoppers[0], None, 1).await.unwrap();
    assert_eq!(page[0].order_no, second);
    let page =
        orders::of_user(&books.ledger, books.shoppers[0], Some(page[0].id), 9).await.unwrap();
    assert_eq!(page.iter().map(|o| o.order_no).collect::<Vec<_>>(), [first.order_no]);
}
