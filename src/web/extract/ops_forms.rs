//! The forms of operators.

use super::{
    fields::{BadForm, Fields},
    form::FromFields,
};
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::order_number::OrderNo;
use crate::sale::payment::PaymentNo;

/// The longest reason, characters; the ledger keeps no more.
pub const REASON_MAX: usize = 200;

/// Why something is done.
#[derive(Debug)]
pub struct ReasonForm {
    /// As typed, without the blanks around it.
    pub reason: String,
}

impl FromFields for ReasonForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let reason = fields.take("reason")?.unwrap_or_default();
        Ok(Self { reason: reason.trim().to_owned() })
    }
}

/// How far something is done that concerns all.
#[derive(Debug)]
pub struct UpToForm {
    /// The number of the newest row that was seen.
    pub last: i64,
}

impl FromFields for UpToForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let last = fields.require("last", 20)?.parse().map_err(|_| BadForm::Missing)?;
        Ok(Self { last })
    }
}

/// A payment.
#[derive(Debug)]
pub struct PaymentForm {
    /// Its number.
    pub payment_no: PaymentNo,
}

impl FromFields for PaymentForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let payment_no = fields.require("payment", 26)?.parse().map_err(|_| BadForm::Missing)?;
        Ok(Self { payment_no })
    }
}

/// An order.
#[derive(Debug)]
pub struct OrderForm {
    /// Its number.
    pub order_no: OrderNo,
}

impl FromFields for OrderForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let order_no = fields.require("order", 26)?.parse().map_err(|_| BadForm::Missing)?;
        Ok(Self { order_no })
    }
}

/// A reservation, which only the gate knows: there it is found by its sale and its shopper.
#[derive(Debug)]
pub struct ReservationForm {
    /// Of which sale.
    pub activity: ActivityId,
    /// Whose.
    pub shopper: UserId,
    /// Under which number.
    pub order_no: OrderNo,
}

impl FromFields for ReservationForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let activity = fields.require("activity", 20)?.parse().map_err(|_| BadForm::Missing)?;
        let shopper = fields.require("shopper", 20)?.parse().map_err(|_| BadForm::Missing)?;
        let OrderForm { order_no } = OrderForm::from_fields(fields)?;
        Ok(Self { activity, shopper, order_no })
    }
}
