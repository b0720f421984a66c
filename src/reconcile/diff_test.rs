//! The list of differences: what it has, and what it leaves out.

use std::collections::HashMap;

use super::diff::differences;
use super::load::Sides;
use crate::gate::filling::{Condition, Inspection};
use crate::ledger::orders::{Counts, Holder, Known};
use crate::sale::activity::{Activity, tests::sale};
use crate::sale::ids::{ActivityId, Bucket, Epoch, UserId};
use crate::sale::money::Cents;
use crate::sale::order::OrderState;
use crate::sale::order_number::{OrderNo, OrderNumbers};
use crate::sale::reconciliation::Kind;
use crate::sale::reservation::{Entry, EntryState};

const NOW_MS: i64 = 1_700_000_600_000;
const WAITING_MS: i64 = 180_000;
const ALICE: UserId = UserId(1);
const BOB: UserId = UserId(2);

/// A sale of ten units, three of which are held by orders.
fn activity() -> Activity {
    let (total_stock, remain_stock) = (10, 7);
    Activity { total_stock, remain_stock, version: 3, gate_epoch: Epoch(1), ..sale() }
}

/// Two sides that agree.
fn agreeing() -> Sides {
    let seen = Inspection {
        condition: Condition::Loaded,
        epoch: Epoch(1),
        version: 3,
        units: 10,
        stock: 7,
        holders: 3,
        outbox: 0,
    };
    Sides {
        books: Some((activity(), Counts { pending_payment: 2, paid: 1, ..Counts::default() })),
        buckets: vec![(Bucket(0), seen)],
        quiet_at_ms: Some(NOW_MS),
        ..Sides::default()
    }
}

fn found(sides: &Sides) -> Vec<(Kind, Option<UserId>, Option<i64>)> {
    let found = differences(sides, NOW_MS, WAITING_MS);
    found.into_iter().map(|one| (one.kind, one.shopper, one.units)).collect()
}

fn number(shopper: UserId) -> OrderNo {
    OrderNumbers::new(&[7; 64]).mint(shopper, ActivityId(42), NOW_MS)
}

fn entry(shopper: UserId, state: EntryState, age_ms: i64) -> Entry {
    let reserved_at_ms = NOW_MS - age_ms;
    Entry { order_no: number(shopper), state, price: Cents(1999), reserved_at_ms }
}

fn known(order_no: OrderNo, state: OrderState) -> HashMap<OrderNo, Known> {
    [(order_no, Known { order_no, state, reason: None })].into()
}

fn holder(shopper: UserId, state: OrderState) -> Holder {
    let (order_no, price) = (number(shopper), Cents(1999));
    Holder { id: 1, user_id: shopper, order_no, state, price, reserved_at_ms: NOW_MS }
}

/// Sides that agree but for an entry of Alice's, whose number the ledger knows in this state.
fn with_entry(entry: Entry, state: Option<OrderState>) -> Sides {
    let known = state.map(|state| known(entry.order_no, state)).unwrap_or_default();
    Sides { entries: [(ALICE, entry)].into(), known, ..agreeing() }
}

#[test]
fn sides_that_agree_have_no_difference() {
    assert_eq!(found(&agreeing()), []);
}

#[test]
fn a_sale_that_the_gate_is_not_to_hold_has_books_only() {
    let mut sides = Sides { buckets: Vec::new(), ..agreeing() };
    assert_eq!(found(&sides), []);
    sides.books.as_mut().unwrap().1.paid = 0;
    assert_eq!(found(&sides), [(Kind::Books, None, Some(1))]);
}

#[test]
fn books_that_do_not_add_up_are_told_with_their_sign() {
    let mut sides = agreeing();
    sides.books.as_mut().unwrap().1.pending_payment = 4;
    assert_eq!(found(&sides), [(Kind::Books, None, Some(-2))]);
}

#[test]
fn a_gate_that_does_not_hold_the_sale_whole_is_filled_before_anything_else_counts() {
    for condition in
        [Condition::Missing, Condition::Mixed, Condition::Restoring, Condition::Restarted]
    {
        let mut sides = with_entry(entry(ALICE, EntryState::Reserved, 600_000), None);
        sides.buckets[0].1.condition = condition;
        assert_eq!(found(&sides), [(Kind::Unfilled, None, None)], "{condition:?}");
    }
    let mut sides = agreeing();
    sides.buckets[0].1.epoch = Epoch(2);
    assert_eq!(found(&sides), [(Kind::Unfilled, None, None)]);
}

#[test]
fn units_and_settings_of_each_bucket_are_those_of_the_ledger() {
    let mut sides = agreeing();
    sides.buckets[0].1.units = 12;
    sides.buckets[0].1.stock = 9;
    sides.buckets[0].1.version = 2;
    assert_eq!(found(&sides), [(Kind::Terms, None, None), (Kind::Units, None, Some(2))]);
    sides.buckets[0].1.stock = 8;
    assert!(found(&sides).contains(&(Kind::Stock, None, Some(-1))));
}

#[test]
fn a_reservation_is_lost_when_it_is_old_and_nothing_was_on_its_way_since() {
    let old = entry(ALICE, EntryState::Reserved, WAITING_MS + 1000);
    assert_eq!(found(&with_entry(old, None)), [(Kind::Waiting, Some(ALICE), None)]);
    // A row that the ledger has lost is written again in the same way.
    let recorded = Entry { state: EntryState::Recorded, ..old };
    assert_eq!(found(&with_entry(recorded, None)), [(Kind::Waiting, Some(ALICE), None)]);

    let young = entry(ALICE, EntryState::Reserved, WAITING_MS - 1000);
    assert_eq!(found(&with_entry(young, None)), [], "it may still be on its way");
    for quiet_at_ms in [None, Some(old.reserved_at_ms - 1), Some(old.reserved_at_ms + 1000)] {
        let sides = Sides { quiet_at_ms, ..with_entry(old, None) };
        assert_eq!(found(&sides), [], "outbox or queue may hold it: {quiet_at_ms:?}");
    }
}

#[test]
fn a_reservation_whose_message_is_a_dead_letter_is_for_a_person() {
    let entry = entry(ALICE, EntryState::Reserved, 1000);
    let mut sides = with_entry(entry, None);
    sides.letters.open.insert(entry.order_no);
    assert_eq!(found(&sides), [(Kind::Buried, Some(ALICE), None)]);
}

#[test]
fn a_reservation_whose_letter_was_put_away_is_given_back_unless_another_message_may_come() {
    let with = |age_ms| {
        let entry = entry(ALICE, EntryState::Reserved, age_ms);
        let mut sides = with_entry(entry, None);
        sides.letters.put_away.insert(entry.order_no);
        found(&sides)
    };
    assert_eq!(with(1000), []);
    assert_eq!(with(WAITING_MS + 1000), [(Kind::PutAway, Some(ALICE), None)]);
}

#[test]
fn an_entry_says_what_its_order_says() {
    let reserved = entry(ALICE, EntryState::Reserved, 1000);
    let recorded = Entry { state: EntryState::Recorded, ..reserved };
    for state in [OrderState::PendingPayment, OrderState::Paid] {
        let unmarked = with_entry(reserved, Some(state));
        assert_eq!(found(&unmarked), [(Kind::Unmarked, Some(ALICE), None)]);
        assert_eq!(found(&with_entry(recorded, Some(state))), [], "placed between the two reads");
    }
    for state in [OrderState::Cancelled, OrderState::Rejected, OrderState::Lost] {
        for entry in [reserved, recorded] {
            let held = with_entry(entry, Some(state));
            assert_eq!(found(&held), [(Kind::Held, Some(ALICE), None)], "{state:?}");
        }
        let barred = Entry { state: EntryState::Barred, ..reserved };
        assert_eq!(found(&with_entry(barred, Some(state))), [], "it holds nothing");
    }
}

#[test]
fn an_order_without_entry_is_put_back_but_not_over_another_entry() {
    let mut sides = agreeing();
    sides.holders.push(holder(ALICE, OrderState::Paid));
    sides.barred.push(holder(BOB, OrderState::Cancelled));
    let both = [(Kind::Absent, Some(ALICE), None), (Kind::Unbarred, Some(BOB), None)];
    assert_eq!(found(&sides), both);
    let other = Entry { order_no: number(BOB), ..entry(ALICE, EntryState::Reserved, 1000) };
    sides.entries.insert(ALICE, other);
    sides.unreadable.push(BOB);
    assert_eq!(found(&sides), [(Kind::Unreadable, Some(BOB), None)]);
}
