//! What the dashboard shows.

use askama::Template;

use super::pictures;
use crate::back_office::live::Live;
use crate::back_office::state_word;
use crate::sale::activity::Phase;
use crate::sale::demand::Outcomes;
use crate::sale::settlement::Settlement;
use crate::web::chart::{Picture, real};
use crate::web::figures::{number, outcome, rate};
use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// The page: `GET /admin/activities/{activity}/dashboard`.
#[derive(Debug, Template)]
#[template(path = "admin/dashboard.html")]
pub struct DashboardPage {
    /// What every page has.
    pub f: Frame,
    /// The sale's figures.
    pub d: Dashboard,
}

/// The part of it that changes every second.
#[derive(Debug, Template)]
#[template(path = "admin/dashboard_figures.html")]
pub struct FiguresPart<'a> {
    /// What every page has.
    pub f: &'a Frame,
    /// The sale's figures.
    pub d: &'a Dashboard,
}

/// The part with the pictures.
#[derive(Debug, Template)]
#[template(path = "admin/dashboard_pictures.html")]
pub struct PicturesPart<'a> {
    /// What every page has.
    pub f: &'a Frame,
    /// The sale's figures.
    pub d: &'a Dashboard,
}

/// A sale's figures in the words of a page.
#[derive(Debug, Clone)]
pub struct Dashboard {
    /// Its number.
    pub id: i64,
    /// Its headline.
    pub title: String,
    /// What is sold.
    pub product: String,
    /// The state in a word that the style sheet knows.
    pub state: &'static str,
    /// The first moment of the window, ms since the epoch.
    pub starts_at_ms: i64,
    /// The first moment after it, ms since the epoch.
    pub ends_at_ms: i64,
    /// When the figures were taken, ms since the epoch.
    pub at_ms: i64,
    /// Whether there are no newer ones to be had.
    pub stale: bool,
    /// Units of the sale.
    pub total: i64,
    /// Units left at the gate, when it says.
    pub at_gate: Option<i64>,
    /// Units that no order holds.
    pub in_ledger: i64,
    /// Whether gate and ledger agree, in words.
    pub agreement: Agreement,
    /// Units held at the gate and not recorded yet.
    pub reserved: Option<i64>,
    /// Orders that hold a unit.
    pub placed: i64,
    /// Orders to be paid.
    pub pending: i64,
    /// Orders paid.
    pub paid: i64,
    /// Orders cancelled.
    pub cancelled: i64,
    /// Orders refused by the ledger.
    pub rejected: i64,
    /// Why, each reason and its orders.
    pub rejections: Vec<(Message, i64)>,
    /// Orders lost with a former filling of the gate.
    pub lost: i64,
    /// Shoppers who asked.
    pub participants: Option<i64>,
    /// How requests were answered, the most frequent first.
    pub outcomes: Vec<Answered>,
    /// All requests.
    pub requests: i64,
    /// All requests of a second now.
    pub requests_per_s: Option<String>,
    /// What came of it, once it is settled.
    pub settlement: Option<Settlement>,
    /// The sale over time; empty where they were not wanted.
    pub pictures: Vec<Picture>,
}

/// Requests answered in one way.
#[derive(Debug, Clone)]
pub struct Answered {
    /// How.
    pub name: Message,
    /// So many a second at present.
    pub per_s: Option<String>,
    /// So many in all.
    pub total: i64,
}

/// Whether gate and ledger agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The gate says nothing.
    Unknown,
    /// To the unit.
    Alike,
    /// Once what is on its way arrives.
    Underway(i64),
    /// By so many units, which nothing explains.
    Differ(i64),
}

impl Agreement {
    /// In words.
    #[must_use]
    pub fn words(self) -> Message {
        match self {
            Self::Unknown => key("dashboard-gate-silent"),
            Self::Alike => key("dashboard-gate-alike"),
            Self::Underway(units) => key("dashboard-gate-underway").with("count", units),
            Self::Differ(units) => key("dashboard-gate-differs").with("count", units),
        }
    }

    /// Whether somebody should look at it.
    #[must_use]
    pub const fn is_odd(self) -> bool {
        matches!(self, Self::Differ(_))
    }
}

impl Dashboard {
    /// The figures as they are to be shown; with the pictures if they are wanted.
    #[must_use]
    pub fn of(live: &Live, f: &Frame, with_pictures: bool) -> Self {
        let figures = &live.figures;
        let (activity, balance, orders) = (&figures.activity, &figures.balance, figures.orders());
        let settlement = figures.settlement.clone();
        let demand = figures.demand.as_ref();
        let kept = settlement.as_ref().and_then(|settlement| settlement.outcomes.as_ref());
        let outcomes = kept.or(demand.map(|demand| &demand.outcomes));
        let participants = settlement
            .as_ref()
            .map(|settlement| settlement.participants)
            .or(demand.map(|demand| demand.participants));
        let recent = live.recent.as_ref().filter(|_| settlement.is_none());
        let per_s = |count: i64| recent.map(|(_, length_ms)| rate(count, *length_ms));
        Self {
            id: activity.id.0,
            title: activity.title.clone(),
            product: activity.product.name.clone(),
            state: state_word(activity),
            starts_at_ms: activity.opens_ms(),
            ends_at_ms: activity.closes_ms(),
            at_ms: figures.at_ms,
            stale: live.stale,
            total: balance.total_stock,
            at_gate: balance.gate_stock,
            in_ledger: balance.remain_stock,
            agreement: agreement(figures.unexplained(), figures.underway),
            reserved: balance.reserved,
            placed: orders.pending_payment.saturating_add(orders.paid),
            pending: orders.pending_payment,
            paid: orders.paid,
            cancelled: orders.cancelled,
            rejected: orders.rejected,
            rejections: figures
                .rejections
                .iter()
                .map(|(reason, count)| (rejected_for(reason), *count))
                .collect(),
            lost: orders.lost,
            participants,
            outcomes: answered(outcomes, recent.map(|(answers, ms)| (answers, *ms))),
            requests: outcomes.map_or(0, Outcomes::total),
            requests_per_s: recent.and_then(|(answers, _)| per_s(answers.total())),
            settlement,
            pictures: if with_pictures { pictures_of(live, f) } else { Vec::new() },
        }
    }

    /// The state in one or two words.
    #[must_use]
    pub fn state_label(&self) -> Message {
        match self.state {
            "draft" => key("dashboard-state-draft"),
            "open" => key("dashboard-state-open"),
            "paused" => key("dashboard-state-paused"),
            "ended" => key("dashboard-state-ended"),
            "settled" => key("dashboard-state-settled"),
            "cancelled" => key("dashboard-state-cancelled"),
            _ => key("dashboard-state-scheduled"),
        }
    }

    /// Whether figures still change.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        self.settlement.is_none()
    }

    /// Whether the window is to begin.
    #[must_use]
    pub const fn is_upcoming(&self, now_ms: &i64) -> bool {
        *now_ms < self.starts_at_ms
    }

    /// Whether the window is over, whatever the state says.
    #[must_use]
    pub fn is_over(&self, now_ms: &i64) -> bool {
        *now_ms >= self.ends_at_ms || matches!(self.state, "ended" | "settled" | "cancelled")
    }

    /// So many of those who asked, in per cent. None while nobody did.
    #[must_use]
    pub fn share(&self, count: &i64) -> Option<String> {
        let participants = self.participants.filter(|participants| *participants > 0)?;
        // Counts that a crash took along are missing there, and never here.
        Some(format!("{:.1} %", real(*count) * 100.0 / real(participants.max(*count))))
    }

    /// A number with its thousands apart.
    #[must_use]
    pub fn n(&self, count: &i64) -> String {
        number(*count)
    }

    /// A number that may not be known.
    #[must_use]
    pub fn maybe(&self, count: &Option<i64>) -> String {
        count.map_or_else(|| "–".to_owned(), number)
    }
}

const fn agreement(unexplained: Option<i64>, underway: Option<i64>) -> Agreement {
    match (unexplained, underway) {
        (Some(0), Some(0)) => Agreement::Alike,
        (Some(0), Some(units)) => Agreement::Underway(units),
        (Some(units), _) => Agreement::Differ(units),
        (None, _) => Agreement::Unknown,
    }
}

fn answered(outcomes: Option<&Outcomes>, recent: Option<(&Outcomes, i64)>) -> Vec<Answered> {
    let Some(outcomes) = outcomes else { return Vec::new() };
    let mut all: Vec<Answered> = outcomes
        .iter()
        .filter(|(_, total)| *total > 0)
        .map(|(word, total)| Answered {
            name: outcome(word),
            per_s: recent.map(|(answers, length_ms)| rate(answers.of(word), length_ms)),
            total,
        })
        .collect();
    all.sort_by_key(|answered| std::cmp::Reverse(answered.total));
    all
}

/// The present, too, is part of the picture.
fn pictures_of(live: &Live, f: &Frame) -> Vec<Picture> {
    let figures = &live.figures;
    let mut history = live.history.clone();
    let begun = !matches!(figures.activity.phase(figures.at_ms), Phase::Hidden | Phase::Upcoming);
    if begun && figures.settlement.is_none() {
        history.push(figures.sample(figures.at_ms).into());
    }
    if history.is_empty() { Vec::new() } else { pictures::of(&history, f).into() }
}

fn rejected_for(reason: &str) -> Message {
    match reason {
        "sold_out" => key("dashboard-rejected-sold-out"),
        "already_held" => key("dashboard-rejected-already-held"),
        "barred" => key("dashboard-rejected-barred"),
        other => key("dashboard-rejected-other").with("word", other),
    }
}
