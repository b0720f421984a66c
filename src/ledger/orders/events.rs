//! The history of an order, written in the transaction that changes it.

use std::fmt;

use chrono::NaiveDateTime;
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use crate::ledger::clock::to_millis;
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::order_events;
use crate::ledger::transaction::fitting;
use crate::sale::ids::UserId;
use crate::sale::order::OrderState;
use crate::sale::order_number::OrderNo;

/// Who changed an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// The shopper whose it is.
    Shopper(UserId),
    /// An operator or admin.
    Staff(UserId),
    /// Whoever may run commands on a node.
    Command,
    /// The payment's provider.
    Payment,
    /// The recorder.
    Recorder,
    /// The sweep of unpaid orders.
    Expiry,
    /// The reconciler.
    Reconciler,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shopper(id) => write!(f, "shopper:{id}"),
            Self::Staff(id) => write!(f, "staff:{id}"),
            Self::Command => f.write_str("command"),
            Self::Payment => f.write_str("payment"),
            Self::Recorder => f.write_str("recorder"),
            Self::Expiry => f.write_str("expiry"),
            Self::Reconciler => f.write_str("reconciler"),
        }
    }
}

/// Who changes an order, and at whose request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct By {
    /// Who.
    pub actor: Actor,
    /// The request's id, for the logs. Cut at 64 characters.
    pub request_id: String,
}

/// One line of an order's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The state that the order came to.
    pub kind: String,
    /// Who did it.
    pub actor: String,
    /// Why.
    pub reason: Option<String>,
    /// At whose request.
    pub request_id: String,
    /// When, ms since the epoch by the ledger's clock.
    pub at_ms: i64,
}

impl Event {
    /// Whether somebody of the staff did it, at a page or by a command; the reason is then in their words.
    #[must_use]
    pub fn is_by_staff(&self) -> bool {
        self.actor.starts_with("staff:") || self.actor == "command"
    }
}

/// An event to be written.
#[derive(Insertable)]
#[diesel(table_name = order_events)]
pub(super) struct NewEvent {
    order_no: String,
    kind: &'static str,
    actor: String,
    reason: Option<String>,
    request_id: String,
    at: NaiveDateTime,
}

impl NewEvent {
    pub(super) fn new(
        order_no: OrderNo,
        to: OrderState,
        reason: Option<&str>,
        by: &By,
        at: NaiveDateTime,
    ) -> Self {
        Self {
            order_no: order_no.to_string(),
            kind: to.as_str(),
            actor: by.actor.to_string(),
            reason: reason.map(|reason| fitting(reason, 200)),
            request_id: fitting(&by.request_id, 64),
            at,
        }
    }
}

pub(super) fn write(conn: &mut MysqlConnection, events: Vec<NewEvent>) -> Result<(), LedgerError> {
    diesel::insert_into(order_events::table).values(events).execute(conn)?;
    Ok(())
}

/// An order's history, oldest first.
pub async fn history(ledger: &Ledger, order_no: OrderNo) -> Result<Vec<Event>, LedgerError> {
    type Row = (String, String, Option<String>, String, NaiveDateTime);
    ledger
        .run(move |conn| {
            let rows: Vec<Row> = order_events::table
                .filter(order_events::order_no.eq(order_no.to_string()))
                .order(order_events::id)
                .select((
                    order_events::kind,
                    order_events::actor,
                    order_events::reason,
                    order_events::request_id,
                    order_events::at,
                ))
                .load(conn)?;
            let event = |(kind, actor, reason, request_id, at)| Event {
                kind,
                actor,
                reason,
                request_id,
                at_ms: to_millis(at),
            };
            Ok(rows.into_iter().map(event).collect())
        })
        .await
}
