//! A shopper with a browser of their own: cookies, forms, and a look at the answers.

use std::sync::Mutex;

use reqwest::header::{ACCEPT, COOKIE, SET_COOKIE};
use seckill::sale::ids::{ActivityId, UserId};
use serde_json::Value;

use super::app::{App, PASSWORD};

/// A shopper who is signed in.
#[derive(Debug)]
pub(crate) struct Shopper {
    pub(crate) id: UserId,
    pub(crate) name: String,
    pub(crate) browser: Browser,
    redis_url: String,
}

/// Cookies and a connection; nobody in particular until somebody signs in.
#[derive(Debug)]
pub(crate) struct Browser {
    base: String,
    http: reqwest::Client,
    cookies: Mutex<Vec<(String, String)>>,
}

/// An answer of the site.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) location: Option<String>,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    pub(crate) fn outcome(&self) -> String {
        self.json()["outcome"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn order_no(&self) -> String {
        self.json()["order_no"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn state(&self) -> String {
        self.json()["state"].as_str().unwrap_or_default().to_owned()
    }

    /// The hidden field of the first form.
    pub(crate) fn csrf_token(&self) -> String {
        let (_, rest) = self.text.split_once("name=\"csrf_token\" value=\"").unwrap_or_else(|| {
            panic!("no form in the page ({}): {}", self.status, self.text);
        });
        rest.split('"').next().unwrap().to_owned()
    }
}

impl Browser {
    pub(crate) fn new(app: &App) -> Self {
        Self { base: app.url(), http: app.http.clone(), cookies: Mutex::default() }
    }

    /// Asks another node from now on.
    pub(crate) fn goes_to(&mut self, url: String) {
        self.base = url;
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(self.http.get(format!("{}{path}", self.base)), "text/html").await
    }

    pub(crate) async fn get_json(&self, path: &str) -> Answer {
        self.send(self.http.get(format!("{}{path}", self.base)), "application/json").await
    }

    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let request = self.http.post(format!("{}{path}", self.base)).form(fields);
        self.send(request, "text/html").await
    }

    pub(crate) async fn post_json(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let request = self.http.post(format!("{}{path}", self.base)).form(fields);
        self.send(request, "application/json").await
    }

    /// A body as it is, of this type.
    pub(crate) async fn post_raw(&self, path: &str, kind: &str, body: Vec<u8>) -> Answer {
        let request = self.http.post(format!("{}{path}", self.base));
        self.send(request.header("content-type", kind).body(body), "text/html").await
    }

    /// One that may fail, as when the site is killed meanwhile.
    pub(crate) async fn try_send(
        &self,
        request: reqwest::RequestBuilder,
        accept: &str,
    ) -> reqwest::Result<Answer> {
        let cookies: Vec<String> =
            self.cookies.lock().unwrap().iter().map(|(k, v)| format!("{k}={v}")).collect();
        let mut request = request.header(ACCEPT, accept).header("accept-language", "en");
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies.join("; "));
        }
        let response = request.send().await?;
        self.keep_cookies(&response);
        Ok(Answer {
            status: response.status().as_u16(),
            location: response
                .headers()
                .get("location")
                .map(|value| value.to_str().unwrap().to_owned()),
            headers: response.headers().clone(),
            text: String::from_utf8_lossy(&response.bytes().await?).into_owned(),
        })
    }

    async fn send(&self, request: reqwest::RequestBuilder, accept: &str) -> Answer {
        self.try_send(request, accept).await.expect("the site answers")
    }

    /// An answer that goes on and on.
    pub(crate) async fn open(&self, path: &str) -> reqwest::Response {
        let cookies: Vec<String> =
            self.cookies.lock().unwrap().iter().map(|(k, v)| format!("{k}={v}")).collect();
        let request = self.http.get(format!("{}{path}", self.base));
        let request = request.header("accept-language", "en").header(COOKIE, cookies.join("; "));
        request.send().await.expect("the site answers")
    }

    pub(crate) fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    fn keep_cookies(&self, response: &reqwest::Response) {
        let mut cookies = self.cookies.lock().unwrap();
        for cookie in response.headers().get_all(SET_COOKIE) {
            let text = cookie.to_str().unwrap();
            let (name, value) = text.split(';').next().unwrap().split_once('=').unwrap();
            cookies.retain(|(kept, _)| kept != name);
            if !value.is_empty() {
                cookies.push((name.to_owned(), value.to_owned()));
            }
        }
    }

    /// All cookies, as a thief would copy them.
    pub(crate) fn cookies(&self) -> Vec<(String, String)> {
        self.cookies.lock().unwrap().clone()
    }

    pub(crate) fn wear(&self, cookies: Vec<(String, String)>) {
        *self.cookies.lock().unwrap() = cookies;
    }

    /// The session's token, from the form of a page that has one.
    pub(crate) async fn csrf_token(&self) -> String {
        self.get("/").await.csrf_token()
    }
}

impl Shopper {
    /// Signs in by the form.
    pub(crate) async fn sign_in(app: &App, id: UserId, name: &str) -> Self {
        let browser = Browser::new(app);
        let token = browser.get("/login").await.csrf_token();
        let fields = [("username", name), ("password", PASSWORD), ("csrf_token", &token)];
        let answer = browser.post("/login", &fields).await;
        assert_eq!(answer.status, 303, "signing in as {name}: {}", answer.text);
        let redis_url = app.config.gate.url.reveal().to_owned();
        Self { id, name: name.to_owned(), browser, redis_url }
    }

    /// Asks for a ticket; the answer is JSON.
    pub(crate) async fn ticket(&self, sale: ActivityId) -> Answer {
        self.try_ticket(sale).await.expect("the site answers")
    }

    async fn try_ticket(&self, sale: ActivityId) -> reqwest::Result<Answer> {
        let path = format!("/activities/{sale}/purchase");
        let request = self.browser.request(reqwest::Method::GET, &path);
        self.browser.try_send(request, "application/json").await
    }

    /// Sends the purchase form.
    pub(crate) async fn submit(
        &self,
        sale: ActivityId,
        csrf_token: &str,
        ticket: &str,
        captcha: &str,
    ) -> Answer {
        let sent = self.try_submit(sale, csrf_token, ticket, captcha).await;
        sent.expect("the site answers")
    }

    async fn try_submit(
        &self,
        sale: ActivityId,
        csrf_token: &str,
        ticket: &str,
        captcha: &str,
    ) -> reqwest::Result<Answer> {
        let fields = [("csrf_token", csrf_token), ("ticket", ticket), ("captcha", captcha)];
        let path = format!("/activities/{sale}/purchase");
        let request = self.browser.request(reqwest::Method::POST, &path).form(&fields);
        self.browser.try_send(request, "application/json").await
    }

    /// Buys as a person does: the ticket, the picture's answer, the form. When there is nothing to buy,
    /// the answer is the ticket's.
    pub(crate) async fn buy(&self, sale: ActivityId) -> Answer {
        self.try_buy(sale).await.expect("the site answers")
    }

    /// Buys at a site that may break off.
    pub(crate) async fn try_buy(&self, sale: ActivityId) -> reqwest::Result<Answer> {
        let page = self.try_ticket(sale).await?;
        let json = page.json();
        let (Some(ticket), Some(token)) = (json["ticket"].as_str(), json["csrf_token"].as_str())
        else {
            return Ok(page);
        };
        let answer = match json["captcha_url"].as_str() {
            Some(_) => self.read_picture(sale).await,
            None => String::new(),
        };
        self.try_submit(sale, token, ticket, &answer).await
    }

    /// Buys and insists on being admitted; gives the order's number.
    pub(crate) async fn must_buy(&self, sale: ActivityId) -> String {
        let answer = self.buy(sale).await;
        assert_eq!(answer.outcome(), "admitted", "{}: {}", answer.status, answer.text);
        answer.order_no()
    }

    /// What a person reads in the picture.
    pub(crate) async fn read_picture(&self, sale: ActivityId) -> String {
        let key = format!("seckill:ticket:{{{sale}:0}}:{}", self.id);
        self.redis(redis::cmd("HGET").arg(key).arg("answer")).await
    }

    async fn redis<T: redis::FromRedisValue>(&self, cmd: &redis::Cmd) -> T {
        let client = redis::Client::open(self.redis_url.as_str()).unwrap();
        let mut conn = client.get_multiplexed_async_connection().await.unwrap();
        cmd.query_async(&mut conn).await.unwrap()
    }

    /// The order as JSON.
    pub(crate) async fn order(&self, order_no: &str) -> Answer {
        self.browser.get_json(&format!("/orders/{order_no}")).await
    }

    /// Waits until the order is in this state.
    pub(crate) async fn order_becomes(&self, order_no: &str, state: &str) -> Answer {
        super::eventually(&format!("order {order_no} is {state}"), super::SOON, || async {
            Some(self.order(order_no).await).filter(|answer| answer.state() == state)
        })
        .await
    }

    pub(crate) async fn pay(&self, order_no: &str) -> Answer {
        self.act(order_no, "pay").await
    }

    pub(crate) async fn cancel(&self, order_no: &str) -> Answer {
        self.act(order_no, "cancel").await
    }

    async fn act(&self, order_no: &str, what: &str) -> Answer {
        let token = self.browser.csrf_token().await;
        let path = format!("/orders/{order_no}/{what}");
        self.browser.post_json(&path, &[("csrf_token", &token)]).await
    }
}

/// A plain connection to the gate of a test, to look and to spoil.
pub(crate) async fn redis_of(url: &str) -> redis::aio::MultiplexedConnection {
    redis::Client::open(url).unwrap().get_multiplexed_async_connection().await.unwrap()
}
