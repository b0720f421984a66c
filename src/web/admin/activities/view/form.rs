//! The form of an activity, new or not.

use askama::Template;

use crate::sale::zone::Zone;
use crate::web::admin::activities::typed::{Fixed, UNITS};
use crate::web::faults::Faults;
use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// `GET` and `POST /admin/activities/new` and `/admin/activities/{id}/edit`.
#[derive(Debug, Template)]
#[template(path = "admin/activities/form.html")]
pub struct FormPage {
    /// What every page has.
    pub f: Frame,
    /// Whether the browser is to tell its zone.
    pub asks_zone: bool,
    /// The activity that is edited.
    pub existing: Option<Existing>,
    /// What stands in the fields.
    pub typed: Typed,
    /// What is wrong with them.
    pub faults: Faults,
    /// What cannot be changed any more.
    pub fixed: Fixed,
    /// The products to choose from.
    pub products: Vec<Choice>,
    /// What has to be meant.
    pub warnings: Vec<Message>,
    /// What somebody else changed in between.
    pub changed: Vec<ChangedRow>,
    /// Something stood in the way for the moment.
    pub trouble: Option<Message>,
    /// The choice at the start, where clocks show it twice.
    pub starts_twice: Option<Twice>,
    /// The choice at the end.
    pub ends_twice: Option<Twice>,
}

/// The activity that is edited.
#[derive(Debug)]
pub struct Existing {
    /// Its number.
    pub id: i64,
    /// Its present headline.
    pub title: String,
    /// Its stock now, which a published one does not edit.
    pub stock: i64,
}

/// What was typed, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct Typed {
    /// The version that the admin saw.
    pub version: String,
    /// The terms that the admin saw.
    pub seen: String,
    /// The warnings that the admin read.
    pub accepted: String,
    /// The product's number.
    pub product: String,
    /// The headline.
    pub title: String,
    /// The price.
    pub price: String,
    /// The units.
    pub stock: String,
    /// The parts of the stock.
    pub buckets: String,
    /// The zone of the two times.
    pub zone: String,
    /// The start.
    pub starts_at: String,
    /// Which one, where clocks show it twice.
    pub starts_fold: String,
    /// The end.
    pub ends_at: String,
    /// Which one, where clocks show it twice.
    pub ends_fold: String,
    /// Whether a captcha is asked for.
    pub captcha: bool,
    /// The bound on one shopper.
    pub rate: String,
    /// The bound on all.
    pub total_rate: String,
    /// The time to pay.
    pub pay_within: String,
    /// Its unit.
    pub pay_unit: String,
    /// Whether a shopper may buy again.
    pub rebuy: bool,
}

/// A product to choose.
#[derive(Debug)]
pub struct Choice {
    /// Its number.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The usual price, whole minor units.
    pub list_price: Option<i64>,
}

/// The two moments that clocks show alike, told by their offsets.
#[derive(Debug, Clone)]
pub struct Twice {
    /// Of the first.
    pub earlier: String,
    /// Of the second.
    pub later: String,
}

/// A field that somebody else changed.
#[derive(Debug)]
pub struct ChangedRow {
    /// The field.
    pub label: Message,
    /// What it was when the form was made.
    pub seen: String,
    /// What it is now.
    pub now: String,
    /// What stands in the form.
    pub yours: String,
    /// Whether saving the form changes it back, or to something else.
    pub differs: bool,
}

impl FormPage {
    /// Where the form is sent.
    #[must_use]
    pub fn action(&self) -> String {
        match &self.existing {
            Some(existing) => format!("/admin/activities/{}/edit", existing.id),
            None => "/admin/activities/new".to_owned(),
        }
    }

    /// Where to go without saving.
    #[must_use]
    pub fn back(&self) -> String {
        match &self.existing {
            Some(existing) => format!("/admin/activities/{}", existing.id),
            None => "/admin/activities".to_owned(),
        }
    }

    /// What the button says.
    #[must_use]
    pub fn button(&self) -> Message {
        if !self.changed.is_empty() {
            key("form-save-over")
        } else if !self.warnings.is_empty() {
            key("form-save-anyway")
        } else if self.existing.is_some() {
            key("form-save")
        } else {
            key("form-create")
        }
    }

    /// The names of all zones, by their part of the world.
    #[must_use]
    pub fn zones(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for name in Zone::names() {
            let area = name.split_once('/').map_or("", |(area, _)| area);
            match groups.iter_mut().find(|(of, _)| *of == area) {
                Some((_, names)) => names.push(name),
                None => groups.push((area, vec![name])),
            }
        }
        groups.sort_unstable();
        groups
    }

    /// The units of the time to pay.
    #[must_use]
    pub fn units(&self) -> Vec<(&'static str, Message)> {
        let word = |name| match name {
            "m" => key("unit-minutes"),
            "h" => key("unit-hours"),
            "d" => key("unit-days"),
            _ => key("unit-seconds"),
        };
        UNITS.into_iter().map(|(name, _)| (name, word(name))).collect()
    }
}
