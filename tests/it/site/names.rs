//! Names of people, products and sales: kept or refused whole, the same in the ledger and on every page.

use std::fmt::Write as _;

use super::sessions::registered;
use super::{is_careful, row, rows};
use crate::harness::app::PASSWORD;
use crate::harness::shopper::Browser;
use crate::harness::{App, Sale};

/// What people are called, and products and sales as well.
const NAMES: [&str; 9] = [
    "王芳 🎁",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦 family",
    "محمد علي",
    "می\u{200c}خواهم",
    "O'Neil \"Bob\" & `Co`",
    "<script>alert(1)</script>",
    "</bdi><b onload=x>&amp;&#39;",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎𠜱",
    "{{ 7*7 }} ${x} %s %00 \\ e\u{301}",
];

/// Text as it stands in a page.
fn escaped(text: &str) -> String {
    text.replace('&', "&#38;")
        .replace('<', "&#60;")
        .replace('>', "&#62;")
        .replace('"', "&#34;")
        .replace('\'', "&#39;")
}

fn hex(text: &str) -> String {
    let mut hex = String::new();
    for byte in text.bytes() {
        write!(hex, "{byte:02X}").unwrap();
    }
    hex
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_is_kept_whole_and_stands_on_the_page_as_it_was_typed() {
    let app = App::start().await;
    for name in NAMES {
        let (browser, answer) = registered(&app, name).await;
        assert_eq!(answer.status, 303, "{name}: {}", answer.text);
        let page = browser.get("/").await;
        assert!(page.text.contains(&format!("<bdi>{}</bdi>", escaped(name))), "{}", page.text);
        assert_eq!(page.text.matches("<script").count(), 2, "{}", page.text);
        let found = "SELECT HEX(username) AS text FROM users ORDER BY id DESC LIMIT 1";
        assert_eq!(row(&app, found), hex(name));

        // Signing in again, by the same name.
        let again = Browser::new(&app);
        let token = again.get("/login").await.csrf_token();
        let fields = [("csrf_token", token.as_str()), ("username", name), ("password", PASSWORD)];
        assert_eq!(again.post("/login", &fields).await.status, 303, "{name}");
        // And a wrong password gives the name back in the form.
        let again = Browser::new(&app);
        let token = again.get("/login").await.csrf_token();
        let fields = [("csrf_token", token.as_str()), ("username", name), ("password", "wrong")];
        let page = again.post("/login", &fields).await;
        assert!(page.text.contains(&format!("value=\"{}\"", escaped(name))), "{}", page.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_or_password_that_cannot_be_kept_is_refused_whole() {
    let app = App::start().await;
    let count = "SELECT CAST(COUNT(*) AS CHAR) AS text FROM users";
    let (_, answer) = registered(&app, "Ann").await;
    assert_eq!(answer.status, 303);
    let long = ["界".repeat(41), "x".repeat(10_000), "😀".repeat(10_000)];
    for name in [
        "",
        " ",
        "x",
        "\u{200d}\u{200d}",
        "a\0b",
        "a\nb",
        "ab\u{202e}cd",
        "ab\u{2066}cd",
        // The same as one that is taken, to an eye.
        "ann",
        " ANN ",
        "a\u{200b}nn",
    ]
    .into_iter()
    .chain(long.iter().map(String::as_str))
    {
        let (browser, answer) = registered(&app, name).await;
        let status = if name.len() > 8000 { 413 } else { 422 };
        assert_eq!(answer.status, status, "{name:?}: {}", answer.text);
        is_careful(&answer);
        assert_eq!(browser.get("/orders").await.status, 303, "nobody is signed in");
    }
    let long = "p".repeat(201);
    for password in ["", "short", "1234567", &long] {
        let browser = Browser::new(&app);
        let token = browser.csrf_token().await;
        let fields =
            [("csrf_token", token.as_str()), ("username", "Newcomer"), ("password", password)];
        let page = browser.post("/register", &fields).await;
        assert_eq!(page.status, 422, "{password}");
        assert!(page.text.contains("role=\"alert\"") && page.text.contains("Newcomer"));
        assert!(password.is_empty() || !page.text.contains(password));
    }
    assert_eq!(row(&app, count), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_who_register_one_name_at_once_are_one_account() {
    let app = App::start().await;
    let tries = (0..6).map(|_| registered(&app, "Highlander"));
    let answers = futures_util::future::join_all(tries).await;
    let mut statuses: Vec<_> = answers.iter().map(|(_, answer)| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 422, 422, 422, 422, 422]);
    assert_eq!(rows(&app, "SELECT username AS text FROM users"), ["Highlander"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn products_and_sales_are_called_on_every_page_what_they_are_called() {
    let app = App::start().await;
    let shopper = app.shopper().await;
    for (at, title) in NAMES.into_iter().enumerate() {
        let product = NAMES[(at + 1) % NAMES.len()];
        let sale =
            app.sale(Sale { title: title.into(), product: product.into(), ..Sale::of(1) }).await;
        let stored = row(
            &app,
            &format!(
                "SELECT CONCAT(HEX(title), ' ', HEX(name)) AS text FROM activities \
                 JOIN products ON products.id = product_id WHERE activities.id = {sale}"
            ),
        );
        assert_eq!(stored, format!("{} {}", hex(title), hex(product)));

        let (title, product) = (escaped(title), escaped(product));
        let list = shopper.browser.get("/").await;
        let detail = shopper.browser.get(&format!("/activities/{sale}")).await;
        let form = shopper.browser.get(&format!("/activities/{sale}/purchase")).await;
        let order_no = shopper.must_buy(sale).await;
        shopper.order_becomes(&order_no, "pending_payment").await;
        let order = shopper.browser.get(&format!("/orders/{order_no}")).await;
        let orders = shopper.browser.get("/orders").await;
        for (page, names) in [
            (list, &[&title, &product][..]),
            (detail, &[&title, &product]),
            (form, &[&title, &product]),
            (order, &[&title, &product]),
            (orders, &[&title]),
        ] {
            assert_eq!(page.status, 200);
            for name in names {
                assert!(page.text.contains(&format!("<bdi>{name}</bdi>")), "{name}: {}", page.text);
            }
            assert!(!page.text.contains("<b onload") && !page.text.contains("alert(1)</script>"));
        }
        let other = app.shopper().await;
        let sold_out = other.browser.get(&format!("/activities/{sale}/purchase")).await;
        assert_eq!(sold_out.status, 409);
        assert!(sold_out.text.contains(&format!("<bdi>{title}</bdi>")), "{}", sold_out.text);
    }
}
