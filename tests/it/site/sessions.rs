//! Sessions: whose form it is, and whose page.

use reqwest::Method;
use seckill::sale::ids::ActivityId;
use seckill::sale::shopper::Role;

use super::{books, execute, header, is_careful, is_refusal_page, still_books};
use crate::harness::app::PASSWORD;
use crate::harness::shopper::Browser;
use crate::harness::{Answer, App, Plan, Sale, Shopper};

/// Every address that changes something.
fn posts(sale: ActivityId, order_no: &str) -> Vec<String> {
    vec![
        format!("/activities/{sale}/purchase"),
        format!("/orders/{order_no}/pay"),
        format!("/orders/{order_no}/cancel"),
        "/login".into(),
        "/register".into(),
        "/account".into(),
        "/account/end-sessions".into(),
        "/logout".into(),
        "/language".into(),
    ]
}

/// A form that would do on each of those addresses, but for its token.
fn form<'a>(ticket: &'a str, name: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("ticket", ticket),
        ("username", name),
        ("password", PASSWORD),
        ("current", PASSWORD),
        ("new", "another horse"),
        ("again", "another horse"),
        ("lang", "zh-CN"),
        ("next", "/orders"),
    ]
}

/// A new browser, and what came of registering in it under this name.
pub(super) async fn registered(app: &App, name: &str) -> (Browser, Answer) {
    let browser = Browser::new(app);
    let token = browser.get("/register").await.csrf_token();
    let fields = [("csrf_token", token.as_str()), ("username", name), ("password", PASSWORD)];
    let answer = browser.post("/register", &fields).await;
    (browser, answer)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_without_this_sessions_token_changes_nothing() {
    let app = App::start().await;
    let (sale, other_sale) = (app.sale(Sale::of(5)).await, app.sale(Sale::of(5)).await);
    let (id, name) = app.account(seckill::sale::shopper::Role::Shopper).await;
    let before_login = Browser::new(&app);
    let old = before_login.csrf_token().await;
    let shopper = Shopper::sign_in(&app, id, &name).await;
    let another = Shopper::sign_in(&app, id, &name).await;
    let order_no = shopper.must_buy(sale).await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    let ticket = shopper.ticket(other_sale).await.json()["ticket"].as_str().unwrap().to_owned();

    let own = shopper.browser.csrf_token().await;
    let of_another = another.browser.csrf_token().await;
    let of_stranger = app.shopper().await.browser.csrf_token().await;
    let shorter = own[1..].to_owned();
    let upper = own.to_uppercase();
    let before = still_books(&app).await;
    let tokens =
        [None, Some(""), Some(&old), Some(&of_another), Some(&of_stranger), Some(&shorter)];
    for path in posts(other_sale, &order_no) {
        for token in tokens.into_iter().chain([Some(upper.as_str())]) {
            if token == Some(own.as_str()) {
                continue;
            }
            let mut fields = form(&ticket, "newcomer");
            fields.extend(token.map(|token| ("csrf_token", token)));
            let page = shopper.browser.post(&path, &fields).await;
            is_refusal_page(&page, 403);
            let json = shopper.browser.post_json(&path, &fields).await;
            assert_eq!((json.status, json.outcome().as_str()), (403, "stale_form"), "{path}");
        }
        // In the address or in a header it is no form's.
        let fields = form(&ticket, "newcomer");
        let elsewhere = format!("{path}?csrf_token={own}");
        assert_eq!(shopper.browser.post(&elsewhere, &fields).await.status, 403, "{path}");
        let request = shopper.browser.request(Method::POST, &path).form(&fields);
        let request = request.header("x-csrf-token", &own);
        assert_eq!(shopper.browser.try_send(request, "text/html").await.unwrap().status, 403);
    }
    assert_eq!(books(&app).await, before);
    assert_eq!(shopper.browser.csrf_token().await, own, "nobody was signed out");
    assert_eq!(shopper.browser.get("/orders").await.status, 200);

    // The same form with the token does it.
    let answer = shopper.submit(other_sale, &own, &ticket, "").await;
    assert_eq!(answer.outcome(), "admitted", "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_from_before_the_login_is_not_good_after_it() {
    let app = App::start().await;
    let (_, name) = app.account(seckill::sale::shopper::Role::Shopper).await;
    let browser = Browser::new(&app);
    let old = browser.csrf_token().await;
    let planted = browser.cookies();
    let fields = [("csrf_token", old.as_str()), ("username", &name), ("password", PASSWORD)];
    assert_eq!(browser.post("/login", &fields).await.status, 303);
    assert_ne!(browser.cookies(), planted, "the session of before does not go on");
    assert_eq!(browser.post("/logout", &[("csrf_token", &old)]).await.status, 403);
    assert_eq!(browser.get("/orders").await.status, 200);

    // Whoever planted the cookie of before has nothing of it.
    let thief = Browser::new(&app);
    thief.wear(planted);
    assert_eq!(thief.get("/orders").await.status, 303);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_changed_by_looking() {
    let app = App::start().await;
    let (sale, free) = (app.sale(Sale::of(5)).await, app.sale(Sale::of(5)).await);
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    let ticket = shopper.ticket(free).await.json()["ticket"].as_str().unwrap().to_owned();
    let token = shopper.browser.csrf_token().await;
    let before = still_books(&app).await;

    let query = format!(
        "csrf_token={token}&ticket={ticket}&username=newcomer&password={PASSWORD}&lang=zh-CN"
    );
    for path in posts(free, &order_no) {
        let has_page = ["/login", "/register", "/account"].contains(&path.as_str())
            || path.contains("purchase");
        for method in [Method::GET, Method::HEAD] {
            let request = shopper.browser.request(method.clone(), &format!("{path}?{query}"));
            let answer = shopper.browser.try_send(request, "text/html").await.unwrap();
            is_careful(&answer);
            if has_page {
                assert!([200, 303].contains(&answer.status), "{method} {path}: {}", answer.status);
            } else {
                assert_eq!(answer.status, 405, "{method} {path}");
                assert_eq!(header(&answer, "allow"), "POST");
            }
        }
        for method in [Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS] {
            let request = shopper.browser.request(method.clone(), &path);
            let request = request.form(&[("csrf_token", &token), ("ticket", &ticket)]);
            let answer = shopper.browser.try_send(request, "text/html").await.unwrap();
            assert_eq!(answer.status, 405, "{method} {path}");
            is_refusal_page(&answer, 405);
        }
    }
    assert_eq!(books(&app).await, before);
    assert_eq!(shopper.browser.csrf_token().await, token);
    let english = shopper.browser.get("/").await;
    assert!(english.text.contains("<html lang=\"en\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_way_on_never_leaves_the_site() {
    let app = App::start().await;
    let (_, name) = app.account(seckill::sale::shopper::Role::Shopper).await;
    let elsewhere = [
        "//x",
        "//x/orders",
        "/\\x",
        "\\\\x",
        "\\/x",
        "https://x",
        "https:/x",
        "http:x",
        "javascript:alert(1)",
        "data:text/html,x",
        "/\t/x",
        "/\n/x",
        "\n//x",
        " //x",
        "/ /x",
        "/x\r\nset-cookie: a=b",
        "x",
        "@x",
        "?next=//x",
        "/\u{0}/x",
        "/订单",
    ];
    for next in elsewhere {
        let browser = Browser::new(&app);
        let token = browser.csrf_token().await;
        let lang = [("csrf_token", token.as_str()), ("lang", "en"), ("next", next)];
        let led = browser.post("/language", &lang).await;
        assert_eq!((led.status, led.location.as_deref()), (303, Some("/")), "{next:?}");

        let fields = [
            ("csrf_token", token.as_str()),
            ("username", &name),
            ("password", PASSWORD),
            ("next", next),
        ];
        let led = browser.post("/login", &fields).await;
        assert_eq!((led.status, led.location.as_deref()), (303, Some("/")), "{next:?}");
        assert!(!led.headers.contains_key("a"), "{:?}", led.headers);

        // Encoded in the address; signed in, and signed out.
        let encoded = url::form_urlencoded::byte_serialize(next.as_bytes()).collect::<String>();
        for path in ["/login", "/register"] {
            let path = format!("{path}?next={encoded}");
            let led = browser.get(&path).await;
            assert_eq!((led.status, led.location.as_deref()), (303, Some("/")), "{next:?}");
            let page = Browser::new(&app).get(&path).await;
            assert_eq!(page.status, 200);
            assert!(page.text.contains("name=\"next\" value=\"\""), "{next:?}: {}", page.text);
        }
    }
    // What was encoded twice is an odd address of this site, and stays here.
    let browser = Browser::new(&app);
    let token = browser.csrf_token().await;
    for next in ["/%2f%2fx", "/orders?before=1", "/%5cx"] {
        let fields = [("csrf_token", token.as_str()), ("lang", "en"), ("next", next)];
        let led = browser.post("/language", &fields).await;
        assert_eq!(led.location.as_deref(), Some(next));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn staff_land_on_their_own_pages_unless_they_were_on_the_way_to_another() {
    let app = App::start().await;
    for (role, home) in [(Role::Shopper, "/"), (Role::Operator, "/ops"), (Role::Admin, "/admin")] {
        let (_, name) = app.account(role).await;
        for (next, expected) in
            [(None, home), (Some(""), home), (Some("/orders"), "/orders"), (Some("/"), "/")]
        {
            let browser = Browser::new(&app);
            let token = browser.csrf_token().await;
            let fields = [
                ("csrf_token", Some(token.as_str())),
                ("username", Some(&name)),
                ("password", Some(PASSWORD)),
                ("next", next),
            ];
            let fields: Vec<_> =
                fields.into_iter().filter_map(|(field, text)| Some((field, text?))).collect();
            let led = browser.post("/login", &fields).await;
            assert_eq!((led.status, led.location.as_deref()), (303, Some(expected)), "{role}");
            for path in ["/login", "/register"] {
                assert_eq!(
                    browser.get(path).await.location.as_deref(),
                    Some(home),
                    "{role} {path}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_just_looks_at_the_address_of_a_form_is_shown_the_way_to_its_page() {
    let app = App::start().await;
    let shopper = app.shopper().await;
    for (path, page) in [
        ("/orders/01M8KQQ4QBNT53ANY3ZQSV0492/cancel", "/orders/01M8KQQ4QBNT53ANY3ZQSV0492"),
        ("/account/end-sessions", "/account"),
        ("/ops/dead-letters/replay", "/ops/dead-letters"),
        ("/admin/activities/1/pause", "/admin/activities/1"),
    ] {
        let answer = shopper.browser.get(path).await;
        is_refusal_page(&answer, 405);
        assert!(answer.text.contains(&format!("class=\"button\" href=\"{page}\"")), "{path}");
        assert!(answer.text.contains(&format!("name=\"next\" value=\"{page}\"")), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cookie_is_closed_to_scripts_other_sites_and_readers() {
    let app = App::start().await;
    let (browser, answer) = registered(&app, "Wilhelmina Plain").await;
    assert_eq!((answer.status, answer.location.as_deref()), (303, Some("/")));
    let set: Vec<_> = answer.headers.get_all("set-cookie").iter().collect();
    assert_eq!(set.len(), 1, "{set:?}");
    let cookie = set[0].to_str().unwrap();
    for part in ["seckill=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    assert!(!cookie.contains("Secure") && !cookie.contains("Domain"), "{cookie}");
    assert!(!cookie.contains("Wilhelmina") && !cookie.contains("csrf"), "{cookie}");
    assert_eq!(browser.get("/orders").await.status, 200);

    // One character changed, cut, or made up: nobody in particular, and no error.
    let (name, value) = browser.cookies().remove(0);
    let flipped = |at: usize| {
        let mut bytes = value.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).unwrap()
    };
    let last = value.len() - 6;
    for forged in
        [flipped(0), flipped(value.len() / 2), flipped(last), value[..last].into(), "x".into()]
    {
        let thief = Browser::new(&app);
        thief.wear(vec![(name.clone(), forged)]);
        assert_eq!(thief.get("/orders").await.status, 303);
        assert!(!thief.get("/").await.text.contains("Wilhelmina"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_tls_the_cookie_travels_over_tls_alone() {
    let app = App::start_with(Plan::default().set("SECKILL__SITE__SECURE_COOKIES", true)).await;
    let browser = Browser::new(&app);
    let page = browser.get("/").await;
    let token = page.csrf_token();
    let lang = [("csrf_token", token.as_str()), ("lang", "en"), ("next", "/")];
    for answer in [page, browser.post("/language", &lang).await] {
        let cookies: Vec<_> = answer.headers.get_all("set-cookie").iter().collect();
        assert!(!cookies.is_empty());
        for cookie in cookies {
            assert!(cookie.to_str().unwrap().contains("; Secure"), "{cookie:?}");
        }
        assert!(header(&answer, "strict-transport-security").starts_with("max-age="));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_out_ends_the_session_of_this_browser() {
    let app = App::start().await;
    let shopper = app.shopper().await;
    let token = shopper.browser.csrf_token().await;
    let led = shopper.browser.post("/logout", &[("csrf_token", &token)]).await;
    is_careful(&led);
    assert_eq!((led.status, led.location.as_deref()), (303, Some("/")));
    assert_eq!(shopper.browser.get("/orders").await.status, 303);
    let page = shopper.browser.get("/").await;
    assert!(!page.text.contains(&shopper.name));
    assert_ne!(page.csrf_token(), token);
    assert_eq!(shopper.browser.post("/logout", &[("csrf_token", &token)]).await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_that_fails_does_not_tell_why() {
    let app = App::start().await;
    let (id, name) = app.account(seckill::sale::shopper::Role::Shopper).await;
    let browser = Browser::new(&app);
    let token = browser.csrf_token().await;
    let long = "p".repeat(5000);
    let attempt = |username: String, password: String| {
        let (browser, token) = (&browser, token.clone());
        async move {
            let fields = [
                ("csrf_token", token.as_str()),
                ("username", username.as_str()),
                ("password", password.as_str()),
            ];
            let json = browser.post_json("/login", &fields).await;
            (browser.post("/login", &fields).await, json)
        }
    };
    let mut told = Vec::new();
    for (username, password) in [
        (name.clone(), "wrong horse".to_owned()),
        ("nobody-of-that-name".to_owned(), PASSWORD.to_owned()),
        (name.clone(), format!("{PASSWORD} ")),
        (name.clone(), PASSWORD.to_uppercase()),
        (name.clone(), long),
        ("n".repeat(1000), PASSWORD.to_owned()),
        ("a\0b".to_owned(), PASSWORD.to_owned()),
    ] {
        let (page, json) = attempt(username, password).await;
        assert_eq!((page.status, json.status), (401, 401), "{}", json.text);
        is_careful(&page);
        assert!(page.text.contains("Name or password is not right"), "{}", page.text);
        assert!(!page.text.contains("horse"), "a password is never shown again");
        told.push(json.json());
    }
    assert!(told.iter().all(|body| *body == told[0]), "{told:?}");
    for (username, password) in [("", PASSWORD), (name.as_str(), ""), (" ", PASSWORD)] {
        let (page, json) = attempt(username.into(), password.into()).await;
        assert_eq!((page.status, json.status), (422, 422), "{}", json.text);
    }
    assert_eq!(browser.get("/orders").await.status, 303);

    // As it was typed by a person, and once the account is closed.
    let typed = format!(" {} ", name.to_uppercase());
    assert_eq!(attempt(typed, PASSWORD.into()).await.1.status, 303);
    execute(&app, &format!("UPDATE users SET disabled_at = NOW(3) WHERE id = {id}"));
    let closed = Browser::new(&app);
    let token = closed.csrf_token().await;
    let fields = [("csrf_token", token.as_str()), ("username", &name), ("password", PASSWORD)];
    let page = closed.post("/login", &fields).await;
    assert_eq!(page.status, 403);
    assert!(page.text.contains("closed"), "{}", page.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_made_for_one_shopper_is_never_shown_to_another_or_to_nobody() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let asking = app.sale(Sale { captcha: true, ..Sale::of(5) }).await;
    let (ann, ben) = (app.shopper().await, app.shopper().await);
    let order_no = ann.must_buy(sale).await;
    ann.order_becomes(&order_no, "pending_payment").await;
    let ticket = ann.ticket(asking).await.json()["ticket"].as_str().unwrap().to_owned();
    let token = ann.browser.csrf_token().await;
    let secrets = [ann.name.as_str(), &order_no, &ticket, &token];

    for path in [
        "/".to_owned(),
        format!("/activities/{sale}"),
        format!("/activities/{sale}/purchase"),
        format!("/activities/{asking}"),
        format!("/activities/{asking}/purchase"),
        format!("/activities/{asking}/captcha/{ticket}"),
        "/orders".to_owned(),
        format!("/orders/{order_no}"),
        "/account".to_owned(),
        "/login".to_owned(),
        "/register".to_owned(),
        "/nowhere".to_owned(),
    ] {
        // First the one it is for, so that whatever keeps pages could have kept it.
        is_careful(&ann.browser.get(&path).await);
        is_careful(&ann.browser.get_json(&path).await);
        let nobody = Browser::new(&app);
        for browser in [&ben.browser, &nobody] {
            for answer in [browser.get(&path).await, browser.get_json(&path).await] {
                is_careful(&answer);
                assert!(!answer.headers.contains_key("etag"), "{:?}", answer.headers);
                // What was asked for may be repeated: it is known to whoever asks.
                let text = answer.text.replace(&path, "PATH");
                let mut encoded = String::new();
                encoded.extend(url::form_urlencoded::byte_serialize(path.as_bytes()));
                let text = text.replace(&encoded, "PATH");
                for secret in secrets {
                    assert!(!text.contains(secret), "{path} tells {secret}: {text}");
                }
            }
        }
    }
    assert!(ben.browser.get("/").await.text.contains(&ben.name));

    // What all may keep belongs to nobody.
    let page = ann.browser.get("/").await;
    let (_, sheet) = page.text.split_once("rel=\"stylesheet\" href=\"").unwrap();
    let sheet = ann.browser.get(sheet.split('"').next().unwrap()).await;
    assert_eq!(sheet.status, 200);
    assert!(header(&sheet, "cache-control").contains("immutable"), "{:?}", sheet.headers);
    assert!(!sheet.headers.contains_key("set-cookie"));
    assert!(!ann.browser.get("/time").await.headers.contains_key("set-cookie"));
}
