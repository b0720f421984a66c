//! Both sides of one sale, as far as they do not agree.
//!
//! The gate is read first and then the ledger, in pages, while shoppers go on: what only moved in between
//! looks like a difference and is gone at the next look. Whatever agrees is let go at once, so that a sale
//! of a million orders takes a million entries and not two.

use std::collections::HashMap;

use super::quiet::Quiet;
use crate::back_office::BackOffice;
use crate::gate::filling::{Condition, Inspection};
use crate::gate::keys::Keys;
use crate::gate::{GateError, underway::Page};
use crate::ledger::dead_letters::{self, Decided};
use crate::ledger::orders::{self, Counts, Holder, Known};
use crate::ledger::{LedgerError, activities};
use crate::sale::activity::Activity;
use crate::sale::ids::{ActivityId, Bucket, Epoch, UserId};
use crate::sale::order_number::OrderNo;
use crate::sale::reservation::{Entry, EntryState};

/// Entries, and orders, read at once.
const ENTRIES: usize = 1000;
const ORDERS: i64 = 1000;
const NUMBERS: usize = 500;

/// Why a sale cannot be compared.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("there is no such sale any more")]
    NoSuchSale,
}

/// What does not agree, and what is needed to tell why.
#[derive(Debug, Default)]
pub(super) struct Sides {
    /// The sale and its orders by state, of one moment.
    pub(super) books: Option<(Activity, Counts)>,
    /// Why the gate could not be asked, if so.
    pub(super) gate_away: Option<GateError>,
    /// The gate's buckets. Empty: it is not to hold the sale (yet, or any more).
    pub(super) buckets: Vec<(Bucket, Inspection)>,
    /// Entries that no order explains.
    pub(super) entries: HashMap<UserId, Entry>,
    /// Shoppers whose entry cannot be read.
    pub(super) unreadable: Vec<UserId>,
    /// Orders that hold a unit, of shoppers whose entry does not say so.
    pub(super) holders: Vec<Holder>,
    /// Cancelled orders that bar their shopper, whose entry does not say so.
    pub(super) barred: Vec<Holder>,
    /// What the ledger knows of the numbers that entries name.
    pub(super) known: HashMap<OrderNo, Known>,
    /// What operators decided about the messages of those that it does not know.
    pub(super) letters: Decided,
    /// When outbox and queue were last seen empty, ms since the epoch.
    pub(super) quiet_at_ms: Option<i64>,
}

impl Sides {
    /// Whether the gate holds the whole sale, in the ledger's epoch.
    pub(super) fn is_loaded(&self, epoch: Epoch) -> bool {
        self.buckets
            .iter()
            .all(|(_, seen)| seen.condition == Condition::Loaded && seen.epoch == epoch)
    }
}

/// Loads both sides of a sale. While the gate cannot be asked, the ledger's own books are all there is.
pub(super) async fn load(
    office: &BackOffice,
    quiet: &Quiet,
    id: ActivityId,
) -> Result<Sides, LoadError> {
    let activity = activities::get(&office.ledger, id).await?.ok_or(LoadError::NoSuchSale)?;
    let mut sides = match load_both(office, quiet, &activity).await {
        Err(LoadError::Gate(error)) => Sides { gate_away: Some(error), ..Sides::default() },
        loaded => loaded?,
    };
    sides.books = orders::balance(&office.ledger, id).await?;
    Ok(sides)
}

async fn load_both(
    office: &BackOffice,
    quiet: &Quiet,
    activity: &Activity,
) -> Result<Sides, LoadError> {
    let mut sides = Sides::default();
    if !is_at_gate(office, activity) {
        return Ok(sides);
    }
    for bucket in activity.buckets() {
        let seen = office.gate.inspect(&Keys::of(activity.id, bucket)).await?;
        sides.buckets.push((bucket, seen));
    }
    if sides.is_loaded(activity.gate_epoch) {
        sides.quiet_at_ms = quiet.look(activity.id, &sides.buckets).await;
        load_entries(office, activity, &mut sides).await?;
        load_orders(office, activity, &mut sides).await?;
        load_known(office, &mut sides).await?;
    }
    Ok(sides)
}

fn is_at_gate(office: &BackOffice, activity: &Activity) -> bool {
    let now_ms = chrono::Utc::now().timestamp_millis();
    activity.status.lives_at_gate()
        && activity.gate_epoch != Epoch::NEVER_OPENED
        // The keys' time is over; what is still pending is the ledger's alone.
        && now_ms < office.expiry_ms(activity)
}

async fn load_entries(
    office: &BackOffice,
    activity: &Activity,
    sides: &mut Sides,
) -> Result<(), LoadError> {
    for bucket in activity.buckets() {
        let keys = Keys::of(activity.id, bucket);
        let mut cursor = 0;
        loop {
            let Page { next, entries, unreadable } =
                office.gate.entries(&keys, cursor, ENTRIES).await?;
            sides.entries.extend(entries);
            sides.unreadable.extend(unreadable);
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
    }
    Ok(())
}

async fn load_orders(
    office: &BackOffice,
    activity: &Activity,
    sides: &mut Sides,
) -> Result<(), LoadError> {
    let mut after = None;
    loop {
        let page = orders::holders_page(&office.ledger, activity.id, after, ORDERS).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.user_id);
        for holder in page {
            let says_so = |entry: &mut Entry| {
                entry.order_no == holder.order_no && entry.state == EntryState::Recorded
            };
            if sides.entries.get_mut(&holder.user_id).is_some_and(says_so) {
                sides.entries.remove(&holder.user_id);
            } else {
                sides.holders.push(holder);
            }
        }
    }
    if activity.rebuy {
        return Ok(());
    }
    let mut after = None;
    loop {
        let (page, next) = orders::barred_page(&office.ledger, activity.id, after, ORDERS).await?;
        for holder in page {
            match sides.entries.get(&holder.user_id) {
                // Whichever of their numbers it names.
                Some(entry) if entry.state == EntryState::Barred => {
                    sides.entries.remove(&holder.user_id);
                }
                Some(_) => {}
                None => sides.barred.push(holder),
            }
        }
        if next.is_none() {
            return Ok(());
        }
        after = next;
    }
}

async fn load_known(office: &BackOffice, sides: &mut Sides) -> Result<(), LoadError> {
    let numbers: Vec<OrderNo> = sides
        .entries
        .values()
        .filter(|entry| entry.state != EntryState::Barred)
        .map(|entry| entry.order_no)
        .collect();
    for page in numbers.chunks(NUMBERS) {
        let known = orders::known(&office.ledger, page.to_vec()).await?;
        sides.known.extend(known.into_iter().map(|known| (known.order_no, known)));
    }
    let unknown: Vec<OrderNo> =
        numbers.into_iter().filter(|number| !sides.known.contains_key(number)).collect();
    for page in unknown.chunks(NUMBERS) {
        let Decided { open, put_away } =
            dead_letters::decided(&office.ledger, page.to_vec()).await?;
        sides.letters.open.extend(open);
        sides.letters.put_away.extend(put_away);
    }
    Ok(())
}
