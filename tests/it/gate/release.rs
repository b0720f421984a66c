//! `release.lua` and `mark.lua`: what becomes of a holder's entry.

use std::sync::Arc;

use seckill::{
    gate::{
        admission::{Decision, Refusal, TicketAnswer},
        keys::Keys,
        release::{Released, Return},
    },
    sale::{
        ids::{Epoch, UserId},
        order_number::OrderNo,
        reservation::EntryState,
    },
};
use tokio::task::JoinSet;

use super::sale::{ALICE, BOB, FENCE, Sale, refused};

const WAYS: [Return; 3] = [Return::Free, Return::Bar, Return::Surplus { ledger_total: 0 }];

async fn release(sale: &Sale, shopper: UserId, number: OrderNo, how: Return) -> Released {
    sale.gate.release(&sale.keys, shopper, number, how).await.unwrap()
}

#[tokio::test]
async fn a_freed_unit_can_be_bought_again_even_by_the_same_shopper() {
    let sale = Sale::of(1).await;
    let first = sale.buy(ALICE).await;
    assert_eq!(sale.ticket(BOB).await, TicketAnswer::Refused(Refusal::SoldOut));
    assert_eq!(release(&sale, ALICE, first, Return::Free).await, Released::Done);
    assert_eq!((sale.stock(), sale.entry(ALICE).await), (Some(1), None));
    sale.check_rule();
    sale.buy(ALICE).await;
    assert_eq!(sale.stock(), Some(0));
    sale.check_rule();
}

#[tokio::test]
async fn a_barred_shopper_keeps_an_entry_but_holds_nothing() {
    let sale = Sale::of(1).await;
    let number = sale.buy(ALICE).await;
    sale.gate.mark_recorded(&sale.keys, &[(ALICE, number)]).await.unwrap();
    assert_eq!(release(&sale, ALICE, number, Return::Bar).await, Released::Done);
    let entry = sale.entry(ALICE).await.unwrap();
    assert_eq!((entry.order_no, entry.state), (number, EntryState::Barred));
    assert_eq!(sale.stock(), Some(1));
    sale.check_rule();
    // Neither with the same number nor with another.
    for again in [number, sale.number(ALICE)] {
        assert_eq!(sale.post(ALICE, again).await, refused(Refusal::Barred));
    }
    assert_eq!(sale.ticket(ALICE).await, TicketAnswer::Refused(Refusal::Barred));
    // Nothing lifts it, nor gives the unit back a second time.
    sale.gate.mark_recorded(&sale.keys, &[(ALICE, number)]).await.unwrap();
    for how in WAYS {
        assert_eq!(release(&sale, ALICE, number, how).await, Released::Nothing);
    }
    assert_eq!(sale.entry(ALICE).await.unwrap().state, EntryState::Barred);
    sale.buy(BOB).await;
    sale.check_rule();
    assert_eq!(sale.inspect().await.holders, 1);
}

#[tokio::test]
async fn the_same_release_again_or_of_another_number_gives_nothing_back() {
    for how in WAYS {
        let sale = Sale::of(3).await;
        let number = sale.buy(ALICE).await;
        let others = sale.buy(BOB).await;
        assert_eq!(release(&sale, ALICE, others, how).await, Released::Nothing);
        assert_eq!(release(&sale, UserId(9), number, how).await, Released::Nothing);
        assert_eq!(release(&sale, ALICE, sale.number(ALICE), how).await, Released::Nothing);
        assert_eq!(sale.stock(), Some(1));
        assert_eq!(release(&sale, ALICE, number, how).await, Released::Done);
        let after = sale.everything();
        for _ in 0..3 {
            assert_eq!(release(&sale, ALICE, number, how).await, Released::Nothing);
        }
        assert_eq!(after, sale.everything(), "{how:?} acted twice");
        sale.check_rule();
    }
}

#[tokio::test]
async fn cancel_then_buy_again_then_the_old_cancel_once_more_leaves_the_new_order() {
    let sale = Sale::of(1).await;
    let old = sale.buy(ALICE).await;
    release(&sale, ALICE, old, Return::Free).await;
    let new = sale.buy(ALICE).await;
    for how in WAYS {
        assert_eq!(release(&sale, ALICE, old, how).await, Released::Nothing);
    }
    assert_eq!(sale.entry(ALICE).await.unwrap().order_no, new);
    assert_eq!(sale.stock(), Some(0));
    sale.check_rule();
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_cancels_at_once_give_one_unit_back() {
    let sale = Arc::new(Sale::of(2).await);
    let number = sale.buy(ALICE).await;
    let mut answers = JoinSet::new();
    for gate in sale.connections(5).await.iter().cycle().take(50) {
        let (sale, gate) = (Arc::clone(&sale), gate.clone());
        answers.spawn(async move {
            gate.release(&sale.keys, ALICE, number, Return::Free).await.unwrap()
        });
    }
    let answers = answers.join_all().await;
    assert_eq!(answers.iter().filter(|a| **a == Released::Done).count(), 1);
    assert_eq!(sale.stock(), Some(2));
    sale.check_rule();
}

#[tokio::test]
async fn a_release_of_what_is_not_loaded_says_so_and_changes_nothing() {
    for how in WAYS {
        for gone in [Keys::sale, Keys::stock, Keys::users] {
            let sale = Sale::of(3).await;
            let number = sale.buy(ALICE).await;
            sale.raw::<()>(&["DEL", &gone(&sale.keys)]);
            let before = sale.everything();
            assert_eq!(release(&sale, ALICE, number, how).await, Released::NotLoaded);
            assert_eq!(before, sale.everything());
        }
        let sale = Sale::of(3).await;
        let number = sale.buy(ALICE).await;
        sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
        let before = sale.everything();
        assert_eq!(release(&sale, ALICE, number, how).await, Released::NotLoaded);
        assert_eq!(before, sale.everything());
        // Keys of two epochs.
        let sale = Sale::of(3).await;
        let number = sale.buy(ALICE).await;
        sale.raw::<()>(&["HSET", &sale.keys.users(), "epoch", "2"]);
        assert_eq!(release(&sale, ALICE, number, how).await, Released::NotLoaded);
    }
}

#[tokio::test]
async fn a_number_of_a_gate_that_is_gone_frees_nothing_in_the_new_one() {
    let sale = Sale::of(1).await;
    let lost = sale.buy(ALICE).await;
    sale.fill(Epoch(2), FENCE).await;
    assert_eq!(release(&sale, ALICE, lost, Return::Free).await, Released::Nothing);
    assert_eq!(sale.stock(), Some(1));
    sale.check_rule();
}

#[tokio::test]
async fn surplus_units_go_with_their_entries_but_never_below_the_ledgers_total() {
    let sale = Sale::of(5).await;
    // The ledger has three: the gate was somehow given two more.
    let mut numbers = Vec::new();
    for id in 1..=5 {
        numbers.push((UserId(id), sale.buy(UserId(id)).await));
    }
    let units = async || sale.inspect().await.units;
    for (at, expected) in [(0, 4), (1, 3), (2, 3), (3, 3)] {
        let (shopper, number) = numbers[at];
        let how = Return::Surplus { ledger_total: 3 };
        assert_eq!(release(&sale, shopper, number, how).await, Released::Done);
        assert_eq!(units().await, expected);
        sale.check_rule();
    }
    assert_eq!(sale.stock(), Some(2));
}

#[tokio::test]
async fn a_stock_key_set_fifty_too_high_is_right_after_fifty_surplus_releases() {
    let sale = Sale::of(100).await;
    sale.raw::<()>(&["SET", &sale.keys.stock(), "150", "KEEPTTL"]);
    let mut numbers = Vec::new();
    for id in 1..=150 {
        numbers.push((UserId(id), sale.buy(UserId(id)).await));
    }
    assert_eq!(sale.ticket(ALICE).await, TicketAnswer::Refused(Refusal::SoldOut));
    for (shopper, number) in &numbers[100..] {
        let how = Return::Surplus { ledger_total: 100 };
        assert_eq!(release(&sale, *shopper, *number, how).await, Released::Done);
        assert!(sale.stock().unwrap() <= 0, "what the ledger refused is not sold again");
    }
    let look = sale.inspect().await;
    assert_eq!((look.units, look.holders, look.stock), (100, 100, 0));
    sale.check_rule();
    // A unit that is truly freed is sold once more, no further.
    release(&sale, numbers[0].0, numbers[0].1, Return::Free).await;
    sale.buy(ALICE).await;
    assert_eq!(sale.ticket(BOB).await, TicketAnswer::Refused(Refusal::SoldOut));
    sale.check_rule();
}

#[tokio::test]
async fn the_stock_keeps_its_expiry_whatever_comes_back() {
    let sale = Sale::of(5).await;
    let ends = sale.expires_at_ms(&sale.keys.stock());
    assert_eq!(ends, sale.expiry_ms());
    for (id, how) in (1..).zip(WAYS) {
        let number = sale.buy(UserId(id)).await;
        release(&sale, UserId(id), number, how).await;
        assert_eq!(sale.expires_at_ms(&sale.keys.stock()), ends, "{how:?}");
        assert_eq!(sale.expires_at_ms(&sale.keys.users()), ends, "{how:?}");
    }
}

#[tokio::test]
async fn recorded_is_marked_once_and_only_where_the_number_fits() {
    let sale = Sale::of(5).await;
    let alices = sale.buy(ALICE).await;
    let bobs = sale.buy(BOB).await;
    let nobody = UserId(9);
    let page = [(ALICE, alices), (BOB, sale.number(BOB)), (nobody, sale.number(nobody))];
    for _ in 0..2 {
        sale.gate.mark_recorded(&sale.keys, &page).await.unwrap();
        assert_eq!(sale.entry(ALICE).await.unwrap().state, EntryState::Recorded);
        assert_eq!(sale.entry(BOB).await.unwrap().state, EntryState::Reserved);
        assert_eq!(sale.entry(nobody).await, None);
    }
    sale.gate.mark_recorded(&sale.keys, &[]).await.unwrap();
    assert_eq!(sale.entry(BOB).await.unwrap().order_no, bobs);
    assert_eq!(sale.stock(), Some(3));
    sale.check_rule();
    assert_eq!(sale.post(ALICE, alices).await, Decision::Admitted, "a late repetition");
}

#[tokio::test]
async fn a_thousand_entries_are_marked_in_one_call() {
    let sale = Sale::of(1000).await;
    let mut page = Vec::new();
    for id in 1..=1000 {
        page.push((UserId(id), sale.buy(UserId(id)).await));
    }
    sale.gate.mark_recorded(&sale.keys, &page).await.unwrap();
    for (shopper, _) in page {
        assert_eq!(sale.entry(shopper).await.unwrap().state, EntryState::Recorded);
    }
}

#[tokio::test]
async fn marking_where_the_gate_holds_nothing_makes_no_key() {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    sale.raw::<()>(&["FLUSHDB"]);
    sale.gate.mark_recorded(&sale.keys, &[(ALICE, number)]).await.unwrap();
    assert!(sale.everything().is_empty());
}
