//! The end of a pending order: paid, or cancelled by the shopper, by staff or by time. Each is one change
//! on condition of the present state, so of several at once exactly one wins.

use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::events::{self, Actor, By, NewEvent};
use super::reading::read;
use crate::ledger::activities::locked::lock_row;
use crate::ledger::audit::{self, Change};
use crate::ledger::clock::{Clock, now};
use crate::ledger::error::LedgerError;
use crate::ledger::payments;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{activities, orders};
use crate::ledger::transaction::transaction;
use crate::sale::actor;
use crate::sale::ids::UserId;
use crate::sale::order::{CancelReason, Order, OrderState};
use crate::sale::order_number::OrderNo;

/// What became of a cancellation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CancelOutcome {
    /// Cancelled by this call; the gate is to release.
    Cancelled(Ended),
    /// Cancelled before; the release at the gate may be repeated without harm.
    AlreadyCancelled(Ended),
    /// The deadline has not passed yet; only [`expire`] says so.
    NotDue(Order),
    /// The order ended otherwise.
    NotPending(Order),
    /// No such order, or not this shopper's.
    NotFound,
}

/// A cancelled order, and what the gate needs to know for its release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The order as it is now.
    pub order: Order,
    /// Whether the shopper may buy again; else they are barred at the gate.
    pub rebuy: bool,
}

/// Cancels a pending order. `owner`: only when it is this shopper's.
pub async fn cancel(
    ledger: &Ledger,
    order_no: OrderNo,
    owner: Option<UserId>,
    reason: CancelReason,
    by: By,
) -> Result<CancelOutcome, LedgerError> {
    ledger
        .run(move |conn| {
            let cancelling = Cancelling { reason, words: None };
            transaction(conn, |conn| cancel_pending(conn, order_no, owner, &cancelling, &by))
        })
        .await
}

/// Cancels a pending order for somebody of the staff, whose own words are kept in its history; audited.
pub async fn cancel_by_staff(
    ledger: &Ledger,
    order_no: OrderNo,
    words: String,
    staff: actor::Actor,
) -> Result<CancelOutcome, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let cancelling = Cancelling { reason: CancelReason::ByStaff, words: Some(&words) };
                let by = by_staff(&staff);
                let outcome = cancel_pending(conn, order_no, None, &cancelling, &by)?;
                if let CancelOutcome::Cancelled(ended) = &outcome {
                    let changes = [turned(ended), Change::made("reason", &words)];
                    audit::write(conn, &staff, "order.cancel", &subject(order_no), &changes)?;
                }
                Ok(outcome)
            })
        })
        .await
}

/// How the audit names an order.
fn subject(order_no: OrderNo) -> String {
    format!("order:{order_no}")
}

/// Why an order is cancelled.
struct Cancelling<'a> {
    reason: CancelReason,
    /// What its history says instead of the reason's own word.
    words: Option<&'a str>,
}

/// Cancels a pending order whose deadline has passed by the ledger's clock.
pub async fn expire(ledger: &Ledger, order_no: OrderNo) -> Result<CancelOutcome, LedgerError> {
    let by = By { actor: Actor::Expiry, request_id: String::new() };
    cancel(ledger, order_no, None, CancelReason::Unpaid, by).await
}

/// The same because somebody of the staff does not wait for the clock's turn; audited.
pub async fn expire_by_staff(
    ledger: &Ledger,
    order_no: OrderNo,
    staff: actor::Actor,
) -> Result<CancelOutcome, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let cancelling = Cancelling { reason: CancelReason::Unpaid, words: None };
                let outcome = cancel_pending(conn, order_no, None, &cancelling, &by_staff(&staff))?;
                if let CancelOutcome::Cancelled(ended) = &outcome {
                    audit::write(
                        conn,
                        &staff,
                        "order.expire",
                        &subject(order_no),
                        &[turned(ended)],
                    )?;
                }
                Ok(outcome)
            })
        })
        .await
}

fn by_staff(staff: &actor::Actor) -> By {
    let actor = staff.id.map_or(Actor::Command, Actor::Staff);
    By { actor, request_id: staff.request_id.clone() }
}

/// For the audit.
fn turned(ended: &Ended) -> Change {
    let (from, to) = (OrderState::PendingPayment, ended.order.state);
    Change::turned("status", &from.as_str(), &to.as_str())
}

/// Marks a pending order as paid, whose row is locked. A payment moves no unit, so the activity's row is
/// left alone.
pub(in crate::ledger) fn mark_paid(
    conn: &mut MysqlConnection,
    order: &Order,
    by: &By,
) -> Result<(), LedgerError> {
    let pending =
        orders::table.find(order.id).filter(orders::status.eq(OrderState::PendingPayment.code()));
    let paid = diesel::update(pending)
        .set((orders::status.eq(OrderState::Paid.code()), orders::paid_at.eq(Clock.nullable())))
        .execute(conn)?;
    if paid == 1 {
        let event = NewEvent::new(order.order_no, OrderState::Paid, None, by, now(conn)?);
        events::write(conn, vec![event])?;
    }
    Ok(())
}

/// The activity's row first, then the order.
fn cancel_pending(
    conn: &mut MysqlConnection,
    order_no: OrderNo,
    owner: Option<UserId>,
    cancelling: &Cancelling<'_>,
    by: &By,
) -> Result<CancelOutcome, LedgerError> {
    let Some(order) = owned(conn, order_no, owner)? else { return Ok(CancelOutcome::NotFound) };
    let activity = lock_row(conn, order.activity_id)?.ok_or(LedgerError::NotFound)?;
    let cancelled = mark_cancelled(conn, &order, cancelling.reason)?;
    if cancelled {
        diesel::update(activities::table.find(order.activity_id.0))
            .set(activities::remain_stock.eq(activities::remain_stock + 1))
            .execute(conn)?;
        let at = now(conn)?;
        let words = cancelling.words.unwrap_or(cancelling.reason.as_str());
        let event = NewEvent::new(order_no, OrderState::Cancelled, Some(words), by, at);
        events::write(conn, vec![event])?;
        payments::look_soon(conn, order_no)?;
    }
    let order = read(conn, order_no)?.ok_or(LedgerError::NotFound)?;
    let ended = |order| Ended { order, rebuy: activity.rebuy };
    Ok(match order.state {
        OrderState::Cancelled if cancelled => CancelOutcome::Cancelled(ended(order)),
        OrderState::Cancelled => CancelOutcome::AlreadyCancelled(ended(order)),
        OrderState::PendingPayment => CancelOutcome::NotDue(order),
        _ => CancelOutcome::NotPending(order),
    })
}

/// The one conditional change; `false`: the order is not pending any more, or not yet due.
fn mark_cancelled(
    conn: &mut MysqlConnection,
    order: &Order,
    reason: CancelReason,
) -> Result<bool, LedgerError> {
    let pending =
        orders::table.find(order.id).filter(orders::status.eq(OrderState::PendingPayment.code()));
    let change = (
        orders::status.eq(OrderState::Cancelled.code()),
        orders::reason.eq(reason.as_str()),
        orders::holder_id.eq(None::<i64>),
        orders::cancelled_at.eq(Clock.nullable()),
    );
    let changed = match reason {
        // Only time has to wait for the deadline.
        CancelReason::Unpaid => diesel::update(pending.filter(orders::pay_before.le(Clock)))
            .set(change)
            .execute(conn)?,
        CancelReason::ByShopper | CancelReason::ByStaff => {
            diesel::update(pending).set(change).execute(conn)?
        }
    };
    Ok(changed == 1)
}

fn owned(
    conn: &mut MysqlConnection,
    order_no: OrderNo,
    owner: Option<UserId>,
) -> Result<Option<Order>, LedgerError> {
    let order = read(conn, order_no)?;
    Ok(order.filter(|order| owner.is_none_or(|owner| order.user_id == owner)))
}
