//! Changes of an activity's stock. Each has an id of its own: asked again, after an answer that was lost,
//! it is the same change and tells the same result.

use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::locked::{LockedRow, lock_row, subject};
use crate::ledger::audit::{self, Change};
use crate::ledger::error::{Conflict, LedgerError};
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{activities, stock_changes};
use crate::ledger::transaction::transaction;
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, Fence};

/// What a change of the stock came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockChange {
    /// Signed; less than was asked when less was free.
    pub changed: i64,
    /// The activity's units after it.
    pub total_stock: i64,
    /// Those that no order held after it.
    pub remain_stock: i64,
}

/// Gives an activity more units. `by` is above zero.
pub async fn raise_stock(
    ledger: &Ledger,
    id: ActivityId,
    fence: Fence,
    change_id: String,
    by: i64,
    actor: Actor,
) -> Result<StockChange, LedgerError> {
    change(ledger, id, fence, change_id, by.max(0), actor).await
}

/// Takes units from an activity, never more than no order holds. `by` is above zero.
pub async fn lower_stock(
    ledger: &Ledger,
    id: ActivityId,
    fence: Fence,
    change_id: String,
    by: i64,
    actor: Actor,
) -> Result<StockChange, LedgerError> {
    change(ledger, id, fence, change_id, by.max(0).saturating_neg(), actor).await
}

/// The result of an earlier change of this activity under this id. `by` is signed; what was asked of the
/// ledger may have been less, where the gate had less to give up. An id of another change is refused.
pub async fn earlier_change(
    ledger: &Ledger,
    id: ActivityId,
    change_id: String,
    by: i64,
) -> Result<Option<StockChange>, LedgerError> {
    ledger
        .run(move |conn| {
            let Some(row) = earlier(conn, &change_id)? else { return Ok(None) };
            let same = row.asked == by || (by < row.asked && row.asked < 0);
            if same && row.activity_id == id.0 {
                Ok(Some(row.result()))
            } else {
                Err(Conflict::ChangeId.into())
            }
        })
        .await
}

async fn change(
    ledger: &Ledger,
    id: ActivityId,
    fence: Fence,
    change_id: String,
    asked: i64,
    actor: Actor,
) -> Result<StockChange, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let activity = lock_row(conn, id)?.ok_or(LedgerError::NotFound)?;
                // Before the fence: the change may have been made under a lock that is long gone.
                if let Some(row) = earlier(conn, &change_id)? {
                    let same = row.activity_id == id.0 && row.asked == asked;
                    return if same { Ok(row.result()) } else { Err(Conflict::ChangeId.into()) };
                }
                activity.check_fence(fence)?;
                let result = changed(&activity, asked)?;
                write(conn, id, fence, &change_id, asked, result)?;
                let changes = [
                    Change::turned("total_stock", &activity.total_stock, &result.total_stock),
                    Change::made("asked", &asked),
                    Change::made("change_id", &change_id),
                ];
                audit::write(conn, &actor, "activity.stock", &subject(id), &changes)?;
                Ok(result)
            })
        })
        .await
}

fn changed(activity: &LockedRow, asked: i64) -> Result<StockChange, LedgerError> {
    let changed = asked.max(activity.remain_stock.saturating_neg());
    let total_stock = activity.total_stock.checked_add(changed);
    total_stock
        .map(|total_stock| StockChange {
            changed,
            total_stock,
            remain_stock: activity.remain_stock + changed,
        })
        .ok_or_else(|| LedgerError::Violation("more units than can be counted".into()))
}

fn write(
    conn: &mut MysqlConnection,
    id: ActivityId,
    fence: Fence,
    change_id: &str,
    asked: i64,
    result: StockChange,
) -> Result<(), LedgerError> {
    diesel::update(activities::table.find(id.0))
        .set((
            activities::total_stock.eq(result.total_stock),
            activities::remain_stock.eq(result.remain_stock),
            activities::version.eq(activities::version + 1),
        ))
        .execute(conn)?;
    diesel::insert_into(stock_changes::table)
        .values((
            stock_changes::change_id.eq(change_id),
            stock_changes::activity_id.eq(id.0),
            stock_changes::asked.eq(asked),
            stock_changes::changed.eq(result.changed),
            stock_changes::total_after.eq(result.total_stock),
            stock_changes::remain_after.eq(result.remain_stock),
            stock_changes::fence.eq(fence.0),
        ))
        .execute(conn)?;
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = stock_changes)]
struct Earlier {
    activity_id: i64,
    asked: i64,
    changed: i64,
    total_after: i64,
    remain_after: i64,
}

impl Earlier {
    const fn result(&self) -> StockChange {
        StockChange {
            changed: self.changed,
            total_stock: self.total_after,
            remain_stock: self.remain_after,
        }
    }
}

fn earlier(conn: &mut MysqlConnection, change_id: &str) -> Result<Option<Earlier>, LedgerError> {
    let row = stock_changes::table.filter(stock_changes::change_id.eq(change_id));
    Ok(row.select(Earlier::as_select()).first(conn).optional()?)
}
