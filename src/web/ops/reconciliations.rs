//! `/ops/reconciliation` and below: what comparisons of gate and ledger found, and asking for one.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use super::differences::{Group, Uncompared, grouped, uncompared};
use crate::back_office::ops::Round;
use crate::sale::ids::ActivityId;
use crate::web::{
    Site,
    error::WebError,
    extract::{
        form::{Checked, NoFields},
        path::OfRound,
        query::Query,
    },
    figures::number,
    page::{Frame, respond, see_other},
    session::Operator,
    text::{Message, Text, key},
};

/// Comparisons on one page of the list.
const SHOWN: i64 = 50;
/// A request that waits longer finds no reconciler, ms.
const AWAITED_MS: i64 = 30_000;

/// The list: `GET /ops/reconciliation`.
#[derive(Debug, Template)]
#[template(path = "ops/reconciliations.html")]
pub struct RoundsPage {
    /// What every page has.
    pub f: Frame,
    /// Whether only those are listed that found something.
    pub only_found: bool,
    /// The one that somebody waits for.
    pub awaited: Option<Round>,
    /// Those of this page.
    pub rounds: Vec<Row>,
    /// The address of the next page.
    pub older: Option<String>,
}

impl RoundsPage {
    fn filters(&self) -> [(&'static str, Message, bool); 2] {
        [
            ("/ops/reconciliation", key("rounds-all"), !self.only_found),
            ("/ops/reconciliation?found=yes", key("rounds-found"), self.only_found),
        ]
    }
}

/// A comparison in figures.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its number.
    pub id: i64,
    /// When it was begun, ms since the epoch.
    pub at_ms: i64,
    /// How long it took.
    pub took: String,
    /// Sales that were compared.
    pub compared: String,
    /// Sales that could not be.
    pub skipped: usize,
    /// Differences that it found, that it put right, and that only a person can put right.
    pub differences: String,
    /// See above.
    pub repaired: String,
    /// See above.
    pub alarms: i64,
    /// Whether nothing was to be repaired.
    pub dry_run: bool,
    /// Who asked for it, and when, ms since the epoch.
    pub asked: Option<(String, i64)>,
}

impl Row {
    /// A comparison's figures; `None`: it is not over.
    #[must_use]
    pub fn of(round: &Round) -> Option<Self> {
        let (began_ms, ended_ms) = round.done?;
        let report = &round.report;
        Some(Self {
            id: round.id,
            at_ms: began_ms,
            took: took(ended_ms.saturating_sub(began_ms)),
            compared: count(report.compared.len()),
            skipped: report.skipped.len(),
            differences: number(report.differences),
            repaired: number(report.repaired),
            alarms: report.alarms,
            dry_run: report.dry_run,
            asked: round.asked.clone(),
        })
    }
}

fn took(ms: i64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1000, ms % 1000 / 100) }
}

fn count(things: usize) -> String {
    number(i64::try_from(things).unwrap_or(i64::MAX))
}

/// One comparison: `GET /ops/reconciliation/{round}`.
#[derive(Debug, Template)]
#[template(path = "ops/reconciliation.html")]
pub struct RoundPage {
    /// What every page has.
    pub f: Frame,
    /// Its number.
    pub id: i64,
    /// Who asked for it, and when, ms since the epoch.
    pub asked: Option<(String, i64)>,
    /// Its figures. `None`: it waits for a reconciler.
    pub row: Option<Row>,
    /// What it found.
    pub groups: Vec<Group>,
    /// Differences that are only counted.
    pub unnamed: i64,
    /// Sales that could not be compared.
    pub skipped: Vec<Uncompared>,
}

impl RoundPage {
    /// A comparison in words.
    #[must_use]
    pub fn of(f: Frame, round: &Round, titles: &BTreeMap<ActivityId, String>) -> Self {
        let report = &round.report;
        Self {
            f,
            id: round.id,
            asked: round.asked.clone(),
            row: Row::of(round),
            groups: grouped(&report.findings, titles),
            unnamed: report.unnamed(),
            skipped: uncompared(&report.skipped, titles),
        }
    }

    fn title(&self) -> Text {
        self.f.t(key("round-title").with("id", self.id.to_string()))
    }

    /// Whether it has been waited for too long.
    fn is_in_vain(&self) -> bool {
        let since_ms = self.asked.as_ref().map_or(self.f.now_ms, |(_, at_ms)| *at_ms);
        self.f.now_ms - since_ms > AWAITED_MS
    }
}

/// The list.
pub async fn list(
    _: Operator,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let only_found = query.take("found")?.is_some();
    let before = query.take("before")?.map(|text| text.parse::<i64>()).transpose();
    let before = before.map_err(|_| WebError::BadRequest("before is no number"))?;
    // One more than is shown tells whether there are older ones.
    let mut rounds = site.office.comparisons(only_found, before, SHOWN + 1).await?;
    let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let more = rounds.len() > shown;
    rounds.truncate(shown);
    let found = if only_found { "found=yes&" } else { "" };
    let last = rounds.last().filter(|_| more);
    let older = last.map(|round| format!("/ops/reconciliation?{found}before={}", round.id));
    let awaited = site.office.awaited_comparison().await?;
    let rounds = rounds.iter().filter_map(Row::of).collect();
    Ok(respond(StatusCode::OK, &RoundsPage { f, only_found, awaited, rounds, older }))
}

/// One comparison.
pub async fn show(
    _: Operator,
    OfRound(id): OfRound,
    site: Site,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let (round, titles) = site.office.comparison(id).await?.ok_or(WebError::NotFound)?;
    Ok(respond(StatusCode::OK, &RoundPage::of(f, &round, &titles)))
}

/// Asks for a comparison at once.
pub async fn ask(
    operator: Operator,
    site: Site,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    let id = site.office.compare_now(&operator.actor).await?;
    Ok(see_other(&format!("/ops/reconciliation/{id}")))
}
