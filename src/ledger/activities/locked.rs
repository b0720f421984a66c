//! What is done under an activity's lock. Taking the lock takes a [`Fence`]; every write carries it, and
//! the ledger refuses one that is not the newest, so whoever lost the lock cannot write any more.

use chrono::{Duration, NaiveDateTime, SecondsFormat};
use diesel::dsl::sql;
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::status_of;
use crate::ledger::audit::{self, Change};
use crate::ledger::clock::{Clock, now};
use crate::ledger::error::{Conflict, LedgerError};
use crate::ledger::last_insert_id;
use crate::ledger::orders::count;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{activities, orders};
use crate::ledger::settlements::{self, Asked};
use crate::ledger::transaction::transaction;
use crate::sale::activity::Status;
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, Epoch, Fence};

/// The activity's row, locked until the end of the transaction.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = activities)]
pub(in crate::ledger) struct LockedRow {
    pub(in crate::ledger) product_id: i64,
    pub(in crate::ledger) total_stock: i64,
    pub(in crate::ledger) remain_stock: i64,
    pub(in crate::ledger) status: String,
    pub(in crate::ledger) starts_at: NaiveDateTime,
    pub(in crate::ledger) ends_at: NaiveDateTime,
    pub(in crate::ledger) fence: i64,
    pub(in crate::ledger) gate_epoch: i64,
    pub(in crate::ledger) rebuy: bool,
    pub(in crate::ledger) pay_within_s: i64,
}

impl LockedRow {
    pub(in crate::ledger) fn check_fence(&self, fence: Fence) -> Result<(), LedgerError> {
        if self.fence == fence.0 { Ok(()) } else { Err(LedgerError::Fenced) }
    }
}

/// Locks an activity's row. In every transaction that changes stock this comes first, before any order.
pub(in crate::ledger) fn lock_row(
    conn: &mut MysqlConnection,
    id: ActivityId,
) -> Result<Option<LockedRow>, LedgerError> {
    let row = activities::table.find(id.0).select(LockedRow::as_select()).for_update();
    Ok(row.first(conn).optional()?)
}

/// Locks the row for a holder of the lock.
pub(in crate::ledger) fn lock_fenced(
    conn: &mut MysqlConnection,
    id: ActivityId,
    fence: Fence,
) -> Result<LockedRow, LedgerError> {
    let row = lock_row(conn, id)?.ok_or(LedgerError::NotFound)?;
    row.check_fence(fence)?;
    Ok(row)
}

/// Takes the next fence; all former ones are refused from now on. To be called by whoever has just
/// taken the activity's lock.
pub async fn take_fence(ledger: &Ledger, id: ActivityId) -> Result<Fence, LedgerError> {
    ledger
        .run(move |conn| {
            let raised = diesel::update(activities::table.find(id.0))
                .set(activities::fence.eq(sql::<BigInt>("LAST_INSERT_ID(fence + 1)")))
                .execute(conn)?;
            if raised == 0 {
                return Err(LedgerError::NotFound);
            }
            Ok(Fence(last_insert_id(conn)?))
        })
        .await
}

/// Brings an activity from one of the states `from` to `to`. Withdrawing one is refused once it has
/// orders.
pub async fn set_status(
    ledger: &Ledger,
    id: ActivityId,
    from: &'static [Status],
    to: Status,
    fence: Fence,
    actor: Actor,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let row = lock_fenced(conn, id, fence)?;
                let was = check_status(&row, from)?;
                if to == Status::Cancelled && has_orders(conn, id)? {
                    return Err(Conflict::HasOrders.into());
                }
                turn(conn, id, was, to, &actor)
            })
        })
        .await
}

/// Ends an activity whose window is over by the ledger's clock. One whose end was put off meanwhile goes on,
/// whatever the caller had read of it before.
pub async fn end_by_clock(
    ledger: &Ledger,
    id: ActivityId,
    fence: Fence,
    actor: Actor,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let row = lock_fenced(conn, id, fence)?;
                let was = check_status(&row, &[Status::Scheduled, Status::Paused])?;
                if now(conn)? < row.ends_at {
                    return Ok(());
                }
                turn(conn, id, was, Status::Ended, &actor)
            })
        })
        .await
}

/// Makes an ended activity a settled one, and keeps what came of it. Refused while an order is pending.
pub async fn settle(
    ledger: &Ledger,
    id: ActivityId,
    fence: Fence,
    asked: Asked,
    actor: Actor,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let row = lock_fenced(conn, id, fence)?;
                let was = check_status(&row, &[Status::Ended])?;
                let orders = count(conn, id)?;
                let stock = (row.total_stock, row.remain_stock);
                settlements::write(conn, id, stock, orders, &asked)?;
                turn(conn, id, was, Status::Settled, &actor)
            })
        })
        .await
}

fn turn(
    conn: &mut MysqlConnection,
    id: ActivityId,
    from: Status,
    to: Status,
    actor: &Actor,
) -> Result<(), LedgerError> {
    diesel::update(activities::table.find(id.0))
        .set((activities::status.eq(to.as_str()), activities::version.eq(activities::version + 1)))
        .execute(conn)?;
    if from == Status::Draft && to == Status::Scheduled {
        diesel::update(activities::table.find(id.0))
            .set(activities::published_at.eq(Clock.nullable()))
            .execute(conn)?;
    }
    let change = Change::turned("status", &from, &to);
    audit::write(conn, actor, step_word(from, to), &subject(id), &[change])
}

/// What an admin calls this step.
const fn step_word(from: Status, to: Status) -> &'static str {
    match (from, to) {
        (Status::Paused, Status::Scheduled) => "activity.resume",
        (_, Status::Scheduled) => "activity.publish",
        (_, Status::Paused) => "activity.pause",
        (_, Status::Ended) => "activity.end",
        (_, Status::Settled) => "activity.settle",
        (_, Status::Cancelled) => "activity.cancel",
        (_, Status::Draft) => "activity.draft",
    }
}

pub(super) fn subject(id: ActivityId) -> String {
    format!("activity:{id}")
}

/// Closes a published activity's window now, by the ledger's clock, and ends it.
pub async fn end_now(
    ledger: &Ledger,
    id: ActivityId,
    fence: Fence,
    actor: Actor,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let row = lock_fenced(conn, id, fence)?;
                let was = check_status(&row, &[Status::Scheduled, Status::Paused])?;
                // A window is never empty, not even of a sale that is ended before its start; and
                // one that is over already keeps its end.
                let first_end = row.starts_at + Duration::milliseconds(1);
                let ends_at = now(conn)?.max(first_end).min(row.ends_at);
                diesel::update(activities::table.find(id.0))
                    .set((
                        activities::status.eq(Status::Ended.as_str()),
                        activities::ends_at.eq(ends_at),
                        activities::version.eq(activities::version + 1),
                    ))
                    .execute(conn)?;
                let changes = [
                    Change::turned("status", &was, &Status::Ended),
                    Change::turned("ends_at", &instant(row.ends_at), &instant(ends_at)),
                ];
                audit::write(conn, &actor, "activity.end", &subject(id), &changes)
            })
        })
        .await
}

/// A time as the audit writes it.
pub(super) fn instant(at: NaiveDateTime) -> String {
    at.and_utc().to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Begins another filling of the gate: the preheat from epoch 0, a rebuild from any other. Of two at
/// once one is told `Conflict::Epoch`.
pub async fn begin_epoch(
    ledger: &Ledger,
    id: ActivityId,
    fence: Fence,
    expected: Epoch,
) -> Result<Epoch, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let row = lock_fenced(conn, id, fence)?;
                if row.gate_epoch != expected.0 {
                    return Err(Conflict::Epoch(row.gate_epoch).into());
                }
                let next = Epoch(expected.0 + 1);
                diesel::update(activities::table.find(id.0))
                    .set(activities::gate_epoch.eq(next.0))
                    .execute(conn)?;
                Ok(next)
            })
        })
        .await
}

pub(super) fn check_status(row: &LockedRow, from: &[Status]) -> Result<Status, LedgerError> {
    let status = status_of(&row.status)?;
    if from.contains(&status) { Ok(status) } else { Err(Conflict::Status(status).into()) }
}

fn has_orders(conn: &mut MysqlConnection, id: ActivityId) -> Result<bool, LedgerError> {
    let of_activity = orders::table.filter(orders::activity_id.eq(id.0));
    Ok(of_activity.select(orders::id).first::<i64>(conn).optional()?.is_some())
}

impl From<Conflict> for LedgerError {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}
