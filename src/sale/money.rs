//! Money in whole minor units. Nothing is ever rounded silently.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// An amount in whole minor units (for CNY: fen).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cents(pub i64);

/// Why a typed price was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMoney {
    /// Anything that is not digits with at most one decimal point.
    #[error("not an amount; write it like 19.99")]
    NotAnAmount,
    /// More decimals than the currency has.
    #[error("more than two decimals")]
    TooPrecise,
    /// Beyond what one order may cost.
    #[error("more than 99999999.99")]
    TooMuch,
}

impl Cents {
    /// The largest price that is accepted: well inside what 53-bit numbers hold exactly, since
    /// scripts in Redis count in doubles.
    pub const MAX: Self = Self(9_999_999_999);

    /// Reads a price as an admin types it: `19`, `19.9`, `19.99`.
    ///
    /// # Errors
    /// [`InvalidMoney`] for anything else, `19,99`, `1e3` and `19.999` included: no guess, no rounding.
    pub fn parse_amount(text: &str) -> Result<Self, InvalidMoney> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(decimals) {
            return Err(InvalidMoney::NotAnAmount);
        }
        let minor = match decimals.len() {
            1 => i64::from_str(decimals).map(|d| d * 10),
            2 => i64::from_str(decimals),
            _ => return Err(InvalidMoney::TooPrecise),
        };
        let (Ok(major), Ok(minor)) = (i64::from_str(whole), minor) else {
            return Err(InvalidMoney::TooMuch);
        };
        major
            .checked_mul(100)
            .and_then(|c| c.checked_add(minor))
            .map(Self)
            .filter(|c| *c <= Self::MAX)
            .ok_or(InvalidMoney::TooMuch)
    }

    /// As [`Cents::parse_amount`] reads it: `19.99`.
    #[must_use]
    pub fn to_amount(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let minor = self.0.unsigned_abs();
        format!("{sign}{}.{:02}", minor / 100, minor % 100)
    }
}

/// Three capital letters of ISO 4217.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency([u8; 3]);

/// A text that is not three capital letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a currency; write three capital letters like CNY")]
pub struct InvalidCurrency;

impl Currency {
    /// The renminbi, the default.
    pub const CNY: Self = Self(*b"CNY");

    /// The three letters.
    #[must_use]
    pub fn code(&self) -> &str {
        // The constructors admit ASCII letters only.
        std::str::from_utf8(&self.0).unwrap_or("XXX")
    }
}

impl FromStr for Currency {
    type Err = InvalidCurrency;
    fn from_str(text: &str) -> Result<Self, InvalidCurrency> {
        match <[u8; 3]>::try_from(text.as_bytes()) {
            Ok(code) if code.iter().all(u8::is_ascii_uppercase) => Ok(Self(code)),
            _ => Err(InvalidCurrency),
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Currency {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_written_as_it_is_read() {
        for cents in [Cents(1), Cents(90), Cents(1900), Cents(1999), Cents::MAX] {
            assert_eq!(Cents::parse_amount(&cents.to_amount()), Ok(cents));
        }
        assert_eq!(Cents(-5).to_amount(), "-0.05");
    }

    #[test]
    fn a_price_is_read_exactly_or_refused() {
        assert_eq!(Cents::parse_amount("19.99"), Ok(Cents(1999)));
        assert_eq!(Cents::parse_amount("19.9"), Ok(Cents(1990)));
        assert_eq!(Cents::parse_amount("19"), Ok(Cents(1900)));
        assert_eq!(Cents::parse_amount("0.01"), Ok(Cents(1)));
        assert_eq!(Cents::parse_amount("19.999"), Err(InvalidMoney::TooPrecise));
        assert_eq!(Cents::parse_amount("100000000"), Err(InvalidMoney::TooMuch));
        assert_eq!(Cents::parse_amount(&"9".repeat(40)), Err(InvalidMoney::TooMuch));
        for bad in ["", ".", "19,99", "1e3", "-1", "+1", " 1", "1.", ".5", "¥1", "1.-1"] {
            assert_eq!(Cents::parse_amount(bad), Err(InvalidMoney::NotAnAmount), "{bad:?}");
        }
    }

    #[test]
    fn a_currency_is_three_capital_letters() {
        assert_eq!("CNY".parse(), Ok(Currency::CNY));
        assert!("cny".parse::<Currency>().is_err());
        assert!("人民".parse::<Currency>().is_err());
    }
}
