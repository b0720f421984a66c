//! The history of sales.

use chrono::NaiveDateTime;
use diesel::dsl::{exists, not};
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::clock::{from_millis, to_millis};
use super::error::LedgerError;
use super::pool::Ledger;
use super::schema::{activities, sale_samples};
use crate::sale::activity::Status;
use crate::sale::demand::Outcomes;
use crate::sale::ids::{ActivityId, Epoch};
use crate::sale::sample::Sample;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = sale_samples)]
struct Row {
    activity_id: i64,
    at: NaiveDateTime,
    gate_stock: Option<i64>,
    remain_stock: i64,
    reserved: Option<i64>,
    pending: i64,
    paid: i64,
    cancelled: i64,
    rejected: i64,
    participants: Option<i64>,
    outcomes: Option<String>,
    total_stock: Option<i64>,
}

impl From<Row> for Sample {
    fn from(row: Row) -> Self {
        Self {
            at_ms: to_millis(row.at),
            gate_stock: row.gate_stock,
            remain_stock: row.remain_stock,
            reserved: row.reserved,
            pending: row.pending,
            paid: row.paid,
            cancelled: row.cancelled,
            rejected: row.rejected,
            participants: row.participants,
            outcomes: row.outcomes.as_deref().and_then(outcomes_of),
            total_stock: row.total_stock,
        }
    }
}

/// Keeps a sample; `false`: another worker was there first.
pub async fn insert(
    ledger: &Ledger,
    activity: ActivityId,
    sample: Sample,
) -> Result<bool, LedgerError> {
    ledger.run(move |conn| write(conn, activity, &sample)).await
}

pub(super) fn write(
    conn: &mut MysqlConnection,
    activity: ActivityId,
    sample: &Sample,
) -> Result<bool, LedgerError> {
    let out_of_time = || LedgerError::Unreadable(format!("a sample's time {}", sample.at_ms));
    let row = Row {
        activity_id: activity.0,
        at: from_millis(sample.at_ms).ok_or_else(out_of_time)?,
        gate_stock: sample.gate_stock,
        remain_stock: sample.remain_stock,
        reserved: sample.reserved,
        pending: sample.pending,
        paid: sample.paid,
        cancelled: sample.cancelled,
        rejected: sample.rejected,
        participants: sample.participants,
        outcomes: sample.outcomes.as_ref().and_then(text_of),
        total_stock: sample.total_stock,
    };
    Ok(diesel::insert_or_ignore_into(sale_samples::table).values(row).execute(conn)? > 0)
}

/// The next samples after this time, ms since the epoch; the oldest first.
pub async fn after(
    ledger: &Ledger,
    activity: ActivityId,
    after_ms: Option<i64>,
    limit: i64,
) -> Result<Vec<Sample>, LedgerError> {
    ledger
        .run(move |conn| {
            let after = after_ms.and_then(from_millis).unwrap_or_default();
            let rows: Vec<Row> = sale_samples::table
                .filter(sale_samples::activity_id.eq(activity.0))
                .filter(sale_samples::at.gt(after))
                .order(sale_samples::at)
                .limit(limit)
                .select(Row::as_select())
                .load(conn)?;
            Ok(rows.into_iter().map(Sample::from).collect())
        })
        .await
}

/// The last sample of a sale; `None`: there is none yet.
pub async fn last(ledger: &Ledger, activity: ActivityId) -> Result<Option<Sample>, LedgerError> {
    ledger
        .run(move |conn| {
            let row: Option<Row> = sale_samples::table
                .filter(sale_samples::activity_id.eq(activity.0))
                .order(sale_samples::at.desc())
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            Ok(row.map(Sample::from))
        })
        .await
}

/// Settled sales that had orders and have no history, at most `limit`: they were settled by a release that
/// kept none.
pub async fn without(ledger: &Ledger, limit: i64) -> Result<Vec<ActivityId>, LedgerError> {
    ledger
        .run(move |conn| {
            let history = sale_samples::table.filter(sale_samples::activity_id.eq(activities::id));
            let ids: Vec<i64> = activities::table
                .filter(activities::status.eq(Status::Settled.as_str()))
                .filter(activities::gate_epoch.gt(Epoch::NEVER_OPENED.0))
                .filter(not(exists(history)))
                .limit(limit)
                .select(activities::id)
                .load(conn)?;
            Ok(ids.into_iter().map(ActivityId).collect())
        })
        .await
}

/// What cannot be read any more is as good as lost: a picture misses it, no sale does.
pub(super) fn outcomes_of(json: &str) -> Option<Outcomes> {
    serde_json::from_str(json).ok()
}

pub(super) fn text_of(outcomes: &Outcomes) -> Option<String> {
    serde_json::to_string(outcomes).ok()
}
