//! No page of the operators reads more of a large table than it shows: every statement that they run is
//! caught in the server's own log, and looked at with EXPLAIN and by the rows that it touches.

use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{QueryableByName, RunQueryDsl as _, sql_query};
use seckill::sale::ids::{ActivityId, UserId};

use super::super::connection;
use super::*;

/// Rows of a page, its names, and what its looks into an index cost beside them.
/// A part of the 50,000 orders that are there: the optimizer may choose the second best index.
const ROWS_MAX: i64 = 30_000;

#[derive(Debug, QueryableByName)]
struct Step {
    #[diesel(sql_type = Nullable<Text>, column_name = "type")]
    kind: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    key: Option<String>,
}

#[derive(Debug, QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Refused and cancelled orders of one shopper, the `n`th of them a second after the one before.
pub(super) fn generated(sale: ActivityId, shopper: UserId, count: u32) -> String {
    format!(
        "INSERT INTO orders (order_no, user_id, product_id, activity_id, bucket, epoch, price_cents, \
         currency, status, reason, holder_id, request_id, reserved_at, created_at, pay_before, \
         cancelled_at) \
         SELECT LPAD(n, 26, '0'), {shopper}, product_id, id, 0, 1, 1999, 'CNY', IF(n % 3 = 0, 3, 2), \
         ELT(n % 3 + 1, 'sold_out', 'unpaid', 'by_shopper'), NULL, 'r', at, at, at, at FROM \
         (SELECT seq AS n, TIMESTAMP('2020-01-01') + INTERVAL seq SECOND AS at \
          FROM seq_1_to_{count}) AS numbers, activities WHERE activities.id = {sale} ORDER BY n"
    )
}

/// Catches the statements that the site runs for these pages.
async fn caught(app: &App, who: &Shopper, pages: &[String]) -> Vec<String> {
    execute(app, "SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON");
    for path in pages {
        let answer = who.browser.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
    execute(app, "SET GLOBAL general_log = OFF");
    rows(
        app,
        "SELECT DISTINCT CONVERT(argument USING utf8mb4) AS text FROM mysql.general_log \
         WHERE command_type = 'Execute' AND argument LIKE 'SELECT%' AND thread_id IN \
         (SELECT id FROM information_schema.processlist WHERE db = DATABASE())",
    )
}

fn is_of_operators(statement: &str) -> bool {
    ["`orders`", "`order_events`", "`payments`", "`dead_letters`", "`sale_samples`"]
        .iter()
        .any(|table| statement.contains(&format!("FROM {table}")))
}

fn reads_little(app: &App, statement: &str) {
    let mut conn = connection(app);
    let steps: Vec<Step> = sql_query(format!("EXPLAIN {statement}")).load(&mut conn).unwrap();
    for step in &steps {
        // Nothing is to be read at all: the server knows without a look.
        if step.kind.is_none() {
            continue;
        }
        assert!(step.key.is_some() && step.kind.as_deref() != Some("ALL"), "{statement}: {step:?}");
    }
    sql_query("FLUSH STATUS").execute(&mut conn).unwrap();
    sql_query(statement).execute(&mut conn).unwrap();
    let read = "SELECT CAST(SUM(variable_value) AS SIGNED) AS count \
                FROM information_schema.session_status WHERE variable_name IN \
                ('handler_read_key', 'handler_read_next', 'handler_read_prev', 'handler_read_first', \
                 'handler_read_last', 'handler_read_rnd', 'handler_read_rnd_next')";
    let read: Count = sql_query(read).get_result(&mut conn).unwrap();
    assert!(read.count <= ROWS_MAX, "{statement} touches {} rows", read.count);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_query_of_the_operators_goes_by_an_index() {
    let plan = Plan { unbalanced: true, no_worker: true, ..Plan::default() };
    let app = App::start_with(plan.set("SECKILL__LEDGER__CALL_TIMEOUT_MS", 10_000)).await;
    let (sale, other) = (app.sale(Sale::of(100)).await, app.sale(Sale::of(100)).await);
    let (shopper, operator) = (app.shopper().await, operator(&app).await);
    execute(&app, &generated(sale, shopper.id, 50_000));
    execute(
        &app,
        &format!(
            "INSERT INTO order_events (order_no, kind, actor, request_id) \
             SELECT order_no, 'pending_payment', 'recorder', 'r' FROM orders; \
             INSERT INTO payments (payment_no, order_no, provider, amount_cents, currency, status, \
             request_id, begun_at, next_try_at) SELECT order_no, order_no, 'sandbox', 1999, 'CNY', \
             IF(id % 2, 'to_refund', 'refunded'), 'r', created_at, created_at FROM orders; \
             INSERT INTO dead_letters (message_id, content_hash, body, reason, status) \
             SELECT order_no, LEFT(order_no, 26), 'b', 'r', IF(id % 2, 'waiting', 'discarded') FROM orders; \
             INSERT INTO sale_samples (activity_id, at, remain_stock, pending, paid, cancelled, rejected) \
             SELECT {sale}, created_at, 100, 0, 0, 0, 0 FROM orders; \
             UPDATE orders SET activity_id = {other} WHERE id % 1000 = 0; \
             UPDATE orders SET reason = 'by_staff' WHERE id % 3 = 1 AND id < 300; \
             ANALYZE TABLE orders, order_events, payments, dead_letters, sale_samples"
        ),
    );
    let number = format!("{:026}", 777);
    let days = "from=2020-01-01&to=2020-01-01";
    let queries = [
        String::new(),
        format!("number={number}"),
        format!("shopper={}", shopper.id),
        format!("shopper={}&{days}", shopper.id),
        format!("activity={sale}"),
        format!("activity={other}"),
        format!("activity={other}&state=cancelled"),
        format!("activity={other}&reason=unpaid"),
        format!("activity={sale}&reason=by_staff&{days}"),
        "state=cancelled".into(),
        "state=paid".into(),
        "reason=by_staff".into(),
        "reason=unpaid&before=30000".into(),
        days.into(),
        format!("{days}&before=20000&state=rejected"),
    ];
    let mut pages: Vec<String> =
        queries.iter().map(|query| format!("/ops/orders?{query}")).collect();
    pages.extend([
        format!("/ops/orders/{number}"),
        "/ops/stuck".into(),
        "/ops/dead-letters".into(),
        "/ops/dead-letters?state=all&before=20000".into(),
        "/ops/dead-letters?state=discarded".into(),
        "/ops/dead-letters/5".into(),
    ]);
    let statements = caught(&app, &operator, &pages).await;
    let looked_at: Vec<_> =
        statements.iter().filter(|statement| is_of_operators(statement)).collect();
    assert!(looked_at.len() > pages.len(), "the log was read: {statements:#?}");
    for statement in looked_at {
        reads_little(&app, statement);
    }
}
