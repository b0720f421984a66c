//! What is stuck, of every kind and of none, and comparisons of gate and ledger: found, sound and awaited.

use std::collections::BTreeMap;

use askama::Template;

use super::samples::{MINUTE, frame, now};
use crate::back_office::ops::{
    Compared, Due, Held, Named, OpenRefund, Place, Round, Stuck, Waiting,
};
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::money::{Cents, Currency};
use crate::sale::order_number::OrderNo;
use crate::sale::payment::{Payment, PaymentState};
use crate::sale::reconciliation::{Difference, Finding, Kind, Outcome, Report, Skipped};
use crate::web::language::Language;
use crate::web::ops::reconciliations::{RoundPage, RoundsPage, Row};
use crate::web::ops::stuck::StuckPage;
use crate::web::page::{Frame, Role};
use crate::web::text::key;

const SALE: ActivityId = ActivityId(42);
const TITLE: &str = "Kettles <at> noon & \"later\"";

type Pages = Vec<(String, String)>;

pub fn all(language: Language) -> Pages {
    let mut pages = stuck(language);
    pages.extend(rounds(language));
    pages
}

fn operator(language: Language, path: &str) -> Frame {
    let mut f = frame(language, true, path);
    if let Some(viewer) = &mut f.viewer {
        viewer.role = Role::Operator;
    }
    f
}

fn number(last: char) -> OrderNo {
    format!("01HF7YAT00E3R38E1NCBS0D1Z{last}").parse().unwrap()
}

fn titles() -> BTreeMap<ActivityId, String> {
    BTreeMap::from([(SALE, TITLE.to_owned())])
}

fn skipped(activity: ActivityId) -> Skipped {
    Skipped { activity, why: "the <gate> is away".into() }
}

/// One of each kind, with each outcome.
fn findings() -> Vec<Finding> {
    let outcomes = [Outcome::Repaired, Outcome::Gone, Outcome::Left, Outcome::Found];
    let kinds = Kind::ALL.into_iter().zip(outcomes.into_iter().cycle());
    let finding = |(kind, outcome): (Kind, Outcome)| Finding {
        difference: Difference {
            shopper: Some(UserId(7)),
            order_no: (kind != Kind::Units).then(|| number('G')),
            units: (kind == Kind::Units).then_some(-3),
            ..Difference::of(SALE, kind)
        },
        outcome: if kind.is_alarm() { Outcome::Alarm } else { outcome },
    };
    kinds.map(finding).collect()
}

fn stuck(language: Language) -> Pages {
    let sale = || Named { id: SALE, title: TITLE.to_owned() };
    let waiting = |last, place, age_ms| Waiting {
        order_no: number(last),
        sale: sale(),
        shopper: UserId(7),
        shopper_name: (last != 'K').then(|| "Ada <Lovelace>".to_owned()),
        since_ms: now() - age_ms,
        place,
    };
    let payment = Payment {
        payment_no: "01HF7YAT00E3R38E1NCBS0D1ZG".parse().unwrap(),
        order_no: number('M'),
        provider: "sandbox".into(),
        amount: Cents(1999),
        currency: Currency::CNY,
        state: PaymentState::ToRefund,
        taken: Some(Cents(1999)),
        reason: Some("paid_twice".into()),
        begun_at_ms: now(),
        settled_at_ms: None,
        refunded_at_ms: None,
    };
    let everything = Stuck {
        waiting: vec![
            waiting('G', Place::Outbox, 12_000),
            waiting('H', Place::Underway, 3 * MINUTE),
            waiting('K', Place::DeadLetter(9), 60 * MINUTE),
        ],
        in_outbox: 312,
        underway: 41,
        refunds: vec![OpenRefund { payment, tries: 7, next_try_at_ms: Some(now() + MINUTE) }],
        refunds_in_all: 73,
        overdue: vec![Due { order_no: number('N'), overdue_ms: 5 * MINUTE }],
        overdue_in_all: 101,
        held: vec![Held {
            order_no: number('P'),
            sale: sale(),
            cancelled_at_ms: now() - 5 * MINUTE,
        }],
        compared: Some(Compared {
            id: 12,
            at_ms: now() - 4 * MINUTE,
            findings: findings(),
            in_all: 100,
            skipped: [SALE, ActivityId(9)].map(skipped).into(),
            titles: titles(),
        }),
        is_compared_late: true,
        gate_away: true,
    };
    let never = Stuck { is_compared_late: true, ..Stuck::default() };
    let page = |name: &str, stuck, done| {
        let f = operator(language, "/ops/stuck");
        (name.to_owned(), StuckPage { f, stuck, done }.render().unwrap())
    };
    vec![
        page("stuck-everything", everything, Some((key("stuck-done-lately"), false))),
        page("stuck-nothing", Stuck::default(), Some((key("stuck-done-released"), true))),
        page("stuck-never-compared", never, None),
    ]
}

fn round(done: bool, report: Report) -> Round {
    Round {
        id: 12,
        asked: Some(("Ada <Lovelace>".into(), now() - MINUTE)),
        done: done.then(|| (now() - 12_345, now())),
        report,
    }
}

fn rounds(language: Language) -> Pages {
    let mut found = Report { dry_run: true, ..Report::default() };
    found.skipped.push(skipped(SALE));
    found.add(findings());
    found.differences += 40;
    let sound = Report { compared: vec![SALE], ..Report::default() };
    let one = |name: &str, round: &Round| {
        let f = operator(language, "/ops/reconciliation/12");
        (name.to_owned(), RoundPage::of(f, round, &titles()).render().unwrap())
    };
    let list = |name: &str, awaited, rounds, older| {
        let f = operator(language, "/ops/reconciliation");
        let page = RoundsPage { f, only_found: false, awaited, rounds, older };
        (name.to_owned(), page.render().unwrap())
    };
    let rows = [round(true, found.clone()), Round { id: 11, ..round(true, sound.clone()) }];
    let rows = rows.iter().filter_map(Row::of).collect();
    let older = Some("/ops/reconciliation?before=11".to_owned());
    vec![
        one("round-found", &round(true, found)),
        one("round-sound", &round(true, sound)),
        one("round-awaited", &round(false, Report::default())),
        list("rounds", Some(round(false, Report::default())), rows, older),
        list("rounds-none", None, vec![], None),
    ]
}
