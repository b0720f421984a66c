//! While shoppers buy, cancel and buy again, the reconciler looks all the time: what is on its way is no
//! difference, and nobody gains or loses a unit by it.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use seckill::sale::reconciliation::Kind;

use crate::harness::{App, Sale};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_in_the_middle_of_a_rush_repair_nothing_and_harm_nobody() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(60)).await;
    let shoppers = app.shoppers(90).await;
    let over = AtomicBool::new(false);
    let rounds = async {
        let mut kinds: Vec<Kind> = Vec::new();
        let mut count = 0;
        while !over.load(Ordering::Relaxed) {
            let report = app.reconcile(false).await;
            assert_eq!(report.alarms, 0, "{report:?}");
            kinds.extend(report.findings.iter().map(|found| found.difference.kind));
            count += 1;
        }
        (count, kinds)
    };
    let rush = async {
        for _ in 0..6 {
            let bought = join_all(shoppers.iter().map(|shopper| shopper.buy(sale))).await;
            let orders: Vec<_> = shoppers
                .iter()
                .zip(&bought)
                .filter(|(_, answer)| {
                    ["admitted", "already_held"].contains(&answer.outcome().as_str())
                })
                .collect();
            assert_eq!(orders.len(), 60, "all units are sold each time");
            join_all(orders.iter().map(|(shopper, answer)| async move {
                let number = answer.order_no();
                shopper.order_becomes(&number, "pending_payment").await;
                shopper.cancel(&number).await;
            }))
            .await;
            app.balanced("all units are back", sale, |b| b.gate_stock == Some(60)).await;
        }
        over.store(true, Ordering::Relaxed);
    };
    let ((count, kinds), ()) = tokio::join!(rounds, rush);
    assert!(count >= 2, "only {count} rounds");
    assert_eq!(kinds, [], "what moves is no difference");
}
