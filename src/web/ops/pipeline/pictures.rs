//! The last minutes of the path: what came through, and what waits.

use crate::sale::pulse::{STEP_MS, Step};
use crate::web::chart::{self, Line, Picture, real};
use crate::web::page::Frame;
use crate::web::text::key;

/// Draws both.
pub(super) fn of(history: &[Step], f: &Frame) -> Vec<Picture> {
    vec![recorded(history, f), waiting(history, f)]
}

fn recorded(history: &[Step], f: &Frame) -> Picture {
    let per_s = |step: &Step| (step.at_ms, real(step.recorded) * 1000.0 / real(STEP_MS));
    let lines = [Line { class: "line-paid", points: history.iter().map(per_s).collect() }];
    Picture {
        title: key("pipeline-picture-recorded"),
        svg: chart::draw(&f.t(key("pipeline-picture-recorded-label")).to_string(), &lines),
        legend: vec![("line-paid", key("pipeline-line-recorded"))],
    }
}

fn waiting(history: &[Step], f: &Frame) -> Picture {
    let line = |class, value: fn(&Step) -> Option<i64>| Line {
        class,
        points: history
            .iter()
            .filter_map(|step| value(step).map(|value| (step.at_ms, real(value))))
            .collect(),
    };
    let lines = [line("line-all", |step| step.outbox), line("line-sold-out", |step| step.queued)];
    Picture {
        title: key("pipeline-picture-waiting"),
        svg: chart::draw(&f.t(key("pipeline-picture-waiting-label")).to_string(), &lines),
        legend: vec![
            ("line-all", key("pipeline-line-outbox")),
            ("line-sold-out", key("pipeline-line-queue")),
        ],
    }
}
