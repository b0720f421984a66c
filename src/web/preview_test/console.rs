//! The console's pages that need more than a form: the dashboard and the audit.

use std::sync::Arc;

use askama::Template;

use super::samples::{MINUTE, frame, now};
use crate::back_office::live::Live;
use crate::back_office::{AuditRow, Balance, Change, Figures, OrderCounts};
use crate::sale::activity::{Activity, Status};
use crate::sale::demand::{Demand, Outcomes};
use crate::sale::ids::UserId;
use crate::sale::sample::Sample;
use crate::sale::settlement::Settlement;
use crate::web::admin::audit::search::Search;
use crate::web::admin::audit::view::{AuditPage, Entry};
use crate::web::admin::dashboard::view::{Dashboard, DashboardPage, FiguresPart, PicturesPart};
use crate::web::faults::Faults;
use crate::web::language::Language;
use crate::web::page::{Frame, Role};
use crate::web::text::key;

type Pages = Vec<(String, String)>;

pub fn all(language: Language) -> Pages {
    let mut pages = dashboards(language);
    pages.extend(audits(language));
    pages
}

fn admin(language: Language, path: &str) -> Frame {
    let mut f = frame(language, true, path);
    if let Some(viewer) = &mut f.viewer {
        viewer.role = Role::Admin;
    }
    f
}

fn outcomes(second: i64) -> Outcomes {
    let crowd = 40 * second - second * second / 8;
    let words = ["admitted", "sold_out", "captcha_wrong", "too_fast", "already_held", "odd_word"];
    words.iter().zip([2, 5, 1, 1, 0, 1]).map(|(word, share)| (*word, crowd * share)).collect()
}

fn sample(second: i64) -> Sample {
    let placed = (second * 9).min(1198);
    Sample {
        at_ms: now() - 150_000 + second * 1000,
        gate_stock: (second != 40).then_some(11_997 - placed),
        remain_stock: 12_000 - placed,
        reserved: Some(2),
        pending: placed / 2,
        paid: placed / 2,
        outcomes: Some(outcomes(second)),
        ..Sample::default()
    }
}

/// A sale in its third minute, with a difference that nothing explains.
fn live() -> Live {
    let at_ms = now();
    let activity = Activity {
        title: "Kettles <at> noon & \"later\"".into(),
        starts_at: chrono::DateTime::from_timestamp_millis(at_ms - 3 * MINUTE).unwrap(),
        ends_at: chrono::DateTime::from_timestamp_millis(at_ms + 60 * MINUTE).unwrap(),
        ..crate::sale::activity::tests::sale()
    };
    let orders =
        OrderCounts { pending_payment: 101, paid: 1097, cancelled: 3, rejected: 4, lost: 1 };
    Live {
        figures: Figures {
            at_ms,
            balance: Balance {
                id: activity.id,
                state: "open",
                total_stock: 12_000,
                remain_stock: 10_802,
                gate_stock: Some(10_799),
                reserved: Some(5),
                orders,
            },
            activity,
            underway: Some(5),
            rejections: ["sold_out", "already_held", "barred", "odd"].map(|r| (r.into(), 1)).into(),
            demand: Some(Demand { outcomes: outcomes(150), participants: 4321 }),
            settlement: None,
        },
        recent: Some((outcomes(3), 3000)),
        history: (0..140).map(|second| Arc::new(sample(second))).collect(),
        stale: false,
    }
}

fn page(name: &str, language: Language, live: &Live) -> (String, String) {
    let f = admin(language, "/admin/activities/42/dashboard");
    let d = Dashboard::of(live, &f, true);
    (name.to_owned(), DashboardPage { f, d }.render().unwrap())
}

fn dashboards(language: Language) -> Pages {
    let running = live();
    let mut silent = Live { recent: None, history: Vec::new(), stale: true, ..live() };
    let figures = &mut silent.figures;
    (figures.demand, figures.underway) = (None, None);
    (figures.balance.gate_stock, figures.balance.reserved) = (None, None);
    let mut settled = live();
    settled.figures.activity.status = Status::Settled;
    settled.figures.settlement = Some(Settlement {
        total_stock: 12_000,
        remain_stock: 10_802,
        participants: 4321,
        paid: 1198,
        cancelled: 3,
        rejected: 4,
        lost: 1,
        outcomes: Some(outcomes(150)),
        settled_at_ms: now(),
    });
    let mut upcoming = live();
    upcoming.figures.activity.starts_at += chrono::TimeDelta::hours(1);
    vec![
        page("dashboard-running", language, &running),
        page("dashboard-silent", language, &silent),
        page("dashboard-settled", language, &settled),
        page("dashboard-upcoming", language, &upcoming),
    ]
}

fn audits(language: Language) -> Pages {
    let f = admin(language, "/admin/audit");
    let row =
        |id, actor_id: Option<i64>, actor: &str, action: &str, subject: &str, changes| AuditRow {
            id,
            actor_id: actor_id.map(UserId),
            actor: actor.into(),
            action: action.into(),
            subject: subject.into(),
            subject_name: subject.starts_with("user:").then(|| "小明 <b>".into()),
            changes,
            request_id: "01KB7Q3W8T5ZJX0M9V2C4N6P8R".into(),
            at_ms: now(),
        };
    let edit = vec![
        Change::turned("price_cents", &1999, &2999),
        Change::turned("ends_at", &"2026-11-29T12:00:00.000Z", &"2026-11-29T13:00:00.000Z"),
        Change::turned("title", &"Kettles <at> noon", &"晚间水壶专场"),
        Change::turned("captcha", &true, &false),
        Change::turned("total_rate_per_s", &"", &500),
        Change { field: "picture".into(), from: Some("a.webp".into()), to: None },
    ];
    let rows = [
        row(3, Some(7), "Ada <Lovelace>", "activity.edit", "activity:42", edit),
        row(2, None, "clock", "activity.end", "activity:42", vec![]),
        row(1, None, "command", "queue.odd", "letter:9", vec![]),
    ];
    let search = Search { action: "queue.odd".into(), from: "soon".into(), ..Search::default() };
    let mut faults = Faults::default();
    faults.add("from", key("audit-fault-date"));
    let entries = rows.map(|row| Entry::of(row, &search, &f)).into();
    let next = || Some("/admin/audit?before=1".to_owned());
    let full = AuditPage { f: f.clone(), search, faults, entries, older: next(), newest: next() };
    let empty = AuditPage {
        f,
        search: Search::default(),
        faults: Faults::default(),
        entries: vec![],
        older: None,
        newest: None,
    };
    vec![
        ("audit".to_owned(), full.render().unwrap()),
        ("audit-empty".to_owned(), empty.render().unwrap()),
    ]
}

#[test]
fn the_parts_of_an_event_are_the_parts_of_the_page() {
    let live = live();
    let f = admin(Language::En, "/admin/activities/42/dashboard");
    let d = Dashboard::of(&live, &f, true);
    let figures = FiguresPart { f: &f, d: &d }.render().unwrap();
    let pictures = PicturesPart { f: &f, d: &d }.render().unwrap();
    let (_, page) = page("running", Language::En, &live);
    for part in [figures, pictures] {
        let title = part.lines().find(|text| text.contains("<h2") || text.contains("<figcaption"));
        assert!(page.contains(title.unwrap().trim()), "{part}");
    }
}
