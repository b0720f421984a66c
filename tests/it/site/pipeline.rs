//! The operators' pipeline: what each station tells, what is red and why, and who may look.

use std::sync::Arc;
use std::time::Instant;

use seckill::back_office::ops::pipeline::Pipelines;
use seckill::sale::pipeline::Bounds;
use seckill::sale::shopper::Role;
use seckill::stack::{Home, Kind, Server, Speed};
use tokio_util::sync::CancellationToken;

use super::{execute, header, is_careful, is_refusal_page};
use crate::harness::shopper::{Browser, redis_of};
use crate::harness::{App, Plan, Process, SOON, Sale, Shopper, Side, eventually};

const PAGE: &str = "/ops/pipeline";
const STREAM: &str = "/ops/pipeline/live";

async fn of_role(app: &App, role: Role) -> Shopper {
    let (id, name) = app.account(role).await;
    Shopper::sign_in(app, id, &name).await
}

/// The page once it is as `is` says.
async fn shows(operator: &Shopper, what: &str, is: impl Fn(&str) -> bool) -> String {
    eventually(what, SOON, || async {
        let page = operator.browser.get(PAGE).await;
        assert_eq!(page.status, 200, "{}", page.text);
        is(&page.text).then_some(page.text)
    })
    .await
}

fn alarms(page: &str, word: &str) -> bool {
    page.contains(&format!("data-alarm=\"{word}\""))
}

/// The value of a figure.
fn figure<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let rest = page.split_once(&format!("<dt>{name}</dt><dd>"))?.1;
    rest.split('<').next()
}

/// The next events of a stream. `None`: it has ended.
async fn events(stream: &mut reqwest::Response) -> Option<String> {
    let piece = tokio::time::timeout(SOON, stream.chunk()).await.expect("an event or the end");
    piece.ok().flatten().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_worker_elsewhere_does_is_seen_while_it_happens() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let operator = of_role(&app, Role::Operator).await;
    let page = shows(&operator, "nobody works", |page| alarms(page, "no-worker")).await;
    assert!(page.contains("Start one: “seckill worker”"), "{page}");

    let mut worker = Process::start(&app, "worker").await;
    shows(&operator, "the worker is heard", |page| {
        figure(page, "Workers") == Some("1")
            && figure(page, "Consumers") == Some("2")
            && !alarms(page, "no-worker")
    })
    .await;
    let sale = app.sale(Sale::of(5)).await;
    let mut stream = operator.browser.open(STREAM).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let first = events(&mut stream).await.expect("the first event");
    assert!(first.starts_with("retry: ") && first.contains("event: pictures\n"), "{first}");
    let (mut admitted, mut lag, mut recorded) = (false, false, false);
    let mut buyers = app.shoppers(4).await.into_iter();
    let begun = Instant::now();
    while !(admitted && lag && recorded && buyers.len() == 0) {
        assert!(begun.elapsed() < SOON, "{admitted} {lag} {recorded}");
        // One a figure: what comes of it is seen while it happens.
        if let Some(shopper) = buyers.next() {
            let order = shopper.must_buy(sale).await;
            shopper.order_becomes(&order, "pending_payment").await;
        }
        let event = events(&mut stream).await.expect("the stream goes on");
        let some = |name| figure(&event, name).is_some_and(|value| !["–", "0"].contains(&value));
        admitted |= some("Admitted");
        lag |= some("Lag, p50") && some("Lag, p99");
        recorded |= some("Orders per second");
    }
    let page =
        shows(&operator, "four orders", |page| page.contains("data-label=\"Orders recorded\">4<"))
            .await;
    assert_eq!(figure(&page, "Entries"), Some("0"));
    assert_eq!(figure(&page, "Eviction policy"), Some("noeviction"));
    assert!(page.contains("None yet."), "there was no reconciliation: {page}");
    assert!(page.matches("<svg class=\"chart\"").count() == 2, "{page}");
    assert!(page.contains("http-equiv=\"refresh\""), "without scripts it is loaded again");

    worker.kill();
    let page = shows(&operator, "it fell silent", |page| {
        alarms(page, "no-worker") && alarms(page, "silent")
    })
    .await;
    assert!(page.contains("silent for"), "{page}");
    // What was reserved meanwhile is seen to wait.
    app.shopper().await.must_buy(sale).await;
    shows(&operator, "it waits", |page| {
        figure(page, "Entries") == Some("1") && alarms(page, "outbox-old")
    })
    .await;
    let worker = Process::start(&app, "worker").await;
    shows(&operator, "another works it off", |page| {
        !alarms(page, "no-worker")
            && !alarms(page, "outbox-old")
            && figure(page, "Entries") == Some("0")
    })
    .await;
    // Whoever takes their leave is not missed.
    assert_eq!(worker.terminate(SOON).await, Some(0));
    let page = shows(&operator, "nobody works", |page| alarms(page, "no-worker")).await;
    assert!(page.contains("1 process has fallen silent"), "the one that was killed: {page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whichever_server_is_away_is_named_until_it_is_back() {
    let plan = Plan { unbalanced: true, ..Plan::default() }
        .behind(Side::Worker, Kind::RabbitMq)
        .behind(Side::Web, Kind::Redis)
        .behind(Side::Web, Kind::MariaDb);
    let app = App::start_with(plan).await;
    let operator = of_role(&app, Role::Operator).await;
    shows(&operator, "all is well", |page| {
        ["queue-away", "gate-away", "ledger-away", "no-worker"].iter().all(|w| !alarms(page, w))
            && figure(page, "Consumers") == Some("2")
    })
    .await;
    for (side, kind, word) in [
        (Side::Worker, Kind::RabbitMq, "queue-away"),
        (Side::Web, Kind::Redis, "gate-away"),
        (Side::Web, Kind::MariaDb, "ledger-away"),
    ] {
        let proxy = app.proxy(side, kind);
        proxy.refuse(true);
        proxy.cut();
        shows(&operator, word, |page| alarms(page, word)).await;
        proxy.refuse(false);
        shows(&operator, "it is back", |page| !alarms(page, word)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_throws_keys_away_is_red() {
    let home = Home::temporary().unwrap();
    let redis = Server::start_in(&home, Kind::Redis, "redis", Speed::Test).await.unwrap();
    let app =
        App::start_with(Plan { redis_url: Some(redis.url().to_owned()), ..Plan::default() }).await;
    let operator = of_role(&app, Role::Admin).await;
    let set = async |policy: &str| {
        let mut cmd = redis::cmd("CONFIG");
        cmd.arg("SET").arg("maxmemory-policy").arg(policy);
        let () = cmd.query_async(&mut redis_of(redis.url()).await).await.unwrap();
    };
    set("allkeys-lru").await;
    let page = shows(&operator, "it is red", |page| alarms(page, "evicts")).await;
    assert!(page.contains("tile-bad\"><dt>Eviction policy</dt><dd>allkeys-lru<"), "{page}");
    assert!(page.contains("CONFIG SET maxmemory-policy noeviction"), "{page}");
    set("noeviction").await;
    shows(&operator, "it is gone", |page| !alarms(page, "evicts")).await;
    drop(app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn letters_and_reconciliations_are_those_of_the_ledger() {
    let app = App::start().await;
    let operator = of_role(&app, Role::Operator).await;
    execute(
        &app,
        "INSERT INTO dead_letters (message_id, content_hash, body, reason) \
         VALUES ('x', REPEAT('0', 64), 'x', 'unreadable')",
    );
    execute(
        &app,
        "INSERT INTO reconciliations (dry_run, differences, repaired, alarms, report, started_at, finished_at) \
         VALUES (FALSE, 5, 3, 2, '', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)), \
                (TRUE, 9, 9, 9, '', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))",
    );
    let page = shows(&operator, "both are seen", |page| {
        alarms(page, "dead-letters") && alarms(page, "reconcile-alarms")
    })
    .await;
    for (name, value) in [
        ("Waiting for a decision", "1"),
        ("Differences", "5"),
        ("Put right", "3"),
        ("Left for a person", "2"),
    ] {
        assert_eq!(figure(&page, name), Some(value), "{name}");
    }
    execute(&app, "UPDATE dead_letters SET status = 'discarded'");
    shows(&operator, "it was decided", |page| !alarms(page, "dead-letters")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pipeline_is_for_operators_and_ends_with_their_session() {
    let mut app = App::start().await;
    let (operator, admin) = (of_role(&app, Role::Operator).await, of_role(&app, Role::Admin).await);
    let (shopper, nobody) = (app.shopper().await, Browser::new(&app));
    for address in [PAGE, STREAM] {
        is_refusal_page(&shopper.browser.get(address).await, 403);
        let answer = nobody.get(address).await;
        assert_eq!(answer.status, 303);
        assert!(answer.location.unwrap().starts_with("/login?next="));
        let posted = admin.browser.post(address, &[]).await;
        assert_eq!(posted.status, 405, "{address}: {}", posted.text);
        assert!(header(&posted, "allow").starts_with("GET"));
    }
    for may in [&operator, &admin] {
        let page = may.browser.get(PAGE).await;
        assert_eq!(page.status, 200, "{}", page.text);
        is_careful(&page);
    }
    let mut demoted = operator.browser.open(STREAM).await;
    let mut kept = admin.browser.open(STREAM).await;
    assert!(events(&mut demoted).await.is_some() && events(&mut kept).await.is_some());
    let token = admin.browser.csrf_token().await;
    let path = format!("/admin/accounts/{}/role", operator.id);
    let fields = [("role", "shopper"), ("csrf_token", token.as_str())];
    assert_eq!(admin.browser.post(&path, &fields).await.status, 303);
    let begun = Instant::now();
    while events(&mut demoted).await.is_some() {
        assert!(begun.elapsed() < SOON, "the stream goes on");
    }
    assert!(events(&mut kept).await.is_some(), "another's is none of its business");
    app.stop_web().await;
    while events(&mut kept).await.is_some() {}
    app.start_web().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_many_watch_the_path_is_looked_at_once() {
    let app = App::start().await;
    let stop = CancellationToken::new();
    let catalog = seckill::catalog::Catalog::new(app.ledger.clone(), app.gate.clone());
    catalog.load().await.unwrap();
    let pipelines = Pipelines::new(app.office.clone(), catalog, Bounds::default(), stop.clone());
    let joined = futures_util::future::join_all((0..20).map(|_| pipelines.watch())).await;
    let mut watching: Vec<_> = joined.into_iter().map(Result::unwrap).collect();
    for _ in 0..2 {
        let seen: Vec<_> =
            watching.iter_mut().map(|w| Arc::clone(&w.borrow_and_update())).collect();
        assert!(seen.iter().all(|one| Arc::ptr_eq(one, &seen[0])), "each looks at the same");
        for watcher in &mut watching {
            tokio::time::timeout(SOON, watcher.changed()).await.unwrap().unwrap();
        }
    }
    stop.cancel();
    while tokio::time::timeout(SOON, watching[0].changed()).await.expect("it ends").is_ok() {}
    assert!(pipelines.watch().await.is_err(), "the node stops");
}
