//! In what the two sides of a sale differ. Pure: the same sides give the same differences.

use super::load::Sides;
use crate::sale::activity::Activity;
use crate::sale::ids::UserId;
use crate::sale::reconciliation::{Difference, Kind};
use crate::sale::reservation::{Entry, EntryState};

/// The clocks of gate and reconciler may differ by so much, ms.
const CLOCKS_MS: i64 = 5_000;

/// Everything in which the sides differ at `now_ms`. A reservation is on its way for `waiting_ms`.
pub(super) fn differences(sides: &Sides, now_ms: i64, waiting_ms: i64) -> Vec<Difference> {
    let Some((activity, counts)) = &sides.books else { return Vec::new() };
    let mut found = Vec::new();
    let missing = activity.total_stock - activity.remain_stock - counts.holding();
    if missing != 0 {
        found.push(Difference { units: Some(missing), ..Difference::of(activity.id, Kind::Books) });
    }
    if sides.buckets.is_empty() {
        return found;
    }
    if !sides.is_loaded(activity.gate_epoch) {
        found.push(Difference::of(activity.id, Kind::Unfilled));
        return found;
    }
    found.extend(of_buckets(sides, activity));
    let of = |shopper: UserId, kind: Kind| Difference {
        bucket: Some(activity.bucket_of(shopper)),
        shopper: Some(shopper),
        ..Difference::of(activity.id, kind)
    };
    found.extend(sides.unreadable.iter().map(|shopper| of(*shopper, Kind::Unreadable)));
    let lost = |entry: &Entry| is_lost(entry, sides.quiet_at_ms, now_ms, waiting_ms);
    for (shopper, entry) in &sides.entries {
        if let Some(kind) = of_entry(entry, sides, lost) {
            let order_no = Some(entry.order_no);
            found.push(Difference { order_no, ..of(*shopper, kind) });
        }
    }
    let without_entry = |shopper: &UserId| {
        !sides.entries.contains_key(shopper) && !sides.unreadable.contains(shopper)
    };
    let absent = sides.holders.iter().map(|holder| (holder, Kind::Absent));
    let unbarred = sides.barred.iter().map(|holder| (holder, Kind::Unbarred));
    for (holder, kind) in absent.chain(unbarred) {
        // One who has an entry under another number has a difference of their own, which comes first.
        if without_entry(&holder.user_id) {
            let order_no = Some(holder.order_no);
            found.push(Difference { order_no, ..of(holder.user_id, kind) });
        }
    }
    found
}

fn of_buckets(sides: &Sides, activity: &Activity) -> Vec<Difference> {
    let mut found = Vec::new();
    for (bucket, seen) in &sides.buckets {
        let of = |kind| Difference { bucket: Some(*bucket), ..Difference::of(activity.id, kind) };
        let units = seen.units - activity.share_of(*bucket, activity.total_stock);
        if seen.version < activity.version {
            found.push(of(Kind::Terms));
        }
        if units != 0 {
            found.push(Difference { units: Some(units), ..of(Kind::Units) });
        }
        if seen.drift() != 0 {
            found.push(Difference { units: Some(seen.drift()), ..of(Kind::Stock) });
        }
    }
    found
}

/// What is wrong with an entry that no order explains, if anything is.
fn of_entry(entry: &Entry, sides: &Sides, is_lost: impl Fn(&Entry) -> bool) -> Option<Kind> {
    if entry.state == EntryState::Barred {
        return None;
    }
    match sides.known.get(&entry.order_no) {
        Some(known) if !known.state.holds_unit() => Some(Kind::Held),
        // The row was written between the two reads, unless the gate has not heard of it.
        Some(_) => (entry.state == EntryState::Reserved).then_some(Kind::Unmarked),
        None if sides.letters.open.contains(&entry.order_no) => Some(Kind::Buried),
        None if !is_lost(entry) => None,
        None if sides.letters.put_away.contains(&entry.order_no) => Some(Kind::PutAway),
        None => Some(Kind::Waiting),
    }
}

/// Reserved for long, and outbox and queue were seen empty since.
fn is_lost(entry: &Entry, quiet_at_ms: Option<i64>, now_ms: i64, waiting_ms: i64) -> bool {
    let reserved = entry.reserved_at_ms;
    reserved.saturating_add(waiting_ms) < now_ms
        && quiet_at_ms.is_some_and(|quiet| quiet > reserved.saturating_add(CLOCKS_MS))
}
