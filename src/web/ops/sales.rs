//! `/ops/sales`: the books of each sale.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use crate::back_office::ops::{Counted, SaleSheet};
use crate::back_office::state_word;
use crate::sale::ids::ActivityId;
use crate::web::{
    Site,
    error::WebError,
    extract::query::Query,
    page::{Frame, respond},
    price::grouped,
    session::Operator,
    text::{Message, key},
};

/// Sales on one page.
const SHOWN: i64 = 20;

/// The page.
#[derive(Debug, Template)]
#[template(path = "ops/sales.html")]
pub struct SalesPage {
    /// What every page has.
    pub f: Frame,
    /// The sales of this page.
    pub sheets: Vec<Sheet>,
    /// The address of the next page.
    pub older: Option<String>,
}

/// The books of a sale as they are written.
#[derive(Debug)]
pub struct Sheet {
    /// The sale's number.
    pub id: i64,
    /// Its headline.
    pub title: String,
    /// Its state in a word that the style sheet knows.
    pub state_name: &'static str,
    /// Its state.
    pub state: Message,
    /// When its orders were counted, ms since the epoch.
    pub counted_at_ms: Option<i64>,
    /// Whether they have still to be counted.
    pub is_uncounted: bool,
    /// The figures, each with its name.
    pub figures: Vec<(Message, String)>,
    /// How many units the ledger and the gate have too many or too few.
    pub difference: Difference,
}

/// What of a sale's units is not where it should be.
#[derive(Debug)]
pub enum Difference {
    /// Not known before its orders are counted.
    Unknown,
    /// Nothing.
    Nothing,
    /// So many of the ledger's, so many of the gate's.
    Units(String, String),
}

impl Difference {
    fn of(sheet: &SaleSheet) -> Self {
        // A gate that should hold the sale and does not say so is not in order.
        if sheet.gate.is_none() && sheet.is_at_gate() {
            return Self::Unknown;
        }
        let at_gate = sheet.gate_difference().unwrap_or_default();
        match (sheet.ledger_difference(), at_gate) {
            (None, 0) => Self::Unknown,
            (Some(0), 0) => Self::Nothing,
            (ledger, at_gate) => Self::Units(ledger.map_or_else(unknown, figure), figure(at_gate)),
        }
    }
}

impl Sheet {
    fn of(sheet: &SaleSheet) -> Self {
        let activity = &sheet.activity;
        let state_name = state_word(activity);
        let gate = sheet.gate.map(|(left, held)| format!("{} + {}", figure(left), figure(held)));
        let underway = sheet.underway().map(figure);
        let orders = |count: fn(Counted) -> i64| {
            sheet.counted.map_or_else(unknown, |counted| figure(count(counted)))
        };
        Self {
            id: activity.id.0,
            title: activity.title.clone(),
            state_name,
            state: state(state_name),
            counted_at_ms: sheet.counted.and_then(|counted| counted.at_ms),
            is_uncounted: sheet.counted.is_none(),
            figures: vec![
                (key("sheet-total"), figure(activity.total_stock)),
                (key("sheet-sold"), figure(sheet.sold())),
                (key("sheet-paid"), orders(|counted| counted.paid)),
                (key("sheet-unpaid"), orders(|counted| counted.pending)),
                (key("sheet-cancelled"), orders(|counted| counted.cancelled)),
                (key("sheet-remain"), figure(activity.remain_stock)),
                (key("sheet-gate"), gate.unwrap_or_else(unknown)),
                (key("sheet-underway"), underway.unwrap_or_else(unknown)),
            ],
            difference: Difference::of(sheet),
        }
    }
}

fn state(word: &str) -> Message {
    match word {
        "draft" => key("sheet-draft"),
        "open" => key("sheet-open"),
        "scheduled" => key("sheet-scheduled"),
        "paused" => key("sheet-paused"),
        "settled" => key("sheet-settled"),
        "cancelled" => key("sheet-cancelled-state"),
        _ => key("sheet-ended"),
    }
}

fn unknown() -> String {
    "–".to_owned()
}

fn figure(number: i64) -> String {
    let sign = if number < 0 { "−" } else { "" };
    format!("{sign}{}", grouped(number.unsigned_abs()))
}

/// The books of the newest sales.
pub async fn show(
    _: Operator,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let before = query.take("before")?.map(|text| text.parse::<ActivityId>()).transpose();
    let before = before.map_err(|_| WebError::BadRequest("before is no number"))?;
    let now_ms = chrono::Utc::now().timestamp_millis();
    // One more than is shown tells whether there are older ones.
    let mut sheets = site.office.sale_sheets(now_ms, before, SHOWN + 1).await?;
    let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let more = sheets.len() > shown;
    sheets.truncate(shown);
    let last = sheets.last().filter(|_| more);
    let older = last.map(|sheet| format!("/ops/sales?before={}", sheet.activity.id));
    let sheets = sheets.iter().map(Sheet::of).collect();
    Ok(respond(StatusCode::OK, &SalesPage { f, sheets, older }))
}
