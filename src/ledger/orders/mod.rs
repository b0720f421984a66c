//! Orders: one row per order number, its fate for ever.
//!
//! A batch of reservations is recorded as a whole ([`record_batch`]); when that does not go, each gets its
//! fate alone ([`settle_one`]). A pending order ends once (by a payment, [`cancel`], [`expire`]): whichever of
//! them comes first to the row wins. What pages and the keeper read is in `reading`, what is
//! read of all orders of a sale in `export`, what operators look for in
//! `search`.

mod endings;
mod events;
mod export;
mod overdue;
mod reading;
mod record;
pub mod search;
mod settle;

use chrono::NaiveDateTime;
use diesel::prelude::*;

pub(super) use endings::mark_paid;
pub use endings::{CancelOutcome, Ended, cancel, cancel_by_staff, expire, expire_by_staff};
pub use events::{Actor, By, Event, history};
pub use export::{Exported, Span, exported, rejections, shoppers, span};
pub use overdue::{Due, due, overdue, overdue_count};
pub use reading::{
    Cancelled, Counts, Holder, balance, barred_page, cancelled_last, cancelled_since, counts, get,
    has_pending, holder, holders_page, known, of_user,
};
pub(super) use reading::{count, lock};
pub use record::{BatchOutcome, record_batch};
pub use settle::{Fate, settle_one};

use super::clock::to_millis;
use super::error::LedgerError;
use super::schema::orders;
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::money::Cents;
use crate::sale::order::{Order, OrderState};
use crate::sale::order_number::OrderNo;

/// What became of a number that has a row already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The number.
    pub order_no: OrderNo,
    /// Its state.
    pub state: OrderState,
    /// Why it ended so: a word of `RejectReason` or `CancelReason`.
    pub reason: Option<String>,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = orders)]
struct Row {
    id: i64,
    order_no: String,
    user_id: i64,
    activity_id: i64,
    price_cents: i64,
    currency: String,
    status: i8,
    reason: Option<String>,
    created_at: NaiveDateTime,
    pay_before: NaiveDateTime,
    paid_at: Option<NaiveDateTime>,
    cancelled_at: Option<NaiveDateTime>,
}

impl TryFrom<Row> for Order {
    type Error = LedgerError;
    fn try_from(row: Row) -> Result<Self, LedgerError> {
        Ok(Self {
            id: row.id,
            order_no: order_no_of(&row.order_no)?,
            user_id: UserId(row.user_id),
            activity_id: ActivityId(row.activity_id),
            price: Cents(row.price_cents),
            currency: row
                .currency
                .parse()
                .map_err(|_| LedgerError::Unreadable(format!("currency {:?}", row.currency)))?,
            state: state_of(row.status)?,
            reason: row.reason,
            created_at_ms: to_millis(row.created_at),
            pay_before_ms: to_millis(row.pay_before),
            paid_at_ms: row.paid_at.map(to_millis),
            cancelled_at_ms: row.cancelled_at.map(to_millis),
        })
    }
}

fn order_no_of(text: &str) -> Result<OrderNo, LedgerError> {
    text.parse().map_err(|_| LedgerError::Unreadable(format!("order number {text:?}")))
}

fn state_of(code: i8) -> Result<OrderState, LedgerError> {
    OrderState::from_code(code)
        .ok_or_else(|| LedgerError::Unreadable(format!("order status {code}")))
}
