//! The check at the end of every test: nothing is left over, and the books balance.

use std::time::Duration;

use seckill::back_office::Balance;
use seckill::gate::keys::Keys;
use seckill::queue::{Lane, Queue, QueueOptions};

use super::app::App;
use super::eventually;

/// Whatever is on its way has arrived by then.
const BOUND: Duration = Duration::from_secs(60);

pub(super) async fn check(app: &App) {
    let activities = app.office.activities(None, 1000).await.unwrap();
    for activity in &activities {
        let id = activity.id;
        // Without a worker nothing moves, and what is on its way stays there: the ledger alone balances.
        let balance = if app.has_worker() {
            eventually(&format!("activity {id} settles"), BOUND, || async {
                let balance = app.balance(id).await;
                let mut on_the_way = 0;
                for bucket in activity.buckets() {
                    let keys = Keys::of(id, bucket);
                    on_the_way += app.gate.inspect(&keys).await.ok()?.outbox;
                    on_the_way += app.gate.underway(&keys).await.ok()?;
                }
                (on_the_way == 0 && is_still(&balance)).then_some(balance)
            })
            .await
        } else {
            app.balance(id).await
        };
        let holding = balance.orders.pending_payment + balance.orders.paid;
        assert_eq!(
            balance.total_stock,
            balance.remain_stock + holding,
            "total = remain + orders holding stock: {balance:?}"
        );
        assert!(balance.remain_stock >= 0, "{balance:?}");
    }
    if app.has_worker() && !activities.is_empty() {
        let queue = Queue::new(QueueOptions {
            prefix: app.places.prefix.clone(),
            ..QueueOptions::new(app.config.queue.url.reveal())
        })
        .unwrap();
        eventually("the queue is empty", BOUND, || async {
            (queue.depth(Lane::Orders).await.ok()? == 0).then_some(())
        })
        .await;
        queue.close().await;
    }
}

/// Nothing is reserved and not recorded, and the gate has what the ledger says.
fn is_still(balance: &Balance) -> bool {
    match (balance.gate_stock, balance.reserved) {
        (Some(stock), Some(reserved)) => reserved == 0 && stock == balance.remain_stock,
        // Never opened, or settled and gone; while a gate is restored nothing is still.
        _ => ["draft", "scheduled", "cancelled", "settled"].contains(&balance.state),
    }
}
