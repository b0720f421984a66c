//! The form of an activity: what was typed, how it is read, and what is wrong with it, field by field.

use chrono::{DateTime, Utc};

use super::view::form::{Twice, Typed};
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::ProductId;
use crate::sale::money::{Cents, InvalidMoney};
use crate::sale::plan::{Fault, Field, Plan};
use crate::sale::zone::{Fold, NoMoment, Zone};
use crate::web::admin::zone::{clock, date, offset};
use crate::web::extract::fields::{BadForm, Fields};
use crate::web::extract::form::FromFields;
use crate::web::faults::Faults;
use crate::web::page::Frame;
use crate::web::text::{Message, key};

impl FromFields for Typed {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let mut text = |name| Ok::<_, BadForm>(fields.take(name)?.unwrap_or_default());
        Ok(Self {
            version: text("version")?,
            seen: text("seen")?,
            accepted: text("accepted")?,
            product: text("product")?,
            title: text("title")?,
            price: text("price")?,
            stock: text("stock")?,
            buckets: text("buckets")?,
            zone: text("zone")?,
            starts_at: text("starts_at")?,
            starts_fold: text("starts_fold")?,
            ends_at: text("ends_at")?,
            ends_fold: text("ends_fold")?,
            captcha: !text("captcha")?.is_empty(),
            rate: text("rate")?,
            total_rate: text("total_rate")?,
            pay_within: text("pay_within")?,
            pay_unit: text("pay_unit")?,
            rebuy: !text("rebuy")?.is_empty(),
        })
    }
}

impl Typed {
    /// A plan as an admin would type it.
    pub(super) fn of(product: ProductId, plan: &Plan, zone: Zone) -> Self {
        let (starts_at, starts_fold) = zone.write(plan.starts_at);
        let (ends_at, ends_fold) = zone.write(plan.ends_at);
        let fold = |fold: Option<Fold>| fold.map(Fold::as_str).unwrap_or_default().to_owned();
        let (pay_within, pay_unit) = in_units(plan.pay_within_s);
        Self {
            product: product.to_string(),
            title: plan.title.clone(),
            price: plan.price.to_amount(),
            stock: plan.stock.to_string(),
            buckets: plan.buckets.to_string(),
            zone: zone.name().to_owned(),
            starts_at,
            starts_fold: fold(starts_fold),
            ends_at,
            ends_fold: fold(ends_fold),
            captcha: plan.captcha,
            rate: plan.rate_per_s.to_string(),
            total_rate: plan.total_rate_per_s.map_or_else(String::new, |rate| rate.to_string()),
            pay_within: pay_within.to_string(),
            pay_unit: pay_unit.to_owned(),
            rebuy: plan.rebuy,
            ..Self::default()
        }
    }
}

/// Of two admins at one form: what this one left as it was takes over what the other one made of it.
pub(super) fn take_over(typed: &mut Typed, was: &Typed, yours: &Typed, is: Typed) {
    fn follow<T: PartialEq>(field: &mut T, is: T, was_and_yours: (&T, &T)) {
        if was_and_yours.0 == was_and_yours.1 {
            *field = is;
        }
    }
    follow(&mut typed.product, is.product, (&was.product, &yours.product));
    follow(&mut typed.title, is.title, (&was.title, &yours.title));
    follow(&mut typed.price, is.price, (&was.price, &yours.price));
    follow(&mut typed.stock, is.stock, (&was.stock, &yours.stock));
    follow(&mut typed.buckets, is.buckets, (&was.buckets, &yours.buckets));
    follow(&mut typed.captcha, is.captcha, (&was.captcha, &yours.captcha));
    follow(&mut typed.rate, is.rate, (&was.rate, &yours.rate));
    follow(&mut typed.total_rate, is.total_rate, (&was.total_rate, &yours.total_rate));
    follow(&mut typed.rebuy, is.rebuy, (&was.rebuy, &yours.rebuy));
    // These stand in two fields each.
    if (&was.starts_at, &was.starts_fold) == (&yours.starts_at, &yours.starts_fold) {
        (typed.starts_at, typed.starts_fold) = (is.starts_at, is.starts_fold);
    }
    if (&was.ends_at, &was.ends_fold) == (&yours.ends_at, &yours.ends_fold) {
        (typed.ends_at, typed.ends_fold) = (is.ends_at, is.ends_fold);
    }
    if (&was.pay_within, &was.pay_unit) == (&yours.pay_within, &yours.pay_unit) {
        (typed.pay_within, typed.pay_unit) = (is.pay_within, is.pay_unit);
    }
}

/// What a published activity keeps: the form shows it and does not send it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fixed {
    /// Product, stock and buckets.
    pub terms: bool,
    /// The start.
    pub start: bool,
}

impl Fixed {
    pub(super) fn of(activity: Option<&Activity>, now_ms: i64) -> Self {
        let published = activity.filter(|activity| activity.status != Status::Draft);
        Self {
            terms: published.is_some(),
            start: published.is_some_and(|activity| now_ms >= activity.opens_ms()),
        }
    }
}

/// A form that was read.
pub(super) struct Reading {
    pub(super) product: ProductId,
    pub(super) plan: Plan,
    /// UTC where the form names none.
    pub(super) zone: Zone,
    /// Where there are some, the plan is none.
    pub(super) faults: Faults,
    /// Choices to offer where clocks show a time twice.
    pub(super) starts_twice: Option<Twice>,
    pub(super) ends_twice: Option<Twice>,
}

/// Reads the form as the new plan of `activity`, or of a new one. What is fixed and was not sent stays.
pub(super) fn read(typed: &Typed, activity: Option<&Activity>, f: &Frame) -> Reading {
    let mut reader = Reader { f, faults: Faults::default() };
    let fixed = Fixed::of(activity, f.now_ms);
    let kept = activity.filter(|_| fixed.terms);
    let zone = reader.zone(&typed.zone);
    let product = match kept.filter(|_| typed.product.is_empty()) {
        Some(activity) => activity.product.id,
        None => reader.product(&typed.product),
    };
    let price = reader.price(&typed.price);
    let stock = match kept.filter(|_| typed.stock.is_empty()) {
        Some(activity) => activity.total_stock,
        None => reader.number("stock", &typed.stock, Fault::Stock),
    };
    let buckets = match kept.filter(|_| typed.buckets.is_empty()) {
        Some(activity) => activity.bucket_count,
        None => reader.buckets(&typed.buckets),
    };
    let begun = activity.filter(|_| fixed.start && typed.starts_at.is_empty());
    let (starts_at, starts_twice) = match begun {
        Some(activity) => (Some(activity.starts_at), None),
        None => reader.moment("starts_at", &typed.starts_at, &typed.starts_fold, zone),
    };
    let (ends_at, ends_twice) = reader.moment("ends_at", &typed.ends_at, &typed.ends_fold, zone);
    let rate = reader.number("rate", &typed.rate, Fault::Rate);
    let total_rate = typed.total_rate.trim();
    let total_rate_per_s =
        (!total_rate.is_empty()).then(|| reader.number("total_rate", total_rate, Fault::TotalRate));
    let pay_within_s = reader.length("pay_within", &typed.pay_within, &typed.pay_unit);
    let plan = Plan {
        title: typed.title.trim().to_owned(),
        price,
        stock,
        starts_at: starts_at.unwrap_or_default(),
        ends_at: ends_at.unwrap_or_default(),
        captcha: typed.captcha,
        rebuy: typed.rebuy,
        buckets,
        pay_within_s,
        rate_per_s: rate,
        total_rate_per_s,
    };
    let broken = match activity {
        Some(activity) => plan.faults_in_place_of(activity, f.now_ms),
        None => plan.faults(),
    };
    // What could not be read has its fault already, and makes no sense of what depends on it.
    let window_is_read = starts_at.is_some() && ends_at.is_some();
    for fault in broken {
        let of_window = matches!(fault.field(), Field::StartsAt | Field::EndsAt);
        if window_is_read || !of_window {
            reader.add(fault);
        }
    }
    let faults = in_order_of_the_form(&reader.faults);
    Reading { product, plan, zone: zone.unwrap_or(Zone::UTC), faults, starts_twice, ends_twice }
}

struct Reader<'a> {
    f: &'a Frame,
    faults: Faults,
}

impl Reader<'_> {
    fn add(&mut self, fault: Fault) {
        let field = name_of(fault.field());
        if self.faults.of(field).is_none() {
            self.faults.add(field, told(fault));
        }
    }

    fn zone(&mut self, typed: &str) -> Option<Zone> {
        let zone = typed.parse().ok();
        if zone.is_none() {
            self.faults.add("zone", key("fault-zone"));
        }
        zone
    }

    fn product(&mut self, typed: &str) -> ProductId {
        typed.parse().unwrap_or_else(|_| {
            self.faults.add("product", key("fault-product"));
            ProductId(0)
        })
    }

    fn price(&mut self, typed: &str) -> Cents {
        let fault = match Cents::parse_amount(typed.trim()) {
            Ok(price) => return price,
            Err(InvalidMoney::NotAnAmount) => key("fault-price-not-an-amount"),
            Err(InvalidMoney::TooPrecise) => key("fault-price-too-precise"),
            Err(InvalidMoney::TooMuch) => key("fault-price"),
        };
        self.faults.add("price", fault);
        Cents(0)
    }

    /// A whole number in plain digits.
    fn number(&mut self, field: &'static str, typed: &str, fault: Fault) -> i64 {
        whole(typed).unwrap_or_else(|| {
            self.faults.add(field, told(fault));
            0
        })
    }

    fn buckets(&mut self, typed: &str) -> u16 {
        // What does not fit becomes zero, which is refused.
        u16::try_from(self.number("buckets", typed, Fault::Buckets)).unwrap_or_default()
    }

    fn length(&mut self, field: &'static str, typed: &str, unit: &str) -> i64 {
        let seconds = UNITS.into_iter().find(|(name, _)| *name == unit).map(|(_, seconds)| seconds);
        let length = whole(typed).zip(seconds).and_then(|(n, seconds)| n.checked_mul(seconds));
        length.unwrap_or_else(|| {
            self.faults.add(field, told(Fault::PayWithin));
            0
        })
    }

    /// A moment of the window. Without a zone there is none, and the zone's fault says so.
    fn moment(
        &mut self,
        field: &'static str,
        typed: &str,
        fold: &str,
        zone: Option<Zone>,
    ) -> (Option<DateTime<Utc>>, Option<Twice>) {
        let Some(zone) = zone else { return (None, None) };
        let language = self.f.language;
        let name = self.f.t(if field == "starts_at" {
            key("form-starts-at")
        } else {
            key("form-ends-at")
        });
        let (fault, twice) = match zone.read(typed, Fold::of(fold)) {
            Ok(at) => {
                // Where the choice was needed, it stays to be changed.
                let twice = match zone.read(typed, None) {
                    Err(NoMoment::Twice { earlier, later, .. }) => {
                        Some(Twice { earlier: offset(&earlier), later: offset(&later) })
                    }
                    _ => None,
                };
                return (Some(at), twice);
            }
            Err(NoMoment::Missing) => (key("fault-time-missing"), None),
            Err(NoMoment::NotATime) => (key("fault-time"), None),
            Err(NoMoment::Gap { typed, zone, from, to }) => {
                let fault = key("fault-time-gap")
                    .with("date", date(from, language))
                    .with("zone", zone.name())
                    .with("from", clock(from))
                    .with("to", clock(to))
                    .with("typed", clock(typed));
                (fault, None)
            }
            Err(NoMoment::Twice { typed, zone, earlier, later }) => {
                let fault = key("fault-time-twice")
                    .with("date", date(typed, language))
                    .with("zone", zone.name())
                    .with("typed", clock(typed));
                let twice = Twice { earlier: offset(&earlier), later: offset(&later) };
                (fault, Some(twice))
            }
        };
        self.faults.add(field, fault.with("field", name));
        (None, twice)
    }
}

fn whole(typed: &str) -> Option<i64> {
    let typed = typed.trim();
    let digits = !typed.is_empty() && typed.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| typed.parse().ok()).flatten()
}

/// Units of a length of time in the form, and their seconds.
pub(super) const UNITS: [(&str, i64); 4] = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];

fn in_units(seconds: i64) -> (i64, &'static str) {
    let fits = |(_, unit): &(&str, i64)| seconds % unit == 0;
    let (name, unit) = UNITS.into_iter().rev().find(fits).unwrap_or(("s", 1));
    (seconds / unit, name)
}

const FIELDS: [&str; 11] = [
    "product",
    "title",
    "price",
    "stock",
    "buckets",
    "zone",
    "starts_at",
    "ends_at",
    "rate",
    "total_rate",
    "pay_within",
];

fn in_order_of_the_form(found: &Faults) -> Faults {
    let mut faults = Faults::default();
    for field in FIELDS {
        if let Some(fault) = found.of(field) {
            faults.add(field, fault);
        }
    }
    faults
}

/// The name of a plan's field in the form.
pub(super) const fn name_of(field: Field) -> &'static str {
    match field {
        Field::Product => "product",
        Field::Title => "title",
        Field::Price => "price",
        Field::Stock => "stock",
        Field::StartsAt => "starts_at",
        Field::EndsAt => "ends_at",
        Field::Buckets => "buckets",
        Field::PayWithin => "pay_within",
        Field::Rate => "rate",
        Field::TotalRate => "total_rate",
    }
}

/// What is wrong, and how to write it.
pub(super) fn told(fault: Fault) -> Message {
    match fault {
        Fault::Product => key("fault-product"),
        Fault::ProductFixed => key("fault-product-fixed"),
        Fault::Title => key("fault-title"),
        Fault::Price => key("fault-price"),
        Fault::Stock => key("fault-stock"),
        Fault::StockFixed => key("fault-stock-fixed"),
        Fault::StartTooEarly => key("fault-start-too-early"),
        Fault::StartFixed => key("fault-start-fixed"),
        Fault::EndBeforeStart => key("fault-end-before-start"),
        Fault::EndTooLate => key("fault-end-too-late"),
        Fault::EndPassed => key("fault-end-passed"),
        Fault::Buckets => key("fault-buckets"),
        Fault::BucketsFixed => key("fault-buckets-fixed"),
        Fault::PayWithin => key("fault-pay-within"),
        Fault::Rate => key("fault-rate"),
        Fault::TotalRate => key("fault-total-rate"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_plain_digits() {
        assert_eq!(whole(" 42 "), Some(42));
        assert_eq!(whole("0"), Some(0));
        let beyond = format!("1{}", "0".repeat(30));
        for no in ["", "-1", "+1", "1e3", "1.5", "1,000", "ten", "４２", &beyond] {
            assert_eq!(whole(no), None, "{no}");
        }
    }

    #[test]
    fn a_length_is_written_in_the_largest_unit_that_fits() {
        assert_eq!(in_units(900), (15, "m"));
        assert_eq!(in_units(90), (90, "s"));
        assert_eq!(in_units(7200), (2, "h"));
        assert_eq!(in_units(86_400), (1, "d"));
    }
}
