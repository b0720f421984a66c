//! Recording a batch of reservations as a whole.

use chrono::{NaiveDateTime, TimeDelta};
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;
use diesel::result::Error as DieselError;

use super::events::{self, Actor, By, NewEvent};
use crate::ledger::clock::{Clock, from_millis};
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{activities, orders};
use crate::ledger::transaction::{fitting, transaction};
use crate::sale::ids::{ActivityId, Epoch};
use crate::sale::order::OrderState;
use crate::sale::reservation::Reservation;

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchOutcome {
    /// Every reservation is an order now.
    Recorded,
    /// None is; each has to be settled alone.
    NotAsAWhole,
}

/// Records reservations of one activity and epoch, all or none: one conditional update, one insert. The
/// numbers that have a row already were taken out before.
pub async fn record_batch(
    ledger: &Ledger,
    activity: ActivityId,
    epoch: Epoch,
    batch: Vec<Reservation>,
) -> Result<BatchOutcome, LedgerError> {
    if batch.is_empty() {
        return Ok(BatchOutcome::Recorded);
    }
    if batch.iter().any(|r| r.activity_id != activity || r.epoch != epoch) {
        return Ok(BatchOutcome::NotAsAWhole);
    }
    let recorded = ledger
        .run(move |conn| transaction(conn, |conn| record_all(conn, activity, epoch, &batch)))
        .await;
    match recorded {
        Ok(()) => Ok(BatchOutcome::Recorded),
        Err(
            LedgerError::Other(DieselError::RollbackTransaction)
            | LedgerError::Duplicate(_)
            | LedgerError::Violation(_),
        ) => Ok(BatchOutcome::NotAsAWhole),
        Err(error) => Err(error),
    }
}

fn record_all(
    conn: &mut MysqlConnection,
    activity: ActivityId,
    epoch: Epoch,
    batch: &[Reservation],
) -> Result<(), LedgerError> {
    if !take_units(conn, activity, epoch, batch.len())? {
        return Err(DieselError::RollbackTransaction.into());
    }
    let terms = Terms::read(conn, activity)?;
    if !terms.rebuy && any_barred(conn, activity, batch)? {
        return Err(DieselError::RollbackTransaction.into());
    }
    // In portions, since a statement takes only so many values.
    for portion in batch.chunks(500) {
        let rows: Vec<NewOrder> = portion.iter().map(|r| NewOrder::placed(r, &terms)).collect();
        diesel::insert_into(orders::table).values(rows).execute(conn)?;
        let placed = OrderState::PendingPayment;
        let event =
            |r: &Reservation| NewEvent::new(r.order_no, placed, None, &recorder(r), terms.now);
        events::write(conn, portion.iter().map(event).collect())?;
    }
    Ok(())
}

/// The conditional update, which is the ledger's last word on stock. It locks the activity's row.
fn take_units(
    conn: &mut MysqlConnection,
    activity: ActivityId,
    epoch: Epoch,
    units: usize,
) -> Result<bool, LedgerError> {
    let units = i64::try_from(units).unwrap_or(i64::MAX);
    let taken = diesel::update(
        activities::table
            .find(activity.0)
            .filter(activities::gate_epoch.eq(epoch.0))
            .filter(activities::remain_stock.ge(units)),
    )
    .set(activities::remain_stock.eq(activities::remain_stock - units))
    .execute(conn)?;
    Ok(taken == 1)
}

fn any_barred(
    conn: &mut MysqlConnection,
    activity: ActivityId,
    batch: &[Reservation],
) -> Result<bool, LedgerError> {
    let cancelled = orders::table
        .filter(orders::user_id.eq_any(batch.iter().map(|r| r.user_id.0)))
        .filter(orders::activity_id.eq(activity.0))
        .filter(orders::status.eq(OrderState::Cancelled.code()));
    Ok(cancelled.select(orders::id).first::<i64>(conn).optional()?.is_some())
}

/// What an activity says of its orders at this moment.
pub(super) struct Terms {
    pub(super) product_id: i64,
    pub(super) rebuy: bool,
    pub(super) pay_within: TimeDelta,
    pub(super) now: NaiveDateTime,
}

impl Terms {
    fn read(conn: &mut MysqlConnection, activity: ActivityId) -> Result<Self, LedgerError> {
        let (product_id, rebuy, pay_within_s, now) = activities::table
            .find(activity.0)
            .select((activities::product_id, activities::rebuy, activities::pay_within_s, Clock))
            .first(conn)?;
        Ok(Self { product_id, rebuy, pay_within: pay_within(pay_within_s), now })
    }
}

pub(super) fn pay_within(seconds: i64) -> TimeDelta {
    // A column of the ledger, so not absurd; and if it is, the payment may take a year.
    TimeDelta::try_seconds(seconds.min(366 * 86_400)).unwrap_or_default()
}

/// An order's row to be written.
#[derive(Insertable)]
#[diesel(table_name = orders)]
pub(super) struct NewOrder {
    order_no: String,
    user_id: i64,
    product_id: i64,
    activity_id: i64,
    bucket: u16,
    epoch: i64,
    price_cents: i64,
    currency: String,
    status: i8,
    reason: Option<&'static str>,
    holder_id: Option<i64>,
    request_id: String,
    reserved_at: NaiveDateTime,
    created_at: NaiveDateTime,
    pay_before: NaiveDateTime,
}

impl NewOrder {
    /// One that holds a unit and waits for its payment.
    pub(super) fn placed(reservation: &Reservation, terms: &Terms) -> Self {
        Self {
            status: OrderState::PendingPayment.code(),
            holder_id: Some(reservation.user_id.0),
            pay_before: terms.now.checked_add_signed(terms.pay_within).unwrap_or(terms.now),
            ..Self::refused(reservation, terms, OrderState::Lost, None)
        }
    }

    /// One that never holds a unit.
    pub(super) fn refused(
        reservation: &Reservation,
        terms: &Terms,
        state: OrderState,
        reason: Option<&'static str>,
    ) -> Self {
        Self {
            order_no: reservation.order_no.to_string(),
            user_id: reservation.user_id.0,
            product_id: terms.product_id,
            activity_id: reservation.activity_id.0,
            bucket: reservation.bucket.0,
            epoch: reservation.epoch.0,
            price_cents: reservation.price.0,
            currency: reservation.currency.to_string(),
            status: state.code(),
            reason,
            holder_id: None,
            request_id: fitting(&reservation.request_id, 64),
            reserved_at: from_millis(reservation.reserved_at_ms).unwrap_or(terms.now),
            created_at: terms.now,
            pay_before: terms.now,
        }
    }
}

/// The recorder, at the request that asked for the reservation.
pub(super) fn recorder(reservation: &Reservation) -> By {
    By { actor: Actor::Recorder, request_id: reservation.request_id.clone() }
}
