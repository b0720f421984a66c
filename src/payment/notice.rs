//! What a provider tells by itself, and how it is known to come from there: an HMAC over time and body.
//!
//! A notice that was copied and sent again is refused when it is old; within that time it changes nothing,
//! since a payment has one fate.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::sale::money::{Cents, Currency};
use crate::sale::payment::{PaymentNo, Report};

/// The header that carries the signature: `t=<ms since the epoch>,v1=<hex>`.
pub const SIGNATURE: &str = "x-payment-signature";
/// How far a notice's time may be off, either way, ms.
const TOLERANCE_MS: i64 = 300_000;

/// A notice that has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// Which payment.
    pub payment_no: PaymentNo,
    /// What became of it.
    pub report: Report,
}

/// Why a notice is not believed. What exactly was wrong is for the log alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Forged {
    /// No signature of the form that we read.
    #[error("no signature")]
    Unsigned,
    /// Signed by somebody else, or altered.
    #[error("the signature does not fit")]
    Altered,
    /// From too long ago, or from the future.
    #[error("the notice's time is too far off")]
    Stale,
    /// Signed, but not one that we can read.
    #[error("the notice cannot be read")]
    Unreadable,
}

/// The body of a notice.
#[derive(Debug, Serialize, Deserialize)]
struct Body {
    payment_no: String,
    status: String,
    #[serde(default)]
    amount_cents: i64,
    #[serde(default)]
    currency: String,
}

/// Signs and checks notices.
#[derive(Clone)]
pub struct Seal(Hmac<Sha256>);

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

impl Seal {
    /// A seal of its own for each use of a secret.
    #[must_use]
    pub fn new(secret: &[u8], used_for: &str) -> Self {
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(secret) else {
            // HMAC takes a key of any length; the error type is there for other algorithms.
            unreachable!("HMAC accepts every key length")
        };
        Self(mac.chain_update(used_for.as_bytes()).chain_update([0]))
    }

    /// The signature of a body at a time.
    #[must_use]
    pub fn sign(&self, body: &[u8], at_ms: i64) -> String {
        format!("t={at_ms},v1={}", self.mac(body, at_ms))
    }

    fn mac(&self, body: &[u8], at_ms: i64) -> String {
        let time = format!("{at_ms}.");
        let mac = self.0.clone().chain_update(time).chain_update(body).finalize().into_bytes();
        let mut text = String::new();
        for byte in mac {
            // writing to a String cannot fail
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// Reads a notice that this seal signed not long ago.
    ///
    /// # Errors
    /// [`Forged`].
    pub fn open(&self, signature: &str, body: &[u8], now_ms: i64) -> Result<Notice, Forged> {
        let (time, mac) = signature.split_once(',').ok_or(Forged::Unsigned)?;
        let time = time.strip_prefix("t=").ok_or(Forged::Unsigned)?;
        let mac = mac.strip_prefix("v1=").ok_or(Forged::Unsigned)?;
        let at_ms: i64 = time.parse().map_err(|_| Forged::Unsigned)?;
        let fits: bool = self.mac(body, at_ms).as_bytes().ct_eq(mac.as_bytes()).into();
        if !fits {
            return Err(Forged::Altered);
        }
        if now_ms.abs_diff(at_ms) > TOLERANCE_MS.unsigned_abs() {
            return Err(Forged::Stale);
        }
        read(body).ok_or(Forged::Unreadable)
    }
}

/// Writes a notice.
#[must_use]
pub fn write(notice: &Notice) -> Vec<u8> {
    let (status, amount, currency) = match notice.report {
        Report::Unknown => ("unknown", Cents(0), String::new()),
        Report::Open => ("open", Cents(0), String::new()),
        Report::Taken { amount, currency } => ("taken", amount, currency.to_string()),
        Report::Declined => ("declined", Cents(0), String::new()),
        Report::Refunded => ("refunded", Cents(0), String::new()),
    };
    let body = Body {
        payment_no: notice.payment_no.to_string(),
        status: status.to_owned(),
        amount_cents: amount.0,
        currency,
    };
    // A struct of texts and numbers always has a JSON form.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn read(body: &[u8]) -> Option<Notice> {
    let body: Body = serde_json::from_slice(body).ok()?;
    let report = match body.status.as_str() {
        "open" => Report::Open,
        "taken" => Report::Taken {
            amount: Cents(body.amount_cents),
            currency: body.currency.parse::<Currency>().ok()?,
        },
        "declined" => Report::Declined,
        "refunded" => Report::Refunded,
        _ => return None,
    };
    Some(Notice { payment_no: body.payment_no.parse().ok()?, report })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_795_953_600_000;

    fn notice() -> Notice {
        let report = Report::Taken { amount: Cents(1999), currency: Currency::CNY };
        Notice { payment_no: PaymentNo::new(1, 2), report }
    }

    #[test]
    fn a_notice_is_believed_when_it_is_signed_and_fresh() {
        let seal = Seal::new(b"secret", "test");
        let body = write(&notice());
        let signature = seal.sign(&body, NOW);
        for now in [NOW, NOW + TOLERANCE_MS, NOW - TOLERANCE_MS] {
            assert_eq!(seal.open(&signature, &body, now), Ok(notice()));
        }
        for now in [NOW + TOLERANCE_MS + 1, NOW - TOLERANCE_MS - 1, i64::MIN, i64::MAX] {
            assert_eq!(seal.open(&signature, &body, now), Err(Forged::Stale));
        }
    }

    #[test]
    fn nothing_else_is_believed() {
        let seal = Seal::new(b"secret", "test");
        let body = write(&notice());
        let signature = seal.sign(&body, NOW);
        for other in [Seal::new(b"Secret", "test"), Seal::new(b"secret", "other use")] {
            assert_eq!(other.open(&signature, &body, NOW), Err(Forged::Altered));
        }
        let dearer = String::from_utf8(body.clone()).unwrap().replace("1999", "1");
        assert_eq!(seal.open(&signature, dearer.as_bytes(), NOW), Err(Forged::Altered));
        let later = signature.replace("t=1795953600000", "t=1795953600001");
        assert_eq!(seal.open(&later, &body, NOW), Err(Forged::Altered));
        for none in ["", "v1=", "t=,v1=", "t=1795953600000", "t=x,v1=00", "v1=00,t=1"] {
            assert_eq!(seal.open(none, &body, NOW), Err(Forged::Unsigned), "{none:?}");
        }
        assert_eq!(seal.open("t=1795953600000,v1=", &body, NOW), Err(Forged::Altered));
    }

    #[test]
    fn what_is_signed_and_makes_no_sense_is_told_apart() {
        let seal = Seal::new(b"secret", "test");
        for body in [&b""[..], b"{}", b"[]", b"\xff", br#"{"payment_no":"x","status":"taken"}"#] {
            assert_eq!(seal.open(&seal.sign(body, NOW), body, NOW), Err(Forged::Unreadable));
        }
    }
}
