//! `begin.lua`, `restore.lua`, `open.lua`, `restoring.lua` and `inspect.lua`: how a sale comes to the
//! gate, is configured there, stopped, and looked at.

use seckill::{
    gate::{
        admission::{Decision, Refusal, TicketAnswer},
        filling::{Condition, FillingError, FillingRefused, Inspection, Opened},
        release::{Released, Return},
    },
    sale::{
        activity::Status,
        ids::{Epoch, Fence, UserId},
        money::Cents,
        reservation::{Entry, EntryState},
    },
};

use super::sale::{
    ALICE, BOB, BUCKET, EPOCH, FENCE, Sale, activity, entry, minutes_from_now, refused,
};

fn reason<T: std::fmt::Debug>(answer: Result<T, FillingError>) -> FillingRefused {
    match answer {
        Err(FillingError::Refused(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

async fn begin(sale: &Sale, epoch: i64, fence: i64) -> Result<(), FillingError> {
    sale.gate.begin(&sale.keys, Epoch(epoch), Fence(fence), sale.expiry_ms()).await
}

async fn restore(
    sale: &Sale,
    epoch: i64,
    fence: i64,
    page: &[(UserId, Entry)],
) -> Result<(), FillingError> {
    sale.gate.restore(&sale.keys, Epoch(epoch), Fence(fence), page).await
}

async fn open(sale: &Sale, epoch: i64, fence: i64) -> Result<Opened, FillingError> {
    sale.gate.open(&sale.activity, BUCKET, Epoch(epoch), Fence(fence), &sale.terms).await
}

/// Each kind of entry that the ledger can give back.
fn page(sale: &Sale) -> Vec<(UserId, Entry)> {
    [EntryState::Recorded, EntryState::Barred, EntryState::Recorded, EntryState::Barred]
        .into_iter()
        .zip(1..)
        .map(|(state, id)| (UserId(id), entry(sale.number(UserId(id)), state)))
        .collect()
}

#[tokio::test]
async fn a_preheated_sale_is_loaded_with_its_units_and_expires() {
    let sale = Sale::unloaded(activity(5)).await;
    let nothing = Inspection {
        condition: Condition::Missing,
        epoch: Epoch(0),
        version: 0,
        units: 0,
        stock: 0,
        holders: 0,
        outbox: 0,
    };
    assert_eq!(sale.inspect().await, nothing);
    begin(&sale, 1, 1).await.unwrap();
    let filling = Inspection { condition: Condition::Restoring, epoch: EPOCH, ..nothing };
    assert_eq!(sale.inspect().await, filling);
    assert_eq!(open(&sale, 1, 1).await.unwrap(), Opened::Opened);
    let loaded =
        Inspection { condition: Condition::Loaded, version: 1, units: 5, stock: 5, ..filling };
    assert_eq!(sale.inspect().await, loaded);
    for key in [sale.keys.sale(), sale.keys.stock(), sale.keys.users()] {
        assert_eq!(sale.expires_at_ms(&key), sale.expiry_ms(), "{key}");
    }
    sale.check_rule();
}

#[tokio::test]
async fn looking_changes_nothing() {
    let sale = Sale::of(5).await;
    sale.buy(ALICE).await;
    let before = sale.everything();
    let look = sale.inspect().await;
    assert_eq!((look.units, look.stock, look.holders, look.outbox), (5, 4, 1, 1));
    assert_eq!(before, sale.everything());
}

#[tokio::test]
async fn keys_of_two_epochs_are_seen() {
    let sale = Sale::of(5).await;
    sale.raw::<()>(&["HSET", &sale.keys.users(), "epoch", "2"]);
    assert_eq!(sale.inspect().await.condition, Condition::Mixed);
}

#[tokio::test]
async fn a_loaded_sale_is_never_begun_again_under_its_own_or_an_older_epoch() {
    let sale = Sale::unloaded(activity(5)).await;
    sale.fill(Epoch(2), FENCE).await;
    sale.buy(ALICE).await;
    let before = sale.everything();
    for epoch in [0, 1, 2] {
        assert_eq!(reason(begin(&sale, epoch, 9).await), FillingRefused::OtherEpoch);
    }
    assert_eq!(before, sale.everything());
    begin(&sale, 3, 9).await.unwrap();
    let look = sale.inspect().await;
    assert_eq!((look.condition, look.epoch), (Condition::Restoring, Epoch(3)));
}

#[tokio::test]
async fn a_sale_that_was_opened_keeps_its_holders_against_its_own_epoch_even_when_it_is_stopped() {
    // A keeper stopped it to rebuild it, and died before it raised the ledger's epoch.
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    sale.gate.mark_restoring(&sale.keys, Fence(2)).await.unwrap();
    assert_eq!(reason(begin(&sale, 1, 3).await), FillingRefused::OtherEpoch);
    // Somebody else's edit does not open it either: they do not know whether all holders are back.
    assert_eq!(reason(open(&sale, 1, 3).await), FillingRefused::Restarted);
    // Nothing was lost: whoever stopped it may open it as it is, and the next one may rebuild it.
    assert_eq!(open(&sale, 1, 2).await.unwrap(), Opened::Opened);
    assert_eq!(sale.post(ALICE, number).await, Decision::Admitted);
    assert_eq!(sale.stock(), Some(4));
    sale.check_rule();
    sale.fill(Epoch(2), Fence(4)).await;
}

#[tokio::test]
async fn holders_whose_sale_record_is_gone_are_not_thrown_away_under_their_own_epoch() {
    let sale = Sale::of(5).await;
    sale.buy(ALICE).await;
    sale.raw::<()>(&["DEL", &sale.keys.sale(), &sale.keys.stock()]);
    let before = sale.everything();
    for epoch in [0, 1] {
        assert_eq!(reason(begin(&sale, epoch, 9).await), FillingRefused::OtherEpoch);
    }
    assert_eq!(before, sale.everything());
    sale.fill(Epoch(2), Fence(9)).await;
    sale.check_rule();
}

#[tokio::test]
async fn a_filling_that_broke_off_is_begun_again_under_the_same_epoch() {
    let sale = Sale::unloaded(activity(5)).await;
    begin(&sale, 1, 1).await.unwrap();
    let page = page(&sale);
    restore(&sale, 1, 1, &page).await.unwrap();
    begin(&sale, 1, 2).await.unwrap();
    assert_eq!(sale.entry(UserId(1)).await, None, "each filling starts from nothing");
    // Whoever was before is too late.
    assert_eq!(reason(restore(&sale, 1, 1, &page).await), FillingRefused::Restarted);
    assert_eq!(reason(open(&sale, 1, 1).await), FillingRefused::Fenced);
    restore(&sale, 1, 2, &page).await.unwrap();
    assert_eq!(open(&sale, 1, 2).await.unwrap(), Opened::Opened);
    assert_eq!(sale.stock(), Some(3));
    sale.check_rule();
}

#[tokio::test]
async fn a_rebuild_keeps_what_was_promised_in_the_outbox() {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    sale.fill(Epoch(2), FENCE).await;
    let outbox = sale.gate.outbox(&sale.keys, 10).await.unwrap();
    let told = outbox[0].reservation.as_ref().unwrap();
    assert_eq!((told.order_no, told.epoch), (number, EPOCH));
}

#[tokio::test]
async fn restored_holders_hold_and_barred_ones_do_not() {
    let sale = Sale::unloaded(activity(5)).await;
    begin(&sale, 1, 1).await.unwrap();
    let page = page(&sale);
    restore(&sale, 1, 1, &page).await.unwrap();
    // The same page again, and one that overlaps it, changes nothing.
    restore(&sale, 1, 1, &page).await.unwrap();
    restore(&sale, 1, 1, &page[1..]).await.unwrap();
    restore(&sale, 1, 1, &[]).await.unwrap();
    open(&sale, 1, 1).await.unwrap();
    let look = sale.inspect().await;
    assert_eq!((look.units, look.stock, look.holders), (5, 3, 2));
    sale.check_rule();
    for (shopper, entry) in &page {
        assert_eq!(sale.entry(*shopper).await, Some(*entry));
        let refusal = match entry.state {
            EntryState::Barred => Refusal::Barred,
            _ => Refusal::AlreadyHeld(entry.order_no),
        };
        assert_eq!(sale.post(*shopper, sale.number(*shopper)).await, refused(refusal));
    }
    let (shopper, held) = page[0];
    let released = sale.gate.release(&sale.keys, shopper, held.order_no, Return::Free).await;
    assert_eq!(released.unwrap(), Released::Done);
    assert_eq!(sale.stock(), Some(4));
    sale.check_rule();
}

#[tokio::test]
async fn more_holders_than_units_leave_nothing_to_sell() {
    let sale = Sale::unloaded(activity(1)).await;
    begin(&sale, 1, 1).await.unwrap();
    restore(&sale, 1, 1, &page(&sale)).await.unwrap();
    open(&sale, 1, 1).await.unwrap();
    assert_eq!(sale.stock(), Some(-1));
    assert_eq!(sale.ticket(ALICE).await, TicketAnswer::Refused(Refusal::SoldOut));
}

#[tokio::test]
async fn a_restore_outside_of_its_filling_is_refused_and_makes_no_key() {
    let sale = Sale::unloaded(activity(5)).await;
    let page = page(&sale);
    let refused = async |epoch, fence| {
        let before = sale.everything();
        let answer = restore(&sale, epoch, fence, &page).await;
        assert_eq!(reason(answer), FillingRefused::Restarted);
        assert_eq!(before, sale.everything());
    };
    refused(1, 1).await; // never begun
    begin(&sale, 1, 1).await.unwrap();
    refused(0, 1).await;
    refused(2, 1).await;
    refused(1, 0).await;
    refused(1, 2).await;
    sale.raw::<()>(&["HDEL", &sale.keys.users(), "epoch"]);
    refused(1, 1).await; // the holders' hash went in between
    begin(&sale, 1, 1).await.unwrap();
    sale.raw::<()>(&["HSET", &sale.keys.sale(), "run_id", &"0".repeat(40)]);
    refused(1, 1).await;
    begin(&sale, 1, 1).await.unwrap();
    open(&sale, 1, 1).await.unwrap();
    refused(1, 1).await; // finished
}

#[tokio::test]
async fn what_was_not_begun_cannot_be_opened() {
    let sale = Sale::unloaded(activity(5)).await;
    assert_eq!(reason(open(&sale, 1, 1).await), FillingRefused::OtherEpoch);
    assert!(sale.everything().is_empty());
    begin(&sale, 2, 5).await.unwrap();
    let refusals = [
        (1, 5, FillingRefused::OtherEpoch),
        (3, 5, FillingRefused::OtherEpoch),
        (2, 4, FillingRefused::Fenced),
    ];
    let before = sale.everything();
    for (epoch, fence, refusal) in refusals {
        assert_eq!(reason(open(&sale, epoch, fence).await), refusal);
    }
    assert_eq!(before, sale.everything());
    sale.raw::<()>(&["HSET", &sale.keys.sale(), "run_id", &"0".repeat(40)]);
    assert_eq!(reason(open(&sale, 2, 5).await), FillingRefused::Restarted);
    begin(&sale, 2, 5).await.unwrap();
    sale.raw::<()>(&["DEL", &sale.keys.users()]);
    assert_eq!(reason(open(&sale, 2, 5).await), FillingRefused::OtherEpoch);
}

#[tokio::test]
async fn only_a_higher_version_changes_a_loaded_sale_and_never_its_stock() {
    let mut sale = Sale::of(5).await;
    sale.buy(ALICE).await;
    let before = sale.everything();
    sale.activity.price = Cents(1);
    sale.activity.total_stock = 1_000_000;
    for version in [1, 0, -1] {
        sale.activity.version = version;
        assert_eq!(open(&sale, 1, 9).await.unwrap(), Opened::Unchanged);
        assert_eq!(before, sale.everything());
    }
    sale.activity.version = 2;
    assert_eq!(open(&sale, 1, 1).await.unwrap(), Opened::Changed);
    assert_eq!(open(&sale, 1, 1).await.unwrap(), Opened::Unchanged);
    let look = sale.inspect().await;
    assert_eq!((look.version, look.units, look.stock, look.holders), (2, 5, 4, 1));
    assert_eq!(sale.sale_field("price_cents").as_deref(), Some("1"));
    sale.check_rule();
}

#[tokio::test]
async fn an_edit_pauses_resumes_moves_and_ends_a_loaded_sale() {
    let mut sale = Sale::of(5).await;
    let ticket = async |sale: &Sale| sale.ticket(ALICE).await;
    let refused = |refusal| TicketAnswer::Refused(refusal);
    assert_eq!(sale.edit(|a| a.status = Status::Paused).await, Opened::Changed);
    assert_eq!(ticket(&sale).await, refused(Refusal::Paused));
    sale.edit(|a| a.status = Status::Scheduled).await;
    assert!(matches!(ticket(&sale).await, TicketAnswer::Live(_)));
    sale.edit(|a| a.starts_at = minutes_from_now(5)).await;
    assert_eq!(ticket(&sale).await, refused(Refusal::NotOpen(sale.activity.opens_ms())));
    sale.edit(|a| a.rate_per_s = 0).await;
    assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, super::sale::refused(Refusal::TooFast));
    for status in [Status::Ended, Status::Settled, Status::Cancelled, Status::Draft] {
        sale.edit(|a| a.status = status).await;
        assert_eq!(ticket(&sale).await, refused(Refusal::Ended), "{status}");
    }
}

#[tokio::test]
async fn an_edit_lengthens_the_keys_life_and_never_shortens_it() {
    let mut sale = Sale::of(5).await;
    let keys = [sale.keys.sale(), sale.keys.stock(), sale.keys.users()];
    let first = sale.expiry_ms();
    sale.edit(|a| a.ends_at = minutes_from_now(120)).await;
    let longer = sale.expiry_ms();
    assert!(longer > first);
    for key in &keys {
        assert_eq!(sale.expires_at_ms(key), longer, "{key}");
    }
    // Ended in the past, with nothing kept beyond it: holders may still have to pay.
    sale.terms.keep_ms = 0;
    sale.edit(|a| (a.ends_at, a.pay_within_s) = (minutes_from_now(-30), 0)).await;
    for key in &keys {
        assert_eq!(sale.expires_at_ms(key), longer, "{key}");
    }
}

#[tokio::test]
async fn a_rebuild_long_after_the_end_keeps_the_life_it_was_begun_with() {
    let mut sale = Sale::unloaded(activity(5)).await;
    let keys = [sale.keys.sale(), sale.keys.stock(), sale.keys.users()];
    let begun_with = sale.expiry_ms();
    begin(&sale, 1, 1).await.unwrap();
    sale.terms.keep_ms = -10_000_000;
    assert!(sale.expiry_ms() < sale.now_ms());
    open(&sale, 1, 1).await.unwrap();
    for key in &keys {
        assert_eq!(sale.expires_at_ms(key), begun_with, "{key}");
    }
}

#[tokio::test]
async fn keys_are_kept_longer_on_demand_and_never_shorter() {
    let sale = Sale::of(5).await;
    let keys = [sale.keys.sale(), sale.keys.stock(), sale.keys.users()];
    let later = sale.expiry_ms() + 60_000;
    for until in [later, later - 1, 1] {
        sale.gate.keep_until(sale.activity.id, BUCKET, until).await.unwrap();
        for key in &keys {
            assert_eq!(sale.expires_at_ms(key), later, "{key}");
        }
    }
    // Where there is nothing, nothing is made.
    sale.raw::<()>(&["FLUSHDB"]);
    sale.gate.keep_until(sale.activity.id, BUCKET, later).await.unwrap();
    assert!(sale.everything().is_empty());
}

#[tokio::test]
async fn every_configuring_script_refuses_a_lower_fence_and_takes_an_equal_one() {
    let mut sale = Sale::unloaded(activity(5)).await;
    begin(&sale, 1, 5).await.unwrap();
    assert_eq!(reason(begin(&sale, 2, 4).await), FillingRefused::Fenced);
    assert_eq!(reason(open(&sale, 1, 4).await), FillingRefused::Fenced);
    open(&sale, 1, 5).await.unwrap();
    sale.activity.version += 1;
    let before = sale.everything();
    assert_eq!(reason(open(&sale, 1, 4).await), FillingRefused::Fenced);
    assert_eq!(reason(begin(&sale, 2, 4).await), FillingRefused::Fenced);
    let stopped = sale.gate.mark_restoring(&sale.keys, Fence(4)).await;
    assert_eq!(reason(stopped), FillingRefused::Fenced);
    let adjusted = sale.gate.adjust(&sale.keys, EPOCH, Fence(4), "a", 1, 9).await;
    assert_eq!(reason(adjusted), FillingRefused::Fenced);
    assert_eq!(before, sale.everything());
    // Each takes a higher one over, so that the former holder is shut out everywhere.
    open(&sale, 1, 6).await.unwrap();
    sale.gate.adjust(&sale.keys, EPOCH, Fence(7), "a", 1, 9).await.unwrap();
    assert_eq!(sale.sale_field("fence").as_deref(), Some("7"));
    sale.gate.mark_restoring(&sale.keys, Fence(8)).await.unwrap();
    sale.gate.mark_restoring(&sale.keys, Fence(8)).await.unwrap();
    assert_eq!(reason(begin(&sale, 2, 7).await), FillingRefused::Fenced);
    begin(&sale, 2, 10).await.unwrap();
    assert_eq!(sale.sale_field("fence").as_deref(), Some("10"));
}

#[tokio::test]
async fn fences_are_compared_as_numbers() {
    let sale = Sale::unloaded(activity(5)).await;
    begin(&sale, 9, 9).await.unwrap();
    begin(&sale, 10, 10).await.unwrap();
    assert_eq!(reason(begin(&sale, 11, 9).await), FillingRefused::Fenced);
    assert_eq!(reason(begin(&sale, 9, 11).await), FillingRefused::OtherEpoch);
}

#[tokio::test]
async fn a_sale_that_is_not_there_is_stopped_already() {
    let sale = Sale::unloaded(activity(5)).await;
    sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
    assert!(sale.everything().is_empty(), "and no record without end is made");
}

#[tokio::test]
async fn a_stopped_sale_tells_everybody_that_it_is_not_loaded_and_loses_nothing() {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    sale.ticket(BOB).await;
    sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
    assert_eq!(sale.inspect().await.condition, Condition::Restoring);
    for shopper in [ALICE, BOB] {
        assert_eq!(sale.ticket(shopper).await, TicketAnswer::Refused(Refusal::NotLoaded));
        assert_eq!(sale.post(shopper, number).await, refused(Refusal::NotLoaded));
    }
    assert!(sale.has_ticket(BOB));
    assert_eq!(sale.stock(), Some(4));
    sale.check_rule();
}
