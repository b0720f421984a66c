//! The audit's page: who changed what.

use seckill::sale::actor::Actor;
use seckill::sale::shopper::Role;

use super::{execute, is_careful};
use crate::harness::{App, Sale, Shopper};

const HOSTILE: &str = "<script>alert(1)</script>\"'🎁";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_changed_is_told_in_words_and_found_again() {
    let app = App::start().await;
    let (id, name) = app.account(Role::Admin).await;
    let admin = Shopper::sign_in(&app, id, &name).await;
    let sale = app.sale(Sale { title: HOSTILE.into(), ..Sale::of(10) }).await;
    let ann = Actor::account(id, name.clone(), "request-7".into());
    app.office.adjust(sale, 5, "more", &ann).await.unwrap();
    app.office.pause(sale, None, &ann).await.unwrap();
    app.office.resume(sale, None, &ann).await.unwrap();
    // An account may be called anything, also like what has none.
    let detail = r#"[{"field":"price_cents","from":"1999","to":"2999"},{"field":"starts_at","from":null,"to":"2026-11-29T12:00:00.000Z"},{"field":"odd <i>field","from":"<b>a</b>","to":null}]"#;
    execute(
        &app,
        &format!(
            "INSERT INTO audit_log (actor_id, actor, action, subject, detail, request_id, at) VALUES \
             ({id}, 'clock', 'made.up', '<u>thing</u>', '{detail}', '', '2001-02-03 04:05:06.789'), \
             ({id}, 'clock', 'made.up', 'product:7', 'no JSON at all', '', '2001-02-04 00:00:00.000'), \
             ({id}, 'someone', 'account.disable', 'user:{id}', '[]', '', '2001-02-01 00:00:00.000'), \
             ({id}, 'someone', 'account.disable', 'user:99999', '[]', '', '2001-02-01 00:00:00.000')"
        ),
    );

    let page = admin.browser.get("/admin/audit").await;
    assert_eq!(page.status, 200, "{}", page.text);
    is_careful(&page);
    let text = &page.text;
    for said in [
        "changed the stock of activity",
        "paused activity",
        "resumed activity",
        "published activity",
        "created activity",
        "<bdi>10</bdi> <span aria-hidden=\"true\">→</span>",
        "<bdi>15</bdi>",
        "request-7",
        "¥19.99",
        "¥29.99",
        "2026-11-29T12:00:00.000Z",
        "made.up",
        "&#60;u&#62;thing",
        "odd &#60;i&#62;field",
        "The command line",
        "data-action=\"activity.pause\"",
        "04:05:06",
        &format!("<bdi>user:{id}</bdi></a> <bdi>{name}</bdi>"),
    ] {
        assert!(text.contains(said), "{said} is missing: {text}");
    }
    let (_, list) = text.split_once("class=\"audit\"").unwrap();
    let newer = list.find("resumed activity").unwrap();
    assert!(newer < list.find("paused activity").unwrap(), "the newest comes first");
    for unescaped in ["<script>alert", "<u>thing", "<b>a</b>", "<i>field"] {
        assert!(!text.contains(unescaped), "{unescaped}");
    }
    assert!(text.contains(&format!("href=\"/admin/activities/{sale}\"")));
    assert!(!list.contains("The clock"), "an account that is called like it is not the clock");

    let rows = async |query: &str| {
        let page = admin.browser.get(&format!("/admin/audit?{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        page.text.matches("class=\"audit-row\"").count()
    };
    assert_eq!(rows(&format!("actor={name}")).await, 3);
    assert_eq!(rows(&format!("actor={name}&action=activity.pause")).await, 1);
    assert_eq!(rows("actor=clock").await, 2);
    assert_eq!(rows("action=made.up&subject=product:7").await, 1);
    assert_eq!(rows("from=2001-02-03&to=2001-02-03").await, 1);
    assert_eq!(rows("from=2001-02-03&to=2001-02-04").await, 2);
    assert_eq!(rows("to=2001-01-31").await, 0);
    assert_eq!(rows("actor=%27%20OR%201%3D1").await, 0);
    assert_eq!(rows(&format!("subject=activity:{sale}")).await, 5);

    let wrong = admin.browser.get("/admin/audit?from=soon&to=2026-02-30").await;
    assert_eq!(wrong.status, 422);
    assert_eq!(wrong.text.matches("Please write a day like").count(), 2);
    for bad in ["before=x", "before=0", "actor=a&actor=b", "actor=%ff"] {
        assert_eq!(admin.browser.get(&format!("/admin/audit?{bad}")).await.status, 400, "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_follow_one_another_without_a_gap() {
    let app = App::start().await;
    let (id, name) = app.account(Role::Admin).await;
    let admin = Shopper::sign_in(&app, id, &name).await;
    let rows: Vec<String> = (0..120)
        .map(|n| format!("(NULL, 'clock', 'activity.end', 'activity:{}', '[]', '')", n + 1000))
        .collect();
    execute(
        &app,
        &format!(
            "INSERT INTO audit_log (actor_id, actor, action, subject, detail, request_id) VALUES {}",
            rows.join(", ")
        ),
    );
    let mut address = "/admin/audit?action=activity.end".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = admin.browser.get(&address).await;
        assert_eq!(page.status, 200);
        let subjects = page.text.split("<bdi>activity:").skip(1);
        seen.extend(subjects.map(|rest| rest.split('<').next().unwrap().parse::<i64>().unwrap()));
        let Some((before, _)) = page.text.split_once("\" rel=\"next\"") else { break };
        address =
            before.rsplit_once("href=\"").unwrap().1.replace("&#38;", "&").replace("&amp;", "&");
    }
    let expected: Vec<i64> = (0..120).rev().map(|n| n + 1000).collect();
    assert_eq!(seen, expected);
}
