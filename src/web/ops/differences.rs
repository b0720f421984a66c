//! What differs between gate and ledger, in words.

use std::collections::BTreeMap;

use crate::sale::ids::ActivityId;
use crate::sale::reconciliation::{Difference, Finding, Kind, Outcome, Skipped};
use crate::web::figures::number;
use crate::web::text::{Message, key};

/// What a kind of difference is called.
#[must_use]
pub fn name(kind: Kind) -> Message {
    match kind {
        Kind::Unfilled => key("kind-unfilled"),
        Kind::Terms => key("kind-terms"),
        Kind::Units => key("kind-units"),
        Kind::Stock => key("kind-stock"),
        Kind::Waiting => key("kind-waiting"),
        Kind::Buried => key("kind-buried"),
        Kind::PutAway => key("kind-put-away"),
        Kind::Absent => key("kind-absent"),
        Kind::Unbarred => key("kind-unbarred"),
        Kind::Unmarked => key("kind-unmarked"),
        Kind::Held => key("kind-held"),
        Kind::Unreadable => key("kind-unreadable"),
        Kind::Books => key("kind-books"),
    }
}

/// What it means, and what becomes of it or is to be done.
#[must_use]
pub fn meaning(kind: Kind) -> Message {
    match kind {
        Kind::Unfilled => key("kind-unfilled-what"),
        Kind::Terms => key("kind-terms-what"),
        Kind::Units => key("kind-units-what"),
        Kind::Stock => key("kind-stock-what"),
        Kind::Waiting => key("kind-waiting-what"),
        Kind::Buried => key("kind-buried-what"),
        Kind::PutAway => key("kind-put-away-what"),
        Kind::Absent => key("kind-absent-what"),
        Kind::Unbarred => key("kind-unbarred-what"),
        Kind::Unmarked => key("kind-unmarked-what"),
        Kind::Held => key("kind-held-what"),
        Kind::Unreadable => key("kind-unreadable-what"),
        Kind::Books => key("kind-books-what"),
    }
}

fn outcome(outcome: Outcome) -> Message {
    match outcome {
        Outcome::Found => key("outcome-found"),
        Outcome::Repaired => key("outcome-repaired"),
        Outcome::Gone => key("outcome-gone"),
        Outcome::Left => key("outcome-left"),
        Outcome::Alarm => key("outcome-alarm"),
    }
}

/// The colour of an outcome.
const fn chip(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Found | Outcome::Gone => "settled",
        Outcome::Repaired => "live",
        Outcome::Left => "warn",
        Outcome::Alarm => "bad",
    }
}

/// Differences of one kind.
#[derive(Debug, Clone)]
pub struct Group {
    /// The kind's word.
    pub word: &'static str,
    /// What it is called.
    pub name: Message,
    /// What it means.
    pub meaning: Message,
    /// Whether only a person can put it right.
    pub is_alarm: bool,
    /// The differences.
    pub lines: Vec<Line>,
}

/// A difference.
#[derive(Debug, Clone)]
pub struct Line {
    /// The sale's number.
    pub sale: i64,
    /// Its title, if it is still there.
    pub title: Option<String>,
    /// The page of its books.
    pub books: String,
    /// The order's number and where to look for it.
    pub order: Option<(String, String)>,
    /// The shopper's number.
    pub shopper: Option<i64>,
    /// Units too many, or with a minus too few.
    pub units: Option<String>,
    /// What became of it.
    pub outcome: Message,
    /// Its colour.
    pub chip: &'static str,
}

/// Differences by their kind, in the order in which the kinds come first.
#[must_use]
pub fn grouped(findings: &[Finding], titles: &BTreeMap<ActivityId, String>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for finding in findings {
        let kind = finding.difference.kind;
        let line = line(finding, titles);
        match groups.iter_mut().find(|group| group.word == kind.as_str()) {
            Some(group) => group.lines.push(line),
            None => groups.push(Group {
                word: kind.as_str(),
                name: name(kind),
                meaning: meaning(kind),
                is_alarm: kind.is_alarm(),
                lines: vec![line],
            }),
        }
    }
    groups
}

fn line(finding: &Finding, titles: &BTreeMap<ActivityId, String>) -> Line {
    let difference = &finding.difference;
    Line {
        sale: difference.activity.0,
        title: titles.get(&difference.activity).cloned(),
        books: books(difference.activity),
        order: order(difference),
        shopper: difference.shopper.map(|shopper| shopper.0),
        units: difference.units.map(|units| {
            let plus = if units > 0 { "+" } else { "" };
            format!("{plus}{}", number(units))
        }),
        outcome: outcome(finding.outcome),
        chip: chip(finding.outcome),
    }
}

/// A sale that could not be compared.
#[derive(Debug, Clone)]
pub struct Uncompared {
    /// Its number.
    pub sale: i64,
    /// Its title, if it is still there.
    pub title: Option<String>,
    /// The page of its books.
    pub books: String,
    /// Why, in the words of a log.
    pub why: String,
}

/// Sales that could not be compared, with their titles.
#[must_use]
pub fn uncompared(skipped: &[Skipped], titles: &BTreeMap<ActivityId, String>) -> Vec<Uncompared> {
    let one = |skipped: &Skipped| Uncompared {
        sale: skipped.activity.0,
        title: titles.get(&skipped.activity).cloned(),
        books: books(skipped.activity),
        why: skipped.why.clone(),
    };
    skipped.iter().map(one).collect()
}

/// The page of the sales that begins with this one.
fn books(sale: ActivityId) -> String {
    format!("/ops/sales?before={}#sale-{sale}", sale.0.saturating_add(1))
}

/// The ledger may not have the order; then whoever looks for it has to name the sale and the shopper.
fn order(difference: &Difference) -> Option<(String, String)> {
    let number = difference.order_no?;
    let sale = difference.activity;
    let whose = difference.shopper.map_or_else(String::new, |id| format!("&shopper={id}"));
    Some((number.to_string(), format!("/ops/orders?number={number}&activity={sale}{whose}")))
}
