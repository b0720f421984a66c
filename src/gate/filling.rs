//! Filling the gate with a sale, configuring it, and looking at it.

use super::conn::Gate;
use super::error::GateError;
use super::keys::Keys;
use super::scripts::{ADJUST, BEGIN, INSPECT, OPEN, RECOUNT, RESTORE, RESTORING};
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::{ActivityId, Bucket, Epoch, Fence, UserId};
use crate::sale::reservation::Entry;

/// A refusal of a configuring script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FillingRefused {
    /// A later holder of the activity's lock was here.
    #[error("another holder of the lock has written since")]
    Fenced,
    /// The gate holds another epoch than the caller thinks.
    #[error("the gate holds another epoch of this sale")]
    OtherEpoch,
    /// Redis was restarted meanwhile: begin again.
    #[error("the gate was restarted meanwhile")]
    Restarted,
    /// The gate does not hold the sale.
    #[error("the gate does not hold this sale now")]
    NotLoaded,
}

/// Why a filling step failed.
#[derive(Debug, thiserror::Error)]
pub enum FillingError {
    /// The script said no.
    #[error(transparent)]
    Refused(#[from] FillingRefused),
    /// The gate could not be asked.
    #[error(transparent)]
    Gate(#[from] GateError),
}

/// What `open` did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    /// Finished a filling.
    Opened,
    /// Replaced a loaded sale's configuration.
    Changed,
    /// The gate had this version or a later one.
    Unchanged,
}

/// In what condition the gate holds a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// As it should be.
    Loaded,
    /// A key is gone.
    Missing,
    /// Keys of two epochs.
    Mixed,
    /// A rebuild is under way, or was left half done.
    Restoring,
    /// The server is not the one that was filled; its data may be older.
    Restarted,
}

/// One bucket as the gate holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// Whether it is sound.
    pub condition: Condition,
    /// Of which filling.
    pub epoch: Epoch,
    /// Of which configuration.
    pub version: i64,
    /// Units given to the bucket.
    pub units: i64,
    /// Units left.
    pub stock: i64,
    /// Units held.
    pub holders: i64,
    /// Reservations not yet safe in the queue.
    pub outbox: i64,
}

impl Inspection {
    /// Units that the stock says are left and that are not; with a minus, that are and of which it does not
    /// know. Every script of ours keeps it at none.
    #[must_use]
    pub const fn drift(&self) -> i64 {
        self.stock - (self.units - self.holders)
    }
}

/// What the site's configuration adds to an activity's own.
#[derive(Debug, Clone)]
pub struct GateTerms {
    /// Three letters.
    pub currency: String,
    /// Reservations that one bucket's outbox may hold before shoppers are told to wait.
    pub outbox_bound: i64,
    /// How long keys outlive the sale's last deadline, ms.
    pub keep_ms: i64,
}

impl GateTerms {
    /// When an activity's keys may go, ms since the epoch.
    #[must_use]
    pub fn expiry_ms(&self, activity: &Activity) -> i64 {
        activity
            .closes_ms()
            .saturating_add(activity.pay_within_s.saturating_mul(1000))
            .saturating_add(self.keep_ms)
    }
}

impl Gate {
    /// Stops a loaded sale before a rebuild. A sale that is not there is stopped already.
    pub async fn mark_restoring(&self, keys: &Keys, fence: Fence) -> Result<(), FillingError> {
        let reply: String =
            self.run(&RESTORING, |script| script.key(keys.sale()).arg(fence.0)).await?;
        done(&reply, &["stopped", "missing"])
    }

    /// Begins a filling: whatever was here goes. `expiry_ms`, since the epoch of time, must lie ahead:
    /// it is the least that all keys live, whatever [`Gate::open`] says.
    pub async fn begin(
        &self,
        keys: &Keys,
        epoch: Epoch,
        fence: Fence,
        expiry_ms: i64,
    ) -> Result<(), FillingError> {
        let reply: String = self
            .run(&BEGIN, |script| {
                script
                    .key(keys.sale())
                    .key(keys.stock())
                    .key(keys.users())
                    .key(keys.underway())
                    .arg(epoch.0)
                    .arg(fence.0)
                    .arg(expiry_ms)
            })
            .await?;
        done(&reply, &["begun"])
    }

    /// Puts one page of holders back.
    pub async fn restore(
        &self,
        keys: &Keys,
        epoch: Epoch,
        fence: Fence,
        page: &[(UserId, Entry)],
    ) -> Result<(), FillingError> {
        let reply: String = self
            .run(&RESTORE, |script| {
                script.key(keys.sale()).key(keys.users()).arg(epoch.0).arg(fence.0);
                for (shopper, entry) in page {
                    script.arg(shopper.0).arg(entry.to_string());
                }
                script
            })
            .await?;
        done(&reply, &["restored"])
    }

    /// Finishes a filling, or gives a loaded sale a newer configuration.
    pub async fn open(
        &self,
        activity: &Activity,
        bucket: Bucket,
        epoch: Epoch,
        fence: Fence,
        terms: &GateTerms,
    ) -> Result<Opened, FillingError> {
        let keys = Keys::of(activity.id, bucket);
        let state = match activity.status {
            Status::Paused => "paused",
            Status::Scheduled => "open",
            _ => "ended",
        };
        let reply: String = self
            .run(&OPEN, |script| {
                script
                    .key(keys.sale())
                    .key(keys.stock())
                    .key(keys.users())
                    .arg(epoch.0)
                    .arg(fence.0)
                    .arg(activity.version)
                    .arg(state)
                    .arg(activity.opens_ms())
                    .arg(activity.closes_ms())
                    .arg(activity.rate_per_s)
                    .arg(activity.price.0)
                    .arg(&terms.currency)
                    .arg(activity.product.id.0)
                    .arg(activity.id.0)
                    .arg(bucket.0)
                    .arg(terms.outbox_bound)
                    .arg(activity.share_of(bucket, activity.total_stock))
                    .arg(terms.expiry_ms(activity))
                    .arg(activity.attempts_of(bucket).map_or(String::new(), |n| n.to_string()))
            })
            .await?;
        match reply.as_str() {
            "opened" => Ok(Opened::Opened),
            "changed" => Ok(Opened::Changed),
            "unchanged" => Ok(Opened::Unchanged),
            word => Err(refused(word)),
        }
    }

    /// Changes the units of a loaded sale by `by`, once per `change_id`; tells by how many they changed.
    /// A raise never lifts the units above `ledger_total`.
    pub async fn adjust(
        &self,
        keys: &Keys,
        epoch: Epoch,
        fence: Fence,
        change_id: &str,
        by: i64,
        ledger_total: i64,
    ) -> Result<i64, FillingError> {
        let (word, changed): (String, Option<i64>) = self
            .run(&ADJUST, |script| {
                script
                    .key(keys.sale())
                    .key(keys.stock())
                    .key(keys.users())
                    .arg(epoch.0)
                    .arg(fence.0)
                    .arg(change_id)
                    .arg(by)
                    .arg(ledger_total)
            })
            .await
            .map(|reply: Vec<redis::Value>| split_adjusted(&reply))??;
        changed.filter(|_| word == "done").ok_or_else(|| refused(&word))
    }

    /// Counts a bucket's stock anew; tells by how many units it was too high.
    pub async fn recount(&self, keys: &Keys, epoch: Epoch) -> Result<i64, FillingError> {
        let (word, by): (String, Option<i64>) = self
            .run(&RECOUNT, |script| {
                script.key(keys.sale()).key(keys.stock()).key(keys.users()).arg(epoch.0)
            })
            .await
            .map(|reply: Vec<redis::Value>| split_adjusted(&reply))??;
        by.filter(|_| word == "done").ok_or_else(|| refused(&word))
    }

    /// Looks at one bucket.
    pub async fn inspect(&self, keys: &Keys) -> Result<Inspection, GateError> {
        type Reply = (String, i64, i64, i64, i64, i64, i64, String);
        let (condition, epoch, version, units, stock, holders, outbox, _state): Reply = self
            .run(&INSPECT, |script| {
                script.key(keys.sale()).key(keys.stock()).key(keys.users()).key(keys.outbox())
            })
            .await?;
        let condition = match condition.as_str() {
            "loaded" => Condition::Loaded,
            "missing" => Condition::Missing,
            "mixed" => Condition::Mixed,
            "restoring" => Condition::Restoring,
            "restarted" => Condition::Restarted,
            _ => return Err(GateError::unreadable(condition)),
        };
        Ok(Inspection { condition, epoch: Epoch(epoch), version, units, stock, holders, outbox })
    }

    /// Pushes the expiry of a loaded sale's keys on; never shortens it.
    pub async fn keep_until(
        &self,
        activity: ActivityId,
        bucket: Bucket,
        expiry_ms: i64,
    ) -> Result<(), GateError> {
        let keys = Keys::of(activity, bucket);
        let live =
            [keys.sale(), keys.stock(), keys.users(), keys.underway(), keys.tally(), keys.seen()];
        for key in live {
            let mut cmd = redis::cmd("PEXPIREAT");
            let _pushed: i64 = self.command(cmd.arg(key).arg(expiry_ms).arg("GT")).await?;
        }
        Ok(())
    }
}

fn split_adjusted(reply: &[redis::Value]) -> Result<(String, Option<i64>), GateError> {
    use redis::from_redis_value_ref as read;
    let unreadable = || GateError::unreadable(reply);
    let word = reply.first().and_then(|v| read(v).ok()).ok_or_else(unreadable)?;
    Ok((word, reply.get(1).and_then(|v| read(v).ok())))
}

fn done(reply: &str, good: &[&str]) -> Result<(), FillingError> {
    if good.contains(&reply) { Ok(()) } else { Err(refused(reply)) }
}

fn refused(word: &str) -> FillingError {
    FillingError::Refused(match word {
        "fenced" => FillingRefused::Fenced,
        "other_epoch" | "newer" => FillingRefused::OtherEpoch,
        "restarted" | "changed" => FillingRefused::Restarted,
        "not_loaded" => FillingRefused::NotLoaded,
        _ => return FillingError::Gate(GateError::unreadable(word)),
    })
}
