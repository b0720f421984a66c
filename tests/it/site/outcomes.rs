//! Each line of the contract's table of outcomes, as JSON and as a page, for the form that is sent and for
//! the form that is asked for.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use futures_util::future::join_all;
use seckill::sale::actor::Actor;
use seckill::sale::ids::ActivityId;

use super::{gate, header, is_careful, is_refusal_json, is_refusal_page, keys};
use crate::harness::proxy::Proxy;
use crate::harness::servers::Places;
use crate::harness::{Answer, App, Plan, SOON, Sale, Shopper, eventually};

fn address(sale: ActivityId) -> String {
    format!("/activities/{sale}/purchase")
}

/// The form with this ticket, as JSON and as a page.
async fn send(shopper: &Shopper, sale: ActivityId, ticket: &str) -> (Answer, Answer) {
    let token = shopper.browser.csrf_token().await;
    let fields = [("csrf_token", token.as_str()), ("ticket", ticket), ("captcha", "x")];
    (
        shopper.browser.post_json(&address(sale), &fields).await,
        shopper.browser.post(&address(sale), &fields).await,
    )
}

/// The form is refused in both forms with this outcome; so is the wish for it, unless `asks` is false.
async fn refused(shopper: &Shopper, sale: ActivityId, status: u16, outcome: &str, asks: bool) {
    let (json, page) = send(shopper, sale, "none").await;
    let mut answers = vec![(json, page)];
    if asks {
        let json = shopper.browser.get_json(&address(sale)).await;
        answers.push((json, shopper.browser.get(&address(sale)).await));
    }
    for (json, page) in answers {
        is_refusal_json(&json, status, outcome);
        is_refusal_page(&page, status);
        assert!(page.text.contains(&format!("message-{outcome}")), "{}", page.text);
        for answer in [&json, &page] {
            let waits = matches!(status, 429 | 503);
            assert_eq!(answer.headers.contains_key("retry-after"), waits, "{:?}", answer.headers);
            if waits {
                assert!(header(answer, "retry-after").parse::<u32>().is_ok_and(|s| s >= 1));
            }
        }
    }
}

/// The shopper is led to their order, however they ask.
async fn held(shopper: &Shopper, sale: ActivityId, order_no: &str) {
    let (json, page) = send(shopper, sale, "whatever").await;
    let asked = shopper.browser.get_json(&address(sale)).await;
    let asked_page = shopper.browser.get(&address(sale)).await;
    for answer in [json, asked] {
        is_careful(&answer);
        let url = format!("/orders/{order_no}");
        let expected = serde_json::json!(
            {"outcome": "already_held", "order_no": order_no, "status_url": url});
        assert_eq!((answer.status, answer.json()), (200, expected));
    }
    for answer in [page, asked_page] {
        is_careful(&answer);
        let to = format!("/orders/{order_no}");
        assert_eq!((answer.status, answer.location), (303, Some(to)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admitted_purchase_names_its_order_and_a_page_leads_to_it() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;

    let program = app.shopper().await;
    let answer = program.buy(sale).await;
    is_careful(&answer);
    let order_no = answer.order_no();
    let url = format!("/orders/{order_no}");
    let expected =
        serde_json::json!({"outcome": "admitted", "order_no": order_no, "status_url": url});
    assert_eq!((answer.status, answer.json()), (202, expected));
    assert_eq!(program.browser.get_json(&url).await.status, 200);

    let person = app.shopper().await;
    let page = person.browser.get(&address(sale)).await;
    is_careful(&page);
    assert_eq!(page.status, 200);
    let ticket = person.ticket(sale).await.json()["ticket"].as_str().unwrap().to_owned();
    assert!(page.text.contains(&format!("name=\"ticket\" value=\"{ticket}\"")), "{}", page.text);
    let fields = [("csrf_token", page.csrf_token()), ("ticket", ticket)];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let answer = person.browser.post(&address(sale), &fields).await;
    is_careful(&answer);
    assert_eq!(answer.status, 303, "{}", answer.text);
    let page = person.browser.get(&answer.location.unwrap()).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("order is"), "{}", page.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_is_told_as_the_contract_says() {
    let app = App::start().await;
    let plain = app.sale(Sale::of(1)).await;
    let asking = app.sale(Sale { captcha: true, ..Sale::of(1) }).await;
    let shopper = app.shopper().await;

    let told = shopper.ticket(plain).await;
    is_careful(&told);
    assert_eq!(told.status, 200);
    let body = told.json();
    let mut fields: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
    fields.sort();
    assert_eq!(fields, ["captcha_url", "csrf_token", "expires_in_ms", "ticket"]);
    assert!(body["captcha_url"].is_null());
    assert!((1..=60_000).contains(&body["expires_in_ms"].as_i64().unwrap()), "{body}");
    assert_eq!(body["csrf_token"], shopper.browser.csrf_token().await);

    let body = shopper.ticket(asking).await.json();
    let url = format!("/activities/{asking}/captcha/{}", body["ticket"].as_str().unwrap());
    assert_eq!(body["captcha_url"], url);
    let page = shopper.browser.get(&address(asking)).await;
    assert!(page.text.contains(&url), "{}", page.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_holder_is_led_to_the_order_while_the_sale_is_open_sold_out_paused_or_over() {
    let app = App::start().await;
    let sale = app.sale(Sale { rate: 1, ..Sale::of(1) }).await;
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;
    held(&shopper, sale, &order_no).await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    held(&shopper, sale, &order_no).await;

    app.office.pause(sale, None, &Actor::command()).await.unwrap();
    held(&shopper, sale, &order_no).await;
    app.office.resume(sale, None, &Actor::command()).await.unwrap();
    assert_eq!(shopper.pay(&order_no).await.status, 200);
    held(&shopper, sale, &order_no).await;
    app.office.end(sale, None, &Actor::command()).await.unwrap();
    held(&shopper, sale, &order_no).await;
    app.balanced("the sale is settled", sale, |balance| balance.state == "settled").await;
    held(&shopper, sale, &order_no).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_too_late_too_early_or_in_a_break_is_told_so_and_that_nothing_was_taken() {
    let app = App::start().await;
    let shopper = app.shopper().await;

    let sold_out = app.sale(Sale::of(1)).await;
    app.shopper().await.must_buy(sold_out).await;
    refused(&shopper, sold_out, 409, "sold_out", true).await;
    let empty = app.sale(Sale::of(0)).await;
    refused(&shopper, empty, 409, "sold_out", true).await;

    // Far off the gate does not know the sale yet; near the start it does.
    for start in [Duration::from_secs(7200), Duration::from_secs(100)] {
        let plan = Sale::of(1).opening_in(start);
        let (opens_at_ms, ends_at) = (plan.starts_at.timestamp_millis(), TimeDelta::hours(9));
        let plan = Sale { ends_at: plan.starts_at + ends_at, ..plan };
        let sale = app.sale(plan).await;
        refused(&shopper, sale, 409, "not_open", true).await;
        assert_eq!(shopper.ticket(sale).await.json()["opens_at_ms"], opens_at_ms);
        let (json, _) = send(&shopper, sale, "none").await;
        assert_eq!(json.json()["opens_at_ms"], opens_at_ms);
    }

    let sale = app.sale(Sale::of(1)).await;
    app.office.pause(sale, None, &Actor::command()).await.unwrap();
    refused(&shopper, sale, 409, "paused", true).await;
    app.office.end(sale, None, &Actor::command()).await.unwrap();
    refused(&shopper, sale, 409, "ended", true).await;

    let (starts_at, ends_at) = (Utc::now() - TimeDelta::hours(2), Utc::now() - TimeDelta::hours(1));
    let over = app.sale(Sale { starts_at, ends_at, ..Sale::of(1) }).await;
    refused(&shopper, over, 409, "ended", true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_that_is_none_needs_a_new_one_and_the_page_brings_it() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let shopper = app.shopper().await;

    let (json, page) = send(&shopper, sale, "none").await;
    is_refusal_json(&json, 422, "ticket_invalid");
    is_refusal_page(&page, 422);
    let ticket = shopper.ticket(sale).await.json()["ticket"].as_str().unwrap().to_owned();
    assert!(page.text.contains(&format!("value=\"{ticket}\"")), "{}", page.text);
    assert!(page.text.contains("role=\"alert\""), "{}", page.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_answer_spends_the_ticket_and_the_page_brings_a_new_picture() {
    let app = App::start().await;
    let sale = app.sale(Sale { captcha: true, ..Sale::of(1) }).await;
    let shopper = app.shopper().await;
    let told = shopper.ticket(sale).await.json();
    let (ticket, token) = (told["ticket"].as_str().unwrap(), told["csrf_token"].as_str().unwrap());
    let right = shopper.read_picture(sale).await;

    let wrong = shopper.submit(sale, token, ticket, "wrong").await;
    is_refusal_json(&wrong, 422, "captcha_wrong");
    let spent = shopper.submit(sale, token, ticket, &right).await;
    is_refusal_json(&spent, 422, "ticket_invalid");

    let second = shopper.ticket(sale).await.json()["ticket"].as_str().unwrap().to_owned();
    assert_ne!(second, ticket);
    let (fields, path) =
        ([("csrf_token", token), ("ticket", &second), ("captcha", "no")], address(sale));
    let page = shopper.browser.post(&path, &fields).await;
    is_refusal_page(&page, 422);
    assert!(!page.text.contains(&second), "the page holds the spent ticket");
    let third = shopper.ticket(sale).await.json()["ticket"].as_str().unwrap().to_owned();
    assert!(page.text.contains(&format!("value=\"{third}\"")), "{}", page.text);

    // As a person types it.
    let typed = format!(" {} ", shopper.read_picture(sale).await.to_uppercase());
    let answer = shopper.submit(sale, token, &third, &typed).await;
    assert_eq!(answer.outcome(), "admitted", "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_tries_within_a_second_are_told_to_wait() {
    let app = App::start().await;
    let sale = app.sale(Sale { rate: 2, ..Sale::of(1) }).await;
    let shopper = app.shopper().await;
    let token = shopper.browser.csrf_token().await;
    let fields = [("csrf_token", token.as_str()), ("ticket", "none")];

    let path = address(sale);
    let tries = (0..12).map(|_| shopper.browser.post_json(&path, &fields));
    let fast: Vec<_> = join_all(tries).await.into_iter().filter(|a| a.status == 429).collect();
    assert!(!fast.is_empty(), "twelve at once are more than two a second");
    for answer in &fast {
        is_refusal_json(answer, 429, "too_fast");
        assert_eq!(header(answer, "retry-after"), "1");
    }
    let tries = (0..12).map(|_| shopper.browser.post(&path, &fields));
    let fast: Vec<_> = join_all(tries).await.into_iter().filter(|a| a.status == 429).collect();
    assert!(!fast.is_empty(), "twelve at once are more than two a second");
    for answer in &fast {
        is_refusal_page(answer, 429);
        assert_eq!(header(answer, "retry-after"), "1");
    }

    // It is forgotten after a second, and another shopper was never slowed down.
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "admitted");
    eventually("the shopper is heard again", SOON, || async {
        let answer = shopper.browser.post_json(&path, &fields).await;
        (answer.outcome() == "sold_out").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_outbox_is_busy_and_a_lost_stock_key_is_being_restored() {
    let plan = Plan { no_worker: true, ..Plan::default() }.set("SECKILL__SALE__OUTBOX_BOUND", 1);
    let mut app = App::start_with(plan).await;
    let sale = app.sale(Sale::of(5)).await;
    let (first, second) = (app.shopper().await, app.shopper().await);
    let order_no = first.must_buy(sale).await;
    refused(&second, sale, 503, "busy", false).await;
    held(&first, sale, &order_no).await;

    let _: i64 = gate(&app, redis::cmd("DEL").arg(keys(sale).stock())).await;
    refused(&second, sale, 503, "restoring", true).await;

    app.start_worker().await;
    first.order_becomes(&order_no, "pending_payment").await;
    eventually("the sale goes on", SOON, || async {
        (second.buy(sale).await.outcome() == "admitted").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_cancelled_where_that_is_final_may_not_buy_again() {
    let app = App::start().await;
    let sale = app.sale(Sale { rebuy: false, ..Sale::of(2) }).await;
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;
    let page = shopper.order_becomes(&order_no, "pending_payment").await;
    assert_eq!(page.status, 200);
    let page = shopper.browser.get(&format!("/orders/{order_no}")).await;
    assert!(page.text.contains("you cannot buy in this sale again"), "{}", page.text);
    assert_eq!(shopper.cancel(&order_no).await.state(), "cancelled");

    refused(&shopper, sale, 409, "barred", true).await;
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "admitted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_the_gate_that_is_lost_is_unknown_until_the_order_page_settles_it() {
    let places = Places::fresh().await;
    let address_of_gate = url::Url::parse(&places.redis_url).unwrap();
    let target = (address_of_gate.host_str().unwrap(), address_of_gate.port().unwrap());
    let proxy = Proxy::start(target).await;
    let redis_url = Some(proxy.url(&places.redis_url));
    let plan = Plan { no_worker: true, redis_url, ..Plan::default() };
    let mut app = App::start_with(plan.set("SECKILL__GATE__CALL_TIMEOUT_MS", 200)).await;
    let sale = app.sale(Sale::of(5)).await;

    let (program, person) = (app.shopper().await, app.shopper().await);
    let mut numbers = Vec::new();
    for shopper in [&program, &person] {
        let told = shopper.ticket(sale).await.json();
        let (ticket, token) =
            (told["ticket"].as_str().unwrap(), told["csrf_token"].as_str().unwrap());
        proxy.swallow_to_client(true);
        if shopper.id == program.id {
            let answer = shopper.submit(sale, token, ticket, "").await;
            is_careful(&answer);
            assert_eq!(
                (answer.status, answer.outcome().as_str()),
                (202, "unknown"),
                "{}",
                answer.text
            );
            let order_no = answer.order_no();
            assert_eq!(answer.json()["status_url"], format!("/orders/{order_no}"));
            assert_eq!(shopper.order(&order_no).await.state(), "checking");
            numbers.push(order_no);
        } else {
            let fields = [("csrf_token", token), ("ticket", ticket)];
            let page = shopper.browser.post(&address(sale), &fields).await;
            is_careful(&page);
            assert_eq!(page.status, 202, "{}", page.text);
            let on = header(&page, "refresh").split_once("url=/orders/").expect("a way on").1;
            assert!(page.text.contains(on) && page.text.contains("Checking"), "{}", page.text);
            numbers.push(on.to_owned());
        }
        proxy.swallow_to_client(false);
        proxy.cut();
        eventually("the gate answers again", SOON, || async {
            (shopper.ticket(sale).await.outcome() != "busy").then_some(())
        })
        .await;
    }
    // The gate had heard both.
    for (shopper, order_no) in [&program, &person].into_iter().zip(&numbers) {
        shopper.order_becomes(order_no, "reserved").await;
        held(shopper, sale, order_no).await;
    }
    app.start_worker().await;
    program.order_becomes(&numbers[0], "pending_payment").await;
    person.order_becomes(&numbers[1], "pending_payment").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signed_out_a_strange_token_and_an_unknown_sale_are_told_apart() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(1)).await;
    let nobody = crate::harness::shopper::Browser::new(&app);
    let shopper = app.shopper().await;

    let token = nobody.csrf_token().await;
    let fields = [("csrf_token", token.as_str()), ("ticket", "none")];
    is_refusal_json(&nobody.get_json(&address(sale)).await, 401, "signed_out");
    is_refusal_json(&nobody.post_json(&address(sale), &fields).await, 401, "signed_out");
    is_refusal_page(&nobody.post(&address(sale), &fields).await, 401);
    let led = nobody.get(&address(sale)).await;
    is_careful(&led);
    let login = format!("/login?next=%2Factivities%2F{sale}%2Fpurchase");
    assert_eq!((led.status, led.location), (303, Some(login)));
    for path in ["/orders", "/orders/01JZZZZZZZZZZZZZZZZZZZZZZZ"] {
        is_refusal_json(&nobody.get_json(path).await, 401, "signed_out");
        assert_eq!(nobody.get(path).await.status, 303);
    }

    let foreign = [("csrf_token", "0123456789abcdef0123456789abcdef"), ("ticket", "none")];
    is_refusal_json(&shopper.browser.post_json(&address(sale), &foreign).await, 403, "stale_form");
    is_refusal_page(&shopper.browser.post(&address(sale), &foreign).await, 403);

    let draft = app.draft(Sale::of(1)).await;
    for unknown in [ActivityId(draft.0 + 1), draft] {
        let token = shopper.browser.csrf_token().await;
        let fields = [("csrf_token", token.as_str()), ("ticket", "none")];
        let path = address(unknown);
        is_refusal_json(&shopper.browser.get_json(&path).await, 404, "not_found");
        is_refusal_json(&shopper.browser.post_json(&path, &fields).await, 404, "not_found");
        is_refusal_page(&shopper.browser.get(&path).await, 404);
        is_refusal_page(&shopper.browser.post(&path, &fields).await, 404);
        is_refusal_page(&nobody.get(&format!("/activities/{unknown}")).await, 404);
    }
}
