//! Orders: found by anything, shown with their way, cancelled by staff.

use futures_util::future::join_all;

use super::*;
use seckill::gate::keys::Keys;
use seckill::sale::ids::Bucket;

const HOSTILE: &str = "<script>alert(1)</script>\"'🎁";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_are_found_by_each_field_and_go_into_a_file() {
    let app = App::start().await;
    let sale = app.sale(Sale { product: "=Kettle <i>".into(), ..Sale::of(9) }).await;
    let other = app.sale(Sale { product: "Pot".into(), ..Sale::of(9) }).await;
    let shoppers = app.shoppers(3).await;
    let mut orders = Vec::new();
    for (shopper, sale) in
        [(0, sale), (1, sale), (2, sale), (0, other)].map(|(at, sale)| (&shoppers[at], sale))
    {
        let order = shopper.must_buy(sale).await;
        shopper.order_becomes(&order, "pending_payment").await;
        orders.push(order);
    }
    shoppers[0].pay(&orders[0]).await;
    shoppers[1].cancel(&orders[1]).await;
    execute(
        &app,
        &format!(
            "UPDATE users SET username = '{}' WHERE id = {}; \
             UPDATE orders SET created_at = '2001-02-03 04:05:06' WHERE order_no = '{}'",
            HOSTILE.replace('\'', "''"),
            shoppers[2].id,
            orders[0],
        ),
    );
    let operator = operator(&app).await;
    let found = async |query: &str| -> Vec<usize> {
        let text = page(&operator, &format!("/ops/orders?{query}")).await;
        assert!(!text.contains("<script>alert") && !text.contains("<i>"), "{text}");
        let at = |order: &String| text.contains(&format!("/ops/orders/{order}\""));
        (0..orders.len()).filter(|n| at(&orders[*n])).collect()
    };
    assert_eq!(found("").await, [0, 1, 2, 3]);
    assert_eq!(found(&format!("number={}", orders[2].to_lowercase())).await, [2]);
    assert_eq!(found(&format!("shopper={}", shoppers[0].name)).await, [0, 3]);
    assert_eq!(found(&format!("shopper={}", shoppers[0].id)).await, [0, 3]);
    assert_eq!(found(&format!("shopper={}&activity={sale}", shoppers[0].id)).await, [0]);
    assert_eq!(found(&format!("activity={sale}")).await, [0, 1, 2]);
    assert_eq!(found("state=paid").await, [0]);
    assert_eq!(found("state=cancelled").await, [1]);
    assert_eq!(found("state=pending_payment").await, [2, 3]);
    assert_eq!(found(&format!("state=pending_payment&activity={other}")).await, [3]);
    assert_eq!(found("reason=by_shopper").await, [1]);
    assert_eq!(found(&format!("reason=by_shopper&activity={sale}")).await, [1]);
    assert_eq!(found(&format!("reason=by_shopper&activity={other}")).await, [0; 0]);
    assert_eq!(found("reason=by_shopper&state=paid").await, [0; 0]);
    assert_eq!(found("from=2001-02-03&to=2001-02-03").await, [0]);
    assert_eq!(found("to=2001-02-02").await, [0; 0]);
    assert_eq!(found("from=2001-02-04").await, [1, 2, 3]);
    let unfit =
        page(&operator, &format!("/ops/orders?number={}&activity={other}", orders[0])).await;
    assert!(unfit.contains("does not fit what else you look for"), "{unfit}");
    assert!(!unfit.contains("not in the ledger"), "{unfit}");
    for (wrong, said) in [
        ("number=42", "not an order number"),
        ("shopper=nobody+at+all", "Nobody has this name"),
        ("activity=x", "activity&#39;s number"),
        ("state=happy", "choose one of the list"),
        ("from=soon", "Please write a day like"),
    ] {
        let answer = operator.browser.get(&format!("/ops/orders?{wrong}")).await;
        assert_eq!(answer.status, 422, "{wrong}");
        assert!(answer.text.contains(said), "{wrong}: {}", answer.text);
    }
    assert_eq!(operator.browser.get("/ops/orders?before=x").await.status, 400);
    let file = operator.browser.get(&format!("/ops/orders.csv?activity={sale}")).await;
    assert_eq!(file.status, 200);
    assert_eq!(file.text.lines().count(), 4, "{}", file.text);
    assert!(file.text.contains("'=Kettle"), "{}", file.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_orders_follow_one_another_without_a_gap() {
    let app = App::start_with(Plan { unbalanced: true, no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    execute(&app, &super::indexes::generated(sale, shopper.id, 230));
    let operator = operator(&app).await;
    for query in [String::new(), format!("?activity={sale}"), format!("?shopper={}", shopper.id)] {
        let mut address = format!("/ops/orders{query}");
        let mut seen: Vec<u32> = Vec::new();
        loop {
            let text = page(&operator, &address).await;
            let numbers = text.split("class=\"mono\" href=\"/ops/orders/").skip(1);
            seen.extend(
                numbers.map(|rest| rest.split('"').next().unwrap().parse::<u32>().unwrap()),
            );
            let Some((before, _)) = text.split_once("\" rel=\"next\"") else { break };
            address = before.rsplit_once("href=\"").unwrap().1.replace("&#38;", "&");
        }
        let expected: Vec<u32> = (1..=230).rev().collect();
        assert_eq!(seen, expected, "{query}");
    }
    let file = operator.browser.get(&format!("/ops/orders.csv?activity={sale}")).await;
    assert_eq!(file.text.lines().count(), 231);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_is_shown_with_its_way_in_each_state() {
    let app = App::start_with(Plan { unbalanced: true, ..Plan::default() }).await;
    let sale = app.sale(Sale { title: HOSTILE.into(), ..Sale::of(9) }).await;
    let operator = operator(&app).await;
    let shopper = app.shopper().await;
    let order = shopper.must_buy(sale).await;
    shopper.order_becomes(&order, "pending_payment").await;
    let path = format!("/ops/orders/{order}");
    eventually("the gate hears that it is recorded", SOON, || async {
        let text = page(&operator, &path).await;
        assert!(!text.contains("<script>alert"));
        text.contains("Held by this order, and recorded.").then_some(())
    })
    .await;
    let text = page(&operator, &path).await;
    for said in
        ["Published; nothing waits.", "Recorded; to be paid.", "the recorder", "Cancel this order"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
    shopper.pay(&order).await;
    let text = page(&operator, &path).await;
    for said in ["Recorded and paid.", "the payment provider", "sandbox"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("Cancel this order"), "a paid order is not cancelled here");
    let refused = post(&operator, &format!("{path}/cancel"), &[("reason", "no")]).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(shopper.order(&order).await.state(), "paid");
    for (state, said) in [(3, "Refused; it holds no unit."), (4, "Lost with a former filling")] {
        execute(
            &app,
            &format!(
                "UPDATE orders SET status = {state}, holder_id = NULL, \
                 reason = IF({state} = 3, 'sold_out', NULL) WHERE order_no = '{order}'"
            ),
        );
        let text = page(&operator, &path).await;
        assert!(text.contains(said), "{said}: {text}");
        assert!(text.contains("the gate still keeps one for it"), "{text}");
    }
    let unknown = format!("/ops/orders/{}", "0".repeat(26));
    assert_eq!(operator.browser.get(&unknown).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn staff_cancel_with_a_reason_that_the_shopper_reads() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let (operator, shopper) = (operator(&app).await, app.shopper().await);
    let order = shopper.must_buy(sale).await;
    shopper.order_becomes(&order, "pending_payment").await;
    let path = format!("/ops/orders/{order}/cancel");
    for wrong in [String::new(), "  ".into(), "x".repeat(201)] {
        let answer = post(&operator, &path, &[("reason", &wrong)]).await;
        assert_eq!(answer.status, 422);
        assert!(answer.text.contains("reason-fault"), "{}", answer.text);
    }
    // It looks like a word of ours, and like a script.
    let reason = format!("unpaid {HOSTILE}");
    let answer = post(&operator, &path, &[("reason", &reason)]).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert_eq!(answer.location.unwrap(), format!("/ops/orders/{order}?done=cancel"));
    assert_eq!(post(&operator, &path, &[("reason", "again")]).await.status, 409);
    let escaped = "unpaid &#60;script&#62;alert(1)";
    let text = page(&operator, &format!("/ops/orders/{order}")).await;
    assert!(text.contains(escaped) && text.contains(&format!("staff #{}", operator.id)), "{text}");
    let text = page(&shopper, &format!("/orders/{order}")).await;
    for said in ["Your order was placed", "We cancelled the order", escaped] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("<script>alert"));
    let audit = row(
        &app,
        "SELECT CONCAT_WS(' ', COUNT(*), MAX(actor_id), MAX(subject), MAX(detail)) AS text \
         FROM audit_log WHERE action = 'order.cancel'",
    );
    assert!(audit.starts_with(&format!("1 {} order:{order} ", operator.id)), "{audit}");
    assert!(audit.contains("alert(1)"), "{audit}");
    app.balanced("the unit is back", sale, |b| b.gate_stock == Some(1)).await;
    shopper.must_buy(sale).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_staff_a_payment_and_the_shopper_at_once_one_wins() {
    const ORDERS: usize = 24;
    let app = App::start().await;
    let sale = app.sale(Sale::of(i64::try_from(ORDERS).unwrap())).await;
    let operator = operator(&app).await;
    let token = operator.browser.csrf_token().await;
    let shoppers = app.shoppers(ORDERS).await;
    for shopper in &shoppers {
        let order = shopper.must_buy(sale).await;
        shopper.order_becomes(&order, "pending_payment").await;
        let path = format!("/ops/orders/{order}/cancel");
        let fields = [("reason", "a race"), ("csrf_token", token.as_str())];
        let (staff, paid, cancelled) = tokio::join!(
            operator.browser.post(&path, &fields),
            shopper.pay(&order),
            shopper.cancel(&order)
        );
        assert!([303, 409].contains(&staff.status), "{}", staff.text);
        assert!([200, 409].contains(&paid.status) && [200, 409].contains(&cancelled.status));
        let ends = rows(
            &app,
            &format!(
                "SELECT CONCAT_WS(' ', kind, actor) AS text FROM order_events \
                 WHERE order_no = '{order}' AND kind <> 'pending_payment'"
            ),
        );
        assert_eq!(ends.len(), 1, "{ends:?}");
        assert_eq!(staff.status == 303, ends[0].contains("staff:"), "{ends:?}");
    }
    let states = join_all(shoppers.iter().map(|shopper| async {
        shopper.browser.get_json("/orders").await.json()["orders"][0]["state"].clone()
    }))
    .await;
    assert!(states.iter().all(|state| state == "paid" || state == "cancelled"), "{states:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_alone_leads_to_what_is_on_its_way_wherever_it_waits() {
    let mut app = App::start().await;
    let (sale, other) = (app.sale(Sale::of(9)).await, app.sale(Sale::of(9)).await);
    let shoppers = app.shoppers(2).await;
    for sale in [sale, other] {
        app.balanced("open", sale, |b| b.gate_stock == Some(9)).await;
    }
    app.stop_worker().await;
    let (first, second) = (shoppers[0].must_buy(sale).await, shoppers[1].must_buy(other).await);
    let operator = operator(&app).await;
    let found = async |number: &str| page(&operator, &format!("/ops/orders?number={number}")).await;
    for (number, shopper) in [(&first, &shoppers[0]), (&second, &shoppers[1])] {
        let text = found(number).await;
        assert!(text.contains("still in the outbox"), "{text}");
        assert!(text.contains(&format!("#{}", shopper.id)), "{text}");
    }
    // The relay has published it, and nobody records it.
    let keys = Keys::of(other, Bucket(0));
    let entries = app.gate.outbox(&keys, 10).await.unwrap();
    app.gate.forget(&keys, &entries).await.unwrap();
    let text = found(&second).await;
    assert!(text.contains("has left the outbox"), "{text}");
    assert!(text.contains(&format!("/ops/orders?activity={other}")), "{text}");
    let led = operator.browser.get(&format!("/ops/orders/{second}")).await;
    assert_eq!(led.location.as_deref(), Some(format!("/ops/orders?number={second}").as_str()));
    // Nobody was ever admitted under this one.
    let unknown = found("01HF7YAT00E3R38E1NCBS0D1ZG").await;
    assert!(unknown.contains("not in the ledger (yet)"), "{unknown}");
    let nowhere = operator.browser.get("/ops/orders/01HF7YAT00E3R38E1NCBS0D1ZG").await;
    assert_eq!(nowhere.status, 404);
    let promised = entries[0].reservation.clone().unwrap();
    let (shopper, number) = (promised.user_id, promised.order_no);
    app.gate.send_again(&keys, shopper, number, "test", 1).await.unwrap();
    app.start_worker().await;
    shoppers[1].order_becomes(&second, "pending_payment").await;
}
