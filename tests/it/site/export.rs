//! The orders of a sale as a CSV file.

use seckill::sale::shopper::Role;

use super::{execute, header, row};
use crate::harness::{App, Plan, Sale, Shopper};

async fn admin(app: &App) -> Shopper {
    let (id, name) = app.account(Role::Admin).await;
    Shopper::sign_in(app, id, &name).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_order_is_in_the_file_and_no_cell_is_a_formula() {
    let app = App::start().await;
    let mut described = Sale::of(10);
    described.product = "=HYPERLINK(\"http://x\",\"🎁\"),\u{202e}".into();
    described.price = 123_456;
    let sale = app.sale(described).await;
    let other = app.sale(Sale { product: "Pot".into(), ..Sale::of(10) }).await;
    let shoppers = app.shoppers(3).await;
    let mut numbers = Vec::new();
    for shopper in &shoppers {
        numbers.push(shopper.must_buy(sale).await);
        let number = shopper.must_buy(other).await;
        shopper.order_becomes(&number, "pending_payment").await;
    }
    for (shopper, number) in shoppers.iter().zip(&numbers) {
        shopper.order_becomes(number, "pending_payment").await;
    }
    shoppers[0].pay(&numbers[0]).await;
    shoppers[1].cancel(&numbers[1]).await;
    let hostile = "=cmd()\"q\"\r\nnext, 小明 🎁";
    execute(
        &app,
        &format!("UPDATE users SET username = '{hostile}' WHERE id = {}", shoppers[1].id),
    );

    let answer =
        admin(&app).await.browser.get(&format!("/admin/activities/{sale}/orders.csv")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(header(&answer, "content-type"), "text/csv; charset=utf-8");
    let disposition = header(&answer, "content-disposition");
    assert_eq!(disposition, format!("attachment; filename=\"orders-{sale}.csv\""));
    let text = answer.text.strip_prefix('\u{feff}').expect("the mark of UTF-8");
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_reader(text.as_bytes());
    let columns: Vec<String> = reader.headers().unwrap().iter().map(ToOwned::to_owned).collect();
    assert_eq!(columns.len(), 14);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3, "of this sale alone: {text}");
    let cell = |row: usize, column: &str| {
        let at = columns.iter().position(|name| name == column).unwrap();
        rows[row].get(at).unwrap().to_owned()
    };
    for (at, (shopper, number)) in shoppers.iter().zip(&numbers).enumerate() {
        assert_eq!(cell(at, "order_no"), *number);
        assert_eq!(cell(at, "shopper_id"), shopper.id.to_string());
        assert_eq!(cell(at, "price"), "1234.56");
        assert_eq!(cell(at, "currency"), "CNY");
        assert!(cell(at, "product").starts_with("'=HYPERLINK(\"http"), "{}", cell(at, "product"));
        assert!(cell(at, "reserved_at").ends_with('Z'));
    }
    assert_eq!(cell(1, "shopper"), format!("'{hostile}"));
    assert_eq!((cell(0, "state"), cell(0, "paid_at").len()), ("paid".into(), 24));
    assert_eq!((cell(1, "state"), cell(1, "reason")), ("cancelled".into(), "by_shopper".into()));
    assert_eq!((cell(2, "state"), cell(2, "paid_at")), ("pending_payment".into(), String::new()));
    for row in &rows {
        for cell in row {
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell}");
        }
    }
    let empty = app.draft(Sale { product: "Lid".into(), ..Sale::of(1) }).await;
    let answer =
        admin(&app).await.browser.get(&format!("/admin/activities/{empty}/orders.csv")).await;
    assert_eq!((answer.status, answer.text.lines().count()), (200, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_cannot_be_read_to_its_end_breaks_off() {
    let app = App::start_with(Plan { unbalanced: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(10)).await;
    let shopper = app.shopper().await;
    let number = shopper.must_buy(sale).await;
    shopper.order_becomes(&number, "pending_payment").await;
    // Far away, so that it is in another page; and not to be read.
    let other = app.shopper().await;
    execute(
        &app,
        &format!(
            "INSERT INTO orders (id, order_no, user_id, product_id, activity_id, bucket, epoch, \
             price_cents, currency, status, holder_id, request_id, reserved_at, created_at, pay_before) \
             SELECT id + 20000, REPEAT('!', 26), {0}, product_id, activity_id, bucket, epoch, \
             price_cents, currency, 4, NULL, request_id, reserved_at, created_at, pay_before \
             FROM orders WHERE order_no = '{number}'",
            other.id
        ),
    );
    assert_eq!(row(&app, "SELECT CAST(COUNT(*) AS CHAR) AS text FROM orders"), "2");
    let admin = admin(&app).await;
    let mut answer = admin.browser.open(&format!("/admin/activities/{sale}/orders.csv")).await;
    assert_eq!(answer.status(), 200);
    let mut text = String::new();
    let ended = loop {
        match answer.chunk().await {
            Ok(Some(piece)) => text.push_str(std::str::from_utf8(&piece).unwrap()),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    assert!(text.contains(&number), "what could be read was sent: {text}");
    assert!(ended.is_err(), "the download failed, and says so");
}
