//! S31: a cookie that was copied before its session ended is refused everywhere within two seconds.

use std::time::Duration;

use seckill::sale::shopper::Role;
use seckill::stack::Kind;

use super::{execute, is_refusal_page, row};
use crate::harness::app::PASSWORD;
use crate::harness::shopper::Browser;
use crate::harness::{App, Plan, Process, SOON, Shopper, Side, eventually};

/// Two seconds, and a little for the asking itself.
const BOUND: Duration = Duration::from_millis(2500);

const ANOTHER: &str = "another horse";

type Cookies = Vec<(String, String)>;

/// A site of two nodes, and an admin who is signed in.
struct Site {
    app: App,
    other: Process,
    admin: Shopper,
}

impl Site {
    async fn start() -> Self {
        let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
        let other = Process::start(&app, "web").await;
        let admin = admin(&app).await;
        Self { app, other, admin }
    }

    fn nodes(&self) -> [String; 2] {
        [self.app.url(), self.other.url.clone()]
    }

    /// Whether each node takes these cookies for those of somebody who is signed in.
    async fn take(&self, cookies: &Cookies) -> [bool; 2] {
        let [here, there] = self.nodes();
        [takes(&self.app, here, cookies).await, takes(&self.app, there, cookies).await]
    }

    /// The node that ended the session knows at once, the other within two seconds.
    async fn refuse(&self, what: &str, cookies: &Cookies) {
        let [here, there] = self.nodes();
        assert!(!takes(&self.app, here, cookies).await, "{what}, at the node of the change");
        eventually(what, BOUND, || async {
            (!takes(&self.app, there.clone(), cookies).await).then_some(())
        })
        .await;
        assert_eq!(self.take(cookies).await, [false, false], "{what}, and so it stays");
    }

    /// What the admin's form sends.
    async fn administer(&self, of: &Shopper, what: &str, fields: &[(&str, &str)]) {
        let path = format!("/admin/accounts/{}/{what}", of.id);
        let led = send(&self.admin.browser, &path, fields).await;
        assert_eq!(led, format!("/admin/accounts/{}?done={what}", of.id));
    }
}

async fn admin(app: &App) -> Shopper {
    let (id, name) = app.account(Role::Admin).await;
    Shopper::sign_in(app, id, &name).await
}

/// A thief asks one node; nothing that it answers is kept.
async fn takes(app: &App, node: String, cookies: &Cookies) -> bool {
    let mut thief = Browser::new(app);
    thief.goes_to(node);
    thief.wear(cookies.clone());
    match thief.get("/orders").await.status {
        200 => true,
        303 => false,
        status => panic!("{status}"),
    }
}

/// Sends a form of this browser's session; says where it leads.
async fn send(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> String {
    let token = browser.csrf_token().await;
    let fields = [fields, &[("csrf_token", token.as_str())]].concat();
    let answer = browser.post(path, &fields).await;
    assert_eq!(answer.status, 303, "{path}: {}", answer.text);
    answer.location.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copied_cookie_is_refused_everywhere_once_its_session_has_ended() {
    let site = Site::start().await;
    let bystander = site.app.shopper().await.browser.cookies();
    let password = [("current", PASSWORD), ("new", ANOTHER), ("again", ANOTHER)];
    for what in [
        "signing out",
        "signing out everywhere",
        "a new password",
        "a password set by an admin",
        "another role",
        "closing the account",
        "sessions ended by an admin",
    ] {
        let victim = site.app.shopper().await;
        let copied = victim.browser.cookies();
        assert_eq!(site.take(&copied).await, [true, true], "{what}");
        match what {
            "signing out" => assert_eq!(send(&victim.browser, "/logout", &[]).await, "/"),
            "signing out everywhere" => {
                assert_eq!(send(&victim.browser, "/account/end-sessions", &[]).await, "/login");
            }
            "a new password" => {
                let led = send(&victim.browser, "/account", &password).await;
                assert_eq!(led, "/account?done=password");
            }
            "a password set by an admin" => {
                site.administer(&victim, "password", &[("password", ANOTHER)]).await;
            }
            "another role" => site.administer(&victim, "role", &[("role", "operator")]).await,
            "closing the account" => site.administer(&victim, "disable", &[]).await,
            _ => site.administer(&victim, "end-sessions", &[]).await,
        }
        site.refuse(what, &copied).await;
    }
    assert_eq!(site.take(&bystander).await, [true, true], "others go on");
    assert_eq!(site.take(&site.admin.browser.cookies()).await, [true, true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_out_ends_this_session_and_no_other_of_the_account() {
    let site = Site::start().await;
    let one = site.app.shopper().await;
    let other = Shopper::sign_in(&site.app, one.id, &one.name).await;
    let (copied, of_other) = (one.browser.cookies(), other.browser.cookies());
    send(&one.browser, "/logout", &[]).await;
    site.refuse("signing out", &copied).await;
    assert_eq!(site.take(&of_other).await, [true, true]);
    let again = Shopper::sign_in(&site.app, one.id, &one.name).await;
    assert_eq!(site.take(&again.browser.cookies()).await, [true, true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_password_keeps_the_own_browser_signed_in_and_ends_the_others() {
    let site = Site::start().await;
    let own = site.app.shopper().await;
    let elsewhere = Shopper::sign_in(&site.app, own.id, &own.name).await.browser.cookies();
    let before = own.browser.cookies();
    let token = own.browser.csrf_token().await;
    let password = [("current", PASSWORD), ("new", ANOTHER), ("again", ANOTHER)];
    send(&own.browser, "/account", &password).await;
    let page = own.browser.get("/account?done=password").await;
    assert!(page.text.contains("Your password is changed"), "{}", page.text);
    assert_ne!(page.csrf_token(), token, "a session of its own");
    site.refuse("the session elsewhere", &elsewhere).await;
    site.refuse("the cookie of before", &before).await;
    assert_eq!(site.take(&own.browser.cookies()).await, [true, true]);

    // The old password is not good any more, the new one is.
    for (password, status) in [(PASSWORD, 401), (ANOTHER, 303)] {
        let browser = Browser::new(&site.app);
        let token = browser.csrf_token().await;
        let fields =
            [("csrf_token", token.as_str()), ("username", &own.name), ("password", password)];
        assert_eq!(browser.post("/login", &fields).await.status, status);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_starts_later_refuses_it_from_its_first_request() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let (admin, lives) = (admin(&app).await, app.shopper().await);
    let (left, closed) = (app.shopper().await, app.shopper().await);
    let copies = [left.browser.cookies(), closed.browser.cookies()];
    send(&left.browser, "/logout", &[]).await;
    let path = format!("/admin/accounts/{}/disable", closed.id);
    send(&admin.browser, &path, &[]).await;
    for copy in copies {
        let late = Process::start(&app, "web").await;
        assert!(!takes(&app, late.url.clone(), &copy).await);
        assert!(takes(&app, late.url.clone(), &lives.browser.cookies()).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_demoted_admin_is_out_of_the_console_on_every_node() {
    let site = Site::start().await;
    let demoted = admin(&site.app).await;
    let copied = demoted.browser.cookies();
    assert_eq!(demoted.browser.get("/admin/accounts").await.status, 200);
    site.administer(&demoted, "role", &[("role", "operator")]).await;
    for node in site.nodes() {
        let mut browser = Browser::new(&site.app);
        browser.goes_to(node);
        eventually("the console is closed", BOUND, || async {
            browser.wear(copied.clone());
            (browser.get("/admin/accounts").await.status == 303).then_some(())
        })
        .await;
        browser.wear(copied.clone());
        let token = demoted.browser.csrf_token().await;
        let path = format!("/admin/accounts/{}/disable", site.admin.id);
        let refused = browser.post(&path, &[("csrf_token", &token)]).await;
        is_refusal_page(&refused, 401);
    }
    let again = Shopper::sign_in(&site.app, demoted.id, &demoted.name).await;
    is_refusal_page(&again.browser.get("/admin/accounts").await, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ending_that_becomes_visible_late_is_not_missed() {
    let site = Site::start().await;
    let victim = site.app.shopper().await;
    let copied = victim.browser.cookies();
    // As if its transaction had taken half a minute to commit, while later ones were read.
    let later = site.app.shopper().await;
    send(&later.browser, "/logout", &[]).await;
    eventually("the later ending is read", SOON, || async {
        (!site.take(&later.browser.cookies()).await[1]).then_some(())
    })
    .await;
    execute(
        &site.app,
        &format!(
            "SET time_zone = '+00:00'; INSERT INTO session_endings (id, user_id, epoch, at) \
             VALUES (900, {}, 1, NOW(3) - INTERVAL 30 SECOND)",
            victim.id
        ),
    );
    let [_, there] = site.nodes();
    eventually("the late ending", BOUND, || async {
        (!takes(&site.app, there.clone(), &copied).await).then_some(())
    })
    .await;
}

/// A site that may be cut off from the ledger, with short bounds.
fn cut_off_from_the_ledger() -> Plan {
    let plan = Plan { no_worker: true, ..Plan::default() };
    plan.behind(Side::Web, Kind::MariaDb)
        .set("SECKILL__LEDGER__CHECKOUT_TIMEOUT_MS", 300)
        .set("SECKILL__LEDGER__STATEMENT_TIMEOUT_MS", 500)
        .set("SECKILL__LEDGER__CALL_TIMEOUT_MS", 1000)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_of_the_signed_in_asks_the_ledger() {
    let app = App::start_with(cut_off_from_the_ledger()).await;
    let proxy = app.proxy(Side::Web, Kind::MariaDb);
    let (goes_on, leaves, late) = (app.shopper().await, app.shopper().await, app.shopper().await);
    let (ended, of_late) = (leaves.browser.cookies(), late.browser.cookies());
    send(&leaves.browser, "/logout", &[]).await;
    proxy.refuse(true);
    proxy.cut();
    for _ in 0..50 {
        let page = goes_on.browser.get("/account").await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(page.text.contains(&goes_on.name));
    }
    assert!(!is_signed_in(&app, &ended).await, "what was known stays known");

    // Signing out works in this browser and at this node, and does not promise more.
    let token = late.browser.csrf_token().await;
    let told = late.browser.post("/logout", &[("csrf_token", &token)]).await;
    assert_eq!(told.status, 503, "{}", told.text);
    assert!(told.text.contains("in this browser only"), "{}", told.text);
    assert!(!told.text.contains(&late.name), "{}", told.text);
    assert!(!is_signed_in(&app, &late.browser.cookies()).await);
    assert!(!is_signed_in(&app, &of_late).await);
    // The page's own forms work on.
    let lang = [("csrf_token", told.csrf_token()), ("lang", "en".into()), ("next", "/".into())];
    let lang = lang.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(late.browser.post("/language", &lang).await.status, 303);

    // What ends while this node cannot see it ends here as soon as it can.
    let missed = goes_on.browser.cookies();
    let id = goes_on.id;
    execute(
        &app,
        &format!(
            "SET time_zone = '+00:00'; INSERT INTO session_endings (user_id, epoch) VALUES ({id}, 1)"
        ),
    );
    assert!(is_signed_in(&app, &missed).await);
    proxy.refuse(false);
    eventually("the missed ending", SOON, || async {
        (!is_signed_in(&app, &missed).await).then_some(())
    })
    .await;
}

/// Whether the site takes these cookies for somebody's, told by a page that needs no ledger.
async fn is_signed_in(app: &App, cookies: &Cookies) -> bool {
    let thief = Browser::new(app);
    thief.wear(cookies.clone());
    thief.get("/account").await.status == 200
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_ended_longer_ago_than_a_cookie_lives_is_forgotten() {
    let app = App::start_with(Plan { no_worker: true, no_web: true, ..Plan::default() }).await;
    execute(
        &app,
        "SET time_zone = '+00:00'; INSERT INTO session_endings (user_id, epoch, at) VALUES \
         (1, 1, NOW(3) - INTERVAL 13 HOUR), (2, 1, NOW(3) - INTERVAL 15 HOUR)",
    );
    let _node = Process::start(&app, "web").await;
    eventually("the old row is gone", SOON, || async {
        let left = row(&app, "SELECT GROUP_CONCAT(user_id) AS text FROM session_endings");
        (left == "1").then_some(())
    })
    .await;
}
