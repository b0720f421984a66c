//! What an operator does about what is stuck; each is done once, audited, and for operators alone.

use seckill::sale::ids::ActivityId;

use super::super::stock;
use super::stuck::{age, part};
use super::*;
use crate::faults::take_outbox;
use crate::harness::shopper::redis_of;

/// What the operator is told on the page to which an action leads.
async fn does(who: &Shopper, path: &str, fields: &[(&str, &str)]) -> String {
    let answer = post(who, path, fields).await;
    assert_eq!(answer.status, 303, "{path}: {}", answer.text);
    answer.location.unwrap()
}

/// How often this was done to that order, by the audit.
fn audited(app: &App, action: &str, order: &str) -> String {
    let count = format!(
        "SELECT CAST(COUNT(*) AS CHAR) AS text FROM audit_log \
         WHERE action = '{action}' AND subject = 'order:{order}' AND actor_id IS NOT NULL"
    );
    row(app, &count)
}

/// With a worker that does nothing any more: orders that are to be paid.
async fn with_orders(app: &mut App, sale: ActivityId, count: usize) -> (Vec<Shopper>, Vec<String>) {
    let shoppers = app.shoppers(count).await;
    let mut orders = Vec::new();
    for shopper in &shoppers {
        let order = shopper.must_buy(sale).await;
        shopper.order_becomes(&order, "pending_payment").await;
        orders.push(order);
    }
    app.balanced("recorded", sale, |b| b.reserved == Some(0)).await;
    app.stop_worker().await;
    (shoppers, orders)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_that_was_lost_is_sent_again_once_and_becomes_one_order() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(3)).await;
    let (operator, shopper) = (operator(&app).await, app.shopper().await);
    app.balanced("open", sale, |b| b.gate_stock == Some(3)).await;
    app.stop_worker().await;
    let order = shopper.must_buy(sale).await;
    let (activity, buyer) = (sale.to_string(), shopper.id.to_string());
    let fields = [("activity", &*activity), ("shopper", &*buyer), ("order", &*order)];
    let send = || does(&operator, "/ops/stuck/send-again", &fields);
    assert_eq!(send().await, "/ops/stuck?done=in-outbox");

    // It leaves the outbox, and never reaches the queue.
    assert_eq!(take_outbox(&app, sale).await.len(), 1);
    age(&app, sale, &order, &shopper).await;
    execute(
        &app,
        &format!(
            "INSERT INTO dead_letters (message_id, content_hash, body, reason) \
             VALUES ('{order}', 'h', 'b', 'r')"
        ),
    );
    let text = page(&operator, "/ops/stuck").await;
    let waiting = part(&text, "waiting");
    assert!(waiting.contains("href=\"/ops/dead-letters/1\""), "{waiting}");
    assert!(!waiting.contains("/ops/stuck/send-again"), "the letter is decided about: {waiting}");
    assert_eq!(send().await, "/ops/dead-letters/1");
    assert_eq!(audited(&app, "stuck.send_again", &order), "0");

    execute(&app, "DELETE FROM dead_letters");
    let text = page(&operator, "/ops/stuck").await;
    assert!(part(&text, "waiting").contains("/ops/stuck/send-again"));
    let another = [("activity", &*activity), ("shopper", "999999"), ("order", &*order)];
    let arrived = does(&operator, "/ops/stuck/send-again", &another).await;
    assert_eq!(arrived, "/ops/stuck?done=arrived", "nobody of that number waits for it");
    let unknown = [("activity", "999999"), ("shopper", &*buyer), ("order", &*order)];
    assert_eq!(post(&operator, "/ops/stuck/send-again", &unknown).await.status, 404);
    // An entry of the outbox is told by its time.
    eventually("a moment passes", SOON, || async {
        let made_at_ms = order.parse::<seckill::sale::order_number::OrderNo>().unwrap();
        let now_ms = chrono::Utc::now().timestamp_millis();
        (now_ms > made_at_ms.minted_at_ms() + 1000).then_some(())
    })
    .await;
    assert_eq!(send().await, "/ops/stuck?done=sent");
    assert_eq!(send().await, "/ops/stuck?done=in-outbox");
    let keys = super::super::keys(sale);
    let outbox = app.gate.outbox(&keys, 10).await.unwrap();
    let numbers: Vec<_> =
        outbox.iter().map(|e| e.reservation.as_ref().unwrap().order_no.to_string()).collect();
    assert_eq!(numbers, [order.as_str()], "sent once");
    // Lost once more: its turn comes again after a while.
    app.gate.forget(&keys, &outbox).await.unwrap();
    assert_eq!(send().await, "/ops/stuck?done=lately");
    assert!(page(&operator, "/ops/stuck?done=lately").await.contains("less than a minute ago"));
    let mut raw = redis_of(app.config.gate.url.reveal()).await;
    let turn = keys.again(shopper.id);
    let _over: i64 = redis::cmd("DEL").arg(turn).query_async(&mut raw).await.unwrap();
    assert_eq!(send().await, "/ops/stuck?done=sent");
    assert_eq!(audited(&app, "stuck.send_again", &order), "3");

    app.start_worker().await;
    shopper.order_becomes(&order, "pending_payment").await;
    let balance = app.balanced("recorded", sale, |b| b.reserved == Some(0)).await;
    assert_eq!((balance.orders.pending_payment, balance.remain_stock), (1, 2));
    assert_eq!(send().await, "/ops/stuck?done=arrived");
    assert!(page(&operator, "/ops/stuck").await.contains("Nothing is stuck"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_unit_of_a_cancelled_order_is_released_once() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(3)).await;
    let operator = operator(&app).await;
    let (_shoppers, orders) = with_orders(&mut app, sale, 2).await;
    // The ledger has cancelled it, and the process died before the gate heard.
    execute(
        &app,
        &format!(
            "UPDATE orders SET status = 2, reason = 'by_shopper', holder_id = NULL, \
             cancelled_at = UTC_TIMESTAMP(3) - INTERVAL 5 MINUTE WHERE order_no = '{}'; \
             UPDATE activities SET remain_stock = remain_stock + 1",
            orders[0]
        ),
    );
    let text = page(&operator, "/ops/stuck").await;
    assert!(part(&text, "held").contains(&orders[0]) && !part(&text, "held").contains(&orders[1]));
    assert_eq!(stock(&app, sale).await, 1);
    let release = |order: String| {
        let operator = &operator;
        async move { does(operator, "/ops/stuck/release", &[("order", &order)]).await }
    };
    assert_eq!(release(orders[1].clone()).await, "/ops/stuck?done=holds-unit");
    assert_eq!(stock(&app, sale).await, 1);
    assert_eq!(release(orders[0].clone()).await, "/ops/stuck?done=released");
    assert_eq!(stock(&app, sale).await, 2);
    assert!(page(&operator, "/ops/stuck?done=released").await.contains("Nothing is stuck"));
    assert_eq!(release(orders[0].clone()).await, "/ops/stuck?done=free");
    assert_eq!(stock(&app, sale).await, 2, "once");
    assert_eq!(audited(&app, "stuck.release", &orders[0]), "2");
    assert_eq!(audited(&app, "stuck.release", &orders[1]), "0");
    let unknown = [("order", "01HF7YAT00E3R38E1NCBS0D1ZG")];
    assert_eq!(post(&operator, "/ops/stuck/release", &unknown).await.status, 404);
    app.start_worker().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_overdue_order_is_ended_at_once_and_its_unit_is_back() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(3)).await;
    let operator = operator(&app).await;
    let (shoppers, orders) = with_orders(&mut app, sale, 2).await;
    execute(
        &app,
        &format!(
            "UPDATE orders SET pay_before = UTC_TIMESTAMP(3) - INTERVAL 5 MINUTE WHERE order_no = '{}'",
            orders[0]
        ),
    );
    let text = page(&operator, "/ops/stuck").await;
    assert!(part(&text, "overdue").contains(&orders[0]));
    let end = |order: String| {
        let operator = &operator;
        async move { does(operator, "/ops/stuck/end", &[("order", &order)]).await }
    };
    assert_eq!(end(orders[1].clone()).await, "/ops/stuck?done=not-due");
    assert_eq!(end(orders[0].clone()).await, "/ops/stuck?done=ended");
    assert_eq!(shoppers[0].order(&orders[0]).await.json()["reason"], "unpaid");
    assert_eq!((stock(&app, sale).await, app.balance(sale).await.remain_stock), (2, 2));
    assert_eq!(end(orders[0].clone()).await, "/ops/stuck?done=overtaken");
    assert_eq!(stock(&app, sale).await, 2, "once");
    assert_eq!(audited(&app, "order.expire", &orders[0]), "1");
    assert_eq!(audited(&app, "order.expire", &orders[1]), "0");
    let way = page(&operator, &format!("/ops/orders/{}", orders[0])).await;
    assert!(way.contains(&format!("staff #{}", operator.id)), "{way}");
    assert!(page(&operator, "/ops/stuck").await.contains("Nothing is stuck"));
    app.start_worker().await;
}
