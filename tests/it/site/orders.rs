//! Orders at the site: whose they are, what may be done with them, and what doing it twice does.

use std::collections::BTreeSet;

use seckill::sale::ids::ActivityId;
use serde_json::Value;

use super::{books, execute, is_careful, is_refusal_json, is_refusal_page, rows, still_books};
use crate::harness::shopper::Browser;
use crate::harness::{Answer, App, Plan, SOON, Sale, Shopper, eventually};

/// The letters of an order number.
const ALPHABET: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A shopper with an order that is to be paid.
async fn with_order(app: &App, sale: ActivityId) -> (Shopper, String) {
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    (shopper, order_no)
}

/// The order as the contract tells it.
fn is_order(answer: &Answer, status: u16, order_no: &str, sale: ActivityId, state: &str) -> Value {
    is_careful(answer);
    let body = answer.json();
    assert_eq!((answer.status, body["state"].as_str()), (status, Some(state)), "{}", answer.text);
    let fields: BTreeSet<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    let expected =
        ["order_no", "activity_id", "state", "reason", "amount", "currency", "pay_before_ms"];
    assert_eq!(fields, BTreeSet::from(expected), "{body}");
    assert_eq!(body["order_no"], order_no);
    assert_eq!(body["activity_id"], sale.to_string());
    assert_eq!((&body["amount"], &body["currency"]), (&1999.into(), &"CNY".into()));
    body
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_order_of_another_shopper_is_not_there_and_nothing_is_told_of_it() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let (_ann, of_ann) = with_order(&app, sale).await;
    let (ben, _) = with_order(&app, sale).await;
    let invented = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
    let before = still_books(&app).await;

    for (accept, method, what) in [
        ("application/json", reqwest::Method::GET, ""),
        ("text/html", reqwest::Method::GET, ""),
        ("application/json", reqwest::Method::POST, "/pay"),
        ("text/html", reqwest::Method::POST, "/pay"),
        ("application/json", reqwest::Method::POST, "/cancel"),
        ("text/html", reqwest::Method::POST, "/cancel"),
    ] {
        let token = ben.browser.csrf_token().await;
        let mut told = Vec::new();
        for number in [of_ann.as_str(), invented] {
            let path = format!("/orders/{number}{what}");
            let request = ben.browser.request(method.clone(), &path);
            let request = request.form(&[("csrf_token", &token)]);
            let answer = ben.browser.try_send(request, accept).await.unwrap();
            if accept == "text/html" {
                is_refusal_page(&answer, 404);
            } else {
                is_refusal_json(&answer, 404, "not_found");
            }
            told.push(without_moment(&answer, number));
        }
        assert_eq!(
            told[0], told[1],
            "{method} {what}: somebody's number differs from an invented one"
        );
    }
    assert_eq!(books(&app).await, before);
}

/// The page without what differs from request to request: number, request id and clock.
fn without_moment(answer: &Answer, number: &str) -> String {
    let mut text = answer.text.replace(number, "NUMBER");
    let id = answer.headers["x-request-id"].to_str().unwrap();
    text = text.replace(id, "REQUEST");
    if let Some((head, rest)) = text.clone().split_once("data-now=\"") {
        let rest = rest.split_once('"').unwrap().1;
        text = format!("{head}{rest}");
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_with_one_character_changed_is_not_there() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let (shopper, order_no) = with_order(&app, sale).await;

    let mut numbers = vec![
        order_no.to_lowercase(),
        order_no[1..].to_owned(),
        order_no[..25].to_owned(),
        format!("{order_no}0"),
        format!("0{order_no}"),
        format!("{order_no}%20"),
        format!("%20{order_no}"),
        format!("{order_no}%00"),
    ];
    for place in 0..order_no.len() {
        let (head, tail) = (&order_no[..place], &order_no[place + 1..]);
        let was = &order_no[place..=place];
        let letters = ALPHABET.chars().map(String::from).filter(|letter| letter != was);
        numbers.extend(letters.map(|letter| format!("{head}{letter}{tail}")));
        // What readers take for another: no second address for one order.
        let alike = match was {
            "0" => "O",
            "1" => "I",
            _ => "u",
        };
        numbers.push(format!("{head}{alike}{tail}"));
    }
    for number in numbers {
        let answer = shopper.order(&number).await;
        assert_eq!(answer.status, 404, "{number} for {order_no}: {}", answer.text);
    }
    for what in ["pay", "cancel"] {
        let token = shopper.browser.csrf_token().await;
        let path = format!("/orders/{}/{what}", order_no.to_lowercase());
        let answer = shopper.browser.post_json(&path, &[("csrf_token", &token)]).await;
        is_refusal_json(&answer, 404, "not_found");
    }
    assert_eq!(shopper.order(&order_no).await.state(), "pending_payment");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_double_click_back_reload_and_two_tabs_all_show_the_same_order() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let path = format!("/activities/{sale}/purchase");
    let (tab, other_tab) = (shopper.browser.get(&path).await, shopper.browser.get(&path).await);
    let ticket = value(&tab, "ticket");
    assert_eq!(ticket, value(&other_tab, "ticket"), "two tabs share the ticket");
    assert_eq!(tab.csrf_token(), other_tab.csrf_token());

    let (token, other_token) = (tab.csrf_token(), other_tab.csrf_token());
    let fields = [("csrf_token", token.as_str()), ("ticket", ticket.as_str())];
    let other = [("csrf_token", other_token.as_str()), ("ticket", ticket.as_str())];
    let (click, second_click) =
        tokio::join!(shopper.browser.post(&path, &fields), shopper.browser.post(&path, &fields));
    let order = click.location.clone().expect("a way to the order");
    assert!(order.starts_with("/orders/"), "{order}");
    for answer in [
        click,
        second_click,
        shopper.browser.post(&path, &other).await,
        // Back, and the form again; reload of the answer; reload of the form.
        shopper.browser.post(&path, &fields).await,
        shopper.browser.get(&path).await,
    ] {
        assert_eq!(
            (answer.status, answer.location.as_ref()),
            (303, Some(&order)),
            "{}",
            answer.text
        );
    }
    for _ in 0..2 {
        assert_eq!(shopper.browser.get(&order).await.status, 200);
    }
    let list = shopper.browser.get("/orders").await;
    assert_eq!(list.text.matches(&format!("href=\"{order}\"")).count(), 1, "{}", list.text);
    shopper.order_becomes(order.trim_start_matches("/orders/"), "pending_payment").await;

    // The same for paying: the form twice, and the page again.
    let token = shopper.browser.csrf_token().await;
    let mut at = Vec::new();
    for _ in 0..2 {
        let answer = shopper.browser.post(&format!("{order}/pay"), &[("csrf_token", &token)]).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        at.push(answer.location.unwrap());
    }
    assert!(at[0].starts_with("/sandbox/") && at[0] == at[1], "one payment: {at:?}");
    for _ in 0..2 {
        let fields = [("csrf_token", token.as_str()), ("decision", "pay")];
        let answer = shopper.browser.post(&at[0], &fields).await;
        assert_eq!((answer.status, answer.location.as_ref()), (303, Some(&order)));
    }
    shopper.order_becomes(order.trim_start_matches("/orders/"), "paid").await;
    let page = shopper.browser.get(&order).await;
    assert!(page.text.contains("data-state=\"paid\""), "{}", page.text);
    // And once more, with the form that was open all the time.
    let late = shopper.browser.post(&format!("{order}/pay"), &[("csrf_token", &token)]).await;
    assert_eq!((late.status, late.location.as_ref()), (303, Some(&order)), "{}", late.text);
}

fn value(page: &Answer, field: &str) -> String {
    let (_, rest) = page.text.split_once(&format!("name=\"{field}\" value=\"")).expect("a field");
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn paying_and_cancelling_do_once_what_they_do_and_never_both() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let (payer, paid) = with_order(&app, sale).await;
    let (leaver, left) = with_order(&app, sale).await;

    let pending = is_order(&payer.order(&paid).await, 200, &paid, sale, "pending_payment");
    let now_ms = chrono::Utc::now().timestamp_millis();
    let left_ms = pending["pay_before_ms"].as_i64().unwrap() - now_ms;
    assert!((800_000..=900_000).contains(&left_ms), "{pending}");
    assert!(pending["reason"].is_null());

    let first = is_order(&payer.pay(&paid).await, 200, &paid, sale, "paid");
    let settled = still_books(&app).await;
    let again = is_order(&payer.pay(&paid).await, 200, &paid, sale, "paid");
    assert_eq!(first, again);
    is_order(&payer.cancel(&paid).await, 409, &paid, sale, "paid");
    assert_eq!(books(&app).await, settled);

    let first = is_order(&leaver.cancel(&left).await, 200, &left, sale, "cancelled");
    assert!(!first["reason"].is_null(), "{first}");
    let settled = still_books(&app).await;
    let again = is_order(&leaver.cancel(&left).await, 200, &left, sale, "cancelled");
    assert_eq!(first, again);
    is_order(&leaver.pay(&left).await, 409, &left, sale, "cancelled");
    assert_eq!(books(&app).await, settled);
    assert_eq!(app.balance(sale).await.gate_stock, Some(4));

    // As pages: 409 with the order as it stands.
    for (shopper, number, what) in [(&payer, &paid, "cancel"), (&leaver, &left, "pay")] {
        let token = shopper.browser.csrf_token().await;
        let path = format!("/orders/{number}/{what}");
        let page = shopper.browser.post(&path, &[("csrf_token", &token)]).await;
        is_careful(&page);
        assert_eq!(page.status, 409);
        assert!(page.text.contains("had changed in the meantime"), "{}", page.text);
        assert!(page.text.contains(number.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_payments_and_cancellations_at_once_have_one_winner() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let (shopper, order_no) = with_order(&app, sale).await;

    let tries = (0..20).map(|turn| {
        let (shopper, order_no) = (&shopper, &order_no);
        async move {
            if turn % 2 == 0 { shopper.pay(order_no).await } else { shopper.cancel(order_no).await }
        }
    });
    let answers = futures_util::future::join_all(tries).await;
    let states: BTreeSet<_> = answers.iter().map(Answer::state).collect();
    assert_eq!(states.len(), 1, "{states:?}");
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 10);
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 10);
    let ends = "SELECT kind AS text FROM order_events WHERE kind IN ('paid', 'cancelled')";
    assert_eq!(rows(&app, ends).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_is_only_reserved_is_being_placed() {
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;

    let reserved = is_order(&shopper.order(&order_no).await, 200, &order_no, sale, "reserved");
    assert!(reserved["pay_before_ms"].is_null() && reserved["reason"].is_null(), "{reserved}");
    is_order(&shopper.pay(&order_no).await, 409, &order_no, sale, "reserved");
    is_order(&shopper.cancel(&order_no).await, 409, &order_no, sale, "reserved");
    let token = shopper.browser.csrf_token().await;
    for what in ["pay", "cancel"] {
        let path = format!("/orders/{order_no}/{what}");
        let page = shopper.browser.post(&path, &[("csrf_token", &token)]).await;
        assert_eq!(page.status, 409);
        assert!(page.text.contains("being placed"), "{}", page.text);
    }
    let page = shopper.browser.get(&format!("/orders/{order_no}")).await;
    assert!(page.text.contains("http-equiv=\"refresh\""), "without a script it goes on as well");

    app.start_worker().await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    is_order(&shopper.pay(&order_no).await, 200, &order_no, sale, "paid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_is_not_paid_in_time_ends_and_its_unit_is_sold_again() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let (shopper, order_no) = with_order(&app, sale).await;
    let other = app.shopper().await;
    assert_eq!(other.buy(sale).await.outcome(), "sold_out");

    app.stop_worker().await;
    execute(&app, "UPDATE orders SET pay_before = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND");
    let late = is_order(&shopper.pay(&order_no).await, 409, &order_no, sale, "pending_payment");
    assert!(late["pay_before_ms"].as_i64().unwrap() < chrono::Utc::now().timestamp_millis());

    app.start_worker().await;
    let over = shopper.order_becomes(&order_no, "cancelled").await;
    let over = is_order(&over, 200, &order_no, sale, "cancelled");
    assert!(!over["reason"].is_null(), "{over}");
    is_order(&shopper.pay(&order_no).await, 409, &order_no, sale, "cancelled");
    let page = shopper.browser.get(&format!("/orders/{order_no}")).await;
    assert!(page.text.contains("not paid in time"), "{}", page.text);
    eventually("the unit is back", SOON, || async {
        (other.buy(sale).await.outcome() == "admitted").then_some(())
    })
    .await;
    app.balanced("one order stands", sale, |b| b.orders.pending_payment == 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn my_orders_are_mine_alone_in_pages_of_twenty() {
    let app = App::start().await;
    let (ann, ben) = (app.shopper().await, app.shopper().await);
    let mut numbers = Vec::new();
    for _ in 0..21 {
        let sale = app.sale(Sale::of(2)).await;
        numbers.push(ann.must_buy(sale).await);
        ann.order_becomes(numbers.last().unwrap(), "pending_payment").await;
    }
    numbers.reverse();

    let first = ann.browser.get_json("/orders").await.json();
    let listed = |body: &Value| -> Vec<String> {
        let orders = body["orders"].as_array().unwrap().iter();
        orders.map(|order| order["order_no"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&first), numbers[..20]);
    let second = ann.browser.get_json(first["older"].as_str().unwrap()).await.json();
    assert_eq!(listed(&second), numbers[20..]);
    assert!(second["older"].is_null());
    let page = ann.browser.get("/orders").await;
    assert!(page.text.contains("/orders?before="), "{}", page.text);

    let none = ben.browser.get_json(first["older"].as_str().unwrap()).await.json();
    assert_eq!(listed(&none), Vec::<String>::new());
    for before in ["0", "-1", "x", "9223372036854775808", "", "1&before=2", "%ff"] {
        let answer = ann.browser.get(&format!("/orders?before={before}")).await;
        is_refusal_page(&answer, 400);
    }
    is_refusal_json(&Browser::new(&app).get_json("/orders").await, 401, "signed_out");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_keeps_the_currency_in_which_it_was_placed() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let (shopper, number) = with_order(&app, sale).await;
    // As if the site's had been another one then.
    execute(&app, "UPDATE orders SET currency = 'EUR'");
    let path = format!("/orders/{number}");
    let one = shopper.browser.get_json(&path).await.json();
    assert_eq!(one["currency"], "EUR", "{one}");
    let all = shopper.browser.get_json("/orders").await.json();
    assert_eq!(all["orders"][0]["currency"], "EUR", "{all}");
    for path in [path.as_str(), "/orders"] {
        let page = shopper.browser.get(path).await;
        assert!(page.text.contains('€') && !page.text.contains('¥'), "{path}: {}", page.text);
    }
    let cancelled = shopper.cancel(&number).await.json();
    assert_eq!((&cancelled["state"], &cancelled["currency"]), (&"cancelled".into(), &"EUR".into()));
}
