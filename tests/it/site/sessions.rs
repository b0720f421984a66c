//! Sessions: whose form it is, whose page it is, and which names people have.

use reqwest::Method;
use seckill::sale::ids::ActivityId;

use super::{books, execute, header, is_careful, is_refusal_page, row, rows, still_books};
use crate::harness::app::PASSWORD;
use crate::harness::shopper::Browser;
use crate::harness::{App, Plan, Sale, Shopper};

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
    text.bytes().map(|byte| format!("{byte:02X}")).collect()
}

/// Every address that changes something.
fn posts(sale: ActivityId, order_no: &str) -> Vec<String> {
    vec![
        format!("/activities/{sale}/purchase"),
        format!("/orders/{order_no}/pay"),
        format!("/orders/{order_no}/cancel"),
        "/login".into(),
        "/register".into(),
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
        ("lang", "zh-CN"),
        ("next", "/orders"),
    ]
}

async fn registered(app: &App, name: &str) -> (Browser, crate::harness::Answer) {
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
        let has_page =
            ["/login", "/register"].contains(&path.as_str()) || path.contains("purchase");
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

        // In the address, plain and with everything encoded; signed in, and signed out.
        let encoded: String = next.bytes().map(|byte| format!("%{byte:02x}")).collect();
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
