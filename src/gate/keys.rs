//! The names of the gate's keys; the contract fixes them.
//!
//! All keys of one bucket share the hash tag `{activity:bucket}`, so that a script may touch them
//! together on a cluster too.

use crate::sale::ids::{ActivityId, Bucket, UserId};

/// The keys of one bucket of one activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Keys {
    activity: ActivityId,
    bucket: Bucket,
}

impl Keys {
    /// The keys of this bucket.
    #[must_use]
    pub const fn of(activity: ActivityId, bucket: Bucket) -> Self {
        Self { activity, bucket }
    }

    fn named(&self, kind: &str) -> String {
        format!("seckill:{kind}:{{{}:{}}}", self.activity, self.bucket)
    }

    /// Hash: state, window, limits, version, epoch, fence, units, the server's run id.
    #[must_use]
    pub fn sale(&self) -> String {
        self.named("sale")
    }

    /// String: units left.
    #[must_use]
    pub fn stock(&self) -> String {
        self.named("stock")
    }

    /// Hash: each holder's entry, and the field `epoch`.
    #[must_use]
    pub fn users(&self) -> String {
        self.named("users")
    }

    /// Stream: reservations not yet safe in the queue.
    #[must_use]
    pub fn outbox(&self) -> String {
        self.named("outbox")
    }

    /// Sorted set: `order_no|user id` of what has left the outbox and is not recorded yet, by the time of its
    /// reservation.
    #[must_use]
    pub fn underway(&self) -> String {
        self.named("underway")
    }

    /// String: the shopper's reservation was put into the outbox again of late.
    #[must_use]
    pub fn again(&self, shopper: UserId) -> String {
        format!("{}:{shopper}", self.named("again"))
    }

    /// Hash: how each node answered requests, counted by outcome.
    #[must_use]
    pub fn tally(&self) -> String {
        self.named("tally")
    }

    /// `HyperLogLog`: the shoppers who asked.
    #[must_use]
    pub fn seen(&self) -> String {
        self.named("seen")
    }

    /// Hash: the shopper's live ticket.
    #[must_use]
    pub fn ticket(&self, shopper: UserId) -> String {
        format!("{}:{shopper}", self.named("ticket"))
    }

    /// String: attempts of all shoppers in this second.
    #[must_use]
    pub fn rate_of_all(&self) -> String {
        self.named("rate")
    }

    /// String: the shopper's requests in this second.
    #[must_use]
    pub fn rate(&self, shopper: UserId) -> String {
        format!("{}:{shopper}", self.named("rate"))
    }
}

/// Sorted set: the processes that told something of late, by the gate's time.
pub(super) const PULSES: &str = "seckill:pulse:{pulse}";

/// String: what a process told last.
pub(super) fn pulse(process: &str) -> String {
    format!("{PULSES}:{process}")
}

/// List: what a worker told before, the latest first.
pub(super) fn past(process: &str) -> String {
    format!("{PULSES}:{process}:past")
}

/// The lock of this name.
#[must_use]
pub fn lock(name: &str) -> String {
    format!("seckill:lock:{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_contract() {
        let keys = Keys::of(ActivityId(42), Bucket(3));
        assert_eq!(keys.sale(), "seckill:sale:{42:3}");
        assert_eq!(keys.tally(), "seckill:tally:{42:3}");
        assert_eq!(keys.ticket(UserId(7)), "seckill:ticket:{42:3}:7");
        assert_eq!(lock("activity:42"), "seckill:lock:activity:42");
    }
}
