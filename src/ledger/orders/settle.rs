//! The fate of one reservation, when its batch did not go through as a whole.

use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::events::{self, NewEvent};
use super::record::{NewOrder, Terms, pay_within, recorder};
use super::{Known, reading};
use crate::ledger::activities::locked::{LockedRow, lock_row};
use crate::ledger::clock::now;
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{activities, orders};
use crate::ledger::transaction::transaction;
use crate::sale::order::{OrderState, RejectReason};
use crate::sale::reservation::Reservation;

/// What became of a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It has a row from an earlier delivery; nothing was changed. If the row holds no unit, the release
    /// at the gate is to be repeated.
    AlreadyKnown(Known),
    /// It is an order now.
    Placed,
    /// It was refused for good. The row is written; the gate is to release.
    Refused(RejectReason),
    /// It belongs to a former filling of the gate. Nothing was changed: ask the gate whether the
    /// shopper's entry names this number, and come again with the answer.
    AskGate,
    /// It belongs to a former filling of the gate, which does not name it any more. The row is written.
    Lost,
    /// It belongs to a filling of the gate that the ledger has not begun. Nothing was changed; to be
    /// tried again, and an alarm when it stays so.
    EpochAhead,
    /// There is no such activity.
    NoSuchActivity,
    /// It can never be a row: there is no such shopper, or its price is none. For the dead letters.
    Unrecordable(String),
}

/// Settles one reservation for ever. `gate_names_it` is the answer to an earlier [`Fate::AskGate`].
pub async fn settle_one(
    ledger: &Ledger,
    reservation: Reservation,
    gate_names_it: Option<bool>,
) -> Result<Fate, LedgerError> {
    let settled = ledger
        .run(move |conn| {
            let mut settle = || transaction(conn, |conn| settle(conn, &reservation, gate_names_it));
            match settle() {
                // Another recorder wrote the row in between; this time it is found.
                Err(LedgerError::Duplicate(_)) => settle(),
                settled => settled,
            }
        })
        .await;
    match settled {
        Err(LedgerError::Violation(rule)) => Ok(Fate::Unrecordable(rule)),
        settled => settled,
    }
}

fn settle(
    conn: &mut MysqlConnection,
    reservation: &Reservation,
    gate_names_it: Option<bool>,
) -> Result<Fate, LedgerError> {
    let Some(activity) = lock_row(conn, reservation.activity_id)? else {
        return Ok(Fate::NoSuchActivity);
    };
    if let Some(order) = reading::read(conn, reservation.order_no)? {
        let (order_no, state, reason) = (order.order_no, order.state, order.reason);
        return Ok(Fate::AlreadyKnown(Known { order_no, state, reason }));
    }
    if reservation.epoch.0 > activity.gate_epoch {
        return Ok(Fate::EpochAhead);
    }
    let terms = terms(conn, &activity)?;
    if reservation.epoch.0 < activity.gate_epoch {
        match gate_names_it {
            None => return Ok(Fate::AskGate),
            Some(true) => {}
            Some(false) => {
                refuse(conn, reservation, &terms, OrderState::Lost, None)?;
                return Ok(Fate::Lost);
            }
        }
    }
    if let Some(reason) = objection(conn, &activity, reservation)? {
        refuse(conn, reservation, &terms, OrderState::Rejected, Some(reason.as_str()))?;
        return Ok(Fate::Refused(reason));
    }
    place(conn, reservation, &terms)?;
    Ok(Fate::Placed)
}

fn terms(conn: &mut MysqlConnection, activity: &LockedRow) -> Result<Terms, LedgerError> {
    Ok(Terms {
        product_id: activity.product_id,
        rebuy: activity.rebuy,
        pay_within: pay_within(activity.pay_within_s),
        now: now(conn)?,
    })
}

/// Why the ledger refuses a reservation of the right epoch, if it does.
fn objection(
    conn: &mut MysqlConnection,
    activity: &LockedRow,
    reservation: &Reservation,
) -> Result<Option<RejectReason>, LedgerError> {
    let of_activity = orders::activity_id.eq(reservation.activity_id.0);
    let holding: Option<i64> = orders::table
        .filter(of_activity.and(orders::holder_id.eq(reservation.user_id.0)))
        .select(orders::id)
        .first(conn)
        .optional()?;
    if holding.is_some() {
        return Ok(Some(RejectReason::AlreadyHeld));
    }
    if !activity.rebuy {
        let cancelled: Option<i64> = orders::table
            .filter(of_activity.and(orders::user_id.eq(reservation.user_id.0)))
            .filter(orders::status.eq(OrderState::Cancelled.code()))
            .select(orders::id)
            .first(conn)
            .optional()?;
        if cancelled.is_some() {
            return Ok(Some(RejectReason::Barred));
        }
    }
    Ok((activity.remain_stock <= 0).then_some(RejectReason::SoldOut))
}

fn place(
    conn: &mut MysqlConnection,
    reservation: &Reservation,
    terms: &Terms,
) -> Result<(), LedgerError> {
    diesel::update(activities::table.find(reservation.activity_id.0))
        .set(activities::remain_stock.eq(activities::remain_stock - 1))
        .execute(conn)?;
    write(
        conn,
        reservation,
        terms,
        NewOrder::placed(reservation, terms),
        OrderState::PendingPayment,
        None,
    )
}

fn refuse(
    conn: &mut MysqlConnection,
    reservation: &Reservation,
    terms: &Terms,
    state: OrderState,
    reason: Option<&'static str>,
) -> Result<(), LedgerError> {
    write(
        conn,
        reservation,
        terms,
        NewOrder::refused(reservation, terms, state, reason),
        state,
        reason,
    )
}

fn write(
    conn: &mut MysqlConnection,
    reservation: &Reservation,
    terms: &Terms,
    row: NewOrder,
    state: OrderState,
    reason: Option<&'static str>,
) -> Result<(), LedgerError> {
    diesel::insert_into(orders::table).values(row).execute(conn)?;
    let by = recorder(reservation);
    events::write(conn, vec![NewEvent::new(reservation.order_no, state, reason, &by, terms.now)])
}
