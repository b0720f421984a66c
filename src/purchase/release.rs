//! The unit of a cancelled order comes back to the gate, after the ledger has said so.

use std::time::Duration;

use crate::gate::release::{Released, Return};
use crate::gate::{Gate, GateError, keys::Keys};
use crate::ledger::orders::Ended;
use crate::sale::activity::Activity;
use crate::sale::order::CancelReason;

/// How often a release that the gate could not take is tried again, once a second. What is missed, also
/// because this process ends, is found by the reconciler (`reconcile/releases.rs`).
const TRIES: u32 = 60;

/// Releases the unit of an order that the ledger holds as cancelled. When the gate cannot take it now it
/// goes on in the background: the shopper's answer does not wait for it.
pub(super) async fn cancelled(
    gate: &Gate,
    activity: &Activity,
    ended: &Ended,
    reason: CancelReason,
) {
    let how = if ended.rebuy { Return::Free } else { Return::Bar };
    let (shopper, order_no) = (ended.order.user_id, ended.order.order_no);
    let keys = Keys::of(activity.id, activity.bucket_of(shopper));
    let first = gate.release(&keys, shopper, order_no, how).await;
    if is_over(&first) {
        count(&first, reason);
        return;
    }
    let gate = gate.clone();
    tokio::spawn(async move {
        for _ in 0..TRIES {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let again = gate.release(&keys, shopper, order_no, how).await;
            if is_over(&again) {
                count(&again, reason);
                return;
            }
        }
        tracing::warn!(%order_no, "a cancelled order's unit is left to the reconciler");
    });
}

/// A gate that is being restored may have read the order just before it was cancelled, so "not loaded" is
/// no end.
const fn is_over(released: &Result<Released, GateError>) -> bool {
    matches!(released, Ok(Released::Done | Released::Nothing))
}

fn count(released: &Result<Released, GateError>, reason: CancelReason) {
    if matches!(released, Ok(Released::Done)) {
        metrics::counter!("seckill_releases_total", "reason" => reason.as_str()).increment(1);
    }
}
