//! The list: where each activity stands, and finding one.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use seckill::sale::actor::Actor;

use super::{App, admin};
use crate::harness::{SOON, Sale, eventually};

fn named(title: &str, product: &str) -> Sale {
    Sale { title: title.into(), product: product.into(), ..Sale::of(5) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_activity_is_found_by_where_it_stands_and_by_its_name() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let by = Actor::command();
    let draft = app.draft(named("Alpha", "Kettle")).await;
    let later = named("Beta", "Kettle").opening_in(Duration::from_mins(30));
    let upcoming = app.sale(later).await;
    let open = app.sale(named("Gamma 100%", "Pfanne_1")).await;
    let paused = app.sale(named("Delta 🎁", "Kettle")).await;
    app.office.pause(paused, None, &by).await.unwrap();
    let now = Utc::now();
    let paid_late = Sale { pay_within_s: 3600, ..named("Epsilon", "Kettle") };
    let ended = app.sale(paid_late).await;
    app.shopper().await.must_buy(ended).await;
    app.balanced("the order is recorded", ended, |b| b.orders.pending_payment == 1).await;
    app.office.end(ended, None, &by).await.unwrap();
    let cancelled = app.sale(named("Zeta", "Kettle").opening_in(Duration::from_mins(30))).await;
    app.office.withdraw(cancelled, None, &by).await.unwrap();
    let gone = Sale {
        starts_at: now - TimeDelta::hours(2),
        ends_at: now - TimeDelta::hours(1),
        ..named("Straße", "Kettle")
    };
    let settled = app.draft(gone).await;
    app.office.schedule(settled, None, &by).await.unwrap();
    eventually("it is settled", SOON, || async {
        let page = admin.browser.get("/admin/activities?state=settled").await;
        page.text.contains("Straße").then_some(())
    })
    .await;

    let links = |text: &str, ids: &[seckill::sale::ids::ActivityId]| {
        let all = [draft, upcoming, open, paused, ended, cancelled, settled];
        for id in all {
            let link = format!("<a href=\"/admin/activities/{id}\">");
            assert_eq!(text.contains(&link), ids.contains(&id), "{id}: {text}");
        }
    };
    for (query, found) in [
        ("", vec![draft, upcoming, open, paused, ended, cancelled, settled]),
        ("state=draft", vec![draft]),
        ("state=upcoming", vec![upcoming]),
        ("state=open", vec![open]),
        ("state=paused", vec![paused]),
        ("state=ended", vec![ended]),
        ("state=settled", vec![settled]),
        ("state=cancelled", vec![cancelled]),
        ("state=nonsense", vec![draft, upcoming, open, paused, ended, cancelled, settled]),
        ("q=gAMMA", vec![open]),
        ("q=100%25", vec![open]),
        ("q=%25", vec![open]),
        ("q=_", vec![open]),
        ("q=pfanne", vec![open]),
        ("q=strasse", vec![settled]),
        ("q=%F0%9F%8E%81", vec![paused]),
        ("q='+OR+1=1+--", vec![]),
        ("q=kettle&state=paused", vec![paused]),
        ("before=1", vec![]),
        ("before=nonsense&q=Beta", vec![upcoming]),
    ] {
        let page = admin.browser.get(&format!("/admin/activities?{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        links(&page.text, &found);
    }
    let page = admin.browser.get("/admin/activities").await;
    for stage in ["draft", "upcoming", "open", "paused", "ended", "settled", "cancelled"] {
        assert!(page.text.contains(&format!("chip chip-{stage}\"")), "{stage}");
    }
    assert!(page.text.contains("4 / 5"), "what is left of what: {}", page.text);
    assert!(page.text.contains("it is still a draft"), "a draft whose start has passed");
    assert!(page.text.contains("data-asks-zone"), "the browser is asked for its zone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_list_is_read_page_by_page_to_its_end() {
    let app = App::start().await;
    let admin = admin(&app).await;
    for n in 0..65 {
        app.draft(named(&format!("Sale {n:02}."), "Kettle")).await;
    }
    let mut seen = Vec::new();
    let mut address = "/admin/activities?state=draft&q=sale".to_owned();
    loop {
        let page = admin.browser.get(&address).await;
        seen.extend((0..65).rev().filter(|n| page.text.contains(&format!("Sale {n:02}."))));
        let Some((_, more)) = page.text.split_once("button-plain\" href=\"/admin/activities?")
        else {
            break;
        };
        let query = more.split('"').next().unwrap().replace("&#38;", "&");
        address = format!("/admin/activities?{query}");
        assert!(query.contains("state=draft") && query.contains("q=sale"), "{query}");
    }
    assert_eq!(seen, (0..65).rev().collect::<Vec<_>>());
}
