//! The role: it works by itself, one at a time, tells what it found, and does what an operator asks for.

use seckill::ledger::reconciliations;
use seckill::sale::actor::Actor;
use seckill::sale::reconciliation::{Kind, Outcome, Report};
use seckill::sale::reservation::{Entry, EntryState};

use super::{entry, forge, said, two_orders};
use crate::harness::{App, Plan, SOON, Sale, eventually};
use crate::site::execute;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reconciler_puts_right_what_differs_and_keeps_a_report() {
    let (mut app, sale, [(alice, number), _]) = two_orders(Sale::of(10)).await;
    let recorded = entry(&app, sale, alice.id).await.unwrap();
    let reserved = Entry { state: EntryState::Reserved, ..recorded };
    forge(&app, sale, alice.id, &reserved.to_string()).await;
    app.start_reconciler().await;
    eventually("it is marked", SOON, || async {
        (entry(&app, sale, alice.id).await == Some(recorded)).then_some(())
    })
    .await;
    let kept = eventually("its report", SOON, || async {
        let rounds = reconciliations::list(&app.ledger, false, None, 100).await.unwrap();
        rounds.into_iter().find(|round| round.report.differences > 0)
    })
    .await;
    assert_eq!(said(&kept.report), [(Kind::Unmarked, Outcome::Repaired)]);
    let found = &kept.report.findings[0].difference;
    assert_eq!((found.activity, found.shopper), (sale, Some(alice.id)));
    assert_eq!(found.order_no.unwrap().to_string(), number);
    let (begun, finished) = kept.done.unwrap();
    assert!(finished - begun >= 300, "two looks, some time apart");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_operator_asks_for_is_done_though_its_time_has_not_come() {
    let settings = Plan { no_worker: true, no_web: true, ..Plan::default() };
    let mut app = App::start_with(settings.set("SECKILL__RECONCILE__EVERY_S", 3600)).await;
    app.start_reconciler().await;
    eventually("the first round", SOON, || async {
        reconciliations::last_round(&app.ledger).await.unwrap()
    })
    .await;
    let id = reconciliations::ask(&app.ledger, Actor::command()).await.unwrap();
    let again = reconciliations::ask(&app.ledger, Actor::command()).await.unwrap();
    assert_eq!(again, id, "one that waits is enough");
    let round = eventually("what was asked for", SOON, || async {
        let round = reconciliations::get(&app.ledger, id).await.unwrap().unwrap();
        round.done.map(|_| round)
    })
    .await;
    assert_eq!(round.asked.unwrap().0, "command");
    assert!(!reconciliations::is_asked_for(&app.ledger).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_that_began_before_somebody_asked_is_not_theirs() {
    let app = App::start_with(Plan { no_worker: true, no_web: true, ..Plan::default() }).await;
    let id = reconciliations::ask(&app.ledger, Actor::command()).await.unwrap();
    reconciliations::keep(&app.ledger, Report::default(), 60_000).await.unwrap();
    let dry = Report { dry_run: true, ..Report::default() };
    reconciliations::keep(&app.ledger, dry, 0).await.unwrap();
    assert!(reconciliations::is_asked_for(&app.ledger).await.unwrap());
    reconciliations::keep(&app.ledger, Report::default(), 0).await.unwrap();
    let round = reconciliations::get(&app.ledger, id).await.unwrap().unwrap();
    assert!(round.done.is_some(), "{round:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_reconcilers_do_not_work_at_the_same_time() {
    let (app, ..) = two_orders(Sale::of(10)).await;
    let (first, second) = tokio::join!(app.reconcile(false), app.reconcile(false));
    assert_eq!((first.differences, second.differences), (0, 0));
    let mut rounds: Vec<_> = reconciliations::list(&app.ledger, false, None, 10).await.unwrap();
    rounds.sort_by_key(|round| round.id);
    let [(_, first_end), (second_begin, _)] = [0, 1].map(|at: usize| rounds[at].done.unwrap());
    assert!(second_begin >= first_end - 50, "the second waits for the first: {rounds:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_reports_go_and_those_that_found_something_stay_longer() {
    let app = App::start_with(Plan { no_worker: true, no_web: true, ..Plan::default() }).await;
    let found = Report { differences: 1, ..Report::default() };
    for (report, days) in
        [(Report::default(), 2), (found.clone(), 2), (found, 100), (Report::default(), 0)]
    {
        reconciliations::keep(&app.ledger, report, 0).await.unwrap();
        execute(
            &app,
            &format!(
                "UPDATE reconciliations SET finished_at = finished_at - INTERVAL {days} DAY \
                 ORDER BY id DESC LIMIT 1"
            ),
        );
    }
    assert_eq!(reconciliations::sweep(&app.ledger).await.unwrap(), 2);
    let left = reconciliations::list(&app.ledger, false, None, 10).await.unwrap();
    let left: Vec<i64> = left.iter().map(|round| round.report.differences).collect();
    assert_eq!(left, [0, 1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sale_is_looked_at_once_more_when_it_is_settled() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let shopper = app.shopper().await;
    let number = shopper.must_buy(sale).await;
    shopper.order_becomes(&number, "pending_payment").await;
    shopper.pay(&number).await;
    app.office.end(sale, None, &Actor::command()).await.unwrap();
    app.balanced("settled", sale, |b| b.state == "settled").await;
    let report = app.reconcile(false).await;
    assert_eq!((said(&report), report.compared), (Vec::new(), vec![sale]));
    // Not for ever.
    execute(&app, "UPDATE settlements SET settled_at = settled_at - INTERVAL 1 HOUR");
    assert_eq!(app.reconcile(false).await.compared, []);
    app.stop_worker().await;
    app.start_worker().await;
}
