//! Making an activity, as a draft that no shopper sees.

use chrono::{DateTime, Utc};

use super::{BackOffice, BackOfficeError};
use crate::ledger::activities::{self, NewActivity};
use crate::ledger::products::{self, NewProduct};
use crate::sale::ids::ActivityId;
use crate::sale::money::Cents;

/// The longest name or title, characters.
const NAME_MAX: usize = 200;
/// The most units of one activity: beyond it a gate would need more memory than a machine has.
const STOCK_MAX: i64 = 100_000_000;

/// A new activity as an admin describes it.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The product's name; made when there is none of that name.
    pub product: String,
    /// The product's description, used when it is made now.
    pub description: String,
    /// The product's usual price, used when it is made now.
    pub list_price: Option<Cents>,
    /// The sale's headline.
    pub title: String,
    /// What one unit costs.
    pub price: Cents,
    /// Units to sell.
    pub stock: i64,
    /// The first moment of the window.
    pub starts_at: DateTime<Utc>,
    /// The first moment after it.
    pub ends_at: DateTime<Utc>,
    /// Whether a ticket asks for a captcha.
    pub captcha: bool,
    /// Whether a shopper who cancelled may buy again.
    pub rebuy: bool,
    /// Parts of the stock at the gate.
    pub buckets: u16,
    /// Seconds to pay.
    pub pay_within_s: i64,
    /// Requests of one shopper a second.
    pub rate_per_s: i64,
}

impl Draft {
    fn checked(&self) -> Result<(), BackOfficeError> {
        let named = |text: &str| {
            let length = text.trim().chars().count();
            (1..=NAME_MAX).contains(&length) && !text.chars().any(char::is_control)
        };
        let rules = [
            (named(&self.product), "product: 1 to 200 characters, no control characters"),
            (named(&self.title), "title: 1 to 200 characters, no control characters"),
            (
                self.price > Cents(0) && self.price <= Cents::MAX,
                "price: more than 0 and at most 99999999.99",
            ),
            ((0..=STOCK_MAX).contains(&self.stock), "stock: 0 to 100000000"),
            // In the ledger's milliseconds.
            (
                self.ends_at.timestamp_millis() > self.starts_at.timestamp_millis(),
                "ends-at: must be after starts-at",
            ),
            // Redis' scripts count time in doubles, pages in JavaScript's numbers.
            (self.ends_at.timestamp() < 32_503_680_000, "ends-at: before the year 3000"),
            (self.starts_at.timestamp() > 0, "starts-at: after the year 1970"),
            (
                self.buckets == 1,
                "buckets: 1; a sale in several buckets needs the moving of units between them, \
                 which this version does not have yet",
            ),
            ((10..=30 * 86_400).contains(&self.pay_within_s), "pay-within: 10 seconds to 30 days"),
            ((1..=1000).contains(&self.rate_per_s), "rate: 1 to 1000 requests a second"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, message)) => Err(BackOfficeError::Invalid((*message).to_owned())),
            None => Ok(()),
        }
    }
}

impl BackOffice {
    /// Makes the draft and, when there is none of that name, its product.
    pub async fn draft(&self, draft: Draft) -> Result<ActivityId, BackOfficeError> {
        draft.checked()?;
        let product = NewProduct {
            name: draft.product.trim().to_owned(),
            description: draft.description,
            list_price: draft.list_price,
        };
        let product_id = products::find_or_create(&self.ledger, product).await?;
        let new = NewActivity {
            product_id,
            title: draft.title.trim().to_owned(),
            price: draft.price,
            total_stock: draft.stock,
            starts_at: draft.starts_at,
            ends_at: draft.ends_at,
            captcha: draft.captcha,
            rebuy: draft.rebuy,
            bucket_count: draft.buckets,
            pay_within_s: draft.pay_within_s,
            rate_per_s: draft.rate_per_s,
            total_rate_per_s: None,
        };
        Ok(activities::insert_draft(&self.ledger, new).await?)
    }
}
