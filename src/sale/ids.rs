//! Numbers that identify, each of a type of its own so that none is passed for another.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A text that is no number of this kind: not decimal digits, zero, or beyond `i64::MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a whole number from 1 to {}", i64::MAX)]
pub struct InvalidId;

fn parse_id(text: &str) -> Result<i64, InvalidId> {
    // `+7` and `007` parse as numbers, but one thing has one address.
    let canonical = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    match text.parse::<i64>() {
        Ok(n) if n > 0 && canonical => Ok(n),
        _ => Err(InvalidId),
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> {
                parse_id(text).map(Self)
            }
        }
    };
}

id!(
    /// One sale of one product.
    ActivityId
);
id!(
    /// What is sold.
    ProductId
);
id!(
    /// An account, whatever its role.
    UserId
);

/// One of the parts into which an activity's stock is split at the gate; 0 when it is not split.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bucket(pub u16);

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Which filling of the gate something belongs to: 0 never opened, raised by one at the preheat and
/// at each rebuild. What carries an older epoch was said to a gate that no longer exists.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Epoch(pub i64);

impl Epoch {
    /// The epoch of a sale that no gate has ever held.
    pub const NEVER_OPENED: Self = Self(0);
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A token that grows by one with each taking of an activity's lock. The ledger and the gate's
/// scripts refuse a lower one, so whoever lost the lock cannot write any more.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Fence(pub i64);

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_positive_canonical_number_names_an_activity() {
        assert_eq!("42".parse(), Ok(ActivityId(42)));
        assert_eq!(i64::MAX.to_string().parse(), Ok(ActivityId(i64::MAX)));
        for bad in ["", "0", "-1", "+1", "007", " 1", "1 ", "1.0", "9223372036854775808", "٣", "x"]
        {
            assert_eq!(bad.parse::<ActivityId>(), Err(InvalidId), "{bad:?}");
        }
    }
}
