//! The dashboard of a running sale, its history, and what is left of it afterwards.

use std::sync::Arc;
use std::time::{Duration, Instant};

use seckill::back_office::live::Dashboards;
use seckill::ledger::settlements;
use seckill::sale::actor::Actor;
use seckill::sale::ids::ActivityId;
use seckill::sale::shopper::Role;
use tokio_util::sync::CancellationToken;

use super::{gate, header, is_careful};
use crate::harness::{App, Process, SOON, Sale, Shopper, eventually};

async fn admin(app: &App) -> Shopper {
    let (id, name) = app.account(Role::Admin).await;
    Shopper::sign_in(app, id, &name).await
}

fn page_of(sale: ActivityId) -> String {
    format!("/admin/activities/{sale}/dashboard")
}

fn stream_of(sale: ActivityId) -> String {
    format!("/admin/activities/{sale}/live")
}

/// The next events of a stream, as they came. `None`: it has ended.
async fn events(stream: &mut reqwest::Response) -> Option<String> {
    let piece = tokio::time::timeout(SOON, stream.chunk()).await.expect("an event or the end");
    piece.ok().flatten().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
}

async fn submits(shopper: &Shopper, sale: ActivityId, form: &crate::harness::Answer) -> String {
    let form = form.json();
    let text = |name: &str| form[name].as_str().unwrap().to_owned();
    shopper.submit(sale, &text("csrf_token"), &text("ticket"), "").await.outcome()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sale_over_two_nodes_is_counted_sampled_and_settled() {
    let app = App::start().await;
    let second = Process::start(&app, "web").await;
    let sale = app.sale(Sale::of(3)).await;
    let mut shoppers = app.shoppers(5).await;
    for shopper in shoppers.iter_mut().skip(2) {
        shopper.browser.goes_to(second.url.clone());
    }
    eventually("the second node knows the sale", SOON, || async {
        let page = shoppers[4].browser.get(&format!("/activities/{sale}")).await;
        (page.status == 200).then_some(())
    })
    .await;
    // All have a ticket before the first unit goes.
    let mut forms = Vec::new();
    for shopper in &shoppers {
        forms.push(shopper.ticket(sale).await);
    }
    let mut outcomes = Vec::new();
    for (shopper, form) in shoppers.iter().zip(&forms) {
        outcomes.push(submits(shopper, sale, form).await);
    }
    assert_eq!(outcomes, ["admitted", "admitted", "admitted", "sold_out", "sold_out"]);
    // Once more, and one who comes too late even for a ticket.
    assert_eq!(shoppers[0].buy(sale).await.outcome(), "already_held");
    assert_eq!(shoppers[4].buy(sale).await.outcome(), "sold_out");

    let figures = eventually("both nodes have told", SOON, || async {
        let figures = app.office.figures(sale).await.unwrap();
        let told = figures.demand.as_ref().is_some_and(|demand| demand.outcomes.total() == 7);
        (told && figures.orders().pending_payment == 3).then_some(figures)
    })
    .await;
    let demand = figures.demand.clone().unwrap();
    assert_eq!(demand.participants, 5);
    assert_eq!(demand.outcomes.of("admitted"), 3);
    assert_eq!(demand.outcomes.of("sold_out"), 3);
    assert_eq!(demand.outcomes.of("already_held"), 1);

    let page = admin(&app).await.browser.get(&page_of(sale)).await;
    assert_eq!(page.status, 200, "{}", page.text);
    is_careful(&page);
    for text in ["Kettles at noon", "Gate and ledger agree", "60.0 %", "Sold out", "<svg"] {
        assert!(page.text.contains(text), "{text} is missing: {}", page.text);
    }
    // One is cancelled, the others are paid; then it is over.
    let orders = orders_of(&shoppers[..3], sale).await;
    shoppers[0].cancel(&orders[0]).await;
    shoppers[1].pay(&orders[1]).await;
    shoppers[2].pay(&orders[2]).await;
    eventually("the last sample has seen it all", SOON, || async {
        let history = app.office.history(sale, None).await.unwrap();
        let last = history.last()?;
        let seen = last.outcomes.as_ref().is_some_and(|outcomes| outcomes.total() == 10);
        (seen && last.paid == 2 && last.cancelled == 1).then_some(())
    })
    .await;
    // The gate loses everything, and nobody asks any more; then it is over.
    gate::<()>(&app, &mut redis::cmd("FLUSHDB")).await;
    app.balanced("the gate is filled again", sale, |b| b.gate_stock == Some(1)).await;
    assert_eq!(app.gate.demand(sale).await.unwrap(), None);
    app.office.end(sale, None, &Actor::command()).await.unwrap();
    let settlement = eventually("the sale is settled", SOON, || async {
        settlements::get(&app.ledger, sale).await.unwrap()
    })
    .await;
    assert_eq!(
        (settlement.total_stock, settlement.remain_stock, settlement.participants),
        (3, 1, 5)
    );
    assert_eq!((settlement.paid, settlement.cancelled, settlement.rejected), (2, 1, 0));
    let outcomes = settlement.outcomes.clone().unwrap();
    assert_eq!((outcomes.of("admitted"), outcomes.of("sold_out")), (3, 3));
    // Each of the three looked at their order by the form once more.
    assert_eq!((outcomes.of("already_held"), outcomes.total()), (4, 10));
    let history = app.office.history(sale, None).await.unwrap();
    assert!(history.windows(2).all(|pair| pair[0].at_ms < pair[1].at_ms));
    assert!(history.len() > 1 && history[0].placed() <= 3, "{history:?}");
    let last = history.last().unwrap();
    assert_eq!((last.at_ms, last.paid), (settlement.settled_at_ms, 2));

    let page = admin(&app).await.browser.get(&page_of(sale)).await;
    for text in ["Settlement", "40.0 %", "Sold out", "<svg"] {
        assert!(page.text.contains(text), "{text} is missing: {}", page.text);
    }
    assert!(!page.text.contains("live.js"), "nothing changes any more");
}

/// The shoppers' orders.
async fn orders_of(shoppers: &[Shopper], sale: ActivityId) -> Vec<String> {
    let mut orders = Vec::new();
    for shopper in shoppers {
        let order = shopper.buy(sale).await.order_no();
        shopper.order_becomes(&order, "pending_payment").await;
        orders.push(order);
    }
    orders
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_watches_sees_it_happen_and_does_not_hold_up_the_end() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(7)).await;
    let (admin, shopper) = (admin(&app).await, app.shopper().await);
    let mut stream = admin.browser.open(&stream_of(sale)).await;
    assert_eq!(stream.status(), 200);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
    ] {
        assert_eq!(stream.headers()[name], value);
    }
    assert!(stream.headers().get("content-encoding").is_none());
    let first = events(&mut stream).await.expect("the first event");
    assert!(first.starts_with("retry: "), "{first}");
    assert!(first.contains("event: figures\ndata: ") && first.contains("event: pictures\n"));
    assert!(first.ends_with("\n\n"), "{first}");
    // No half lines, and no page around the part.
    assert!(!first.contains("<html") && !first.contains('\r'));

    shopper.must_buy(sale).await;
    let begun = Instant::now();
    loop {
        let event = events(&mut stream).await.expect("the stream goes on");
        if event.contains("<dd>6</dd>") && event.contains("Admitted") {
            break;
        }
        assert!(begun.elapsed() < SOON, "{event}");
    }
    let ending = Instant::now();
    app.stop_web().await;
    // The configured bound is five seconds; the watcher has nothing to do with it.
    assert!(ending.elapsed() < Duration::from_secs(4), "{:?}", ending.elapsed());
    while events(&mut stream).await.is_some() {}
    app.start_web().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_no_admin_any_more_sees_no_more() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(7)).await;
    let (first, second) = (admin(&app).await, admin(&app).await);
    let mut kept = first.browser.open(&stream_of(sale)).await;
    let mut demoted = second.browser.open(&stream_of(sale)).await;
    for stream in [&mut kept, &mut demoted] {
        assert!(events(stream).await.is_some());
    }
    let token = first.browser.csrf_token().await;
    let path = format!("/admin/accounts/{}/role", second.id);
    let fields = [("role", "operator"), ("csrf_token", token.as_str())];
    assert_eq!(first.browser.post(&path, &fields).await.status, 303);
    let begun = Instant::now();
    while events(&mut demoted).await.is_some() {
        assert!(begun.elapsed() < SOON, "the stream goes on");
    }
    assert!(events(&mut kept).await.is_some(), "another's is none of its business");
    assert_eq!(first.browser.post("/logout", &[("csrf_token", &token)]).await.status, 303);
    let begun = Instant::now();
    while events(&mut kept).await.is_some() {
        assert!(begun.elapsed() < SOON, "the stream goes on");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_many_watch_the_figures_are_taken_once() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(7)).await;
    let stop = CancellationToken::new();
    let dashboards = Dashboards::new(app.office.clone(), stop.clone());
    let watch = || dashboards.watch(sale);
    let mut watching = Vec::new();
    for joined in futures_util::future::join_all((0..20).map(|_| watch())).await {
        watching.push(joined.unwrap());
    }
    for _ in 0..2 {
        let seen: Vec<_> =
            watching.iter_mut().map(|w| Arc::clone(&w.borrow_and_update())).collect();
        assert!(seen.iter().all(|live| Arc::ptr_eq(live, &seen[0])), "each looks at the same");
        for watcher in &mut watching {
            tokio::time::timeout(SOON, watcher.changed()).await.unwrap().unwrap();
        }
    }
    // When all have gone and somebody comes again, it begins anew.
    watching.clear();
    let before = Arc::downgrade(&dashboards.watch(sale).await.unwrap().borrow().clone());
    eventually("nobody watches any more", SOON, || async {
        before.upgrade().is_none().then_some(())
    })
    .await;
    let mut again = dashboards.watch(sale).await.unwrap();
    stop.cancel();
    while tokio::time::timeout(SOON, again.changed()).await.expect("it ends").is_ok() {}
    assert!(dashboards.watch(sale).await.is_err(), "the node stops");
    let nowhere = Dashboards::new(app.office.clone(), CancellationToken::new());
    assert!(nowhere.watch(ActivityId(999)).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_are_for_admins() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(7)).await;
    let (operator, name) = app.account(Role::Operator).await;
    let operator = Shopper::sign_in(&app, operator, &name).await;
    let (shopper, admin) = (app.shopper().await, admin(&app).await);
    let nobody = crate::harness::shopper::Browser::new(&app);
    let addresses = [
        page_of(sale),
        stream_of(sale),
        format!("/admin/activities/{sale}/orders.csv"),
        "/admin/audit".to_owned(),
    ];
    for address in &addresses {
        for other in [&shopper, &operator] {
            let answer = other.browser.get(address).await;
            super::is_refusal_page(&answer, 403);
        }
        let answer = nobody.get(address).await;
        assert_eq!(answer.status, 303);
        assert!(answer.location.unwrap().starts_with("/login?next="));
        let posted = admin.browser.post(address, &[]).await;
        assert_eq!(posted.status, 405, "{address}: {}", posted.text);
        assert!(header(&posted, "allow").starts_with("GET"));
    }
    for unknown in ["999", "0", "x", "-1", "9223372036854775808"] {
        for rest in ["dashboard", "live", "orders.csv"] {
            let answer = admin.browser.get(&format!("/admin/activities/{unknown}/{rest}")).await;
            assert_eq!(answer.status, 404, "{unknown}/{rest}: {}", answer.text);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_gate_the_ledger_is_shown_all_the_same() {
    let app = App::start().await;
    let draft = app.draft(Sale::of(7)).await;
    let admin = admin(&app).await;
    let page = admin.browser.get(&page_of(draft)).await;
    assert_eq!(page.status, 200);
    for text in ["Draft", "The gate does not hold this sale now", "Nobody has asked to buy yet"] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    assert!(app.office.history(draft, None).await.unwrap().is_empty(), "drafts have no history");
}
