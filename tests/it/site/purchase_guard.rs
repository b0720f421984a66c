//! Nothing reaches the stock without a live ticket of this shopper for this sale, and nobody takes two.

use std::collections::HashSet;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use reqwest::Method;
use seckill::sale::ids::ActivityId;

use super::{gate, header, is_careful, is_refusal_json, is_refusal_page, keys, row, stock};
use crate::harness::shopper::Browser;
use crate::harness::{Answer, App, Plan, SOON, Sale, Shopper, eventually};

/// A ticket and the token of the session that asked for it.
async fn ticket(shopper: &Shopper, sale: ActivityId) -> (String, String) {
    let told = shopper.ticket(sale).await.json();
    let text = |name: &str| told[name].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
    (text("ticket"), text("csrf_token"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_serves_once_and_not_again_after_its_order_was_cancelled() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(3)).await;
    let shopper = app.shopper().await;
    let (first, token) = ticket(&shopper, sale).await;

    let order_no = shopper.submit(sale, &token, &first, "").await.order_no();
    shopper.order_becomes(&order_no, "pending_payment").await;
    assert_eq!(shopper.cancel(&order_no).await.status, 200);
    let again = shopper.submit(sale, &token, &first, "").await;
    is_refusal_json(&again, 422, "ticket_invalid");
    assert_eq!(stock(&app, sale).await, 3);

    // With a ticket of its own the next purchase is another order.
    let (second, _) = ticket(&shopper, sale).await;
    assert_ne!(first, second);
    let answer = shopper.submit(sale, &token, &second, "").await;
    assert_eq!(answer.outcome(), "admitted", "{}", answer.text);
    assert_ne!(answer.order_no(), order_no);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_right_answer_sent_twenty_times_at_once_is_one_order() {
    let app = App::start().await;
    let sale = app.sale(Sale { captcha: true, ..Sale::of(5) }).await;
    let shopper = app.shopper().await;
    let (one, token) = ticket(&shopper, sale).await;
    let answer = shopper.read_picture(sale).await;

    let sent = (0..20).map(|_| shopper.submit(sale, &token, &one, &answer));
    let answers = join_all(sent).await;
    let numbers: HashSet<_> = answers.iter().map(Answer::order_no).collect();
    assert_eq!(numbers.len(), 1, "{numbers:?}");
    let admitted = answers.iter().filter(|a| a.outcome() == "admitted").count();
    let held = answers.iter().filter(|a| a.outcome() == "already_held").count();
    assert_eq!((admitted, held), (1, 19));
    assert_eq!(stock(&app, sale).await, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_is_good_for_its_own_shopper_and_sale_alone() {
    let app = App::start().await;
    let sale = app.sale(Sale { captcha: true, ..Sale::of(5) }).await;
    let other_sale = app.sale(Sale { captcha: true, ..Sale::of(5) }).await;
    let (ann, ben) = (app.shopper().await, app.shopper().await);
    let (of_ann, token) = ticket(&ann, sale).await;
    let answer = ann.read_picture(sale).await;

    let token_of_ben = ben.browser.csrf_token().await;
    let stolen = ben.submit(sale, &token_of_ben, &of_ann, &answer).await;
    is_refusal_json(&stolen, 422, "ticket_invalid");
    // Nor when the thief has a ticket of their own.
    ticket(&ben, sale).await;
    let stolen = ben.submit(sale, &token_of_ben, &of_ann, &answer).await;
    is_refusal_json(&stolen, 422, "ticket_invalid");
    ticket(&ann, other_sale).await;
    let elsewhere = ann.submit(other_sale, &token, &of_ann, &answer).await;
    is_refusal_json(&elsewhere, 422, "ticket_invalid");
    assert_eq!((stock(&app, sale).await, stock(&app, other_sale).await), (5, 5));

    // None of it has hurt the ticket.
    let answer = ann.submit(sale, &token, &of_ann, &answer).await;
    assert_eq!(answer.outcome(), "admitted", "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_that_has_run_out_is_replaced_by_another() {
    let app = App::start_with(Plan::default().set("SECKILL__SALE__TICKET_LIFE_S", 10)).await;
    let sale = app.sale(Sale::of(1)).await;
    let shopper = app.shopper().await;
    let told = shopper.ticket(sale).await.json();
    assert!((1..=10_000).contains(&told["expires_in_ms"].as_i64().unwrap()), "{told}");
    let (old, token) = ticket(&shopper, sale).await;
    assert_eq!(told["ticket"], old, "asked again, the live ticket");

    let key = keys(sale).ticket(shopper.id);
    let left: i64 = gate(&app, redis::cmd("PTTL").arg(&key)).await;
    assert!((1..=10_000).contains(&left), "{left} ms");
    let _: i64 = gate(&app, redis::cmd("PEXPIRE").arg(&key).arg(1)).await;
    eventually("the ticket is over", SOON, || async {
        (gate::<i64>(&app, redis::cmd("EXISTS").arg(&key)).await == 0).then_some(())
    })
    .await;
    is_refusal_json(&shopper.submit(sale, &token, &old, "").await, 422, "ticket_invalid");
    assert_eq!(stock(&app, sale).await, 1);
    let (new, _) = ticket(&shopper, sale).await;
    assert_ne!(new, old);
    assert_eq!(shopper.submit(sale, &token, &new, "").await.outcome(), "admitted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_that_nobody_issued_never_reaches_the_stock() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let shopper = app.shopper().await;
    let token = shopper.browser.csrf_token().await;

    let made_up = ["", " ", "x", "*", "0", "🎟️", "a\0b", "'; DROP TABLE orders; --"];
    let long = "t".repeat(128);
    for ticket in made_up.into_iter().chain([long.as_str()]) {
        let answer = shopper.submit(sale, &token, ticket, "").await;
        is_refusal_json(&answer, 422, "ticket_invalid");
    }
    // While a live one exists, an empty one is still none.
    let (live, _) = ticket(&shopper, sale).await;
    for ticket in ["", &live[1..], &live.to_lowercase(), &format!("{live} ")] {
        if ticket != live {
            let answer = shopper.submit(sale, &token, ticket, "").await;
            is_refusal_json(&answer, 422, "ticket_invalid");
        }
    }
    for ticket in ["t".repeat(129), "t".repeat(5000)] {
        let answer = shopper.submit(sale, &token, &ticket, "").await;
        is_refusal_json(&answer, 400, "bad_request");
    }
    assert_eq!(stock(&app, sale).await, 2);
    assert_eq!(shopper.submit(sale, &token, &live, "").await.outcome(), "admitted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_wrong_guesses_cost_thirty_tickets_and_win_nothing() {
    let app = App::start().await;
    let sale = app.sale(Sale { captcha: true, ..Sale::of(1) }).await;
    let shopper = app.shopper().await;

    let mut spent = HashSet::new();
    for guess in 0..30 {
        let (ticket, token) = ticket(&shopper, sale).await;
        let answer = shopper.submit(sale, &token, &ticket, &format!("no{guess}")).await;
        is_refusal_json(&answer, 422, "captcha_wrong");
        assert!(spent.insert(ticket), "a spent ticket was given again");
    }
    let (ticket, token) = ticket(&shopper, sale).await;
    let empty = shopper.submit(sale, &token, &ticket, "").await;
    is_refusal_json(&empty, 422, "captcha_wrong");
    assert_eq!(stock(&app, sale).await, 1);

    let (ticket, token) = self::ticket(&shopper, sale).await;
    let fields = [("csrf_token", token.as_str()), ("ticket", &ticket)];
    let path = format!("/activities/{sale}/purchase");
    is_refusal_page(&shopper.browser.post(&path, &fields).await, 400);
    assert_eq!(stock(&app, sale).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_shown_to_the_shopper_of_its_live_ticket_and_to_nobody_else() {
    let app = App::start().await;
    let sale = app.sale(Sale { captcha: true, ..Sale::of(5) }).await;
    let plain = app.sale(Sale::of(5)).await;
    let (ann, ben, nobody) = (app.shopper().await, app.shopper().await, Browser::new(&app));
    let (of_ann, token) = ticket(&ann, sale).await;
    let path = format!("/activities/{sale}/captcha/{of_ann}");

    let (picture, again) = (image(&ann.browser, &path).await, image(&ann.browser, &path).await);
    assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"), "{} bytes", picture.len());
    assert_eq!(picture, again, "shown again, the same picture");
    let shown = ann.browser.get(&path).await;
    is_careful(&shown);
    assert_eq!(header(&shown, "content-type"), "image/png");
    assert!(!shown.headers.contains_key("etag"), "{:?}", shown.headers);

    ticket(&ben, sale).await;
    ticket(&ann, plain).await;
    let (of_plain, _) = ticket(&ann, plain).await;
    for (browser, path) in [
        (&ben.browser, path.clone()),
        (&nobody, path.clone()),
        (&ann.browser, format!("/activities/{plain}/captcha/{of_ann}")),
        (&ann.browser, format!("/activities/{plain}/captcha/{of_plain}")),
        (&ann.browser, format!("/activities/{sale}/captcha/{}", of_ann.to_lowercase() + "x")),
        (&ann.browser, format!("/activities/{sale}/captcha/none")),
        (&ann.browser, format!("/activities/{sale}/captcha/%00")),
    ] {
        let refused = browser.get(&path).await;
        is_refusal_page(&refused, 404);
        assert!(!refused.text.contains(&of_ann) || path.contains(&of_ann), "{}", refused.text);
    }

    // Its answer is nowhere in the page, and the picture goes with its ticket.
    let answer = ann.read_picture(sale).await;
    let page = ann.browser.get(&format!("/activities/{sale}/purchase")).await;
    let seed: String =
        gate(&app, redis::cmd("HGET").arg(keys(sale).ticket(ann.id)).arg("seed")).await;
    assert!(!page.text.contains(&format!("\"{answer}\"")) && !page.text.contains(&seed));
    ann.submit(sale, &token, &of_ann, "wrong").await;
    assert_eq!(ann.browser.get(&path).await.status, 404);
}

async fn image(browser: &Browser, path: &str) -> Vec<u8> {
    let cookies: Vec<_> = browser.cookies().iter().map(|(k, v)| format!("{k}={v}")).collect();
    let request = browser.request(Method::GET, path).header("cookie", cookies.join("; "));
    request.send().await.unwrap().bytes().await.unwrap().to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_shopper_who_posts_500_times_from_five_devices_gets_one_order() {
    let app = App::start().await;
    let sale = app.sale(Sale { rate: 5, ..Sale::of(10) }).await;
    let shopper = app.shopper().await;
    let mut devices = vec![shopper];
    for _ in 0..4 {
        devices.push(Shopper::sign_in(&app, devices[0].id, &devices[0].name).await);
    }
    let mut forms = Vec::new();
    for device in &devices {
        forms.push(ticket(device, sale).await);
    }
    assert!(forms.iter().all(|(ticket, _)| *ticket == forms[0].0), "all share the live ticket");

    let sent = (0..500).map(|turn| {
        let (device, (ticket, token)) = (&devices[turn % 5], &forms[turn % 5]);
        device.submit(sale, token, ticket, "")
    });
    let answers: Vec<_> = futures_util::stream::iter(sent).buffer_unordered(50).collect().await;

    let order_no = answers[0].order_no();
    assert_eq!(answers.iter().filter(|a| a.outcome() == "admitted").count(), 1);
    for answer in &answers {
        assert_eq!(answer.order_no(), order_no, "{}: {}", answer.status, answer.text);
    }
    assert_eq!(stock(&app, sale).await, 9);
    let balance = app.balanced("one order", sale, |b| b.orders.pending_payment == 1).await;
    assert_eq!((balance.remain_stock, balance.gate_stock), (9, Some(9)));
    assert_eq!(row(&app, "SELECT CAST(COUNT(*) AS CHAR) AS text FROM orders"), "1");
    let page = devices[3].order(&order_no).await;
    assert_eq!((page.status, page.state().as_str()), (200, "pending_payment"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_price_that_a_ticket_shows_is_the_price_of_its_order() {
    let app = App::start().await;
    let sale = app.sale(Sale { price: 1999, ..Sale::of(2) }).await;
    let (early, late) = (app.shopper().await, app.shopper().await);
    let (shown, token) = ticket(&early, sale).await;

    let set = |price: i64| {
        redis::cmd("HSET").arg(keys(sale).sale()).arg("price_cents").arg(price).to_owned()
    };
    let _: i64 = gate(&app, &mut set(2999)).await;
    let form = early.browser.get(&format!("/activities/{sale}/purchase")).await;
    assert!(form.text.contains("19") && form.text.contains(".99"), "{}", form.text);
    let answer = early.submit(sale, &token, &shown, "").await;
    let order = early.order_becomes(&answer.order_no(), "pending_payment").await.json();
    assert_eq!(order["amount"], 1999);
    let order_no = late.must_buy(sale).await;
    let order = late.order_becomes(&order_no, "pending_payment").await.json();
    assert_eq!(order["amount"], 2999);
}
