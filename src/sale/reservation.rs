//! A reservation: a unit that the gate gave to a shopper and that the ledger has not yet recorded.

use std::{fmt, str::FromStr};

use super::ids::{ActivityId, Bucket, Epoch, ProductId, UserId};
use super::money::{Cents, Currency};
use super::order_number::OrderNo;

/// What travels from the gate through the queue to the ledger; enough to write the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// The number that the order has from before the gate to the end.
    pub order_no: OrderNo,
    /// Who holds the unit.
    pub user_id: UserId,
    /// What was bought.
    pub product_id: ProductId,
    /// In which sale.
    pub activity_id: ActivityId,
    /// In which part of the stock.
    pub bucket: Bucket,
    /// To which filling of the gate the unit belongs.
    pub epoch: Epoch,
    /// The price that the shopper was shown.
    pub price: Cents,
    /// Its currency.
    pub currency: Currency,
    /// When the gate decided, ms since the epoch by Redis' clock.
    pub reserved_at_ms: i64,
    /// The request that asked for it, for the logs.
    pub request_id: String,
}

/// How far a holder's entry at the gate has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// Holds a unit; not yet known to be in the ledger.
    Reserved,
    /// Holds a unit; the order is in the ledger.
    Recorded,
    /// Holds nothing; the shopper cancelled and may not buy again.
    Barred,
}

impl EntryState {
    /// The word kept in the entry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Recorded => "recorded",
            Self::Barred => "barred",
        }
    }
}

/// A shopper's entry at the gate, kept as `order_no|state|price_cents|reserved_at_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The number that it names.
    pub order_no: OrderNo,
    /// How far it has come.
    pub state: EntryState,
    /// The price that was shown.
    pub price: Cents,
    /// When the gate decided, ms since the epoch.
    pub reserved_at_ms: i64,
}

/// A text that is no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unreadable entry {0:?}")]
pub struct InvalidEntry(pub String);

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}|{}|{}|{}",
            self.order_no,
            self.state.as_str(),
            self.price.0,
            self.reserved_at_ms
        )
    }
}

impl FromStr for Entry {
    type Err = InvalidEntry;
    fn from_str(text: &str) -> Result<Self, InvalidEntry> {
        let invalid = || InvalidEntry(text.to_owned());
        let mut parts = text.split('|');
        let mut next = || parts.next().ok_or_else(invalid);
        let entry = Self {
            order_no: next()?.parse().map_err(|_| invalid())?,
            state: match next()? {
                "reserved" => EntryState::Reserved,
                "recorded" => EntryState::Recorded,
                "barred" => EntryState::Barred,
                _ => return Err(invalid()),
            },
            price: Cents(next()?.parse().map_err(|_| invalid())?),
            reserved_at_ms: next()?.parse().map_err(|_| invalid())?,
        };
        if parts.next().is_some() { Err(invalid()) } else { Ok(entry) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_survives_being_written_and_read() {
        let text = "01HF7YAT00E3R38E1NCBS0D1ZG|reserved|1999|1700000000000";
        assert_eq!(text.parse::<Entry>().map(|e| e.to_string()), Ok(text.to_owned()));
        for bad in ["", "x|reserved|1|1", &format!("{text}|more"), &text.replace("reserved", "?")] {
            assert!(bad.parse::<Entry>().is_err(), "{bad:?}");
        }
    }
}
