//! What comparisons of gate and ledger found, and asking for one at once.

use seckill::ledger::reconciliations;
use seckill::sale::reconciliation::{Difference, Finding, Kind, Outcome, Report, Skipped};

use super::*;

async fn quiet() -> (App, Shopper) {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let operator = operator(&app).await;
    (app, operator)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_comparison_that_is_asked_for_is_waited_for_and_shown() {
    let (app, operator) = quiet().await;
    let sale = app.sale(Sale { title: "<b>Pots</b>".into(), ..Sale::of(3) }).await;
    let list = page(&operator, "/ops/reconciliation").await;
    assert!(list.contains("None yet") && list.contains("Compare now"), "{list}");
    assert_eq!(operator.browser.get("/ops/reconciliation/1").await.status, 404);
    assert_eq!(operator.browser.get("/ops/reconciliation/0").await.status, 404);
    assert_eq!(operator.browser.get("/ops/reconciliation?before=x").await.status, 400);

    let asked = post(&operator, "/ops/reconciliation", &[]).await;
    assert_eq!((asked.status, asked.location.as_deref()), (303, Some("/ops/reconciliation/1")));
    let again = post(&operator, "/ops/reconciliation", &[]).await;
    assert_eq!(again.location.as_deref(), Some("/ops/reconciliation/1"), "one is enough");
    let audited = "SELECT GROUP_CONCAT(CONCAT_WS(' ', actor, subject)) AS text FROM audit_log \
                   WHERE action = 'reconciliation.ask'";
    assert_eq!(row(&app, audited), format!("{} reconciliation:1", operator.name));

    let waiting = page(&operator, "/ops/reconciliation/1").await;
    assert!(waiting.contains("Waits for a reconciler"), "{waiting}");
    assert!(waiting.contains("data-follows") && waiting.contains("http-equiv=\"refresh\""));
    assert!(!waiting.contains("no reconciler runs"), "{waiting}");
    let list = page(&operator, "/ops/reconciliation").await;
    assert!(list.contains("id=\"awaited\"") && !list.contains("Compare now"), "{list}");
    execute(&app, "UPDATE reconciliations SET asked_at = asked_at - INTERVAL 1 MINUTE");
    let waiting = page(&operator, "/ops/reconciliation/1").await;
    assert!(waiting.contains("no reconciler runs"), "{waiting}");

    let mut report = Report { compared: vec![sale], ..Report::default() };
    report.skipped.push(Skipped { activity: sale, why: "the <gate> is away".into() });
    let held = Difference {
        shopper: Some(operator.id),
        order_no: Some("01HF7YAT00E3R38E1NCBS0D1ZG".parse().unwrap()),
        ..Difference::of(sale, Kind::Held)
    };
    let units = Difference { units: Some(3), ..Difference::of(sale, Kind::Units) };
    report.add(vec![
        Finding { difference: held, outcome: Outcome::Repaired },
        Finding { difference: units, outcome: Outcome::Left },
    ]);
    reconciliations::keep(&app.ledger, report, 1234).await.unwrap();
    let done = page(&operator, "/ops/reconciliation/1").await;
    assert!(!done.contains("Waits for a reconciler") && !done.contains("data-follows"), "{done}");
    assert!(!done.contains("<b>Pots") && !done.contains("<gate>"), "{done}");
    for said in [
        "Ended, but still held",
        "01HF7YAT00E3R38E1NCBS0D1ZG",
        "Put right",
        "<b>+3</b>",
        "Left for now",
        "the &#60;gate&#62; is away",
        "1.2 s",
        &operator.name,
        "Compare now",
    ] {
        assert!(done.contains(said), "{said}: {done}");
    }
    let list = page(&operator, "/ops/reconciliation").await;
    assert!(list.contains("id=\"round-1\"") && list.contains("skipped: 1"), "{list}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_goes_on_page_by_page_and_leaves_out_what_found_nothing() {
    let (app, operator) = quiet().await;
    execute(
        &app,
        "INSERT INTO reconciliations (dry_run, differences, repaired, alarms, report, started_at, \
         finished_at) SELECT FALSE, IF(seq % 10 = 0, 1, 0), 0, 0, '{}', \
         UTC_TIMESTAMP(3) - INTERVAL 130 - seq MINUTE, UTC_TIMESTAMP(3) - INTERVAL 130 - seq MINUTE \
         FROM seq_1_to_120",
    );
    let mut next = Some("/ops/reconciliation".to_owned());
    let mut shown = Vec::new();
    while let Some(path) = next {
        let text = page(&operator, &path).await;
        shown.extend(ids(&text));
        let older = text.split_once("rel=\"next\"").map(|(before, _)| before);
        next = older.map(|before| {
            let (_, address) = before.rsplit_once("href=\"").unwrap();
            address.split('"').next().unwrap().replace("&#38;", "&")
        });
    }
    assert_eq!(shown, (1..=120).rev().collect::<Vec<_>>(), "each once, the newest first");
    let found = page(&operator, "/ops/reconciliation?found=yes").await;
    assert_eq!(ids(&found), (1..=12).rev().map(|n| n * 10).collect::<Vec<i64>>());
    // A report that cannot be read any more still has its figures.
    assert_eq!(operator.browser.get("/ops/reconciliation/10").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reconciler_carries_out_what_is_asked_for() {
    let mut app = App::start_with(Plan::default().set("SECKILL__RECONCILE__EVERY_S", 600)).await;
    let sale = app.sale(Sale::of(3)).await;
    let (operator, shopper) = (operator(&app).await, app.shopper().await);
    let order = shopper.must_buy(sale).await;
    shopper.order_becomes(&order, "pending_payment").await;
    app.stop_worker().await;
    app.start_reconciler().await;
    eventually("its own first round", SOON, || async {
        page(&operator, "/ops/reconciliation").await.contains("id=\"round-1\"").then_some(())
    })
    .await;
    // Cancelled in the ledger, and the gate never heard.
    execute(
        &app,
        &format!(
            "UPDATE orders SET status = 2, reason = 'by_shopper', holder_id = NULL, \
             cancelled_at = UTC_TIMESTAMP(3) WHERE order_no = '{order}'; \
             UPDATE activities SET remain_stock = remain_stock + 1"
        ),
    );
    let asked = post(&operator, "/ops/reconciliation", &[]).await.location.unwrap();
    let done = eventually("the answer", SOON, || async {
        let text = page(&operator, &asked).await;
        (!text.contains("data-follows")).then_some(text)
    })
    .await;
    for said in ["Ended, but still held", &order, "Put right", &operator.name] {
        assert!(done.contains(said), "{said}: {done}");
    }
    assert_eq!(super::super::stock(&app, sale).await, 3);
    let text = page(&operator, "/ops/stuck").await;
    assert!(text.contains("Nothing is stuck"), "{text}");
}

fn ids(text: &str) -> Vec<i64> {
    let ids = text.split("id=\"round-").skip(1);
    ids.map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
}
