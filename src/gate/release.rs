//! What happens to a holder's entry after the admission: recorded, or given back.

use super::conn::Gate;
use super::error::GateError;
use super::keys::Keys;
use super::scripts::{MARK, RELEASE};
use crate::sale::activity::Activity;
use crate::sale::ids::{Bucket, UserId};
use crate::sale::order::{OrderState, RejectReason};
use crate::sale::order_number::OrderNo;

/// How a unit comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Return {
    /// It is sellable again.
    Free,
    /// It is, but not to this shopper.
    Bar,
    /// The ledger had no unit for it, whose total for the bucket is given: the gate had one too many.
    Surplus {
        /// Units of the bucket by the ledger.
        ledger_total: i64,
    },
}

impl Return {
    /// How the unit of an order in this state comes back, which ended for that reason. `None`: it holds it.
    #[must_use]
    pub fn of(
        state: OrderState,
        reason: Option<&str>,
        activity: &Activity,
        bucket: Bucket,
    ) -> Option<Self> {
        match state {
            OrderState::PendingPayment | OrderState::Paid => None,
            OrderState::Lost => Some(Self::Free),
            OrderState::Cancelled => Some(if activity.rebuy { Self::Free } else { Self::Bar }),
            OrderState::Rejected => {
                let reason = reason.and_then(|word| word.parse().ok());
                Some(match reason.unwrap_or(RejectReason::AlreadyHeld) {
                    RejectReason::AlreadyHeld => Self::Free,
                    RejectReason::Barred => Self::Bar,
                    RejectReason::SoldOut => Self::Surplus {
                        ledger_total: activity.share_of(bucket, activity.total_stock),
                    },
                })
            }
        }
    }
}

/// What the gate did about a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// The unit came back.
    Done,
    /// The shopper's entry does not name that number (any more).
    Nothing,
    /// The gate does not hold the sale now; a rebuild takes the ledger's word, but may have read it
    /// just before: ask again when it is over.
    NotLoaded,
}

impl Gate {
    /// Gives the unit of this number back, once.
    pub async fn release(
        &self,
        keys: &Keys,
        shopper: UserId,
        order_no: OrderNo,
        how: Return,
    ) -> Result<Released, GateError> {
        let (mode, total) = match how {
            Return::Free => ("free", 0),
            Return::Bar => ("bar", 0),
            Return::Surplus { ledger_total } => ("surplus", ledger_total),
        };
        let reply: String = self
            .run(&RELEASE, |script| {
                script
                    .key(keys.sale())
                    .key(keys.stock())
                    .key(keys.users())
                    .key(keys.underway())
                    .arg(shopper.0)
                    .arg(order_no.to_string())
                    .arg(mode)
                    .arg(total)
            })
            .await?;
        match reply.as_str() {
            "released" => Ok(Released::Done),
            "nothing" => Ok(Released::Nothing),
            "not_loaded" => Ok(Released::NotLoaded),
            _ => Err(GateError::unreadable(reply)),
        }
    }

    /// Marks these holders' entries as recorded, each only if it names the number.
    pub async fn mark_recorded(
        &self,
        keys: &Keys,
        orders: &[(UserId, OrderNo)],
    ) -> Result<(), GateError> {
        let _marked: i64 = self
            .run(&MARK, |script| {
                script.key(keys.users()).key(keys.underway());
                for (shopper, order_no) in orders {
                    script.arg(shopper.0).arg(order_no.to_string());
                }
                script
            })
            .await?;
        Ok(())
    }
}
