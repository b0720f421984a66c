//! Paying at the sandbox, and everything that a provider's notice may do wrong.

use std::time::Duration;

use seckill::ledger::payments;
use seckill::payment::notice::{self, Notice, SIGNATURE};
use seckill::payment::sandbox;
use seckill::sale::ids::ActivityId;
use seckill::sale::money::{Cents, Currency};
use seckill::sale::payment::{PaymentNo, PaymentState, Report};

use crate::harness::{App, Plan, SOON, Sale, Shopper, eventually};

async fn with_order(app: &App, sale: ActivityId) -> (Shopper, String) {
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    (shopper, order_no)
}

/// Presses "pay" on the order's page; the sandbox's page.
async fn at_the_sandbox(shopper: &Shopper, order_no: &str) -> String {
    let token = shopper.browser.csrf_token().await;
    let answer =
        shopper.browser.post(&format!("/orders/{order_no}/pay"), &[("csrf_token", &token)]).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let page = answer.location.unwrap();
    assert!(page.starts_with("/sandbox/"), "{page}");
    page
}

async fn decide(shopper: &Shopper, page: &str, decision: &str, telling: &str) {
    let shown = shopper.browser.get(page).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    let token = shown.csrf_token();
    let fields = [("csrf_token", token.as_str()), ("decision", decision), ("telling", telling)];
    let answer = shopper.browser.post(page, &fields).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert!(answer.location.unwrap().starts_with("/orders/"));
}

async fn state_of(app: &App, order_no: &str) -> Vec<PaymentState> {
    let kept = payments::of_order(&app.ledger, order_no.parse().unwrap()).await.unwrap();
    kept.into_iter().map(|payment| payment.state).collect()
}

fn notice_of(app: &App, payment: PaymentNo, report: Report) -> (Vec<u8>, String) {
    let body = notice::write(&Notice { payment_no: payment, report });
    let seal = sandbox::seal(app.config.site.secret_key.reveal().as_bytes());
    let signature = seal.sign(&body, chrono::Utc::now().timestamp_millis());
    (body, signature)
}

async fn send(app: &App, provider: &str, body: Vec<u8>, signature: Option<&str>) -> u16 {
    let address = format!("{}/payments/{provider}/callback", app.url());
    let mut request = app.http.post(address).header("content-type", "application/json").body(body);
    if let Some(signature) = signature {
        request = request.header(SIGNATURE, signature);
    }
    request.send().await.unwrap().status().as_u16()
}

fn taken(cents: i64) -> Report {
    Report::Taken { amount: Cents(cents), currency: Currency::CNY }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shopper_pays_at_the_provider_and_the_order_is_paid_when_the_notice_comes() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(3)).await;
    for telling in ["once", "twice"] {
        let (shopper, order_no) = with_order(&app, sale).await;
        let page = at_the_sandbox(&shopper, &order_no).await;
        assert_eq!(at_the_sandbox(&shopper, &order_no).await, page, "a double click, another tab");
        decide(&shopper, &page, "pay", telling).await;
        shopper.order_becomes(&order_no, "paid").await;
        // Decided is decided.
        decide(&shopper, &page, "decline", "once").await;
        assert_eq!(shopper.order(&order_no).await.state(), "paid");
        assert_eq!(state_of(&app, &order_no).await, [PaymentState::Paid]);
    }
    let balance = app.balance(sale).await;
    assert_eq!((balance.orders.paid, balance.remain_stock), (2, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decline_takes_nothing_and_the_shopper_may_pay_again() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let (shopper, order_no) = with_order(&app, sale).await;
    let page = at_the_sandbox(&shopper, &order_no).await;
    decide(&shopper, &page, "decline", "once").await;
    eventually("the decline is heard of", SOON, || async {
        (state_of(&app, &order_no).await == [PaymentState::Failed]).then_some(())
    })
    .await;
    let shown = shopper.browser.get(&format!("/orders/{order_no}")).await;
    assert!(shown.text.contains("did not go through"), "{}", shown.text);
    let second = at_the_sandbox(&shopper, &order_no).await;
    assert_ne!(second, page);
    decide(&shopper, &second, "pay", "once").await;
    shopper.order_becomes(&order_no, "paid").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_whose_notice_never_comes_is_asked_for_before_the_order_expires() {
    let app = App::start().await;
    let sale = app.sale(Sale { pay_within_s: 10, ..Sale::of(2) }).await;
    let (payer, paid) = with_order(&app, sale).await;
    let (idler, idle) = with_order(&app, sale).await;
    let page = at_the_sandbox(&payer, &paid).await;
    at_the_sandbox(&idler, &idle).await;
    decide(&payer, &page, "pay", "never").await;
    // The other one never decided: the order ends, and the unit is sold again.
    idler.order_becomes(&idle, "cancelled").await;
    payer.order_becomes(&paid, "paid").await;
    let other = app.shopper().await;
    eventually("the unit is back", SOON, || async {
        (other.buy(sale).await.outcome() == "admitted").then_some(())
    })
    .await;
    app.balanced("sold again", sale, |b| b.orders.paid == 1 && b.orders.pending_payment == 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_that_comes_after_the_cancellation_goes_back_and_the_shopper_may_buy_again() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let (shopper, order_no) = with_order(&app, sale).await;
    let page = at_the_sandbox(&shopper, &order_no).await;
    assert_eq!(shopper.cancel(&order_no).await.status, 200);
    decide(&shopper, &page, "pay", "twice").await;
    eventually("the money is back", SOON, || async {
        (state_of(&app, &order_no).await == [PaymentState::Refunded]).then_some(())
    })
    .await;
    assert_eq!(shopper.order(&order_no).await.state(), "cancelled");
    let shown = shopper.browser.get(&format!("/orders/{order_no}")).await;
    assert!(shown.text.contains("has gone back to you"), "{}", shown.text);
    let again = shopper.must_buy(sale).await;
    assert_ne!(again, order_no);
    shopper.order_becomes(&again, "pending_payment").await;
    let balance = app.balance(sale).await;
    assert_eq!((balance.total_stock, balance.remain_stock), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pressing_pay_again_tells_what_a_lost_notice_did_not() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let (shopper, order_no) = with_order(&app, sale).await;
    let page = at_the_sandbox(&shopper, &order_no).await;
    decide(&shopper, &page, "decline", "never").await;
    let second = at_the_sandbox(&shopper, &order_no).await;
    assert_ne!(second, page, "the decided page would be a dead end");
    decide(&shopper, &second, "pay", "never").await;
    let token = shopper.browser.csrf_token().await;
    let path = format!("/orders/{order_no}/pay");
    let answer = shopper.browser.post(&path, &[("csrf_token", &token)]).await;
    assert_eq!(answer.location, Some(format!("/orders/{order_no}")), "{}", answer.text);
    assert_eq!(shopper.order(&order_no).await.state(), "paid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_that_was_taken_before_a_crash_goes_back_when_its_order_ended_meanwhile() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let (shopper, order_no) = with_order(&app, sale).await;
    let page = at_the_sandbox(&shopper, &order_no).await;
    // The provider takes the money, and nobody tells the shop.
    decide(&shopper, &page, "pay", "never").await;
    assert_eq!(shopper.cancel(&order_no).await.status, 200);
    eventually("the money is back", SOON, || async {
        (state_of(&app, &order_no).await == [PaymentState::Refunded]).then_some(())
    })
    .await;
    assert_eq!(shopper.order(&order_no).await.state(), "cancelled");

    // A payment that nobody decided is closed with its order: nobody can pay for nothing afterwards.
    let (other, other_no) = with_order(&app, sale).await;
    let page = at_the_sandbox(&other, &other_no).await;
    assert_eq!(other.cancel(&other_no).await.status, 200);
    eventually("the payment is closed", SOON, || async {
        (state_of(&app, &other_no).await == [PaymentState::Failed]).then_some(())
    })
    .await;
    decide(&other, &page, "pay", "once").await;
    assert_eq!(state_of(&app, &other_no).await, [PaymentState::Failed]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_is_believed_for_its_signature_alone() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let (shopper, order_no) = with_order(&app, sale).await;
    let (other, other_no) = with_order(&app, sale).await;
    let page = at_the_sandbox(&shopper, &order_no).await;
    let other_page = at_the_sandbox(&other, &other_no).await;
    let number: PaymentNo = page.trim_start_matches("/sandbox/").parse().unwrap();
    let others: PaymentNo = other_page.trim_start_matches("/sandbox/").parse().unwrap();
    let (body, signature) = notice_of(&app, number, taken(1999));
    let (others_body, _) = notice_of(&app, others, taken(1999));

    let forged = signature.replace("v1=", "v1=0");
    assert_eq!(send(&app, "sandbox", body.clone(), None).await, 401);
    assert_eq!(send(&app, "sandbox", body.clone(), Some(&forged)).await, 401);
    assert_eq!(send(&app, "sandbox", others_body, Some(&signature)).await, 401, "of another order");
    assert_eq!(send(&app, "elsewhere", body.clone(), Some(&signature)).await, 404);
    let old = {
        let seal = sandbox::seal(app.config.site.secret_key.reveal().as_bytes());
        seal.sign(&body, chrono::Utc::now().timestamp_millis() - 600_000)
    };
    assert_eq!(send(&app, "sandbox", body.clone(), Some(&old)).await, 401, "from long ago");
    let (unknown, its_signature) = notice_of(&app, PaymentNo::new(1, 1), taken(1999));
    assert_eq!(send(&app, "sandbox", unknown, Some(&its_signature)).await, 404);
    assert_eq!(send(&app, "sandbox", vec![b'x'; 100_000], Some(&signature)).await, 413);
    assert_eq!(shopper.order(&order_no).await.state(), "pending_payment");

    let (wrong, wrong_signature) = notice_of(&app, others, taken(1));
    assert_eq!(send(&app, "sandbox", wrong, Some(&wrong_signature)).await, 200);
    assert_eq!(other.order(&other_no).await.state(), "pending_payment");

    // Twice in parallel, and replayed within its time.
    let sends = (0..6).map(|_| send(&app, "sandbox", body.clone(), Some(&signature)));
    assert_eq!(futures_util::future::join_all(sends).await, [200; 6]);
    assert_eq!(shopper.order(&order_no).await.state(), "paid");
    let number = order_no.parse().unwrap();
    let events = seckill::ledger::orders::history(&app.ledger, number).await.unwrap();
    assert_eq!(events.iter().filter(|event| event.kind == "paid").count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_units_of_the_half_that_never_pays_are_bought_by_others() {
    let app = App::start().await;
    let sale = app.sale(Sale { pay_within_s: 10, ..Sale::of(20) }).await;
    let first = app.shoppers(20).await;
    let mut orders = Vec::new();
    for shopper in &first {
        orders.push(shopper.must_buy(sale).await);
    }
    for (shopper, order_no) in first.iter().zip(&orders).take(10) {
        shopper.order_becomes(order_no, "pending_payment").await;
        assert_eq!(shopper.pay(order_no).await.state(), "paid");
    }
    let second = app.shoppers(10).await;
    let buying = second.iter().map(|shopper| async {
        let order_no = eventually("a unit that came back", Duration::from_secs(60), || async {
            let answer = shopper.buy(sale).await;
            (answer.outcome() == "admitted").then(|| answer.order_no())
        })
        .await;
        shopper.order_becomes(&order_no, "pending_payment").await;
        assert_eq!(shopper.pay(&order_no).await.state(), "paid");
    });
    futures_util::future::join_all(buying).await;
    let balance = app.balanced("all sold", sale, |b| b.orders.paid == 20).await;
    assert_eq!((balance.orders.cancelled, balance.remain_stock), (10, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_provider_says_nothing_an_order_waits_for_it_but_not_for_ever() {
    // The provider never answers in time: its bound is shorter than any answer can be.
    let plan = Plan::default()
        .set("SECKILL__PAYMENT__ANSWER_TIMEOUT_MS", 100)
        .set("SECKILL__PAYMENT__PATIENCE_S", 5);
    let app = App::start_with(plan).await;
    let sale = app.sale(Sale { pay_within_s: 10, ..Sale::of(1) }).await;
    let (shopper, order_no) = with_order(&app, sale).await;
    at_the_sandbox(&shopper, &order_no).await;
    let shut = "LOCK TABLES sandbox_payments WRITE";
    let (tell, told) = tokio::sync::oneshot::channel();
    let (go_on, still) = std::sync::mpsc::channel::<()>();
    let ledger = app.ledger.clone();
    let holding = tokio::spawn(async move {
        use diesel::connection::SimpleConnection as _;
        let step = move |conn: &mut diesel::MysqlConnection| {
            conn.batch_execute(shut).unwrap();
            tell.send(()).unwrap();
            let _told = still.recv_timeout(Duration::from_secs(60));
            let _ = conn.batch_execute("UNLOCK TABLES");
            Ok(())
        };
        ledger.run(step).await
    });
    told.await.unwrap();
    let ended = shopper.order_becomes(&order_no, "cancelled").await;
    assert_eq!(ended.json()["reason"], "unpaid");
    go_on.send(()).unwrap();
    let _ = holding.await;
    let row = seckill::ledger::orders::get(&app.ledger, order_no.parse().unwrap()).await.unwrap();
    let row = row.unwrap();
    assert!(row.cancelled_at_ms.unwrap() >= row.pay_before_ms + 5000, "{row:?}");
}
