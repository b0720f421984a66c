//! Payments: one fate each, and never an order paid by what does not pay it.

use seckill::ledger::orders::{self, Actor, By, CancelOutcome};
use seckill::ledger::payments::{self, Beginning, Collected};
use seckill::sale::money::{Cents, Currency};
use seckill::sale::order::{CancelReason, OrderState};
use seckill::sale::order_number::OrderNo;
use seckill::sale::payment::{Payment, PaymentNo, PaymentState, RefundReason, Report};

use super::{Books, Sale};

pub(super) fn taken(cents: i64) -> Report {
    Report::Taken { amount: Cents(cents), currency: Currency::CNY }
}

pub(super) async fn begin(books: &Books, shopper: usize, order_no: OrderNo) -> Beginning {
    let fresh = PaymentNo::new(1, rand::random());
    let owner = books.shoppers[shopper];
    payments::begin(&books.ledger, order_no, owner, "sandbox", fresh, "req-3".into())
        .await
        .expect("begins")
}

pub(super) async fn collect(books: &Books, payment: PaymentNo, report: Report) -> Collected {
    let by = By { actor: Actor::Payment, request_id: "req-4".into() };
    payments::collect(&books.ledger, payment, report, by).await.expect("collects")
}

async fn begun(books: &Books, order_no: OrderNo) -> Payment {
    match begin(books, 0, order_no).await {
        Beginning::Begun(payment) | Beginning::Before(payment) => payment,
        other => panic!("{other:?}"),
    }
}

async fn state(books: &Books, order_no: OrderNo) -> OrderState {
    orders::get(&books.ledger, order_no).await.unwrap().unwrap().state
}

#[tokio::test]
async fn two_tabs_share_one_payment_and_a_notice_that_comes_twice_changes_nothing() {
    let books = Books::open(Sale::default()).await;
    let order_no = books.place(0).await;
    let payment = begun(&books, order_no).await;
    assert_eq!(begun(&books, order_no).await, payment);
    assert_eq!((payment.amount, payment.state), (Cents(1999), PaymentState::Begun));
    let number = payment.payment_no;
    assert!(matches!(collect(&books, number, taken(1999)).await, Collected::Paid(_)));
    for _ in 0..3 {
        let again = collect(&books, number, taken(1999)).await;
        assert_eq!(again, Collected::Unchanged(PaymentState::Paid));
    }
    // Nor does one that was overtaken on its way.
    let late = collect(&books, number, Report::Declined).await;
    assert_eq!(late, Collected::Unchanged(PaymentState::Paid));
    assert_eq!(state(&books, order_no).await, OrderState::Paid);
    assert!(matches!(begin(&books, 0, order_no).await, Beginning::AlreadyPaid(_)));
    assert_eq!(orders::history(&books.ledger, order_no).await.unwrap().len(), 2);
    books.balance().await;
}

#[tokio::test]
async fn another_amount_or_currency_pays_nothing_and_goes_back() {
    let books = Books::open(Sale::default()).await;
    let order_no = books.place(0).await;
    let dollars = Report::Taken { amount: Cents(1999), currency: "USD".parse().unwrap() };
    for report in [taken(1998), taken(2000), taken(0), taken(-1999), dollars] {
        let payment = begun(&books, order_no).await;
        let told = collect(&books, payment.payment_no, report).await;
        assert_eq!(told, Collected::ToRefund(RefundReason::WrongAmount), "{report:?}");
        assert_eq!(state(&books, order_no).await, OrderState::PendingPayment);
    }
    let payment = begun(&books, order_no).await;
    assert!(matches!(collect(&books, payment.payment_no, taken(1999)).await, Collected::Paid(_)));
    let kept = payments::of_order(&books.ledger, order_no).await.unwrap();
    assert_eq!(kept.iter().filter(|p| p.state == PaymentState::ToRefund).count(), 5);
    books.balance().await;
}

#[tokio::test]
async fn money_for_an_order_that_ended_goes_back_and_never_revives_it() {
    let books = Books::open(Sale::default()).await;
    let order_no = books.place(0).await;
    let payment = begun(&books, order_no).await;
    let by = books.by_shopper(0);
    let reason = CancelReason::ByShopper;
    let cancelled = orders::cancel(&books.ledger, order_no, None, reason, by).await.unwrap();
    assert!(matches!(cancelled, CancelOutcome::Cancelled(_)));
    let told = collect(&books, payment.payment_no, taken(1999)).await;
    assert_eq!(told, Collected::ToRefund(RefundReason::OrderEnded));
    assert_eq!(state(&books, order_no).await, OrderState::Cancelled);
    assert_eq!(books.sale().await.remain_stock, 10);

    let due = payments::take_due(&books.ledger, PaymentState::ToRefund, 10).await.unwrap();
    assert_eq!(due.iter().map(|due| due.payment_no).collect::<Vec<_>>(), [payment.payment_no]);
    // Whoever took it has it for a while.
    assert_eq!(payments::take_due(&books.ledger, PaymentState::ToRefund, 10).await.unwrap(), []);
    let back = collect(&books, payment.payment_no, Report::Refunded).await;
    assert_eq!(back, Collected::Refunded);
    let again = collect(&books, payment.payment_no, taken(1999)).await;
    assert_eq!(again, Collected::Unchanged(PaymentState::Refunded));
    let kept = payments::of_order(&books.ledger, order_no).await.unwrap();
    assert!(kept[0].refunded_at_ms.is_some());
    books.balance().await;
}

#[tokio::test]
async fn a_decline_that_is_overtaken_by_the_money_is_corrected() {
    let books = Books::open(Sale::default()).await;
    let order_no = books.place(0).await;
    let payment = begun(&books, order_no).await;
    assert_eq!(collect(&books, payment.payment_no, Report::Declined).await, Collected::Failed);
    // Another attempt is another payment.
    let second = begun(&books, order_no).await;
    assert_ne!(second.payment_no, payment.payment_no);
    assert!(matches!(collect(&books, payment.payment_no, taken(1999)).await, Collected::Paid(_)));
    let twice = collect(&books, second.payment_no, taken(1999)).await;
    assert_eq!(twice, Collected::ToRefund(RefundReason::PaidTwice));
    books.balance().await;
}

#[tokio::test]
async fn what_nobody_began_is_not_found() {
    let books = Books::open(Sale::default()).await;
    let invented = PaymentNo::new(7, 7);
    assert_eq!(collect(&books, invented, taken(1999)).await, Collected::NotFound);
    let nobodys = books.reservation(0).order_no;
    assert_eq!(begin(&books, 0, nobodys).await, Beginning::NotFound);
    let order_no = books.place(0).await;
    assert_eq!(begin(&books, 1, order_no).await, Beginning::NotFound);
}
