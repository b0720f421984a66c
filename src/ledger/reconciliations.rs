//! What comparisons of gate and ledger found, and which of them somebody asked for.

use chrono::{NaiveDateTime, TimeDelta};
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::audit;
use super::clock::{from_millis, now, to_millis};
use super::error::LedgerError;
use super::last_insert_id;
use super::pool::Ledger;
use super::schema::reconciliations;
use super::transaction::{fitting, transaction};
use crate::sale::actor::Actor;
use crate::sale::pipeline::Reconciled;
use crate::sale::reconciliation::Report;

/// How long reports are kept that found something, and those that found nothing.
const KEPT: TimeDelta = TimeDelta::days(90);
const KEPT_EMPTY: TimeDelta = TimeDelta::hours(24);
/// Reports that go at once.
const SWEPT: &str = "1000";

/// A reconciliation, carried out or asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The row's number; pages go on from it.
    pub id: i64,
    /// Who asked for it, by name, and when, ms since the epoch.
    pub asked: Option<(String, i64)>,
    /// When it was begun and finished, ms since the epoch. `None`: it waits for a reconciler.
    pub done: Option<(i64, i64)>,
    /// What it found.
    pub report: Report,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = reconciliations)]
struct Row {
    id: i64,
    dry_run: bool,
    differences: i64,
    repaired: i64,
    alarms: i64,
    report: String,
    started_at: Option<NaiveDateTime>,
    finished_at: Option<NaiveDateTime>,
    asked_by: Option<String>,
    asked_at: Option<NaiveDateTime>,
}

impl From<Row> for Round {
    fn from(row: Row) -> Self {
        // A report that cannot be read any more still has its figures.
        let report = serde_json::from_str(&row.report).unwrap_or(Report {
            dry_run: row.dry_run,
            differences: row.differences,
            repaired: row.repaired,
            alarms: row.alarms,
            ..Report::default()
        });
        Self {
            id: row.id,
            asked: row.asked_by.zip(row.asked_at.map(to_millis)),
            done: row.started_at.map(to_millis).zip(row.finished_at.map(to_millis)),
            report,
        }
    }
}

/// Asks for a reconciliation; tells its number. One that waits already is enough.
pub async fn ask(ledger: &Ledger, actor: Actor) -> Result<i64, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                if let Some(waiting) = waiting(conn)? {
                    return Ok(waiting);
                }
                diesel::insert_into(reconciliations::table)
                    .values((
                        reconciliations::dry_run.eq(false),
                        reconciliations::differences.eq(0),
                        reconciliations::repaired.eq(0),
                        reconciliations::alarms.eq(0),
                        reconciliations::report.eq(""),
                        reconciliations::finished_at.eq(None::<NaiveDateTime>),
                        reconciliations::asked_by.eq(fitting(&actor.name, 64)),
                        reconciliations::asked_at.eq(now(conn)?),
                    ))
                    .execute(conn)?;
                let id = last_insert_id(conn)?;
                let subject = format!("reconciliation:{id}");
                audit::write(conn, &actor, "reconciliation.ask", &subject, &[])?;
                Ok(id)
            })
        })
        .await
}

/// Whether somebody waits for one.
pub async fn is_asked_for(ledger: &Ledger) -> Result<bool, LedgerError> {
    ledger.run(|conn| Ok(waiting(conn)?.is_some())).await
}

fn waiting(conn: &mut MysqlConnection) -> Result<Option<i64>, LedgerError> {
    let waiting = reconciliations::table.filter(reconciliations::finished_at.is_null());
    Ok(waiting.select(reconciliations::id).first(conn).optional()?)
}

/// Keeps a report of a round that began `took_ms` ago. Whoever waited for one has it now.
pub async fn keep(ledger: &Ledger, report: Report, took_ms: i64) -> Result<(), LedgerError> {
    let text = serde_json::to_string(&report)
        .map_err(|error| LedgerError::Unreadable(format!("a report: {error}")))?;
    ledger
        .run(move |conn| {
            let finished_at = now(conn)?;
            let started_at = from_millis(to_millis(finished_at) - took_ms).unwrap_or(finished_at);
            let values = (
                reconciliations::dry_run.eq(report.dry_run),
                reconciliations::differences.eq(report.differences),
                reconciliations::repaired.eq(report.repaired),
                reconciliations::alarms.eq(report.alarms),
                reconciliations::report.eq(text),
                reconciliations::started_at.eq(started_at),
                reconciliations::finished_at.eq(finished_at),
            );
            // One that only looked is not what anybody waits for; nor is one that began before they asked.
            let asked = waiting_since(conn, started_at)?.filter(|_| !report.dry_run);
            match asked {
                Some(id) => {
                    diesel::update(reconciliations::table.find(id)).set(values).execute(conn)?
                }
                None => diesel::insert_into(reconciliations::table).values(values).execute(conn)?,
            };
            Ok(())
        })
        .await
}

fn waiting_since(
    conn: &mut MysqlConnection,
    before: NaiveDateTime,
) -> Result<Option<i64>, LedgerError> {
    let waiting = reconciliations::table
        .filter(reconciliations::finished_at.is_null())
        .filter(reconciliations::asked_at.le(before));
    Ok(waiting.select(reconciliations::id).first(conn).optional()?)
}

/// Lets go of old reports, some at a time.
pub async fn sweep(ledger: &Ledger) -> Result<usize, LedgerError> {
    ledger
        .run(|conn| {
            let now = now(conn)?;
            let before = |age| now.checked_sub_signed(age).unwrap_or(now);
            // By the key over the end; the newest of all is younger than either.
            let old = diesel::sql_query(format!(
                "DELETE FROM reconciliations WHERE finished_at < ? AND (finished_at < ? OR differences = 0) \
                 ORDER BY finished_at LIMIT {SWEPT}"
            ));
            let old = old
                .bind::<diesel::sql_types::Datetime, _>(before(KEPT_EMPTY))
                .bind::<diesel::sql_types::Datetime, _>(before(KEPT));
            Ok(old.execute(conn)?)
        })
        .await
}

/// The last one that repaired what it could; `None`: there was none yet.
pub async fn last(ledger: &Ledger) -> Result<Option<Reconciled>, LedgerError> {
    ledger
        .run(|conn| {
            let Some(round) = last_of(conn)? else { return Ok(None) };
            let Some((_, finished_at_ms)) = round.done else { return Ok(None) };
            let ago_ms = to_millis(now(conn)?).saturating_sub(finished_at_ms);
            let Report { differences, repaired, alarms, skipped, .. } = round.report;
            let skipped = i64::try_from(skipped.len()).unwrap_or(i64::MAX);
            Ok(Some(Reconciled { ago_ms, differences, repaired, alarms, skipped }))
        })
        .await
}

/// The last one that repaired what it could, with its report.
pub async fn last_round(ledger: &Ledger) -> Result<Option<Round>, LedgerError> {
    ledger.run(last_of).await
}

fn last_of(conn: &mut MysqlConnection) -> Result<Option<Round>, LedgerError> {
    let row: Option<Row> = reconciliations::table
        .filter(reconciliations::dry_run.eq(false))
        .filter(reconciliations::finished_at.is_not_null())
        .order((reconciliations::finished_at.desc(), reconciliations::id.desc()))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(Round::from))
}

/// The one that somebody waits for, if there is one.
pub async fn awaited(ledger: &Ledger) -> Result<Option<Round>, LedgerError> {
    ledger
        .run(|conn| {
            let row: Option<Row> = reconciliations::table
                .filter(reconciliations::finished_at.is_null())
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            Ok(row.map(Round::from))
        })
        .await
}

/// The newest ones that are over, all or those that found something; `before` goes on after the last one of
/// a page.
pub async fn list(
    ledger: &Ledger,
    only_found: bool,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<Round>, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<Row> = reconciliations::table
                .filter(reconciliations::id.lt(before.unwrap_or(i64::MAX)))
                .filter(reconciliations::finished_at.is_not_null())
                .filter(reconciliations::differences.ge(i64::from(only_found)))
                .order(reconciliations::id.desc())
                .limit(limit)
                .select(Row::as_select())
                .load(conn)?;
            Ok(rows.into_iter().map(Round::from).collect())
        })
        .await
}

/// The one of this number.
pub async fn get(ledger: &Ledger, id: i64) -> Result<Option<Round>, LedgerError> {
    ledger
        .run(move |conn| {
            let row: Option<Row> =
                reconciliations::table.find(id).select(Row::as_select()).first(conn).optional()?;
            Ok(row.map(Round::from))
        })
        .await
}
