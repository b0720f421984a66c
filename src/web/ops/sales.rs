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
    pub sheets: Vec<SaleSheet>,
    /// The address of the next page.
    pub older: Option<String>,
}

impl SalesPage {
    fn state(sheet: &SaleSheet) -> Message {
        match state_word(&sheet.activity) {
            "draft" => key("sheet-draft"),
            "open" => key("sheet-open"),
            "scheduled" => key("sheet-scheduled"),
            "paused" => key("sheet-paused"),
            "settled" => key("sheet-settled"),
            "cancelled" => key("sheet-cancelled-state"),
            _ => key("sheet-ended"),
        }
    }

    fn state_name(sheet: &SaleSheet) -> &'static str {
        state_word(&sheet.activity)
    }

    /// Whether every unit is where the books say.
    fn is_right(sheet: &SaleSheet) -> bool {
        sheet.ledger_difference() == 0 && sheet.gate_difference().is_none_or(|units| units == 0)
    }

    fn figure(number: &i64) -> String {
        let sign = if *number < 0 { "−" } else { "" };
        format!("{sign}{}", grouped(number.unsigned_abs()))
    }
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
    Ok(respond(StatusCode::OK, &SalesPage { f, sheets, older }))
}
