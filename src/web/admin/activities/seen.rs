//! The terms that an admin saw when the form was made, carried along by it; compared with the present
//! ones, they tell what somebody else changed in between. They decide nothing.

use chrono::DateTime;
use serde::{Deserialize, Serialize};

use super::view::form::ChangedRow;
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::ProductId;
use crate::sale::money::Cents;
use crate::sale::plan::Plan;
use crate::sale::zone::Zone;
use crate::web::admin::zone::moment;
use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// Terms, as they were at some moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    #[serde(rename = "p")]
    product: i64,
    #[serde(rename = "t")]
    title: String,
    #[serde(rename = "c")]
    price: i64,
    #[serde(rename = "n")]
    stock: i64,
    #[serde(rename = "s")]
    starts_ms: i64,
    #[serde(rename = "e")]
    ends_ms: i64,
    #[serde(rename = "k")]
    captcha: bool,
    #[serde(rename = "r")]
    rebuy: bool,
    #[serde(rename = "b")]
    buckets: u16,
    #[serde(rename = "w")]
    pay_within_s: i64,
    #[serde(rename = "l")]
    rate: i64,
    #[serde(rename = "a")]
    total_rate: Option<i64>,
    /// The ledger's word for the state; none of what is only planned.
    #[serde(rename = "x")]
    status: Option<String>,
}

/// How terms are told to this admin.
pub(super) struct Words<'a> {
    pub(super) f: &'a Frame,
    pub(super) zone: Zone,
    /// Names of products.
    pub(super) name_of: &'a dyn Fn(ProductId) -> String,
}

impl Seen {
    pub(super) fn of(activity: &Activity) -> Self {
        let planned = Self::planned(activity.product.id, &Plan::of(activity));
        Self { status: Some(activity.status.as_str().to_owned()), ..planned }
    }

    pub(super) fn planned(product: ProductId, plan: &Plan) -> Self {
        Self {
            product: product.0,
            title: plan.title.trim().to_owned(),
            price: plan.price.0,
            stock: plan.stock,
            starts_ms: plan.starts_at.timestamp_millis(),
            ends_ms: plan.ends_at.timestamp_millis(),
            captcha: plan.captcha,
            rebuy: plan.rebuy,
            buckets: plan.buckets,
            pay_within_s: plan.pay_within_s,
            rate: plan.rate_per_s,
            total_rate: plan.total_rate_per_s,
            status: None,
        }
    }

    pub(super) const fn product(&self) -> ProductId {
        ProductId(self.product)
    }

    /// The plan that these terms are.
    pub(super) fn plan(&self) -> Plan {
        let at = |ms| DateTime::from_timestamp_millis(ms).unwrap_or_default();
        Plan {
            title: self.title.clone(),
            price: Cents(self.price),
            stock: self.stock,
            starts_at: at(self.starts_ms),
            ends_at: at(self.ends_ms),
            captcha: self.captcha,
            rebuy: self.rebuy,
            buckets: self.buckets,
            pay_within_s: self.pay_within_s,
            rate_per_s: self.rate,
            total_rate_per_s: self.total_rate,
        }
    }

    /// For the hidden field.
    pub(super) fn packed(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn unpacked(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// What became different since, beside what this admin typed.
    pub(super) fn changes(&self, now: &Self, typed: &Self, words: &Words<'_>) -> Vec<ChangedRow> {
        let (seen, now, yours) = (self.told(words), now.told(words), typed.told(words));
        seen.into_iter()
            .zip(now)
            .zip(yours)
            .filter(|(((_, seen), (_, now)), _)| seen != now)
            .map(|(((label, seen), (_, now)), (_, yours))| ChangedRow {
                differs: !yours.is_empty() && yours != now,
                label,
                seen,
                now,
                yours,
            })
            .collect()
    }

    fn told(&self, words: &Words<'_>) -> Vec<(Message, String)> {
        let f = words.f;
        let at = |ms| {
            let at = DateTime::from_timestamp_millis(ms).unwrap_or_default();
            moment(at, words.zone, f.language).text.to_string()
        };
        let yes = |yes| if yes { f.t("yes") } else { f.t("no") }.to_string();
        let bound = self.total_rate.map_or_else(|| f.t("no-bound").to_string(), |n| n.to_string());
        let status = self.status.as_deref().and_then(|word| word.parse().ok());
        vec![
            (key("form-state"), status.map_or_else(String::new, |status| state(f, status))),
            (key("form-product"), (words.name_of)(ProductId(self.product))),
            (key("form-title"), self.title.clone()),
            (key("form-price"), f.price(&self.price).to_string()),
            (key("form-stock"), self.stock.to_string()),
            (key("form-starts-at"), at(self.starts_ms)),
            (key("form-ends-at"), at(self.ends_ms)),
            (key("form-captcha"), yes(self.captcha)),
            (key("form-rate"), self.rate.to_string()),
            (key("form-total-rate"), bound),
            (key("form-buckets"), self.buckets.to_string()),
            (key("form-pay-within"), f.duration(&self.pay_within_s).to_string()),
            (key("form-rebuy"), yes(self.rebuy)),
        ]
    }
}

fn state(f: &Frame, status: Status) -> String {
    let word = match status {
        Status::Draft => key("stage-draft"),
        Status::Scheduled => key("stage-scheduled"),
        Status::Paused => key("stage-paused"),
        Status::Ended => key("stage-ended"),
        Status::Settled => key("stage-settled"),
        Status::Cancelled => key("stage-cancelled"),
    };
    f.t(word).to_string()
}
