//! Whatever comes in at whichever address: a clear refusal, never a fault of ours, and nothing changes.

use reqwest::Method;

use super::{header, is_careful, is_refusal_page, still_books};
use crate::harness::shopper::Browser;
use crate::harness::{App, Sale, Shopper};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_no_form_of_ours_changes_nothing() {
    let app = App::start().await;
    let (sale, free) = (app.sale(Sale::of(5)).await, app.sale(Sale::of(5)).await);
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    let token = shopper.browser.csrf_token().await;
    let ticket = shopper.ticket(free).await.json()["ticket"].as_str().unwrap().to_owned();
    let before = still_books(&app).await;

    let form = "application/x-www-form-urlencoded";
    let whole = format!(
        "csrf_token={token}&ticket={ticket}&username=ann&password=long+enough&lang=en&captcha=x"
    );
    let with = |more: &str| format!("csrf_token={token}&{more}").into_bytes();
    let json = format!("{{\"csrf_token\":\"{token}\",\"ticket\":\"{ticket}\"}}").into_bytes();
    let multipart = format!(
        "--b\r\nContent-Disposition: form-data; name=\"csrf_token\"\r\n\r\n{token}\r\n--b--\r\n"
    );
    let huge = format!("{whole}&x={}", "x".repeat(9000)).into_bytes();
    let bodies: Vec<(&str, Vec<u8>, &[u16])> = vec![
        (form, Vec::new(), &[403]),
        (form, b"&&&===&".to_vec(), &[403]),
        (form, b"\0\0\0".to_vec(), &[403]),
        (form, b"csrf_token".to_vec(), &[403]),
        (form, b"csrf_token[]=x&ticket[]=x".to_vec(), &[403]),
        (form, format!("{whole}&csrf_token={token}").into_bytes(), &[400]),
        (form, format!("{whole}&x=%zz").into_bytes(), &[400]),
        (form, format!("{whole}&x=%").into_bytes(), &[400]),
        (form, format!("{whole}&x=%ff").into_bytes(), &[400]),
        (form, [whole.as_bytes(), b"&x=\xff\xfe"].concat(), &[400]),
        (form, huge.clone(), &[413]),
        (form, json.clone(), &[403]),
        ("application/json", json, &[415]),
        ("multipart/form-data; boundary=b", multipart.into_bytes(), &[415]),
        ("text/plain", whole.clone().into_bytes(), &[415]),
        ("", whole.clone().into_bytes(), &[415]),
        ("nonsense;;;", whole.clone().into_bytes(), &[415]),
        ("application/x-www-form-urlencodedx", whole.clone().into_bytes(), &[415]),
        ("application/octet-stream", huge, &[413, 415]),
    ];
    let paths = [
        format!("/activities/{free}/purchase"),
        format!("/orders/{order_no}/pay"),
        format!("/orders/{order_no}/cancel"),
        "/login".into(),
        "/register".into(),
        "/logout".into(),
        "/language".into(),
    ];
    for path in &paths {
        for (kind, body, statuses) in &bodies {
            let page = shopper.browser.post_raw(path, kind, body.clone()).await;
            let body = String::from_utf8_lossy(body);
            assert!(statuses.contains(&page.status), "{path} {kind} {body:.80}: {}", page.status);
            is_refusal_page(&page, page.status);
        }
    }
    // Well formed, with the token, but not what the form sends.
    for (path, more, status) in [
        (&paths[0], "", 400),
        (&paths[0], "captcha=x", 400),
        (&paths[0], "ticket=a&ticket=b", 400),
        (&paths[0], "ticket=", 422),
        (&paths[3], "", 422),
        (&paths[3], "username=a&username=b&password=x", 400),
        (&paths[3], "username=a&password=x&next=%ff", 400),
        (&paths[4], "username=%00&password=long+enough", 422),
        (&paths[4], "", 422),
        (&paths[6], "", 400),
        (&paths[6], "lang=xx", 400),
        (&paths[6], "lang=%F0%9F%8E%81", 400),
        (&paths[6], "lang=en&lang=en", 400),
    ] {
        let page = shopper.browser.post_raw(path, form, with(more)).await;
        assert_eq!(page.status, status, "{path} {more}: {}", page.text);
        is_careful(&page);
    }
    assert_eq!(still_books(&app).await, before);
    assert_eq!(shopper.browser.csrf_token().await, token, "still signed in, in the same session");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_no_page_knows_is_no_fault() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let nobody = Browser::new(&app);
    let long = "x".repeat(3000);
    for query in
        ["x=1", "%zz", "%", "%ff=%ff", "&&==", "a=1&a=2", "next=1&next=2", "before=x", &long]
    {
        for path in ["/", &format!("/activities/{sale}"), &format!("/activities/{sale}/purchase")] {
            let page = shopper.browser.get(&format!("{path}?{query}")).await;
            assert_eq!(page.status, 200, "{path}?{query}");
        }
        for path in ["/login", "/register", "/orders"] {
            let browser = if path == "/orders" { &shopper.browser } else { &nobody };
            let page = browser.get(&format!("{path}?{query}")).await;
            assert!([200, 400].contains(&page.status), "{path}?{query}: {}", page.status);
            is_careful(&page);
        }
    }
    is_refusal_page(&nobody.get("/login?next=%zz").await, 400);
    is_refusal_page(&nobody.get("/login?next=/a&next=/b").await, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_method_that_an_address_lacks_is_refused_with_those_that_it_has() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let (form, post, read) = ("GET, HEAD, POST", "POST", "GET, HEAD");
    for (path, allow) in [
        ("/".to_owned(), read),
        ("/time".to_owned(), read),
        (format!("/activities/{sale}"), read),
        (format!("/activities/{sale}/purchase"), form),
        (format!("/activities/{sale}/captcha/x"), read),
        ("/orders".to_owned(), read),
        ("/orders/x".to_owned(), read),
        ("/orders/x/pay".to_owned(), post),
        ("/orders/x/cancel".to_owned(), post),
        ("/login".to_owned(), form),
        ("/register".to_owned(), form),
        ("/logout".to_owned(), post),
        ("/language".to_owned(), post),
        ("/static/x/site.css".to_owned(), read),
    ] {
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"];
        for method in methods.into_iter().filter(|m| !allow.split(", ").any(|own| own == *m)) {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let request = shopper.browser.request(method.clone(), &path);
            let answer = shopper.browser.try_send(request, "text/html").await.unwrap();
            assert_eq!((answer.status, header(&answer, "allow")), (405, allow), "{method} {path}");
            is_careful(&answer);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_is_the_page_without_its_body() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    for path in ["/", "/time", "/orders", &format!("/activities/{sale}"), "/nowhere", "/orders/x"] {
        let page = shopper.browser.get(path).await;
        let request = shopper.browser.request(Method::HEAD, path);
        let head = shopper.browser.try_send(request, "text/html").await.unwrap();
        assert_eq!(head.status, page.status, "{path}");
        assert_eq!(header(&head, "content-type"), header(&page, "content-type"), "{path}");
        assert!(head.text.is_empty(), "{path}");
        is_careful(&head);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_has_an_id_of_ours_and_the_headers_of_a_careful_site() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let other = Shopper::sign_in(&app, shopper.id, &shopper.name).await;
    let token = shopper.browser.csrf_token().await;
    let mut ids = std::collections::HashSet::new();
    let answers = [
        shopper.browser.get("/").await,
        shopper.browser.get("/login").await,
        shopper.browser.get(&format!("/activities/{sale}")).await,
        shopper.browser.get("/nowhere").await,
        shopper.browser.get("/logout").await,
        shopper.browser.get("/orders?before=x").await,
        shopper.browser.get("/time").await,
        shopper.browser.post("/logout", &[]).await,
        shopper.browser.post_json("/nowhere", &[("csrf_token", &token)]).await,
        Browser::new(&app).get("/orders").await,
        Browser::new(&app).get_json("/orders").await,
        other.buy(sale).await,
    ];
    for answer in &answers {
        is_careful(answer);
        assert!(ids.insert(header(answer, "x-request-id").to_owned()), "an id was given twice");
    }
    // One from outside is not taken.
    let request = shopper.browser.request(Method::GET, "/").header("x-request-id", "mine");
    let answer = shopper.browser.try_send(request, "text/html").await.unwrap();
    assert_ne!(header(&answer, "x-request-id"), "mine");
    is_careful(&answer);
    // It is on the page that tells of a failure, so that people can name it.
    let page = shopper.browser.get("/nowhere").await;
    assert!(page.text.contains(header(&page, "x-request-id")), "{}", page.text);
}
