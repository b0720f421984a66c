//! Who gets into the console.

use reqwest::Method;
use seckill::sale::shopper::Role;

use super::{is_refusal_json, is_refusal_page, rows};
use crate::harness::shopper::Browser;
use crate::harness::{App, Plan, Shopper};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_console_is_for_admins_alone() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let mut people = Vec::new();
    for role in [Role::Shopper, Role::Operator, Role::Admin] {
        let (id, name) = app.account(role).await;
        people.push(Shopper::sign_in(&app, id, &name).await);
    }
    let [shopper, operator, admin] = people.try_into().unwrap();
    let one = format!("/admin/accounts/{}", shopper.id);
    let pages = ["/admin", "/admin/accounts", &one, "/admin/nowhere", "/admin/accounts/1/nowhere"];
    let nobody = Browser::new(&app);
    for path in pages {
        for refused in [&shopper, &operator] {
            is_refusal_page(&refused.browser.get(path).await, 403);
            is_refusal_json(&refused.browser.get_json(path).await, 403, "forbidden");
        }
        let led = nobody.get(path).await;
        let login = format!("/login?next={}", path.replace('/', "%2F"));
        assert_eq!((led.status, led.location.as_deref()), (303, Some(login.as_str())));
        is_refusal_json(&nobody.get_json(path).await, 401, "signed_out");
    }
    let home = admin.browser.get("/admin").await;
    assert_eq!((home.status, home.location.as_deref()), (303, Some("/admin/activities")));
    for path in ["/admin/accounts", &one] {
        assert_eq!(admin.browser.get(path).await.status, 200, "{path}");
    }
    is_refusal_page(&admin.browser.get("/admin/nowhere").await, 404);
    for path in ["/admin/accounts/999999", "/admin/accounts/0", "/admin/accounts/x"] {
        is_refusal_page(&admin.browser.get(path).await, 404);
    }

    // The way there is shown to admins only.
    for (browser, shown) in [(&admin, true), (&operator, false), (&shopper, false)] {
        let page = browser.browser.get("/").await;
        assert_eq!(page.text.contains("href=\"/admin\""), shown);
        assert!(page.text.contains("href=\"/account\""));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_no_admin_changes_nothing_in_it() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let (id, _) = app.account(Role::Shopper).await;
    let (operator, name) = app.account(Role::Operator).await;
    let operator = Shopper::sign_in(&app, operator, &name).await;
    let nobody = Browser::new(&app);
    let users = "SELECT CONCAT_WS(' ', id, role, epoch, password_hash, disabled_at) AS text \
                 FROM users ORDER BY id";
    let before = rows(&app, users);
    let paths = ["", "/role", "/password", "/disable", "/enable", "/end-sessions"].map(|end| {
        if end.is_empty() { "/admin/accounts".into() } else { format!("/admin/accounts/{id}{end}") }
    });
    for path in paths {
        for (browser, status) in [(&operator.browser, 403), (&nobody, 401)] {
            let token = browser.csrf_token().await;
            let fields = [
                ("csrf_token", token.as_str()),
                ("role", "admin"),
                ("username", "Newcomer"),
                ("password", "another horse"),
            ];
            is_refusal_page(&browser.post(&path, &fields).await, status);
        }
        for method in [Method::PUT, Method::DELETE] {
            let request = operator.browser.request(method, &path);
            let answer = operator.browser.try_send(request, "text/html").await.unwrap();
            assert_eq!(answer.status, 405, "{path}");
        }
    }
    assert_eq!(rows(&app, users), before);
    assert!(rows(&app, "SELECT action AS text FROM audit_log").is_empty());
}
