//! An activity: one product, at one price, in one window, in one stock.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};

use super::ids::{ActivityId, Bucket, Epoch, ProductId, UserId};
use super::money::Cents;

/// The state that the ledger keeps. Whether a scheduled sale is open is told by the clock alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Being prepared; no shopper sees it.
    Draft,
    /// Published: upcoming, open or over by the clock.
    Scheduled,
    /// Stopped for the moment by an admin.
    Paused,
    /// Closed, by the clock or by an admin; orders may still be paid or expire.
    Ended,
    /// Ended, no pending order, nothing on its way.
    Settled,
    /// Withdrawn before the first order.
    Cancelled,
}

impl Status {
    /// The word kept in the ledger and shown by the commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Scheduled => "scheduled",
            Self::Paused => "paused",
            Self::Ended => "ended",
            Self::Settled => "settled",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether an activity may go from this state to `next`.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Draft, Self::Scheduled | Self::Cancelled)
                | (Self::Scheduled, Self::Paused | Self::Ended | Self::Cancelled)
                | (Self::Paused, Self::Scheduled | Self::Ended | Self::Cancelled)
                | (Self::Ended, Self::Settled)
        )
    }

    /// Whether the gate may hold this sale: its keys are made, watched and rebuilt.
    #[must_use]
    pub const fn lives_at_gate(self) -> bool {
        matches!(self, Self::Scheduled | Self::Paused | Self::Ended)
    }
}

/// A word that names no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no state of an activity")]
pub struct UnknownStatus(pub String);

impl FromStr for Status {
    type Err = UnknownStatus;
    fn from_str(text: &str) -> Result<Self, UnknownStatus> {
        [Self::Draft, Self::Scheduled, Self::Paused, Self::Ended, Self::Settled, Self::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| UnknownStatus(text.to_owned()))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a shopper sees of the state at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Not for shoppers' eyes: a draft, or withdrawn.
    Hidden,
    /// Published, not yet open.
    Upcoming,
    /// Can be bought.
    Open,
    /// Stopped for the moment.
    Paused,
    /// Over.
    Ended,
}

/// What is sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// Its number.
    pub id: ProductId,
    /// Its name, as typed.
    pub name: String,
    /// Plain text.
    pub description: String,
    /// The usual price, shown struck through beside the sale's.
    pub list_price: Option<Cents>,
    /// The file name of its picture.
    pub picture: Option<String>,
    /// Whether no new sale takes it.
    pub archived: bool,
    /// Counts edits.
    pub version: i64,
}

/// One sale, as pages, the gate and the commands know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// Its number.
    pub id: ActivityId,
    /// What is sold.
    pub product: Product,
    /// The sale's own headline.
    pub title: String,
    /// What one unit costs.
    pub price: Cents,
    /// Units given to the sale.
    pub total_stock: i64,
    /// Units that no order holds, as the ledger counts.
    pub remain_stock: i64,
    /// The ledger's state.
    pub status: Status,
    /// The first moment of the window.
    pub starts_at: DateTime<Utc>,
    /// The first moment after the window.
    pub ends_at: DateTime<Utc>,
    /// Counts edits; the gate takes a configuration only with a higher one.
    pub version: i64,
    /// The filling of the gate that counts.
    pub gate_epoch: Epoch,
    /// Whether a ticket asks for a captcha.
    pub captcha: bool,
    /// Whether a shopper whose order was cancelled may buy again.
    pub rebuy: bool,
    /// Parts of the stock at the gate, at least 1.
    pub bucket_count: u16,
    /// Seconds from the recording of an order to its deadline.
    pub pay_within_s: i64,
    /// Purchase requests that one shopper may make a second.
    pub rate_per_s: i64,
    /// Attempts of all shoppers together that may reach the stock in a second; None: no bound.
    pub total_rate_per_s: Option<i64>,
}

impl Activity {
    /// What a shopper sees at `now_ms`, by the server's clock.
    #[must_use]
    pub fn phase(&self, now_ms: i64) -> Phase {
        match self.status {
            Status::Draft | Status::Cancelled => Phase::Hidden,
            Status::Ended | Status::Settled => Phase::Ended,
            Status::Scheduled | Status::Paused if now_ms >= self.closes_ms() => Phase::Ended,
            Status::Paused => Phase::Paused,
            Status::Scheduled if now_ms < self.opens_ms() => Phase::Upcoming,
            Status::Scheduled => Phase::Open,
        }
    }

    /// The first moment of the window, ms since the epoch.
    #[must_use]
    pub const fn opens_ms(&self) -> i64 {
        self.starts_at.timestamp_millis()
    }

    /// The first moment after the window, ms since the epoch.
    #[must_use]
    pub const fn closes_ms(&self) -> i64 {
        self.ends_at.timestamp_millis()
    }

    /// The bucket that holds everything about this shopper, for the whole life of the sale. Ids are
    /// spread by a multiplication, since those of one registration wave are neighbours.
    #[must_use]
    pub fn bucket_of(&self, shopper: UserId) -> Bucket {
        let spread = shopper.0.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let bucket = spread % u64::from(self.bucket_count.max(1));
        Bucket(u16::try_from(bucket).unwrap_or(0))
    }

    /// Attempts a second that one bucket lets through; None: no bound.
    #[must_use]
    pub fn attempts_of(&self, bucket: Bucket) -> Option<i64> {
        // At least one: a bucket that lets nobody through would never sell its units.
        self.total_rate_per_s.map(|rate| self.share_of(bucket, rate).max(1))
    }

    /// All buckets, in order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + use<> {
        (0..self.bucket_count.max(1)).map(Bucket)
    }

    /// Units that a bucket is given when `total` is spread evenly: the first ones take the remainder.
    #[must_use]
    pub fn share_of(&self, bucket: Bucket, total: i64) -> i64 {
        let count = i64::from(self.bucket_count.max(1));
        total / count + i64::from(i64::from(bucket.0) < total % count)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use chrono::TimeZone;

    use super::*;

    /// A sale of 100 units, open from 1,000 s to 2,000 s after the epoch.
    pub fn sale() -> Activity {
        let at = |s| Utc.timestamp_opt(s, 0).single().expect("a valid time");
        Activity {
            id: ActivityId(42),
            product: Product {
                id: ProductId(7),
                name: "Kettle".into(),
                description: String::new(),
                list_price: Some(Cents(9900)),
                picture: None,
                archived: false,
                version: 1,
            },
            title: "Kettles at noon".into(),
            price: Cents(1999),
            total_stock: 100,
            remain_stock: 100,
            status: Status::Scheduled,
            starts_at: at(1000),
            ends_at: at(2000),
            version: 1,
            gate_epoch: Epoch(0),
            captcha: true,
            rebuy: true,
            bucket_count: 1,
            pay_within_s: 900,
            rate_per_s: 5,
            total_rate_per_s: None,
        }
    }

    #[test]
    fn the_clock_opens_and_ends_a_scheduled_sale() {
        let sale = sale();
        assert_eq!(sale.phase(999_999), Phase::Upcoming);
        assert_eq!(sale.phase(1_000_000), Phase::Open);
        assert_eq!(sale.phase(1_999_999), Phase::Open);
        assert_eq!(sale.phase(2_000_000), Phase::Ended);
    }

    #[test]
    fn a_paused_sale_is_over_all_the_same_when_its_window_is() {
        let sale = Activity { status: Status::Paused, ..sale() };
        assert_eq!(sale.phase(1_500_000), Phase::Paused);
        assert_eq!(sale.phase(2_000_000), Phase::Ended);
    }

    #[test]
    fn nothing_leads_back_from_the_end() {
        for end in [Status::Ended, Status::Settled, Status::Cancelled] {
            for live in [Status::Draft, Status::Scheduled, Status::Paused] {
                assert!(!end.may_become(live), "{end} -> {live}");
            }
        }
    }

    #[test]
    fn buckets_share_the_stock_without_loss_and_shoppers_evenly() {
        let sale = Activity { bucket_count: 7, ..sale() };
        let given: i64 = sale.buckets().map(|b| sale.share_of(b, 100)).sum();
        assert_eq!(given, 100);
        let mut shoppers = [0; 7];
        for id in 1..=7000 {
            shoppers[usize::from(sale.bucket_of(UserId(id)).0)] += 1;
        }
        assert!(shoppers.iter().all(|n| (800..1200).contains(n)), "{shoppers:?}");
    }
}
