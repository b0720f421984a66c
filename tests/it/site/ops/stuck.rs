//! What is stuck appears, and is gone when it moves again.

use super::*;

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
        let part = text.split_once(&format!("id=\"{section}\"")).expect(section).1;
        let part = part.split("</section>").next().unwrap();
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
