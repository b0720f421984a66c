//! Units that could leak: held at the gate by nobody, or sold although they are held.

use std::time::Duration;

use seckill::ledger::activities::locked;
use seckill::ledger::orders::{self, Actor, By, CancelOutcome};
use seckill::sale::actor::Actor as Editor;
use seckill::sale::order::CancelReason;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{all_buy, keys};
use crate::harness::{App, Plan, SOON, Sale, Shopper, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_order_gives_its_unit_back_although_the_browser_hangs_up() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(20)).await;
    let shoppers = app.shoppers(20).await;
    let numbers = all_buy(&shoppers, sale).await;
    app.balanced("all placed", sale, |b| b.orders.pending_payment == 20).await;

    for (at, (shopper, number)) in shoppers.iter().zip(&numbers).enumerate() {
        hang_up_while_cancelling(&app, shopper, number, Duration::from_millis(at as u64 / 2)).await;
    }

    let is_right = |b: &seckill::back_office::Balance| {
        b.orders.cancelled > 0 && b.gate_stock == Some(b.remain_stock)
    };
    app.balanced("what the ledger cancelled is sellable", sale, is_right).await;
}

/// Sends the form and closes the connection before an answer can be read.
async fn hang_up_while_cancelling(app: &App, shopper: &Shopper, number: &str, after: Duration) {
    let token = shopper.browser.csrf_token().await;
    let cookies: Vec<String> =
        shopper.browser.cookies().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let body = format!("csrf_token={token}");
    let request = format!(
        "POST /orders/{number}/cancel HTTP/1.1\r\nhost: localhost\r\ncookie: {}\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
        cookies.join("; "),
        body.len(),
    );
    let address = app.url().trim_start_matches("http://").to_owned();
    let mut line = TcpStream::connect(address).await.unwrap();
    line.write_all(request.as_bytes()).await.unwrap();
    tokio::time::sleep(after).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_release_that_the_gate_never_heard_of_is_made_good_by_the_next_worker() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let shopper = app.shopper().await;
    let number = shopper.must_buy(sale).await;
    shopper.order_becomes(&number, "pending_payment").await;
    app.stop_worker().await;

    // The ledger cancels, and the process that should tell the gate is gone.
    let by = By { actor: Actor::Shopper(shopper.id), request_id: String::new() };
    let order_no = number.parse().unwrap();
    let reason = CancelReason::ByShopper;
    let cancelled = orders::cancel(&app.ledger, order_no, Some(shopper.id), reason, by).await;
    assert!(matches!(cancelled, Ok(CancelOutcome::Cancelled(_))), "{cancelled:?}");
    assert_eq!(app.balance(sale).await.gate_stock, Some(0));

    app.start_worker().await;
    app.balanced("the unit is back", sale, |b| b.gate_stock == Some(1)).await;
    app.shopper().await.must_buy(sale).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reservations_that_wait_in_the_outbox_survive_a_rebuild() {
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(10)).await;
    let shoppers = app.shoppers(4).await;
    let numbers = all_buy(&shoppers[..3], sale).await;

    // The gate loses who holds what, and nobody empties the outbox meanwhile: the rebuild is done here, by
    // the steps of the keeper, since a worker would also have a relay.
    let mut redis = crate::harness::shopper::redis_of(app.config.gate.url.reveal()).await;
    let () = redis::cmd("DEL").arg(keys(sale).users()).query_async(&mut redis).await.unwrap();
    assert_eq!(shoppers[3].buy(sale).await.outcome(), "restoring");
    let held = app.office.hold(sale, &Editor::command()).await.unwrap();
    app.office.fill(&held).await.unwrap();
    held.free().await;

    for (shopper, number) in shoppers.iter().zip(&numbers) {
        let again = shopper.buy(sale).await;
        assert_eq!((again.outcome(), again.order_no()), ("already_held".into(), number.clone()));
    }
    assert_eq!(app.balance(sale).await.gate_stock, Some(7));

    app.start_worker().await;
    for (shopper, number) in shoppers.iter().zip(&numbers) {
        shopper.order_becomes(number, "pending_payment").await;
    }
    let balance = app.balanced("placed", sale, |b| b.orders.pending_payment == 3).await;
    assert_eq!((balance.orders.lost, balance.gate_stock), (0, Some(7)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filling_that_broke_off_is_begun_again_and_finished_by_no_one_else() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(3)).await;
    let shoppers = app.shoppers(4).await;
    all_buy(&shoppers[..3], sale).await;
    app.balanced("three orders", sale, |b| b.orders.pending_payment == 3).await;
    app.stop_worker().await;

    // Whoever rebuilds has emptied the gate under a new epoch, and dies.
    let held = app.office.hold(sale, &Editor::command()).await.unwrap();
    let (epoch, expiry_ms) = (held.activity.gate_epoch, app.office.expiry_ms(&held.activity));
    let next = locked::begin_epoch(&app.ledger, sale, held.fence, epoch).await.unwrap();
    app.gate.begin(&keys(sale), next, held.fence, expiry_ms).await.unwrap();
    held.free().await;

    // An admin pauses and resumes the sale before any keeper comes.
    app.office.pause(sale, None, &Editor::command()).await.unwrap();
    app.office.resume(sale, None, &Editor::command()).await.unwrap();
    assert_eq!(shoppers[3].buy(sale).await.outcome(), "restoring");

    app.start_worker().await;
    let answer = eventually("the sale is back", SOON, || async {
        Some(shoppers[3].buy(sale).await).filter(|answer| answer.outcome() != "restoring")
    })
    .await;
    assert_eq!(answer.outcome(), "sold_out");
    assert_eq!(shoppers[0].buy(sale).await.outcome(), "already_held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stock_change_that_broke_off_between_gate_and_ledger_is_levelled() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(10)).await;

    // The gate has given four units up; the ledger was never asked.
    let held = app.office.hold(sale, &Editor::command()).await.unwrap();
    let epoch = held.activity.gate_epoch;
    let given_up = app.gate.adjust(&keys(sale), epoch, held.fence, "broken", -4, 10).await.unwrap();
    held.free().await;
    assert_eq!((given_up, app.balance(sale).await.gate_stock), (-4, Some(6)));

    app.balanced("the gate has all ten again", sale, |b| b.gate_stock == Some(10)).await;
}
