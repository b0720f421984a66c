//! No page of the operators reads more of a large table than it shows, whatever is looked for: every
//! statement that they run is caught in the server's own log, and looked at with EXPLAIN and by the rows that
//! it touches.

use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{QueryableByName, RunQueryDsl as _, sql_query};
use seckill::sale::ids::{ActivityId, UserId};

use super::super::connection;
use super::*;

/// Rows of tables and of indexes that a page reads at most, 50 of the table on it: looked for without a state
/// it reads as many of each of the nine fates that an order can have.
const ROWS_MAX: i64 = 600;
/// Rows that a statement of a file reads, which comes in pages of five hundred.
const FILE_ROWS_MAX: i64 = 1_050;
const ORDERS: u32 = 50_000;
/// As many shoppers as the largest sale has orders: each holds one.
const SHOPPERS: u32 = 30_000;

#[derive(Debug, QueryableByName)]
struct Step {
    #[diesel(sql_type = Nullable<Text>, column_name = "type")]
    kind: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    key: Option<String>,
    #[diesel(sql_type = Nullable<Text>, column_name = "Extra")]
    extra: Option<String>,
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

/// What a year leaves behind: sales of very different size, each recorded within a minute of its midnight,
/// the last two at once; each fate, some of them rare; and all that belongs to orders.
fn a_year(sales: &[ActivityId; 5], hoarder: UserId) -> String {
    let [largest, large, middling, small, smallest] = sales;
    let fate = "seq % 1000";
    format!(
        "INSERT INTO users (id, username, username_key, password_hash, role) \
         SELECT 1000000 + seq, CONCAT('s', seq), CONCAT('s', seq), '-', 'shopper' FROM seq_0_to_{SHOPPERS}; \
         INSERT INTO orders (order_no, user_id, product_id, activity_id, bucket, epoch, price_cents, \
         currency, status, reason, holder_id, request_id, reserved_at, created_at, pay_before, paid_at, \
         cancelled_at) \
         SELECT LPAD(seq, 26, '0'), user, product_id, activities.id, 0, 1, 1999, 'CNY', placed.status, reason, \
         IF(placed.status < 2, user, NULL), 'r', at, at, at, IF(placed.status = 1, at, NULL), IF(placed.status = 2, at, NULL) \
         FROM (SELECT seq, 1000000 + seq % {SHOPPERS} AS user, \
           CASE WHEN seq <= 30000 THEN {largest} WHEN seq <= 42000 THEN {large} WHEN seq <= 47000 THEN {middling} \
             WHEN seq % 20 = 0 THEN {smallest} ELSE {small} END AS sale, \
           CASE WHEN {fate} < 600 THEN 1 WHEN {fate} < 700 THEN 0 WHEN {fate} < 951 THEN 2 \
             WHEN {fate} < 999 THEN 3 ELSE 4 END AS status, \
           CASE WHEN {fate} < 700 THEN NULL WHEN {fate} < 870 THEN 'unpaid' \
             WHEN {fate} < 950 THEN 'by_shopper' WHEN {fate} < 951 THEN 'by_staff' \
             WHEN {fate} < 990 THEN 'sold_out' WHEN {fate} < 998 THEN 'already_held' \
             WHEN {fate} < 999 THEN 'barred' END AS reason, \
           TIMESTAMP('2020-01-01') + INTERVAL (CASE WHEN seq <= 30000 THEN 0 WHEN seq <= 42000 THEN 30 \
             WHEN seq <= 47000 THEN 60 ELSE 90 END) DAY + INTERVAL seq DIV 10 * 10000 MICROSECOND AS at \
          FROM seq_1_to_{ORDERS}) AS placed \
         INNER JOIN activities ON activities.id = sale ORDER BY seq; \
         UPDATE orders SET user_id = {hoarder} WHERE status = 2 AND id % 50 = 0; \
         INSERT INTO order_events (order_no, kind, actor, request_id) \
         SELECT order_no, 'pending_payment', 'recorder', 'r' FROM orders; \
         INSERT INTO payments (payment_no, order_no, provider, amount_cents, currency, status, \
         request_id, begun_at, next_try_at) SELECT order_no, order_no, 'sandbox', 1999, 'CNY', \
         ELT(id % 10 + 1, 'begun', 'to_refund', 'refunded', 'failed', 'paid', 'paid', 'paid', 'paid', 'paid', \
         'paid'), 'r', created_at, created_at FROM orders; \
         INSERT INTO dead_letters (message_id, content_hash, body, reason, status) \
         SELECT order_no, LEFT(order_no, 26), 'b', 'r', IF(id % 100, 'discarded', 'waiting') FROM orders; \
         INSERT INTO audit_log (actor, action, subject, detail, request_id, at) \
         SELECT ELT(id % 3 + 1, 'ann', 'bob', 'eve'), IF(id % 500 = 0, 'activity.create', 'order.cancel'), \
         CONCAT('order:', order_no), '[]', 'r', created_at FROM orders; \
         ANALYZE TABLE users, orders, order_events, payments, dead_letters, audit_log, sale_samples"
    )
}

/// Catches the statements that the site runs for each of these pages. The server's log is on already.
async fn caught(app: &App, who: &Shopper, pages: &[String]) -> Vec<(String, Vec<String>)> {
    let mut marker = connection(app);
    for path in pages {
        sql_query(format!("SELECT 'page {path}'")).execute(&mut marker).unwrap();
        let answer = who.browser.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
    execute(app, "SET GLOBAL general_log = OFF");
    let statements = rows(
        app,
        "SELECT CONVERT(argument USING utf8mb4) AS text FROM mysql.general_log \
         WHERE command_type = 'Execute' AND argument LIKE 'SELECT%' AND thread_id IN \
         (SELECT id FROM information_schema.processlist WHERE db = DATABASE())",
    );
    drop(marker);
    let mut caught: Vec<(String, Vec<String>)> = Vec::new();
    for statement in statements {
        if let Some(path) = statement.strip_prefix("SELECT 'page ") {
            caught.push((path.trim_end_matches('\'').to_owned(), Vec::new()));
        } else if let Some((_, statements)) = caught.last_mut() {
            statements.push(statement);
        }
    }
    caught
}

fn is_of_large_tables(statement: &str) -> bool {
    ["orders", "order_events", "payments", "dead_letters", "sale_samples", "audit_log", "users"]
        .iter()
        .any(|table| statement.contains(&format!("FROM `{table}`")))
}

/// Goes by an index, and sorts nothing but what it may; tells how many rows it touches.
fn rows_read(app: &App, statement: &str) -> i64 {
    let mut conn = connection(app);
    assert!(!statement.contains('?'), "{statement}");
    let steps: Vec<Step> = sql_query(format!("EXPLAIN {statement}")).load(&mut conn).unwrap();
    for step in &steps {
        // Nothing is to be read at all: the server knows without a look.
        if step.kind.is_none() {
            continue;
        }
        assert!(step.key.is_some() && step.kind.as_deref() != Some("ALL"), "{statement}: {step:?}");
        // What belongs to one shopper or one thing is so little that it may be sorted.
        let is_little = ["`user_id` = ", "`subject` = "].iter().any(|of| statement.contains(of));
        let sorts = step.extra.as_ref().is_some_and(|extra| extra.contains("filesort"));
        assert!(!sorts || is_little, "{statement}: {step:?}");
    }
    sql_query("FLUSH STATUS").execute(&mut conn).unwrap();
    sql_query(statement).execute(&mut conn).unwrap();
    let read = "SELECT CAST(SUM(variable_value) AS SIGNED) AS count \
                FROM information_schema.session_status WHERE variable_name IN \
                ('handler_read_key', 'handler_read_next', 'handler_read_prev', 'handler_read_first', \
                 'handler_read_last', 'handler_read_rnd', 'handler_read_rnd_next')";
    sql_query(read).get_result::<Count>(&mut conn).unwrap().count
}

/// Each of these joined with each of the others.
fn each_with(these: Vec<String>, others: &[&str]) -> Vec<String> {
    let joined = |one: String| others.iter().map(move |other| format!("{one}{other}"));
    these.into_iter().flat_map(joined).collect()
}

/// A search by each combination of what can be looked for.
fn searches(sales: &[ActivityId; 5], hoarder: UserId) -> Vec<String> {
    let of_sale = ["", &format!("&activity={}", sales[0]), &format!("&activity={}", sales[4])];
    let of = ["", &format!("&shopper={hoarder}"), "&shopper=1000007"];
    let ended = [
        "",
        "&state=pending_payment",
        "&state=cancelled",
        "&state=lost",
        "&reason=unpaid",
        "&reason=by_staff",
        "&state=rejected&reason=sold_out",
    ];
    // Midnights are when the sales began: nearly all that was recorded lies at the edge of a day.
    let when =
        ["", "&to=2019-12-31", "&from=2020-01-01&to=2020-01-01", "&from=2020-01-31&to=2020-03-30"];
    let searches = vec!["?".to_owned()];
    let searches = [&of_sale[..], &of, &ended, &when].into_iter().fold(searches, each_with);
    each_with(searches, &["", "&before=20000"])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_of_the_operators_reads_little_more_than_it_shows() {
    let plan = Plan { unbalanced: true, no_worker: true, ..Plan::default() };
    let app = App::start_with(plan.set("SECKILL__LEDGER__CALL_TIMEOUT_MS", 10_000)).await;
    // What was prepared before is logged without its values.
    execute(&app, "SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON");
    let mut sales = [ActivityId(0); 5];
    for sale in &mut sales {
        *sale = app.sale(Sale::of(40_000)).await;
    }
    let (hoarder, admin) = (app.shopper().await, staff(&app, Role::Admin).await);
    execute(&app, &a_year(&sales, hoarder.id));
    let number = format!("{:026}", 777);
    let mut pages: Vec<String> =
        searches(&sales, hoarder.id).iter().map(|query| format!("/ops/orders{query}")).collect();
    pages.extend(
        [
            &format!("/ops/orders?number={number}"),
            &format!("/ops/orders?number={number}&state=paid&activity={}&shopper=1", sales[0]),
            &format!("/ops/orders/{number}"),
            "/ops/stuck",
            "/ops/dead-letters",
            "/ops/dead-letters?state=all&before=20000",
            "/ops/dead-letters?state=waiting&before=20000",
            "/ops/dead-letters?state=discarded&before=20000",
            "/ops/dead-letters/5",
            "/ops/sales",
        ]
        .map(str::to_owned),
    );
    let audit = ["", "&actor=ann", "&action=activity.create", "&actor=ann&action=activity.create"];
    let when = ["", "&to=2019-12-31", "&from=2020-01-01&to=2020-01-31"];
    let audits = each_with(each_with(vec!["/admin/audit?".to_owned()], &audit), &when);
    pages.extend(each_with(audits, &["", "&before=20000"]));
    pages.push(format!("/admin/audit?subject=order:{number}&actor=ann&to=2020-12-31"));
    let files = [
        "/ops/orders.csv?state=cancelled&from=2020-01-31".to_owned(),
        format!("/ops/orders.csv?activity={}&to=2020-02-01", sales[1]),
        "/ops/orders.csv?reason=sold_out&state=rejected".to_owned(),
    ];
    pages.extend(files.clone());
    let caught = caught(&app, &admin, &pages).await;
    assert_eq!(caught.len(), pages.len(), "the log was read");
    for (page, statements) in &caught {
        let looked_at: Vec<_> =
            statements.iter().filter(|statement| is_of_large_tables(statement)).collect();
        let read: Vec<i64> = looked_at.iter().map(|statement| rows_read(&app, statement)).collect();
        if files.contains(page) {
            let most = read.iter().max().copied().unwrap_or_default();
            assert!(read.len() > 9 && most <= FILE_ROWS_MAX, "{page}: {read:?} by {looked_at:#?}");
            continue;
        }
        let all: i64 = read.iter().sum();
        assert!(all <= ROWS_MAX, "{page} touches {all} rows: {read:?} by {looked_at:#?}");
    }
}
