//! What stays where it should not: one look at each place, bounded, that changes nothing.

use std::collections::{BTreeMap, HashSet};

use futures_util::future::join_all;

use super::{Due, OpenRefund};
use crate::back_office::{BackOffice, BackOfficeError};
use crate::gate::keys::Keys;
use crate::ledger::orders::{self, Cancelled};
use crate::ledger::{activities, dead_letters, payments, reconciliations, users};
use crate::sale::activity::Activity;
use crate::sale::ids::{ActivityId, Bucket, UserId};
use crate::sale::order_number::OrderNo;
use crate::sale::reconciliation::{Finding, Outcome, Report, Skipped};
use crate::sale::reservation::EntryState;

/// A reservation in the outbox is published within milliseconds while a worker runs, ms.
const OUTBOX_MS: i64 = 10_000;
/// One that was published is recorded within seconds, in a rush within some more, ms.
const UNDERWAY_MS: i64 = 30_000;
/// An order ends within a few seconds of its deadline, ms.
const OVERDUE_MS: i64 = 30_000;
/// The unit of a cancelled order is back at once; what was missed, within a minute, ms.
const HELD_MS: i64 = 60_000;
/// Gate and ledger are compared once a minute, ms.
const COMPARED_MS: i64 = 180_000;
/// Sales that are looked at.
const SALES: i64 = 200;
/// Things of one kind that are named.
const SHOWN: i64 = 50;
/// Up to so many things of one kind are counted.
pub const COUNTED: i64 = 100;
/// Reservations of one bucket that are read at one place.
const OF_A_BUCKET: usize = 20;
/// Cancelled orders, the newest, that the gate is asked about.
const CANCELLED: i64 = 200;

/// A sale by number and title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its number.
    pub id: ActivityId,
    /// Its title.
    pub title: String,
}

impl Named {
    fn of(sale: &Activity) -> Self {
        Self { id: sale.id, title: sale.title.clone() }
    }
}

/// Where a reservation waits that the ledger does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the outbox: it is still to be published.
    Outbox,
    /// It was published and is not recorded.
    Underway,
    /// Its message lies with the dead letters, under this number.
    DeadLetter(i64),
}

/// A reservation that waits too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its number.
    pub order_no: OrderNo,
    /// Of which sale.
    pub sale: Named,
    /// Whose it is.
    pub shopper: UserId,
    /// What they are called.
    pub shopper_name: Option<String>,
    /// Since when, ms since the epoch.
    pub since_ms: i64,
    /// Where.
    pub place: Place,
}

/// A cancelled order whose unit the gate still holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Which order.
    pub order_no: OrderNo,
    /// Of which sale.
    pub sale: Named,
    /// When it was cancelled, ms since the epoch.
    pub cancelled_at_ms: i64,
}

/// What the last comparison of gate and ledger leaves to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Its number.
    pub id: i64,
    /// When it ended, ms since the epoch.
    pub at_ms: i64,
    /// What only a person can put right, and what could not be put right then.
    pub findings: Vec<Finding>,
    /// How many of those there are.
    pub in_all: i64,
    /// Sales that could not be compared, and why.
    pub skipped: Vec<Skipped>,
    /// The titles of all these sales.
    pub titles: BTreeMap<ActivityId, String>,
}

/// Everything that is stuck, as far as it is shown.
#[derive(Debug, Clone, Default)]
pub struct Stuck {
    /// Reservations that wait too long, the oldest first.
    pub waiting: Vec<Waiting>,
    /// What is in the outboxes where they wait.
    pub in_outbox: i64,
    /// What has left the outboxes where they wait, and is not recorded.
    pub underway: i64,
    /// Money that is to go back.
    pub refunds: Vec<OpenRefund>,
    /// How much of it there is, counted up to [`COUNTED`].
    pub refunds_in_all: i64,
    /// Orders whose deadline has long passed.
    pub overdue: Vec<Due>,
    /// How many there are, counted up to [`COUNTED`].
    pub overdue_in_all: i64,
    /// Cancelled orders that hold a unit at the gate.
    pub held: Vec<Held>,
    /// What the last comparison found. `None`: there was none yet.
    pub compared: Option<Compared>,
    /// Whether a sale lives and the last comparison was long ago.
    pub is_compared_late: bool,
    /// Whether the gate could not be asked, so that its part is missing.
    pub gate_away: bool,
}

impl Stuck {
    /// Whether nothing is.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.waiting.is_empty()
            && self.refunds.is_empty()
            && self.overdue.is_empty()
            && self.held.is_empty()
            && self.compared.as_ref().is_none_or(|compared| compared.findings.is_empty())
            && !self.gate_away
    }
}

impl Stuck {
    /// What is listed by its present state is not told of as what it was in the last comparison as well.
    fn say_once(&mut self) {
        let Some(compared) = &mut self.compared else { return };
        let waiting = self.waiting.iter().map(|one| one.order_no);
        let listed: HashSet<OrderNo> =
            waiting.chain(self.held.iter().map(|one| one.order_no)).collect();
        let before = length(&compared.findings);
        let is_listed = |finding: &Finding| {
            finding.difference.order_no.is_some_and(|number| listed.contains(&number))
        };
        compared.findings.retain(|finding| !is_listed(finding));
        compared.in_all -= before - length(&compared.findings);
    }
}

/// What waits at one bucket.
#[derive(Default)]
struct Waits {
    oldest: Vec<Waiting>,
    in_outbox: i64,
    underway: i64,
}

impl BackOffice {
    /// Everything that is stuck at `now_ms`.
    pub async fn stuck(&self, now_ms: i64) -> Result<Stuck, BackOfficeError> {
        let sales = activities::at_gate(&self.ledger, SALES).await?;
        let mut stuck = Stuck {
            refunds: payments::open_refunds(&self.ledger, SHOWN).await?,
            overdue: orders::overdue(&self.ledger, SHOWN).await?,
            compared: self.compared().await?,
            ..Stuck::default()
        };
        stuck.overdue.retain(|due| due.overdue_ms > OVERDUE_MS);
        stuck.refunds_in_all = match length(&stuck.refunds) {
            SHOWN => payments::open_refunds_count(&self.ledger, COUNTED + 1).await?,
            few => few,
        };
        stuck.overdue_in_all = match length(&stuck.overdue) {
            SHOWN => orders::overdue_count(&self.ledger, OVERDUE_MS, COUNTED + 1).await?,
            few => few,
        };
        let lives = sales.iter().any(|sale| sale.opens_ms() < now_ms - COMPARED_MS);
        let compared_ms = stuck.compared.as_ref().map_or(0, |compared| compared.at_ms);
        stuck.is_compared_late = lives && now_ms - compared_ms > COMPARED_MS;
        self.look_for_waiting(&sales, now_ms, &mut stuck).await?;
        self.look_for_held(&sales, now_ms, &mut stuck).await?;
        stuck.say_once();
        Ok(stuck)
    }

    async fn compared(&self) -> Result<Option<Compared>, BackOfficeError> {
        let Some(round) = reconciliations::last_round(&self.ledger).await? else {
            return Ok(None);
        };
        let Some((_, at_ms)) = round.done else { return Ok(None) };
        let Report { mut findings, skipped, alarms, .. } = round.report;
        let is_left = |finding: &Finding| finding.outcome == Outcome::Left;
        findings.retain(|finding| finding.difference.kind.is_alarm() || is_left(finding));
        let left = findings.iter().filter(|finding| !finding.difference.kind.is_alarm()).count();
        let in_all = alarms.saturating_add(i64::try_from(left).unwrap_or(i64::MAX));
        findings.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
        let named = findings.iter().map(|finding| finding.difference.activity);
        let named = named.chain(skipped.iter().map(|one| one.activity));
        let titles = activities::titles(&self.ledger, named.collect()).await?;
        Ok(Some(Compared { id: round.id, at_ms, findings, in_all, skipped, titles }))
    }

    async fn look_for_waiting(
        &self,
        sales: &[Activity],
        now_ms: i64,
        stuck: &mut Stuck,
    ) -> Result<(), BackOfficeError> {
        let looks = sales.iter().map(|sale| async move {
            let mut found = Vec::new();
            for bucket in sale.buckets() {
                found.push(self.waits_at(sale, bucket, now_ms).await?);
            }
            Ok::<_, BackOfficeError>(found)
        });
        for looked in join_all(looks).await {
            let Ok(found) = looked else {
                stuck.gate_away = true;
                continue;
            };
            for waits in found {
                stuck.in_outbox = stuck.in_outbox.saturating_add(waits.in_outbox);
                stuck.underway = stuck.underway.saturating_add(waits.underway);
                stuck.waiting.extend(waits.oldest);
            }
        }
        stuck.waiting.sort_by_key(|waiting| waiting.since_ms);
        stuck.waiting.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
        self.complete(&mut stuck.waiting).await
    }

    async fn waits_at(
        &self,
        sale: &Activity,
        bucket: Bucket,
        now_ms: i64,
    ) -> Result<Waits, BackOfficeError> {
        let keys = Keys::of(sale.id, bucket);
        let in_outbox = (0, now_ms - OUTBOX_MS);
        let entries = self.gate.outbox_between(&keys, in_outbox, OF_A_BUCKET).await?;
        let underway = self.gate.underway_since(&keys, now_ms - UNDERWAY_MS, OF_A_BUCKET).await?;
        if entries.is_empty() && underway.is_empty() {
            return Ok(Waits::default());
        }
        let waiting = |order_no, shopper, since_ms, place| {
            let sale = Named::of(sale);
            Waiting { order_no, sale, shopper, shopper_name: None, since_ms, place }
        };
        let mut oldest: Vec<Waiting> = entries
            .into_iter()
            .filter_map(|entry| entry.reservation.ok())
            .map(|one| waiting(one.order_no, one.user_id, one.reserved_at_ms, Place::Outbox))
            .collect();
        // What is sent again is at both places; it is in the outbox then.
        let again: HashSet<OrderNo> = oldest.iter().map(|one| one.order_no).collect();
        let underway = underway.into_iter().filter(|one| !again.contains(&one.order_no));
        oldest
            .extend(underway.map(|one| {
                waiting(one.order_no, one.shopper, one.reserved_at_ms, Place::Underway)
            }));
        Ok(Waits {
            oldest,
            in_outbox: self.gate.outboxes(vec![keys], now_ms).await?.entries,
            underway: self.gate.underway(&keys).await?,
        })
    }

    /// Fills in what the ledger knows: who waits, and which of the messages lie with the dead letters.
    async fn complete(&self, waiting: &mut [Waiting]) -> Result<(), BackOfficeError> {
        let shoppers = waiting.iter().map(|one| one.shopper).collect();
        let names = users::names(&self.ledger, shoppers).await?;
        let published = waiting.iter().filter(|one| one.place == Place::Underway);
        let published = published.map(|one| one.order_no).collect();
        let letters = dead_letters::undecided_of(&self.ledger, published).await?;
        for one in waiting {
            one.shopper_name = names.get(&one.shopper).cloned();
            if let Some(letter) = letters.get(&one.order_no) {
                one.place = Place::DeadLetter(*letter);
            }
        }
        Ok(())
    }

    async fn look_for_held(
        &self,
        sales: &[Activity],
        now_ms: i64,
        stuck: &mut Stuck,
    ) -> Result<(), BackOfficeError> {
        let cancelled = orders::cancelled_last(&self.ledger, CANCELLED).await?;
        let cancelled = cancelled.iter().filter(|order| order.place.0 < now_ms - HELD_MS);
        for looked in join_all(cancelled.map(|order| self.held(sales, order))).await {
            match looked {
                Ok(held) => stuck.held.extend(held),
                Err(_) => stuck.gate_away = true,
            }
        }
        Ok(())
    }

    async fn held(
        &self,
        sales: &[Activity],
        order: &Cancelled,
    ) -> Result<Option<Held>, BackOfficeError> {
        let Some(sale) = sales.iter().find(|sale| sale.id == order.activity_id) else {
            return Ok(None);
        };
        let keys = Keys::of(sale.id, sale.bucket_of(order.user_id));
        let entry = self.gate.holding(&keys, order.user_id).await?.entry;
        let holds = entry.is_some_and(|entry| {
            entry.order_no == order.order_no && entry.state != EntryState::Barred
        });
        let (sale, cancelled_at_ms) = (Named::of(sale), order.place.0);
        Ok(holds.then_some(Held { order_no: order.order_no, sale, cancelled_at_ms }))
    }
}

fn length<T>(list: &[T]) -> i64 {
    i64::try_from(list.len()).unwrap_or(i64::MAX)
}
