//! Who may do what, and how: admins, by POST, with the session's token.

use seckill::sale::ids::ActivityId;
use seckill::sale::shopper::Role;

use super::{App, Form, address, admin, books, product, rows, signed_in};
use crate::harness::Sale;
use crate::harness::shopper::Browser;

/// Every POST of these pages, with a form that would do.
fn posts(draft: ActivityId, sale: ActivityId, form: &Form) -> Vec<(String, Vec<(&str, String)>)> {
    let version = || vec![("version", "1".to_owned()), ("knowing", "over".to_owned())];
    let adjust = vec![
        ("change_id", "0".repeat(32)),
        ("change", "add".to_owned()),
        ("units", "5".to_owned()),
    ];
    let edit = form.clone().with("version", "1").0;
    let mut posts = vec![
        ("/admin/activities/new".to_owned(), form.0.clone()),
        (format!("{}/edit", address(draft)), edit),
        (format!("{}/schedule", address(draft)), version()),
        (format!("{}/clone", address(sale)), Vec::new()),
        (format!("{}/adjust", address(sale)), adjust),
    ];
    posts.extend(
        ["pause", "resume", "end", "cancel"]
            .map(|step| (format!("{}/{step}", address(sale)), version())),
    );
    posts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_but_an_admin_sees_or_does_anything_here() {
    let app = App::start().await;
    let form = Form::new(&product(&app, "Kettle").await);
    let (draft, sale) = (app.draft(Sale::of(5)).await, app.sale(Sale::of(5)).await);
    let before = (
        books(&app).await.into_iter().filter(|l| !l.starts_with("user")).collect::<Vec<_>>(),
        audit(&app),
    );
    let posts = posts(draft, sale, &form);
    let mut pages =
        vec!["/admin".to_owned(), "/admin/activities".into(), "/admin/activities/new".into()];
    for id in [draft, sale] {
        pages.extend(["", "/edit", "/preview"].map(|page| format!("{}{page}", address(id))));
    }
    for role in [Role::Shopper, Role::Operator] {
        let other = signed_in(&app, role).await;
        for page in &pages {
            assert_eq!(other.browser.get(page).await.status, 403, "{role:?} {page}");
        }
        let token = other.browser.csrf_token().await;
        for (path, fields) in &posts {
            let mut fields: Vec<_> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
            fields.push(("csrf_token", &token));
            assert_eq!(other.browser.post(path, &fields).await.status, 403, "{role:?} {path}");
        }
    }
    let nobody = Browser::new(&app);
    let token = nobody.csrf_token().await;
    for page in &pages {
        let answer = nobody.get(page).await;
        assert_eq!(answer.status, 303, "{page}");
        assert!(answer.location.is_some_and(|to| to.starts_with("/login")), "{page}");
    }
    for (path, fields) in &posts {
        let mut fields: Vec<_> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
        fields.push(("csrf_token", &token));
        assert_eq!(nobody.post(path, &fields).await.status, 401, "{path}");
    }
    // An admin without the session's token is nobody either, and looking changes nothing.
    let admin = admin(&app).await;
    for (path, fields) in &posts {
        for wrong in [None, Some(""), Some(token.as_str())] {
            let mut fields: Vec<_> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
            fields.extend(wrong.map(|token| ("csrf_token", token)));
            assert_eq!(admin.browser.post(path, &fields).await.status, 403, "{path} {wrong:?}");
        }
        let looked = admin.browser.get(path).await;
        assert!([200, 405].contains(&looked.status), "{path}: {}", looked.status);
    }
    for page in &pages {
        assert!([200, 303].contains(&admin.browser.get(page).await.status), "{page}");
    }
    let after = (
        books(&app).await.into_iter().filter(|l| !l.starts_with("user")).collect::<Vec<_>>(),
        audit(&app),
    );
    assert_eq!(after, before);
}

fn audit(app: &App) -> Vec<String> {
    rows(app, "SELECT CONCAT_WS(' ', id, action, subject) AS text FROM audit_log ORDER BY id")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_activity_that_there_is_none_of_has_no_page() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let token = admin.browser.csrf_token().await;
    for id in ["999", "0", "-1", "x", "1e3", "99999999999999999999"] {
        for page in ["", "/edit", "/preview"] {
            let path = format!("/admin/activities/{id}{page}");
            assert_eq!(admin.browser.get(&path).await.status, 404, "{path}");
        }
        for step in ["schedule", "pause", "resume", "end", "cancel", "clone"] {
            let path = format!("/admin/activities/{id}/{step}");
            let fields = [("csrf_token", token.as_str()), ("version", "1")];
            assert_eq!(admin.browser.post(&path, &fields).await.status, 404, "{path}");
        }
    }
    assert_eq!(
        admin.browser.post("/admin/activities/1/launch", &[("csrf_token", &token)]).await.status,
        404
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_is_for_admins_eyes_alone() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let shopper = app.shopper().await;
    let draft = app.draft(Sale { title: "Top secret".into(), ..Sale::of(5) }).await;
    let published = app.sale(Sale::of(5)).await;
    let preview = admin.browser.get(&format!("{}/preview", address(draft))).await;
    assert_eq!(preview.status, 200);
    for word in ["Top secret", "Preview.", "Buy now", "inert", "disabled"] {
        assert!(preview.text.contains(word), "{word}: {}", preview.text);
    }
    // The page that shoppers have asks the server again and again; this one shows what it shows.
    assert!(!preview.text.contains("sale.js") && !preview.text.contains("Called off"));
    let of_published = admin.browser.get(&format!("{}/preview", address(published))).await;
    assert!(of_published.text.contains("All still there"), "{}", of_published.text);

    for browser in [&shopper.browser, &admin.browser, &Browser::new(&app)] {
        assert!(!browser.get("/").await.text.contains("Top secret"));
        for path in [format!("/activities/{draft}"), format!("/activities/{draft}/purchase")] {
            let page = browser.get(&path).await;
            assert!(
                [404, 303].contains(&page.status) && !page.text.contains("Top secret"),
                "{path}"
            );
        }
    }
    assert_eq!(shopper.browser.get(&format!("{}/preview", address(draft))).await.status, 403);
    assert!(!shopper.browser.get(&format!("/activities/{published}")).await.text.contains("inert"));
}
