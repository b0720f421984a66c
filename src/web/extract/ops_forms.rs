//! The forms of operators.

use super::{
    fields::{BadForm, Fields},
    form::FromFields,
};
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
