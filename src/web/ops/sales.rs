//! `/ops/sales`: the books of each sale.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use crate::back_office::ops::SaleSheet;
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
    /// The figures, each with its name.
    pub figures: Vec<(Message, String)>,
    /// How many units the ledger and the gate have too many or too few, if there are any.
    pub wrong: Option<(String, String)>,
}

impl Sheet {
    fn of(sheet: &SaleSheet) -> Self {
        let activity = &sheet.activity;
        let state_name = state_word(activity);
        let nothing = || "–".to_owned();
        let gate = sheet.gate.map(|(left, held)| format!("{} + {}", figure(left), figure(held)));
        let underway = sheet.underway().map(figure);
        let (ledger, at_gate) =
            (sheet.ledger_difference(), sheet.gate_difference().unwrap_or_default());
        Self {
            id: activity.id.0,
            title: activity.title.clone(),
            state_name,
            state: state(state_name),
            counted_at_ms: sheet.counted_at_ms,
            figures: vec![
                (key("sheet-total"), figure(activity.total_stock)),
                (key("sheet-sold"), figure(sheet.sold())),
                (key("sheet-paid"), figure(sheet.paid)),
                (key("sheet-unpaid"), figure(sheet.pending)),
                (key("sheet-cancelled"), figure(sheet.cancelled)),
                (key("sheet-remain"), figure(activity.remain_stock)),
                (key("sheet-gate"), gate.unwrap_or_else(nothing)),
                (key("sheet-underway"), underway.unwrap_or_else(nothing)),
            ],
            wrong: (ledger != 0 || at_gate != 0).then(|| (figure(ledger), figure(at_gate))),
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
    // One more than is shown tells whether there are older ones.
    let mut sheets = site.office.sale_sheets(before, SHOWN + 1).await?;
    let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let more = sheets.len() > shown;
    sheets.truncate(shown);
    let last = sheets.last().filter(|_| more);
    let older = last.map(|sheet| format!("/ops/sales?before={}", sheet.activity.id));
    let sheets = sheets.iter().map(Sheet::of).collect();
    Ok(respond(StatusCode::OK, &SalesPage { f, sheets, older }))
}
