//! An order and its fate.

use std::{fmt, str::FromStr};

use super::ids::{ActivityId, UserId};
use super::money::{Cents, Currency};
use super::order_number::OrderNo;

/// The state of an order's row in the ledger; the numbers are the contract's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderState {
    /// Placed, to be paid until its deadline.
    PendingPayment = 0,
    /// Paid.
    Paid = 1,
    /// Cancelled: by the shopper, by time or by staff.
    Cancelled = 2,
    /// Refused by the ledger after the gate had admitted it.
    Rejected = 3,
    /// The reservation was lost together with a former filling of the gate.
    Lost = 4,
}

impl OrderState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::PendingPayment, Self::Paid, Self::Cancelled, Self::Rejected, Self::Lost];

    /// The contract's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PendingPayment => "pending_payment",
            Self::Paid => "paid",
            Self::Cancelled => "cancelled",
            Self::Rejected => "rejected",
            Self::Lost => "lost",
        }
    }

    /// The number kept in the ledger.
    #[must_use]
    pub const fn code(self) -> i8 {
        self as i8
    }

    /// The state of a number kept in the ledger.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.code() == code)
    }

    /// Whether an order in this state holds a unit.
    #[must_use]
    pub const fn holds_unit(self) -> bool {
        matches!(self, Self::PendingPayment | Self::Paid)
    }
}

/// Why the ledger refused what the gate had admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RejectReason {
    /// No unit left in the ledger: the gate had one too many.
    SoldOut,
    /// The shopper holds another order of this activity.
    AlreadyHeld,
    /// The shopper cancelled an order of this activity, which does not let them buy again.
    Barred,
}

/// Why an order was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelReason {
    /// The shopper changed their mind.
    ByShopper,
    /// Not paid until the deadline.
    Unpaid,
    /// Staff did it.
    ByStaff,
}

macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            /// The word kept in the ledger's `reason`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
        impl FromStr for $name {
            type Err = UnknownReason;
            fn from_str(text: &str) -> Result<Self, UnknownReason> {
                match text { $($word => Ok(Self::$variant),)+ _ => Err(UnknownReason) }
            }
        }
    };
}

/// A word that names no reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown reason")]
pub struct UnknownReason;

words!(RejectReason { SoldOut = "sold_out", AlreadyHeld = "already_held", Barred = "barred" });
words!(CancelReason { ByShopper = "by_shopper", Unpaid = "unpaid", ByStaff = "by_staff" });

/// An order as its row in the ledger tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The row's number, in order of recording; pages go on from it.
    pub id: i64,
    /// The order's number.
    pub order_no: OrderNo,
    /// Whose it is.
    pub user_id: UserId,
    /// Of which sale.
    pub activity_id: ActivityId,
    /// What it costs.
    pub price: Cents,
    /// In which currency.
    pub currency: Currency,
    /// Its state.
    pub state: OrderState,
    /// A [`RejectReason`] or [`CancelReason`] word, when it ended so.
    pub reason: Option<String>,
    /// When it was recorded, ms since the epoch.
    pub created_at_ms: i64,
    /// Its deadline, ms since the epoch.
    pub pay_before_ms: i64,
    /// When it was paid, ms since the epoch.
    pub paid_at_ms: Option<i64>,
    /// When it was cancelled, ms since the epoch.
    pub cancelled_at_ms: Option<i64>,
}

/// What a shopper sees of a number of theirs: a row's state, or what comes before there is a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// At the gate; the order is being placed.
    Reserved,
    /// It is not known yet whether the gate admitted it.
    Checking,
    /// As the ledger's row tells.
    Row(OrderState),
}

impl Standing {
    /// The contract's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Checking => "checking",
            Self::Row(state) => state.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_reasons_survive_the_ledger() {
        for state in OrderState::ALL {
            assert_eq!(OrderState::from_code(state.code()), Some(state));
        }
        assert_eq!(OrderState::from_code(5), None);
        assert_eq!("sold_out".parse(), Ok(RejectReason::SoldOut));
        assert_eq!("unpaid".parse(), Ok(CancelReason::Unpaid));
        assert!("unpaid".parse::<RejectReason>().is_err());
    }
}
