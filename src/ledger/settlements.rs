//! What came of each sale, written when it is settled and kept when the gate's keys are gone.

use chrono::NaiveDateTime;
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::clock::{from_millis, now, to_millis};
use super::error::{Conflict, LedgerError};
use super::orders::Counts;
use super::pool::Ledger;
use super::samples::{self, outcomes_of, text_of};
use super::schema::settlements;
use crate::sale::demand::Outcomes;
use crate::sale::ids::ActivityId;
use crate::sale::sample::Sample;
use crate::sale::settlement::Settlement;

/// What a settlement is told by others than the ledger's orders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Shoppers who asked to buy.
    pub participants: i64,
    /// How requests were answered, if that is still known.
    pub outcomes: Option<Outcomes>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = settlements)]
struct Row {
    total_stock: i64,
    remain_stock: i64,
    participants: i64,
    paid: i64,
    cancelled: i64,
    rejected: i64,
    lost: i64,
    outcomes: Option<String>,
    settled_at: NaiveDateTime,
}

impl From<Row> for Settlement {
    fn from(row: Row) -> Self {
        Self {
            total_stock: row.total_stock,
            remain_stock: row.remain_stock,
            participants: row.participants,
            paid: row.paid,
            cancelled: row.cancelled,
            rejected: row.rejected,
            lost: row.lost,
            outcomes: row.outcomes.as_deref().and_then(outcomes_of),
            settled_at_ms: to_millis(row.settled_at),
        }
    }
}

/// What came of a sale; `None`: it is not settled, or was by a version that did not write this.
pub async fn get(ledger: &Ledger, activity: ActivityId) -> Result<Option<Settlement>, LedgerError> {
    ledger
        .run(move |conn| {
            let row: Option<Row> = settlements::table
                .find(activity.0)
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            Ok(row.map(Settlement::from))
        })
        .await
}

/// Sales that were settled at this time (ms since the epoch) or later, at most `limit`.
pub async fn since(
    ledger: &Ledger,
    since_ms: i64,
    limit: i64,
) -> Result<Vec<ActivityId>, LedgerError> {
    ledger
        .run(move |conn| {
            let since = from_millis(since_ms.max(0)).unwrap_or_default();
            let ids: Vec<i64> = settlements::table
                .filter(settlements::settled_at.ge(since))
                .order(settlements::activity_id.desc())
                .limit(limit)
                .select(settlements::activity_id)
                .load(conn)?;
            Ok(ids.into_iter().map(ActivityId).collect())
        })
        .await
}

/// Writes the settlement, and the last sample of the history with the same figures. Part of the transaction
/// that makes the sale settled, which holds the activity's row, so that no order changes meanwhile.
pub(super) fn write(
    conn: &mut MysqlConnection,
    activity: ActivityId,
    (total_stock, remain_stock): (i64, i64),
    orders: Counts,
    asked: &Asked,
) -> Result<(), LedgerError> {
    if orders.pending_payment > 0 {
        return Err(Conflict::Pending.into());
    }
    let settled_at = now(conn)?;
    diesel::insert_into(settlements::table)
        .values((
            settlements::activity_id.eq(activity.0),
            settlements::total_stock.eq(total_stock),
            settlements::remain_stock.eq(remain_stock),
            settlements::participants.eq(asked.participants),
            settlements::paid.eq(orders.paid),
            settlements::cancelled.eq(orders.cancelled),
            settlements::rejected.eq(orders.rejected),
            settlements::lost.eq(orders.lost),
            settlements::outcomes.eq(asked.outcomes.as_ref().and_then(text_of)),
            settlements::settled_at.eq(settled_at),
        ))
        .execute(conn)?;
    let last = Sample {
        at_ms: to_millis(settled_at),
        gate_stock: None,
        total_stock: Some(total_stock),
        remain_stock,
        reserved: None,
        pending: 0,
        paid: orders.paid,
        cancelled: orders.cancelled,
        rejected: orders.rejected,
        participants: Some(asked.participants),
        outcomes: asked.outcomes.clone(),
    };
    samples::write(conn, activity, &last)?;
    Ok(())
}
