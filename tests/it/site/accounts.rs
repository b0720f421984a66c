//! One's own account, and the accounts of the console.

use seckill::sale::ids::UserId;
use seckill::sale::shopper::Role;

use super::{is_careful, is_refusal_page, row, rows};
use crate::harness::app::PASSWORD;
use crate::harness::shopper::Browser;
use crate::harness::{Answer, App, Plan, Shopper};

const ANOTHER: &str = "another horse";

async fn site() -> App {
    App::start_with(Plan { no_worker: true, ..Plan::default() }).await
}

async fn of_role(app: &App, role: Role) -> Shopper {
    let (id, name) = app.account(role).await;
    Shopper::sign_in(app, id, &name).await
}

/// Sends a form of this browser's session.
async fn send(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Answer {
    let token = browser.csrf_token().await;
    let answer = browser.post(path, &[fields, &[("csrf_token", token.as_str())]].concat()).await;
    is_careful(&answer);
    answer
}

/// The whole audit, the oldest first: who, what, to whom, and from what to what.
fn audit(app: &App) -> Vec<String> {
    rows(
        app,
        "SELECT CONCAT_WS(' ', IFNULL(actor_id, '-'), actor, action, subject, detail, \
         IF(CHAR_LENGTH(request_id) = 26, 'asked', request_id)) AS text FROM audit_log ORDER BY id",
    )
}

/// Role, whether it is closed, and how often its sessions were ended.
fn state(app: &App, id: UserId) -> String {
    row(
        app,
        &format!(
            "SELECT CONCAT_WS(' ', role, IF(disabled_at IS NULL, 'live', 'closed'), epoch) AS text \
             FROM users WHERE id = {id}"
        ),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_is_changed_by_whoever_knows_the_present_one() {
    let app = site().await;
    let shopper = of_role(&app, Role::Shopper).await;
    let (long, short) = ("p".repeat(201), "horse");
    let at = |field: &str| format!("id=\"{field}-fault\"");
    for (current, new, again, field, told) in [
        ("", ANOTHER, ANOTHER, "current", "type your present password"),
        ("wrong horse", ANOTHER, ANOTHER, "current", "not your present password"),
        (PASSWORD, "", "", "new", "choose a password"),
        (PASSWORD, short, short, "new", "at least 8"),
        (PASSWORD, &long, &long, "new", "at most 200"),
        (PASSWORD, ANOTHER, "another house", "again", "not the same"),
        (PASSWORD, ANOTHER, "", "again", "not the same"),
    ] {
        let fields = [("current", current), ("new", new), ("again", again)];
        let page = send(&shopper.browser, "/account", &fields).await;
        assert_eq!(page.status, 422, "{told}");
        assert!(
            page.text.contains(&at(field)) && page.text.contains(told),
            "{told}: {}",
            page.text
        );
        assert_eq!(page.text.matches("-fault\" class").count(), 1, "{}", page.text);
        assert!(!page.text.contains("horse") && !page.text.contains("ppp"), "never shown again");
    }
    assert_eq!(state(&app, shopper.id), "shopper live 0");
    assert!(audit(&app).is_empty());

    let fields = [("current", PASSWORD), ("new", ANOTHER), ("again", ANOTHER)];
    let led = send(&shopper.browser, "/account", &fields).await;
    assert_eq!((led.status, led.location.as_deref()), (303, Some("/account?done=password")));
    assert_eq!(send(&shopper.browser, "/account/end-sessions", &[]).await.status, 303);
    assert_eq!(state(&app, shopper.id), "shopper live 2");
    let (id, name) = (shopper.id, &shopper.name);
    assert_eq!(
        audit(&app),
        ["password", "end_sessions"]
            .map(|what| format!("{id} {name} account.{what} user:{id} [] asked"))
    );
    let led = shopper.browser.get("/account").await;
    assert_eq!((led.status, led.location.as_deref()), (303, Some("/login?next=%2Faccount")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_change_by_an_admin_is_in_the_audit_with_from_and_to() {
    let app = site().await;
    let admin = of_role(&app, Role::Admin).await;
    let (id, _) = app.account(Role::Shopper).await;
    let change = async |what: &str, fields: &[(&str, &str)]| {
        let path = format!("/admin/accounts/{id}/{what}");
        let led = send(&admin.browser, &path, fields).await;
        assert_eq!(led.location, Some(format!("/admin/accounts/{id}?done={what}")), "{}", led.text);
        let page = admin.browser.get(&led.location.unwrap()).await;
        assert!(page.status == 200 && page.text.contains("notice-good"), "{}", page.text);
    };
    change("role", &[("role", "operator")]).await;
    change("role", &[("role", "operator")]).await;
    change("password", &[("password", ANOTHER)]).await;
    change("disable", &[]).await;
    change("disable", &[]).await;
    change("enable", &[]).await;
    change("end-sessions", &[]).await;
    assert_eq!(state(&app, id), "operator live 5");
    let (by, name) = (admin.id, &admin.name);
    let turned = |field: &str, from: &str, to: &str| {
        format!("[{{\"field\":\"{field}\",\"from\":\"{from}\",\"to\":\"{to}\"}}]")
    };
    assert_eq!(
        audit(&app),
        [
            ("role", turned("role", "shopper", "operator")),
            ("password", "[]".into()),
            ("disable", turned("state", "live", "disabled")),
            ("enable", turned("state", "disabled", "live")),
            ("end_sessions", "[]".into()),
        ]
        .map(|(what, detail)| format!("{by} {name} account.{what} user:{id} {detail} asked"))
    );
    let written = "SELECT COUNT(*) AS n FROM session_endings";
    let written = row(&app, &written.replace("COUNT(*) AS n", "CAST(COUNT(*) AS CHAR) AS text"));
    assert_eq!(written, "5");
    let secrets = "SELECT CAST(COUNT(*) AS CHAR) AS text FROM audit_log \
                   WHERE detail LIKE '%horse%' OR detail LIKE '%argon2%'";
    assert_eq!(row(&app, secrets), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_locks_themselves_out_and_the_last_admin_stays() {
    let app = site().await;
    let (admin, second) = (of_role(&app, Role::Admin).await, of_role(&app, Role::Admin).await);
    let own = format!("/admin/accounts/{}", admin.id);
    let page = admin.browser.get(&own).await;
    assert!(page.text.contains("your own account"), "{}", page.text);
    for what in ["role", "password", "disable"] {
        assert!(!page.text.contains(&format!("action=\"{own}/{what}\"")), "{what} is not offered");
        let fields = [("role", "shopper"), ("password", ANOTHER)];
        let refused = send(&admin.browser, &format!("{own}/{what}"), &fields).await;
        assert_eq!(refused.status, 422, "{what}");
        assert!(refused.text.contains("Ask another admin"), "{what}: {}", refused.text);
    }
    assert_eq!(state(&app, admin.id), "admin live 0");

    // Another admin may; the last one who can sign in may not be taken by anybody.
    let path = format!("/admin/accounts/{}/disable", admin.id);
    assert_eq!(send(&second.browser, &path, &[]).await.status, 303);
    assert_eq!(state(&app, admin.id), "admin closed 1");
    for statement in ["role = 'operator'", "disabled_at = NOW(3)"] {
        // The rule does not ask whether the actor is still one.
        super::execute(&app, &format!("UPDATE users SET {statement} WHERE id = {}", second.id));
        let (last, _) = app.account(Role::Admin).await;
        let last_page = format!("/admin/accounts/{last}");
        for (what, fields) in [("role", [("role", "operator")]), ("disable", [("x", "y")])] {
            let refused = send(&second.browser, &format!("{last_page}/{what}"), &fields).await;
            assert_eq!(refused.status, 422, "{what}");
            assert!(refused.text.contains("the last admin"), "{what}: {}", refused.text);
        }
        assert_eq!(state(&app, last), "admin live 0");
        super::execute(&app, &format!("DELETE FROM users WHERE id = {last}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_an_admin_makes_can_sign_in() {
    let app = site().await;
    let admin = of_role(&app, Role::Admin).await;
    let add = async |name: &str, role: &str, password: &str| {
        let fields = [("username", name), ("role", role), ("password", password)];
        send(&admin.browser, "/admin/accounts", &fields).await
    };
    for (name, role, password, field) in [
        ("x", "operator", ANOTHER, "username"),
        (&admin.name, "operator", ANOTHER, "username"),
        ("a\u{202E}b", "operator", ANOTHER, "username"),
        ("王芳", "operator", "short", "password"),
        ("王芳", "king", ANOTHER, "role"),
        ("王芳", "", ANOTHER, "role"),
    ] {
        let page = add(name, role, password).await;
        assert_eq!(page.status, 422, "{name:?} {role} {field}");
        assert!(page.text.contains(&format!("id=\"{field}-fault\"")), "{field}: {}", page.text);
        assert!(!page.text.contains(password), "{}", page.text);
    }
    let led = add("王芳 <b>", "operator", ANOTHER).await;
    let id = row(&app, "SELECT CAST(MAX(id) AS CHAR) AS text FROM users");
    assert_eq!(led.location, Some(format!("/admin/accounts/{id}?done=add")), "{}", led.text);
    let (by, name) = (admin.id, &admin.name);
    assert_eq!(
        audit(&app),
        [format!(
            "{by} {name} account.add user:{id} [{{\"field\":\"name\",\"from\":null,\"to\":\"王芳 <b>\"}},\
             {{\"field\":\"role\",\"from\":null,\"to\":\"operator\"}}] asked"
        )]
    );
    for path in ["/admin/accounts".to_owned(), format!("/admin/accounts/{id}")] {
        let page = admin.browser.get(&path).await;
        assert!(page.text.contains("<bdi>王芳 &#60;b&#62;</bdi>"), "{}", page.text);
    }
    let browser = Browser::new(&app);
    let fields = [("username", "王芳 <b>"), ("password", ANOTHER)];
    assert_eq!(send(&browser, "/login", &fields).await.status, 303);
}

/// The names on a page of the list, in their order, and the way to the next one.
fn listed(page: &Answer) -> (Vec<String>, Option<String>) {
    assert_eq!(page.status, 200, "{}", page.text);
    let (_, table) = page.text.split_once("<tbody>").unwrap_or_default();
    let (table, after) = table.split_once("</tbody>").unwrap_or_default();
    let names = table.split("<bdi>").skip(1).map(|rest| rest.split_once('<').unwrap().0);
    let next = after.split("href=\"").find(|link| link.contains("rel=\"next\""));
    let next = next.map(|link| link.split_once('"').unwrap().0.replace("&#38;", "&"));
    (names.map(ToOwned::to_owned).collect(), next)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_are_found_by_how_their_name_begins_page_by_page() {
    let app = site().await;
    let admin = of_role(&app, Role::Admin).await;
    let mut names: Vec<_> = (100..230).map(|n| format!("Ann {n}")).collect();
    names.extend(["50% off", "50 cents", "a_b", "aXb", "Ärger", "😀😀"].map(ToOwned::to_owned));
    let values = names.iter().enumerate().map(|(at, name)| {
        let role = if at % 2 == 0 { "shopper" } else { "operator" };
        format!("('{name}', '{}', 'x', '{role}')", name.to_lowercase())
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let insert = "INSERT INTO users (username, username_key, password_hash, role) VALUES";
    super::execute(&app, &format!("{insert} {values}"));

    let search =
        async |query: &str| listed(&admin.browser.get(&format!("/admin/accounts?{query}")).await);
    for (query, found) in [
        ("q=50%25", &["50% off"][..]),
        ("q=A_", &["a_b"]),
        ("q=%C3%84R", &["Ärger"]),
        ("q=%F0%9F%98%80", &["😀😀"]),
        ("q=+ann+101+", &["Ann 101"]),
        ("q=%5C", &[]),
        ("q=nobody", &[]),
        ("role=admin", &[admin.name.as_str()]),
        ("role=operator&q=50", &["50 cents"]),
    ] {
        assert_eq!(search(query).await, (found.iter().map(ToString::to_string).collect(), None));
    }

    // Page by page, each account once, in the order of the names.
    for (query, expected) in [("q=ann", 130), ("q=ann&role=shopper", 65)] {
        let (mut seen, mut next) = search(query).await;
        assert_eq!(seen.len(), 50);
        while let Some(link) = next {
            let page = listed(&admin.browser.get(&link).await);
            seen.extend(page.0);
            next = page.1;
        }
        assert_eq!(seen.len(), expected, "{query}");
        assert!(seen.is_sorted(), "{seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_of_the_console_without_this_sessions_token_changes_nothing() {
    let app = site().await;
    let (admin, stranger) = (of_role(&app, Role::Admin).await, of_role(&app, Role::Admin).await);
    let (id, _) = app.account(Role::Shopper).await;
    let of_stranger = stranger.browser.csrf_token().await;
    for end in ["", "/role", "/password", "/disable", "/enable", "/end-sessions"] {
        let path = if end.is_empty() {
            "/admin/accounts".into()
        } else {
            format!("/admin/accounts/{id}{end}")
        };
        for token in [None, Some(""), Some(of_stranger.as_str())] {
            let mut fields =
                vec![("role", "admin"), ("username", "Newcomer"), ("password", ANOTHER)];
            fields.extend(token.map(|token| ("csrf_token", token)));
            is_refusal_page(&admin.browser.post(&path, &fields).await, 403);
        }
    }
    assert_eq!(state(&app, id), "shopper live 0");
    assert_eq!(row(&app, "SELECT CAST(COUNT(*) AS CHAR) AS text FROM users"), "3");
    assert!(audit(&app).is_empty());
}
