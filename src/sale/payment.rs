//! A payment and its fate. An order may see several: one that was begun and never ended, another that paid
//! it, a third that came too late and goes back.

use std::{fmt, str::FromStr};

use ulid::Ulid;

use super::money::{Cents, Currency};
use super::order_number::OrderNo;

/// Names one payment towards its provider. Made by us, so that whatever is asked twice is one payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaymentNo(Ulid);

/// A text that names no payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the number of a payment")]
pub struct InvalidPaymentNo;

impl PaymentNo {
    /// A number from a moment (ms since the epoch) and chance.
    #[must_use]
    pub const fn new(at_ms: u64, chance: u128) -> Self {
        Self(Ulid::from_parts(at_ms, chance))
    }
}

impl fmt::Display for PaymentNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for PaymentNo {
    type Err = InvalidPaymentNo;
    fn from_str(text: &str) -> Result<Self, InvalidPaymentNo> {
        let read = Ulid::from_string(text).map_err(|_| InvalidPaymentNo)?;
        // One payment has one name: no small letters, none of the alphabet's look-alikes.
        if read.to_string() == text { Ok(Self(read)) } else { Err(InvalidPaymentNo) }
    }
}

/// What became of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PaymentState {
    /// The shopper was sent to the provider.
    Begun,
    /// It paid its order.
    Paid,
    /// The provider took nothing.
    Failed,
    /// The provider took money that pays nothing; it goes back.
    ToRefund,
    /// The provider says that the money went back.
    Refunded,
}

impl PaymentState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::Begun, Self::Paid, Self::Failed, Self::ToRefund, Self::Refunded];

    /// The word kept in the ledger.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Paid => "paid",
            Self::Failed => "failed",
            Self::ToRefund => "to_refund",
            Self::Refunded => "refunded",
        }
    }
}

impl FromStr for PaymentState {
    type Err = InvalidPaymentNo;
    fn from_str(text: &str) -> Result<Self, InvalidPaymentNo> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(InvalidPaymentNo)
    }
}

/// Why money goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefundReason {
    /// The order had ended before the payment came: what is cancelled stays cancelled.
    OrderEnded,
    /// Another payment had paid the order.
    PaidTwice,
    /// Not the amount, or not the currency, that was asked for.
    WrongAmount,
}

impl RefundReason {
    /// The word kept in the ledger.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OrderEnded => "order_ended",
            Self::PaidTwice => "paid_twice",
            Self::WrongAmount => "wrong_amount",
        }
    }
}

/// A payment as the ledger has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// Its number.
    pub payment_no: PaymentNo,
    /// Which order it is for.
    pub order_no: OrderNo,
    /// Who takes the money.
    pub provider: String,
    /// What was asked for.
    pub amount: Cents,
    /// In which currency.
    pub currency: Currency,
    /// What became of it.
    pub state: PaymentState,
    /// What the provider says it took.
    pub taken: Option<Cents>,
    /// A [`RefundReason`] word, when the money goes back.
    pub reason: Option<String>,
    /// When it was begun, ms since the epoch.
    pub begun_at_ms: i64,
    /// When its fate was told, ms since the epoch.
    pub settled_at_ms: Option<i64>,
    /// When the money was back, ms since the epoch.
    pub refunded_at_ms: Option<i64>,
}

/// What a provider tells of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// It does not know it: nothing was ever begun there.
    Unknown,
    /// The shopper has not decided yet.
    Open,
    /// The money is taken.
    Taken {
        /// How much.
        amount: Cents,
        /// Of what.
        currency: Currency,
    },
    /// Nothing was taken, and nothing will be.
    Declined,
    /// What was taken went back.
    Refunded,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payment_has_one_name() {
        let number = PaymentNo::new(1_795_953_600_000, 7);
        let text = number.to_string();
        assert_eq!(text.parse(), Ok(number));
        assert!(text.to_lowercase().parse::<PaymentNo>().is_err());
        assert!("01J".parse::<PaymentNo>().is_err());
        assert!("I1JE0000000000000000000000".parse::<PaymentNo>().is_err());
    }

    #[test]
    fn states_survive_the_ledger() {
        for state in PaymentState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
    }
}
