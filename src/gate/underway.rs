//! What is on its way between the outbox and the ledger, and what brings it back on its way.

use super::conn::Gate;
use super::error::GateError;
use super::keys::Keys;
use super::scripts::{AGAIN, PUT_BACK, RECALL};
use crate::sale::activity::Activity;
use crate::sale::ids::{Bucket, Epoch, UserId};
use crate::sale::order_number::OrderNo;
use crate::sale::reservation::Entry;

/// Reservations recalled in one call.
const PAGE: usize = 500;

/// A reservation that has left the outbox and is not recorded yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Underway {
    /// Under which number.
    pub order_no: OrderNo,
    /// Who holds the unit.
    pub shopper: UserId,
    /// Since when, ms since the epoch by Redis' clock.
    pub reserved_at_ms: i64,
}

/// What came of putting a reservation into the outbox again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentAgain {
    /// It is in the outbox.
    Done,
    /// The shopper's entry does not name that number any more.
    Nothing,
    /// It was done a short while ago.
    Lately,
    /// The gate does not hold the sale now.
    NotLoaded,
}

/// What came of putting an entry back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutBack {
    /// The shopper has it again.
    Done,
    /// The shopper has an entry, which stays.
    Held,
    /// The gate does not hold the sale, or not in that epoch.
    NotLoaded,
}

/// Some of a bucket's entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where the next page begins; 0: there is none.
    pub next: u64,
    /// Shoppers and their entries.
    pub entries: Vec<(UserId, Entry)>,
    /// Shoppers whose entry is none that we write.
    pub unreadable: Vec<UserId>,
}

impl Gate {
    /// How many reservations are between outbox and ledger.
    pub async fn underway(&self, keys: &Keys) -> Result<i64, GateError> {
        self.command(redis::cmd("ZCARD").arg(keys.underway())).await
    }

    /// Those that were reserved at this time (ms since the epoch) or before, the oldest first, at most `count`.
    pub async fn underway_since(
        &self,
        keys: &Keys,
        until_ms: i64,
        count: usize,
    ) -> Result<Vec<Underway>, GateError> {
        self.underway_between(keys, (0, until_ms), count).await
    }

    /// Those that were reserved between two times, ms since the epoch, both included.
    pub async fn underway_between(
        &self,
        keys: &Keys,
        (from_ms, until_ms): (i64, i64),
        count: usize,
    ) -> Result<Vec<Underway>, GateError> {
        let mut cmd = redis::cmd("ZRANGEBYSCORE");
        cmd.arg(keys.underway()).arg(from_ms).arg(until_ms).arg("WITHSCORES");
        let found: Vec<(String, f64)> = self.command(cmd.arg("LIMIT").arg(0).arg(count)).await?;
        Ok(found.iter().filter_map(|(member, since)| read(member, *since)).collect())
    }

    /// Puts a reservation into the outbox again, at most once in `every_ms`.
    pub async fn send_again(
        &self,
        keys: &Keys,
        shopper: UserId,
        order_no: OrderNo,
        request_id: &str,
        every_ms: i64,
    ) -> Result<SentAgain, GateError> {
        let reply: String = self
            .run(&AGAIN, |script| {
                script
                    .key(keys.sale())
                    .key(keys.users())
                    .key(keys.outbox())
                    .key(keys.again(shopper))
                    .arg(shopper.0)
                    .arg(order_no.to_string())
                    .arg(request_id)
                    .arg(every_ms.max(1))
            })
            .await?;
        match reply.as_str() {
            "again" => Ok(SentAgain::Done),
            "nothing" => Ok(SentAgain::Nothing),
            "lately" => Ok(SentAgain::Lately),
            "not_loaded" => Ok(SentAgain::NotLoaded),
            _ => Err(GateError::unreadable(reply)),
        }
    }

    /// Puts what is between outbox and ledger back into the outbox; tells how many those were.
    pub async fn recall(
        &self,
        activity: &Activity,
        bucket: Bucket,
        currency: &str,
    ) -> Result<i64, GateError> {
        let keys = Keys::of(activity.id, bucket);
        let mut recalled = 0_i64;
        loop {
            // Each page leaves the set.
            let page = self.underway_between(&keys, (0, i64::MAX), PAGE).await?;
            if page.is_empty() {
                return Ok(recalled);
            }
            let count: i64 = self
                .run(&RECALL, |script| {
                    script
                        .key(keys.users())
                        .key(keys.outbox())
                        .key(keys.underway())
                        .arg(activity.product.id.0)
                        .arg(activity.id.0)
                        .arg(bucket.0)
                        .arg(currency)
                        .arg("recalled");
                    for one in &page {
                        script.arg(one.shopper.0).arg(one.order_no.to_string());
                    }
                    script
                })
                .await?;
            recalled = recalled.saturating_add(count);
        }
    }

    /// Gives a shopper without entry this one.
    pub async fn put_back(
        &self,
        keys: &Keys,
        epoch: Epoch,
        shopper: UserId,
        entry: Entry,
    ) -> Result<PutBack, GateError> {
        let reply: String = self
            .run(&PUT_BACK, |script| {
                script
                    .key(keys.sale())
                    .key(keys.stock())
                    .key(keys.users())
                    .arg(epoch.0)
                    .arg(shopper.0)
                    .arg(entry.to_string())
            })
            .await?;
        match reply.as_str() {
            "put_back" => Ok(PutBack::Done),
            "held" => Ok(PutBack::Held),
            "not_loaded" => Ok(PutBack::NotLoaded),
            _ => Err(GateError::unreadable(reply)),
        }
    }

    /// One page of a bucket's entries, from a cursor that is 0 at first. While the hash changes an entry may
    /// come twice; one that is there all the time comes.
    pub async fn entries(&self, keys: &Keys, cursor: u64, count: usize) -> Result<Page, GateError> {
        let mut cmd = redis::cmd("HSCAN");
        cmd.arg(keys.users()).arg(cursor).arg("COUNT").arg(count);
        let (next, fields): (u64, Vec<(String, String)>) = self.command(&cmd).await?;
        let mut page = Page { next, entries: Vec::with_capacity(fields.len()), unreadable: vec![] };
        for (field, text) in fields.into_iter().filter(|(field, _)| field != "epoch") {
            // A field that names no shopper is none of ours, and holds no unit of anybody's.
            let Ok(shopper) = field.parse().map(UserId) else {
                tracing::warn!(field, "the gate has an entry of nobody");
                continue;
            };
            match text.parse() {
                Ok(entry) => page.entries.push((shopper, entry)),
                Err(_) => page.unreadable.push(shopper),
            }
        }
        Ok(page)
    }
}

/// Nothing of ours writes a member that cannot be read; it hides no other.
fn read(member: &str, since: f64) -> Option<Underway> {
    let (number, user) = member.split_once('|')?;
    let (order_no, shopper) = (number.parse().ok()?, UserId(user.parse().ok()?));
    Some(Underway { order_no, shopper, reserved_at_ms: whole(since) })
}

/// A score is a time in whole milliseconds, which a float of this size holds exactly.
#[allow(clippy::cast_possible_truncation, reason = "times in ms are far below 2⁵³")]
const fn whole(score: f64) -> i64 {
    score as i64
}
