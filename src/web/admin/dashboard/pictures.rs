//! The two pictures of a sale over time: where its units went, and how requests were answered.

use std::sync::Arc;

use crate::sale::demand::Outcomes;
use crate::sale::sample::{Sample, thinned};
use crate::web::chart::{self, Line, Picture, real};
use crate::web::page::Frame;
use crate::web::text::key;

/// Points of a line: more than a screen has room for are of no use.
const POINTS: usize = 600;

/// Draws both.
#[must_use]
pub fn of(history: &[Arc<Sample>], f: &Frame) -> [Picture; 2] {
    let history = thinned(history, POINTS);
    [units(&history, f), requests(&history, f)]
}

fn units(history: &[Arc<Sample>], f: &Frame) -> Picture {
    let line = |class, value: fn(&Sample) -> i64| Line {
        class,
        points: history.iter().map(|sample| (sample.at_ms, real(value(sample)))).collect(),
    };
    let lines = [
        line("line-left", Sample::left),
        line("line-placed", Sample::placed),
        line("line-paid", |sample| sample.paid),
    ];
    Picture {
        title: key("dashboard-picture-units"),
        svg: chart::draw(&f.t(key("dashboard-picture-units-label")).to_string(), &lines),
        legend: vec![
            ("line-left", key("dashboard-line-left")),
            ("line-placed", key("dashboard-placed")),
            ("line-paid", key("dashboard-paid")),
        ],
    }
}

fn requests(history: &[Arc<Sample>], f: &Frame) -> Picture {
    let rates = rates(history);
    let line = |class, count: fn(&Outcomes) -> i64| Line {
        class,
        points: rates
            .iter()
            .map(|(at_ms, answered, seconds)| (*at_ms, real(count(answered)) / seconds))
            .collect(),
    };
    let lines = [
        line("line-all", Outcomes::total),
        line("line-admitted", |answered| answered.of("admitted")),
        line("line-sold-out", |answered| answered.of("sold_out")),
        line("line-refused", refused),
    ];
    Picture {
        title: key("dashboard-picture-requests"),
        svg: chart::draw(&f.t(key("dashboard-picture-requests-label")).to_string(), &lines),
        legend: vec![
            ("line-all", key("dashboard-line-all")),
            ("line-admitted", key("dashboard-outcome-admitted")),
            ("line-sold-out", key("dashboard-outcome-sold-out")),
            ("line-refused", key("dashboard-line-refused")),
        ],
    }
}

/// Times, and how requests were answered between the last one and each, in so many seconds. A sample that
/// does not know the answers has none to add: nobody had asked yet, or the gate was being filled again.
fn rates(history: &[Arc<Sample>]) -> Vec<(i64, Outcomes, f64)> {
    let none = Outcomes::default();
    let (mut before, mut rates) = (None, Vec::new());
    for sample in history {
        let known = before.map_or(&none, |(_, outcomes)| outcomes);
        let now = sample.outcomes.as_ref().unwrap_or(known);
        if let Some((before_ms, outcomes)) = before {
            let seconds = real(sample.at_ms.saturating_sub(before_ms)) / 1000.0;
            if seconds > 0.0 {
                rates.push((sample.at_ms, now.since(outcomes), seconds));
            }
        }
        before = Some((sample.at_ms, now));
    }
    rates
}

/// Whoever could have got a unit and did not for want of something else.
fn refused(answered: &Outcomes) -> i64 {
    let words = ["captcha_wrong", "ticket_invalid", "too_fast", "busy", "restoring", "barred"];
    words.iter().map(|word| answered.of(word)).sum()
}
