//! How money is written.

use std::fmt;

/// An amount in the parts a page sets in different sizes: `¥`, `1,299`, `.00`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The currency's sign; the code and a space where we know no sign.
    pub sign: String,
    /// Whole units, grouped by thousands.
    pub whole: String,
    /// The point and the minor units; empty for a currency that has none.
    pub fraction: String,
}

impl Price {
    /// `minor`: whole minor units (cents, fen). `currency`: an ISO 4217 code.
    #[must_use]
    pub fn new(minor: i64, currency: &str) -> Self {
        let (sign, decimals) = conventions(currency);
        let unit = 10_u64.pow(decimals);
        let amount = minor.unsigned_abs();
        let minus = if minor < 0 { "−" } else { "" };
        Self {
            sign: format!("{minus}{sign}"),
            whole: grouped(amount / unit),
            fraction: match usize::try_from(decimals) {
                Ok(width) if width > 0 => format!(".{:0width$}", amount % unit),
                _ => String::new(),
            },
        }
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.sign, self.whole, self.fraction)
    }
}

/// An amount for a program to read: `19.99`, and `1999` in a currency without minor units.
#[must_use]
pub fn plain(minor: i64, currency: &str) -> String {
    let (_, decimals) = conventions(currency);
    let unit = 10_u64.pow(decimals);
    let (minus, amount) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs());
    match usize::try_from(decimals) {
        Ok(width) if width > 0 => format!("{minus}{}.{:0width$}", amount / unit, amount % unit),
        _ => format!("{minus}{amount}"),
    }
}

/// The sign and the number of decimals.
fn conventions(currency: &str) -> (String, u32) {
    match currency {
        "CNY" => ("¥".into(), 2),
        "JPY" => ("¥".into(), 0),
        "USD" => ("$".into(), 2),
        "EUR" => ("€".into(), 2),
        "GBP" => ("£".into(), 2),
        other => (format!("{other}\u{a0}"), 2),
    }
}

/// A number with its thousands apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Price, plain};

    #[test]
    fn a_program_reads_neither_signs_nor_groups() {
        assert_eq!(plain(1999, "CNY"), "19.99");
        assert_eq!(plain(123_456_705, "USD"), "1234567.05");
        assert_eq!(plain(1999, "JPY"), "1999");
        assert_eq!(plain(-5, "EUR"), "-0.05");
    }

    #[test]
    fn money_is_written_by_its_currency() {
        let cases = [
            (1999, "CNY", "¥19.99"),
            (5, "CNY", "¥0.05"),
            (0, "EUR", "€0.00"),
            (129_900, "USD", "$1,299.00"),
            (123_456_789, "CNY", "¥1,234,567.89"),
            (1999, "JPY", "¥1,999"),
            (1999, "CHF", "CHF\u{a0}19.99"),
            (-250, "USD", "−$2.50"),
            (i64::MIN, "JPY", "−¥9,223,372,036,854,775,808"),
        ];
        for (minor, currency, text) in cases {
            assert_eq!(Price::new(minor, currency).to_string(), text);
        }
    }
}
