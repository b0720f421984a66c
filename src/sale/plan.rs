//! What an admin plans for a sale, and the rules that a plan has to keep.

use chrono::{DateTime, Utc};

use super::activity::{Activity, Status};
use super::money::Cents;

/// The longest name or title, characters.
pub const NAME_MAX: usize = 200;
/// The most units of one activity: beyond it a gate would need more memory than a machine has.
pub const STOCK_MAX: i64 = 100_000_000;
/// The most parts of a stock. More than one needs the moving of units between them, which this version
/// does not have yet.
pub const BUCKETS_MAX: u16 = 1;
/// The shortest and the longest time to pay, seconds.
pub const PAY_WITHIN_S: (i64, i64) = (10, 30 * 86_400);
/// The fewest and the most requests that one shopper may make a second.
pub const RATE_PER_S: (i64, i64) = (1, 1000);
/// The fewest and the most attempts of all shoppers a second.
pub const TOTAL_RATE_PER_S: (i64, i64) = (1, 1_000_000);

/// Everything about a sale that an admin may set, but its product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The sale's headline.
    pub title: String,
    /// What one unit costs.
    pub price: Cents,
    /// Units to sell. Once the sale is published, they change by adjustments alone.
    pub stock: i64,
    /// The first moment of the window.
    pub starts_at: DateTime<Utc>,
    /// The first moment after it.
    pub ends_at: DateTime<Utc>,
    /// Whether a ticket asks for a captcha.
    pub captcha: bool,
    /// Whether a shopper whose order was cancelled may buy again. Fixed once the sale is published: whoever
    /// cancelled before was freed or barred at the gate by what held then.
    pub rebuy: bool,
    /// Parts of the stock at the gate. Fixed once the sale is published.
    pub buckets: u16,
    /// Seconds from the recording of an order to its deadline.
    pub pay_within_s: i64,
    /// Purchase requests that one shopper may make a second.
    pub rate_per_s: i64,
    /// Attempts of all shoppers together that may reach the stock in a second; None: no bound.
    pub total_rate_per_s: Option<i64>,
}

/// A field of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// What is sold.
    Product,
    /// The headline.
    Title,
    /// The price.
    Price,
    /// The units.
    Stock,
    /// The first moment.
    StartsAt,
    /// The first moment after.
    EndsAt,
    /// The parts of the stock.
    Buckets,
    /// The time to pay.
    PayWithin,
    /// Buying again after a cancelled order.
    Rebuy,
    /// The bound on one shopper.
    Rate,
    /// The bound on all.
    TotalRate,
}

/// A rule that a plan breaks. Displayed, it names the field as the commands do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Fault {
    /// The product is archived, or there is none.
    #[error("product: not one that can be sold")]
    Product,
    /// A published sale keeps its product.
    #[error("product: fixed once the sale is published")]
    ProductFixed,
    /// The headline's length or characters.
    #[error("title: 1 to 200 characters, no control characters")]
    Title,
    /// Nothing is given away, and nothing costs more than can be counted.
    #[error("price: more than 0 and at most 99999999.99")]
    Price,
    /// Not a number of units.
    #[error("stock: 0 to 100000000")]
    Stock,
    /// A published sale's stock changes by adjustments.
    #[error("stock: of a published sale it is changed by an adjustment")]
    StockFixed,
    /// Redis' scripts count time in doubles, pages in JavaScript's numbers.
    #[error("starts-at: after the year 1970")]
    StartTooEarly,
    /// What has begun has begun.
    #[error("starts-at: the sale has begun; its start is fixed")]
    StartFixed,
    /// The window is empty.
    #[error("ends-at: must be after starts-at")]
    EndBeforeStart,
    /// Too far for the scripts' numbers.
    #[error("ends-at: before the year 3000")]
    EndTooLate,
    /// A sale is closed by ending it, not by an end in the past.
    #[error("ends-at: has passed; to close the sale now, end it")]
    EndPassed,
    /// More parts than this version moves units between.
    #[error(
        "buckets: 1; a sale in several buckets needs the moving of units between them, which this \
         version does not have yet"
    )]
    Buckets,
    /// A published sale keeps its parts.
    #[error("buckets: fixed once the sale is published")]
    BucketsFixed,
    /// The time to pay is out of bounds.
    #[error("pay-within: 10 seconds to 30 days")]
    PayWithin,
    /// A published sale keeps its word on buying again.
    #[error("rebuy: fixed once the sale is published")]
    RebuyFixed,
    /// The bound on one shopper is out of bounds.
    #[error("rate: 1 to 1000 requests a second")]
    Rate,
    /// The bound on all shoppers is out of bounds.
    #[error("total-rate: 1 to 1000000 attempts a second, or none")]
    TotalRate,
}

impl Fault {
    /// Where it stands in a form.
    #[must_use]
    pub const fn field(self) -> Field {
        match self {
            Self::Product | Self::ProductFixed => Field::Product,
            Self::Title => Field::Title,
            Self::Price => Field::Price,
            Self::Stock | Self::StockFixed => Field::Stock,
            Self::StartTooEarly | Self::StartFixed => Field::StartsAt,
            Self::EndBeforeStart | Self::EndTooLate | Self::EndPassed => Field::EndsAt,
            Self::Buckets | Self::BucketsFixed => Field::Buckets,
            Self::PayWithin => Field::PayWithin,
            Self::RebuyFixed => Field::Rebuy,
            Self::Rate => Field::Rate,
            Self::TotalRate => Field::TotalRate,
        }
    }
}

/// Whether a text serves as a name or a title.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let length = text.trim().chars().count();
    (1..=NAME_MAX).contains(&length) && !text.chars().any(char::is_control)
}

impl Plan {
    /// An activity's present plan.
    #[must_use]
    pub fn of(activity: &Activity) -> Self {
        Self {
            title: activity.title.clone(),
            price: activity.price,
            stock: activity.total_stock,
            starts_at: activity.starts_at,
            ends_at: activity.ends_at,
            captcha: activity.captcha,
            rebuy: activity.rebuy,
            buckets: activity.bucket_count,
            pay_within_s: activity.pay_within_s,
            rate_per_s: activity.rate_per_s,
            total_rate_per_s: activity.total_rate_per_s,
        }
    }

    /// The rules that this plan breaks, in the order of a form.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let within = |n: i64, (least, most): (i64, i64)| (least..=most).contains(&n);
        let rules = [
            (is_name(&self.title), Fault::Title),
            (self.price > Cents(0) && self.price <= Cents::MAX, Fault::Price),
            (within(self.stock, (0, STOCK_MAX)), Fault::Stock),
            (self.starts_at.timestamp() > 0, Fault::StartTooEarly),
            // In the ledger's milliseconds.
            (
                self.ends_at.timestamp_millis() > self.starts_at.timestamp_millis(),
                Fault::EndBeforeStart,
            ),
            (self.ends_at.timestamp() < 32_503_680_000, Fault::EndTooLate),
            ((1..=BUCKETS_MAX).contains(&self.buckets), Fault::Buckets),
            (within(self.pay_within_s, PAY_WITHIN_S), Fault::PayWithin),
            (within(self.rate_per_s, RATE_PER_S), Fault::Rate),
            (
                self.total_rate_per_s.is_none_or(|rate| within(rate, TOTAL_RATE_PER_S)),
                Fault::TotalRate,
            ),
        ];
        rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
    }

    /// The rules that this plan breaks as the new plan of `activity`: what shoppers and the gate count on
    /// already is fixed.
    #[must_use]
    pub fn faults_in_place_of(&self, activity: &Activity, now_ms: i64) -> Vec<Fault> {
        let mut faults = self.faults();
        if activity.status == Status::Draft {
            return faults;
        }
        let begun = now_ms >= activity.opens_ms();
        let rules = [
            (self.stock == activity.total_stock, Fault::StockFixed),
            (self.buckets == activity.bucket_count, Fault::BucketsFixed),
            (self.rebuy == activity.rebuy, Fault::RebuyFixed),
            (!begun || self.starts_at == activity.starts_at, Fault::StartFixed),
            (
                self.ends_at == activity.ends_at || self.ends_at.timestamp_millis() > now_ms,
                Fault::EndPassed,
            ),
        ];
        faults.extend(rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault));
        faults
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::super::activity::tests::sale;
    use super::*;

    #[test]
    fn each_rule_is_broken_by_its_own_fault_alone() {
        let good = Plan::of(&sale());
        assert_eq!(good.faults(), []);
        let bad = |change: fn(&mut Plan)| {
            let mut plan = good.clone();
            change(&mut plan);
            plan.faults()
        };
        assert_eq!(bad(|p| p.title = " ".into()), [Fault::Title]);
        assert_eq!(bad(|p| p.title = "a\u{0}b".into()), [Fault::Title]);
        assert_eq!(bad(|p| p.title = "字".repeat(201)), [Fault::Title]);
        assert_eq!(bad(|p| p.title = "字".repeat(200)), []);
        assert_eq!(bad(|p| p.price = Cents(0)), [Fault::Price]);
        assert_eq!(bad(|p| p.price = Cents(Cents::MAX.0 + 1)), [Fault::Price]);
        assert_eq!(bad(|p| p.stock = -1), [Fault::Stock]);
        assert_eq!(bad(|p| p.stock = 0), []);
        assert_eq!(bad(|p| p.ends_at = p.starts_at), [Fault::EndBeforeStart]);
        assert_eq!(bad(|p| p.buckets = 0), [Fault::Buckets]);
        assert_eq!(bad(|p| p.pay_within_s = 9), [Fault::PayWithin]);
        assert_eq!(bad(|p| p.rate_per_s = 1001), [Fault::Rate]);
        assert_eq!(bad(|p| p.total_rate_per_s = Some(0)), [Fault::TotalRate]);
        assert_eq!(bad(|p| p.total_rate_per_s = None), []);
    }

    #[test]
    fn what_a_published_sale_has_promised_is_fixed() {
        let sale = sale();
        let before = sale.opens_ms() - 1;
        let during = sale.opens_ms();
        let as_edit = |at: i64, change: fn(&mut Plan)| {
            let mut plan = Plan::of(&sale);
            change(&mut plan);
            plan.faults_in_place_of(&sale, at)
        };
        assert_eq!(as_edit(before, |p| p.starts_at += TimeDelta::seconds(1)), []);
        assert_eq!(as_edit(during, |p| p.starts_at += TimeDelta::seconds(1)), [Fault::StartFixed]);
        assert_eq!(as_edit(during, |p| p.ends_at = p.starts_at + TimeDelta::milliseconds(1)), []);
        assert_eq!(
            as_edit(during + 1, |p| p.ends_at = p.starts_at + TimeDelta::milliseconds(1)),
            [Fault::EndPassed]
        );
        assert_eq!(as_edit(during, |p| p.stock += 1), [Fault::StockFixed]);
        assert_eq!(as_edit(before, |p| p.rebuy = !p.rebuy), [Fault::RebuyFixed]);
        assert_eq!(as_edit(during, |p| p.price = Cents(1)), []);
        // A window that is over may keep its end while something else is put right.
        assert_eq!(as_edit(sale.closes_ms() + 1, |p| p.title = "Kettles, again".into()), []);
    }

    #[test]
    fn a_draft_may_become_anything() {
        let draft = Activity { status: Status::Draft, ..sale() };
        let plan = Plan {
            stock: 7,
            starts_at: draft.starts_at - TimeDelta::seconds(500),
            ..Plan::of(&draft)
        };
        assert_eq!(plan.faults_in_place_of(&draft, draft.closes_ms() + 1), []);
    }
}
