//! What is stuck appears, and is gone when it moves again.

use seckill::ledger::payments::{self, Beginning, Collected};
use seckill::ledger::reconciliations;
use seckill::sale::ids::{ActivityId, Bucket};
use seckill::sale::money::{Cents, Currency};
use seckill::sale::payment::{PaymentNo, Report as Told};
use seckill::sale::reconciliation::{Difference, Finding, Kind, Outcome, Report, Skipped};

use super::super::{gate, keys};
use super::*;
use crate::faults::relay_by_hand;

/// A part of the page.
pub(super) fn part<'a>(text: &'a str, id: &str) -> &'a str {
    let (_, part) =
        text.split_once(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("{id}: {text}"));
    part.split("</section>").next().unwrap()
}

/// Lets a reservation that has left the outbox be a minute old.
pub(super) async fn age(app: &App, sale: ActivityId, order: &str, shopper: &Shopper) {
    let since = chrono::Utc::now().timestamp_millis() - 60_000;
    let member = format!("{order}|{}", shopper.id);
    let aged: i64 = gate(
        app,
        redis::cmd("ZADD").arg(keys(sale).underway()).arg("XX").arg("CH").arg(since).arg(member),
    )
    .await;
    assert_eq!(aged, 1, "it is under way");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_between_outbox_and_ledger_appears_until_the_worker_is_back() {
    let mut app = App::start().await;
    let sale = app.sale(Sale { title: "<b>Pots</b>".into(), ..Sale::of(3) }).await;
    let (operator, shopper) = (operator(&app).await, app.shopper().await);
    app.balanced("open", sale, |b| b.gate_stock == Some(3)).await;
    app.stop_worker().await;
    let order = shopper.must_buy(sale).await;
    relay_by_hand(&app, sale).await;
    let text = page(&operator, "/ops/stuck").await;
    assert!(text.contains("Nothing is stuck"), "not at once: {text}");
    age(&app, sale, &order, &shopper).await;
    let text = page(&operator, "/ops/stuck").await;
    assert!(!text.contains("<b>Pots") && !text.contains("Nothing is stuck"), "{text}");
    let waiting = part(&text, "waiting");
    for said in [order.as_str(), "On the way to the ledger", &shopper.name, "Send again"] {
        assert!(waiting.contains(said), "{said}: {waiting}");
    }
    assert!(waiting.contains("0 in the outbox, 1 on the way"), "{waiting}");
    app.start_worker().await;
    shopper.order_becomes(&order, "pending_payment").await;
    eventually("nothing is stuck", SOON, || async {
        page(&operator, "/ops/stuck").await.contains("Nothing is stuck").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_reconciler_leaves_to_people_is_listed_until_it_finds_it_in_order() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale { title: "<b>Pots</b>".into(), ..Sale::of(3) }).await;
    let operator = operator(&app).await;
    let text = page(&operator, "/ops/stuck").await;
    assert!(!text.contains("id=\"late\""), "the sale has only begun: {text}");
    execute(&app, "UPDATE activities SET starts_at = starts_at - INTERVAL 1 HOUR");
    let text = page(&operator, "/ops/stuck").await;
    assert!(text.contains("have not been compared yet") && text.contains("Nothing is stuck"));

    let number = "01HF7YAT00E3R38E1NCBS0D1ZG";
    let buried = Difference {
        bucket: Some(Bucket(0)),
        shopper: Some(operator.id),
        order_no: Some(number.parse().unwrap()),
        ..Difference::of(sale, Kind::Buried)
    };
    let books = Difference { units: Some(-2), ..Difference::of(sale, Kind::Books) };
    let mut report = Report { compared: vec![sale], ..Report::default() };
    report.skipped.push(Skipped { activity: ActivityId(99), why: "the <gate> is away".into() });
    report.add(vec![
        Finding { difference: Difference::of(sale, Kind::Terms), outcome: Outcome::Repaired },
        Finding { difference: Difference::of(sale, Kind::Units), outcome: Outcome::Left },
        Finding { difference: books, outcome: Outcome::Alarm },
        Finding { difference: buried, outcome: Outcome::Alarm },
    ]);
    reconciliations::keep(&app.ledger, report.clone(), 1200).await.unwrap();
    let text = page(&operator, "/ops/stuck").await;
    assert!(!text.contains("<b>Pots") && !text.contains("<gate>"), "{text}");
    assert!(!text.contains("id=\"late\"") && !text.contains("Nothing is stuck"), "{text}");
    assert!(text.contains("the &#60;gate&#62; is away") && text.contains("#99"), "{text}");
    let alarms = part(&text, "alarms");
    for said in [
        "Books that do not balance",
        "<b>−2</b>",
        "Reserved, and a dead letter",
        &format!("/ops/orders?number={number}&#38;activity={sale}&#38;shopper={}", operator.id),
        "Units too many or too few",
        "Left for now",
        "/ops/reconciliation/1",
        &format!("#sale-{sale}"),
    ] {
        assert!(alarms.contains(said), "{said}: {alarms}");
    }
    assert!(!alarms.contains("Old terms"), "what was put right is over: {alarms}");

    execute(&app, "UPDATE reconciliations SET finished_at = finished_at - INTERVAL 4 MINUTE");
    assert!(page(&operator, "/ops/stuck").await.contains("id=\"late\""));
    let sound = Report { compared: vec![sale], ..Report::default() };
    // Whoever only looks takes no alarm away.
    let looked = Report { dry_run: true, ..sound.clone() };
    reconciliations::keep(&app.ledger, looked, 20).await.unwrap();
    assert!(page(&operator, "/ops/stuck").await.contains("id=\"alarms\""));
    reconciliations::keep(&app.ledger, sound, 20).await.unwrap();
    let text = page(&operator, "/ops/stuck").await;
    assert!(text.contains("Nothing is stuck") && !text.contains("id=\"late\""), "{text}");
}

/// Money that was taken and pays nothing is in the list whatever the order was, and whatever was told of the
/// payment before, until it is back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_without_a_paid_order_is_listed_whatever_came_before() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let (operator, shoppers) = (operator(&app).await, app.shoppers(5).await);
    let (mut orders, mut begun) = (Vec::new(), Vec::new());
    for shopper in &shoppers {
        let order = shopper.must_buy(sale).await;
        shopper.order_becomes(&order, "pending_payment").await;
        begun.push(begin(&app, &order, shopper).await);
        orders.push(order);
    }
    app.stop_worker().await;
    let price = 1999;
    // Cancelled; declined, cancelled and taken all the same; expired; another amount; paid twice.
    shoppers[0].cancel(&orders[0]).await;
    assert_eq!(collect(&app, begun[1], Told::Declined).await, Collected::Failed);
    shoppers[1].cancel(&orders[1]).await;
    execute(
        &app,
        &format!(
            "UPDATE orders SET pay_before = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE order_no = '{}'",
            orders[2]
        ),
    );
    seckill::ledger::orders::expire(&app.ledger, orders[2].parse().unwrap()).await.unwrap();
    assert_eq!(collect(&app, begun[4], Told::Declined).await, Collected::Failed);
    let second = begin(&app, &orders[4], &shoppers[4]).await;
    assert!(matches!(collect(&app, second, taken(price)).await, Collected::Paid(_)));
    assert!(page(&operator, "/ops/stuck").await.contains("Nothing is stuck"));
    for (index, amount) in [price, price, price, price - 1, price].into_iter().enumerate() {
        let collected = collect(&app, begun[index], taken(amount)).await;
        assert!(matches!(collected, Collected::ToRefund(_)), "{index}: {collected:?}");
    }
    let text = page(&operator, "/ops/stuck").await;
    let refunds = part(&text, "refunds");
    for (order, payment) in orders.iter().zip(&begun) {
        assert!(refunds.contains(order.as_str()), "{order}: {refunds}");
        assert!(refunds.contains(&format!("name=\"payment\" value=\"{payment}\"")), "{refunds}");
    }
    assert!(!refunds.contains(&second.to_string()), "this one pays: {refunds}");
    for payment in begun {
        assert_eq!(collect(&app, payment, Told::Refunded).await, Collected::Refunded);
    }
    assert!(page(&operator, "/ops/stuck").await.contains("Nothing is stuck"));
    // The units of what was cancelled behind the worker's back.
    app.start_worker().await;
}

fn taken(cents: i64) -> Told {
    Told::Taken { amount: Cents(cents), currency: Currency::CNY }
}

async fn begin(app: &App, order: &str, shopper: &Shopper) -> PaymentNo {
    let (order, fresh) = (order.parse().unwrap(), PaymentNo::new(1, rand::random()));
    let begun =
        payments::begin(&app.ledger, order, shopper.id, "sandbox", fresh, String::new()).await;
    assert!(matches!(begun.unwrap(), Beginning::Begun(_)));
    fresh
}

async fn collect(app: &App, payment: PaymentNo, told: Told) -> Collected {
    use seckill::ledger::orders::{Actor, By};
    let by = By { actor: Actor::Payment, request_id: String::new() };
    payments::collect(&app.ledger, payment, told, by).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_that_waits_too_long_appears_until_the_worker_is_back() {
    let mut app = App::start().await;
    let sale = app.sale(Sale { title: "<b>Pots</b>".into(), ..Sale::of(3) }).await;
    let (operator, shopper) = (operator(&app).await, app.shopper().await);
    app.balanced("open", sale, |b| b.gate_stock == Some(3)).await;
    app.stop_worker().await;
    let order = shopper.must_buy(sale).await;
    let text = page(&operator, "/ops/stuck").await;
    assert!(text.contains("Nothing is stuck"), "not at once: {text}");
    eventually("the reservation is stuck", SOON, || async {
        let text = page(&operator, "/ops/stuck").await;
        assert!(!text.contains("<b>Pots"));
        text.contains(&order).then_some(())
    })
    .await;
    for query in [
        format!("number={order}"),
        format!("number={order}&activity={sale}"),
        format!("number={order}&activity={sale}&shopper={}", shopper.name),
    ] {
        let found = page(&operator, &format!("/ops/orders?{query}")).await;
        assert!(found.contains("still in the outbox"), "{found}");
        assert!(found.contains(&format!("shopper #{}", shopper.id)), "{found}");
    }
    app.start_worker().await;
    shopper.order_becomes(&order, "pending_payment").await;
    eventually("nothing is stuck", SOON, || async {
        page(&operator, "/ops/stuck").await.contains("Nothing is stuck").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refunds_overdue_orders_and_held_units_are_listed_with_what_to_do() {
    let mut app = App::start_with(Plan { unbalanced: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(5)).await;
    let operator = operator(&app).await;
    let shoppers = app.shoppers(3).await;
    let mut orders = Vec::new();
    for shopper in &shoppers {
        let order = shopper.must_buy(sale).await;
        shopper.order_becomes(&order, "pending_payment").await;
        orders.push(order);
    }
    shoppers[0].pay(&orders[0]).await;
    app.stop_worker().await;
    execute(
        &app,
        &format!(
            "UPDATE payments SET status = 'to_refund', reason = 'paid_twice', tries = 7, \
             next_try_at = UTC_TIMESTAMP(3) + INTERVAL 4 MINUTE WHERE order_no = '{}'; \
             UPDATE orders SET pay_before = UTC_TIMESTAMP(3) - INTERVAL 5 MINUTE WHERE order_no = '{}'; \
             UPDATE orders SET status = 2, reason = 'by_shopper', holder_id = NULL, \
             cancelled_at = UTC_TIMESTAMP(3) - INTERVAL 5 MINUTE WHERE order_no = '{}'",
            orders[0], orders[1], orders[2]
        ),
    );
    let text = page(&operator, "/ops/stuck").await;
    for (section, order, said) in [
        ("refunds", &orders[0], "tries: 7"),
        ("overdue", &orders[1], "for 5 minutes"),
        ("held", &orders[2], "for 5 minutes"),
    ] {
        let part = part(&text, section);
        assert!(part.contains(order.as_str()) && part.contains(said), "{section}: {part}");
    }
    let (_, form) = text.split_once("name=\"payment\" value=\"").unwrap();
    let payment = form.split('"').next().unwrap().to_owned();
    let answer = post(&operator, "/ops/stuck/refund", &[("payment", &payment)]).await;
    assert_eq!(answer.location.as_deref(), Some("/ops/stuck?done=refund"));
    let due = "SELECT CAST(next_try_at <= UTC_TIMESTAMP(3) AS CHAR) AS text FROM payments";
    assert_eq!(row(&app, due), "1");
    let audited = "SELECT subject AS text FROM audit_log WHERE action = 'payment.refund'";
    assert_eq!(row(&app, audited), format!("payment:{payment}"));
}
