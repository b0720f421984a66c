//! The end of a pending order, and races to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::sql_types::BigInt;
use diesel::{MysqlConnection, RunQueryDsl, select};

use seckill::ledger::orders::{self, BatchOutcome, CancelOutcome, Fate};
use seckill::ledger::payments::{Beginning, Collected};
use seckill::sale::ids::Epoch;
use seckill::sale::order::{CancelReason, OrderState};
use seckill::sale::order_number::OrderNo;

use super::payments::{begin, collect, taken};
use super::{Books, Sale, until};

async fn cancel(books: &Books, order_no: OrderNo) -> CancelOutcome {
    let by = books.by_shopper(0);
    orders::cancel(&books.ledger, order_no, None, CancelReason::ByShopper, by)
        .await
        .expect("cancels")
}

/// What a shopper who pays at once is told.
async fn pay(books: &Books, shopper: usize, order_no: OrderNo) -> &'static str {
    let payment = match begin(books, shopper, order_no).await {
        Beginning::Begun(payment) | Beginning::Before(payment) => payment,
        Beginning::AlreadyPaid(_) => return "already paid",
        Beginning::TooLate(_) => return "too late",
        Beginning::NotPending(_) => return "not pending",
        Beginning::NotFound => return "not found",
    };
    match collect(books, payment.payment_no, taken(1999)).await {
        Collected::Paid(_) => "paid",
        other => panic!("{other:?}"),
    }
}

/// The deadline passes.
async fn overdue(books: &Books, order_no: OrderNo) {
    let past = "UTC_TIMESTAMP(3) - INTERVAL 1 SECOND";
    let statement = format!("UPDATE orders SET pay_before = {past} WHERE order_no = '{order_no}'");
    books.force(statement).await.expect("turns the clock");
}

#[tokio::test]
async fn cancelled_twice_gives_one_unit_back() {
    let books = Books::open(Sale::default()).await;
    let order_no = books.place(0).await;
    assert_eq!(books.sale().await.remain_stock, 9);
    let CancelOutcome::Cancelled(ended) = cancel(&books, order_no).await else { panic!() };
    assert!(ended.rebuy);
    assert_eq!(ended.order.state, OrderState::Cancelled);
    assert_eq!(ended.order.reason.as_deref(), Some("by_shopper"));
    assert!(matches!(cancel(&books, order_no).await, CancelOutcome::AlreadyCancelled(_)));
    assert_eq!(pay(&books, 0, order_no).await, "not pending");
    assert_eq!(books.sale().await.remain_stock, 10);
    let kinds = orders::history(&books.ledger, order_no).await.unwrap();
    let kinds: Vec<_> = kinds.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["pending_payment", "cancelled"]);
    books.balance().await;
}

#[tokio::test]
async fn paid_is_paid_once_and_is_not_cancelled_any_more() {
    let books = Books::open(Sale::default()).await;
    let order_no = books.place(0).await;
    assert_eq!(pay(&books, 0, order_no).await, "paid");
    assert_eq!(pay(&books, 0, order_no).await, "already paid");
    assert!(matches!(cancel(&books, order_no).await, CancelOutcome::NotPending(_)));
    let expired = orders::expire(&books.ledger, order_no).await.unwrap();
    assert!(matches!(expired, CancelOutcome::NotPending(_)));
    assert_eq!(orders::history(&books.ledger, order_no).await.unwrap().len(), 2);
    assert_eq!(books.counts().await.paid, 1);
    books.balance().await;
}

#[tokio::test]
async fn an_order_ends_by_time_after_its_deadline_and_not_before() {
    let books = Books::open(Sale::default()).await;
    let (due, early) = (books.place(0).await, books.place(1).await);
    let outcome = orders::expire(&books.ledger, due).await.unwrap();
    assert!(matches!(outcome, CancelOutcome::NotDue(_)));
    overdue(&books, due).await;
    let found = orders::due(&books.ledger, false, 10).await.unwrap();
    assert_eq!(found.iter().map(|found| found.order_no).collect::<Vec<_>>(), [due]);
    assert!(found[0].overdue_ms >= 1000);
    assert_eq!(pay(&books, 0, due).await, "too late");
    let outcome = orders::expire(&books.ledger, due).await.unwrap();
    let CancelOutcome::Cancelled(ended) = outcome else { panic!("{outcome:?}") };
    assert_eq!(ended.order.reason.as_deref(), Some("unpaid"));
    assert!(orders::due(&books.ledger, false, 10).await.unwrap().is_empty());
    assert_eq!(pay(&books, 1, early).await, "paid");
    assert_eq!(books.sale().await.remain_stock, 9);
    books.balance().await;
}

#[tokio::test]
async fn anothers_order_is_not_found() {
    let books = Books::open(Sale::default()).await;
    let order_no = books.place(0).await;
    let other = Some(books.shoppers[1]);
    let by = books.by_shopper(1);
    assert_eq!(pay(&books, 1, order_no).await, "not found");
    let reason = CancelReason::ByShopper;
    let cancelled = orders::cancel(&books.ledger, order_no, other, reason, by).await.unwrap();
    assert_eq!(cancelled, CancelOutcome::NotFound);
    let nobodys = books.reservation(0).order_no;
    assert_eq!(pay(&books, 0, nobodys).await, "not found");
    assert_eq!(cancel(&books, nobodys).await, CancelOutcome::NotFound);
    assert_eq!(books.counts().await.pending_payment, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_pay_cancel_and_expiry_at_once_exactly_one_wins_a_thousand_times_over() {
    let books = Books::open(Sale { stock: 1000, shoppers: 1000, ..Sale::default() }).await;
    let (mut paid_orders, mut refunds) = (0, 0);
    for shopper in 0..1000 {
        let order_no = books.place(shopper).await;
        let Beginning::Begun(payment) = begin(&books, shopper, order_no).await else { panic!() };
        // The money is on its way when the deadline passes.
        overdue(&books, order_no).await;
        let (paid, again, one, other, expired) = tokio::join!(
            collect(&books, payment.payment_no, taken(1999)),
            collect(&books, payment.payment_no, taken(1999)),
            cancel(&books, order_no),
            cancel(&books, order_no),
            orders::expire(&books.ledger, order_no)
        );
        let expired = expired.expect("expires");
        let is_paid = |told: &Collected| matches!(told, Collected::Paid(_));
        let wins = [
            is_paid(&paid),
            is_paid(&again),
            matches!(one, CancelOutcome::Cancelled(_)),
            matches!(other, CancelOutcome::Cancelled(_)),
            matches!(expired, CancelOutcome::Cancelled(_)),
        ];
        let winners = wins.iter().filter(|won| **won).count();
        assert_eq!(winners, 1, "{paid:?} {again:?} {one:?} {other:?} {expired:?}");
        let events = orders::history(&books.ledger, order_no).await.unwrap();
        assert_eq!(events.len(), 2, "{events:?}");
        let won_by_payment = wins[0] || wins[1];
        assert_eq!(events[1].kind, if won_by_payment { "paid" } else { "cancelled" });
        let goes_back =
            [&paid, &again].iter().filter(|told| matches!(told, Collected::ToRefund(_))).count();
        assert_eq!(goes_back, usize::from(!won_by_payment), "{paid:?} {again:?}");
        paid_orders += i64::from(won_by_payment);
        refunds += goes_back;
    }
    assert_eq!(books.counts().await.paid, paid_orders);
    assert_eq!(books.sale().await.remain_stock, i64::try_from(refunds).unwrap());
    books.balance().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_and_cancels_that_run_together_lose_nothing() {
    const ROUNDS: usize = 10;
    let books = Arc::new(Books::open(Sale { stock: 80, shoppers: 80, ..Sale::default() }).await);
    let mut tasks = Vec::new();
    for group in 0..8 {
        let books = Arc::clone(&books);
        tasks.push(tokio::spawn(async move {
            for _ in 0..ROUNDS {
                let mine: Vec<_> = (0..10).map(|n| books.reservation(group * 10 + n)).collect();
                let recorded =
                    orders::record_batch(&books.ledger, books.activity, Epoch(1), mine.clone());
                assert_eq!(recorded.await.expect("no deadlock"), BatchOutcome::Recorded);
                for reservation in &mine {
                    let outcome = cancel(&books, reservation.order_no).await;
                    assert!(matches!(outcome, CancelOutcome::Cancelled(_)), "{outcome:?}");
                    let again = orders::settle_one(&books.ledger, reservation.clone(), None).await;
                    assert!(matches!(again, Ok(Fate::AlreadyKnown(_))), "{again:?}");
                }
            }
        }));
    }
    for task in tasks {
        task.await.expect("a recorder");
    }
    let counts = books.counts().await;
    assert_eq!(counts.cancelled, i64::try_from(80 * ROUNDS).unwrap());
    assert_eq!(books.sale().await.remain_stock, 80);
    books.balance().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_was_sacrificed_to_end_a_deadlock_is_run_again() {
    let books = Books::open(Sale { shoppers: 20, ..Sale::default() }).await;
    let order_no = books.place(0).await;
    let locked = Arc::new(AtomicBool::new(false));
    let at_it = Arc::clone(&locked);
    // Somebody takes the locks in the wrong order, and has written more than the cancellation, so that
    // the server lets them live.
    let wrong_way = books.ledger.run(move |conn| {
        conn.batch_execute("BEGIN; UPDATE users SET epoch = 1; SELECT id FROM orders FOR UPDATE")?;
        at_it.store(true, Ordering::Release);
        wait_for_a_waiting_transaction(conn);
        conn.batch_execute("UPDATE activities SET title = 'x'")?;
        Ok(conn.batch_execute("ROLLBACK")?)
    });
    let cancelling = async {
        until("the lock", Duration::from_secs(10), async || locked.load(Ordering::Acquire)).await;
        cancel(&books, order_no).await
    };
    let (wrong_way, cancelled) = tokio::join!(wrong_way, cancelling);
    assert!(wrong_way.is_ok(), "{wrong_way:?}");
    assert!(matches!(cancelled, CancelOutcome::Cancelled(_)), "{cancelled:?}");
    books.balance().await;
}

fn wait_for_a_waiting_transaction(conn: &mut MysqlConnection) {
    let waiting = "(SELECT COUNT(*) FROM information_schema.innodb_trx t
        JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
        WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT')";
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let waiting = select(diesel::dsl::sql::<BigInt>(waiting)).get_result::<i64>(conn);
        if waiting.expect("counts") > 0 {
            return;
        }
        assert!(Instant::now() < end, "nobody waits for a lock");
        // The server looks anew only when nobody has asked for a tenth of a second.
        std::thread::sleep(Duration::from_millis(150));
    }
}
