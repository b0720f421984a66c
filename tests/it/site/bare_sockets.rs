//! What no browser sends, over a bare socket: odd addresses, broken requests, bodies without end, silence.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::still_books;
use crate::harness::shopper::Browser;
use crate::harness::{App, Plan, Sale};

/// Ends of addresses that name nothing.
const NOTHING: [&str; 27] = [
    "0",
    "-1",
    "+1",
    "007",
    "00",
    "1.0",
    "1e3",
    "0x1",
    "999999999",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999",
    "one",
    "%F0%9F%8E%81",
    "%D9%A3",
    "%00",
    "%ff",
    "%c3%28",
    "1%00",
    "1%20",
    "%2e%2e%2f1",
    "..%2f..%2fetc%2fpasswd",
    "1;x=1",
    "1%27%20OR%201=1",
    "%7b%7b7*7%7d%7d",
    "null",
];

/// An answer that came over a bare socket.
struct Raw {
    status: u16,
    text: String,
}

/// Sends bytes as they are and reads what comes until the site closes, at most this long.
async fn raw(app: &App, bytes: &[u8], bound: Duration) -> Raw {
    let address = app.url().trim_start_matches("http://").to_owned();
    let mut socket = TcpStream::connect(address).await.unwrap();
    // The site may have closed already, with its answer waiting.
    let _sent = socket.write_all(bytes).await;
    let mut answer = Vec::new();
    let read = timeout(bound, socket.read_to_end(&mut answer)).await;
    assert!(read.is_ok(), "not closed within {bound:?}: {}", String::from_utf8_lossy(&answer));
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Raw { status, text }
}

/// A request of this method and target with the shopper's cookies.
fn head(browser: &Browser, method: &str, target: &str) -> String {
    let cookies: Vec<_> = browser.cookies().iter().map(|(k, v)| format!("{k}={v}")).collect();
    let cookies = cookies.join("; ");
    format!("{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: {cookies}\r\n")
}

const BOUND: Duration = Duration::from_secs(10);

fn is_refusal(answer: &Raw, what: &str) {
    assert!((400..500).contains(&answer.status), "{what}: {}", answer.text);
    for part in ["cache-control: no-store", "x-request-id: ", "content-security-policy: ", "<h1>"] {
        assert!(answer.text.to_lowercase().contains(part), "{what}: {part}: {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_names_nothing_is_a_page_that_says_so() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let token = shopper.browser.csrf_token().await;
    let before = still_books(&app).await;

    let long = "x".repeat(10_000);
    for end in NOTHING.into_iter().chain([long.as_str()]) {
        for target in [
            format!("/activities/{end}"),
            format!("/activities/{end}/purchase"),
            format!("/activities/{end}/captcha/x"),
            format!("/activities/{sale}/captcha/{end}"),
            format!("/activities/{sale}/{end}"),
            format!("/orders/{end}"),
            format!("/{end}"),
            format!("/static/x/{end}"),
        ] {
            let request = head(&shopper.browser, "GET", &target) + "\r\n";
            let answer = raw(&app, request.as_bytes(), BOUND).await;
            is_refusal(&answer, &target);
            assert_eq!(answer.status, 404, "{target}");
        }
        for target in [
            format!("/activities/{end}/purchase"),
            format!("/orders/{end}/pay"),
            format!("/orders/{end}/cancel"),
        ] {
            let body = format!("csrf_token={token}&ticket=x");
            let request = head(&shopper.browser, "POST", &target);
            let request = format!(
                "{request}Content-Type: application/x-www-form-urlencoded\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let answer = raw(&app, request.as_bytes(), BOUND).await;
            is_refusal(&answer, &target);
            assert_eq!(answer.status, 404, "{target}");
        }
    }
    assert_eq!(still_books(&app).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_address_at_all_is_refused_and_the_site_goes_on() {
    let app = App::start().await;
    let browser = Browser::new(&app);
    for target in ["*", "", "x", "//", "/a b", "/\u{0}", "/é", &"/x".repeat(40_000)] {
        let request = head(&browser, "GET", target) + "\r\n";
        let answer = raw(&app, request.as_bytes(), BOUND).await;
        assert!((400..500).contains(&answer.status), "{target:?}: {}", answer.text);
    }
    for bytes in [
        &b"\r\n\r\n\r\n\r\nnonsense\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ] {
        let answer = raw(&app, bytes, BOUND).await;
        assert!(answer.status == 0 || (400..500).contains(&answer.status), "{}", answer.text);
    }
    let header = format!("GET / HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n", "x".repeat(200_000));
    let answer = raw(&app, header.as_bytes(), BOUND).await;
    assert!(answer.status == 0 || (400..500).contains(&answer.status), "{}", answer.text);
    assert_eq!(browser.get("/").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_above_the_limit_is_refused_before_its_end() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let token = shopper.browser.csrf_token().await;
    let target = format!("/activities/{sale}/purchase");
    let head = head(&shopper.browser, "POST", &target);
    let head = format!("{head}Content-Type: application/x-www-form-urlencoded\r\n");

    // Announced only: nothing has to be sent for the answer to come.
    for length in ["8193", "1000000000", "18446744073709551615"] {
        let request = format!("{head}Content-Length: {length}\r\n\r\ncsrf_token={token}");
        let answer = raw(&app, request.as_bytes(), BOUND).await;
        is_refusal(&answer, length);
        assert_eq!(answer.status, 413, "{length}");
    }
    // In pieces whose sum nobody has announced.
    let mut request = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    for _ in 0..20 {
        write!(request, "200\r\n{}\r\n", "x".repeat(512)).unwrap();
    }
    let answer = raw(&app, (request + "0\r\n\r\n").as_bytes(), BOUND).await;
    is_refusal(&answer, "chunked");
    assert_eq!(answer.status, 413);

    // At the limit it is still read.
    let fill = 8192 - format!("csrf_token={token}&ticket=x&y=").len();
    let body = format!("csrf_token={token}&ticket=x&y={}", "y".repeat(fill));
    let kind = "application/x-www-form-urlencoded";
    assert_eq!(shopper.browser.post_raw(&target, kind, body.into_bytes()).await.status, 422);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_falls_silent_in_the_middle_of_a_request_is_let_go() {
    let app = App::start_with(Plan::default().set("SECKILL__SITE__CLIENT_TIMEOUT_MS", 1000)).await;
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let target = format!("/activities/{sale}/purchase");
    let head = head(&shopper.browser, "POST", &target);
    let form = format!("{head}Content-Type: application/x-www-form-urlencoded\r\n");
    let (half_body, half_chunk) = (
        format!("{form}Content-Length: 100\r\n\r\ncsrf_token="),
        format!("{form}Transfer-Encoding: chunked\r\n\r\n10\r\ncsrf"),
    );
    let begun = Instant::now();
    for (bytes, status) in [
        ("GET / HT", 408),
        ("GET / HTTP/1.1\r\nHost: x\r\nX-Half", 408),
        (&half_body, 408),
        (&half_chunk, 408),
    ] {
        let answer = raw(&app, bytes.as_bytes(), BOUND).await;
        assert!([0, status].contains(&answer.status), "{bytes}: {}", answer.text);
        if bytes.starts_with("POST") {
            is_refusal(&answer, bytes);
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());

    // While some are silent, others are served.
    let address = app.url().trim_start_matches("http://").to_owned();
    let mut silent = Vec::new();
    for _ in 0..50 {
        silent.push(TcpStream::connect(&address).await.unwrap());
    }
    assert_eq!(shopper.buy(sale).await.outcome(), "admitted");
}
