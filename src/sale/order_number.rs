//! The order number: made before the gate is asked, the same to the end.
//!
//! A ULID whose low 80 bits are 32 bits of chance and a 48-bit MAC over time, chance, shopper and
//! activity. So a page knows without any look-up whether a number is this shopper's and which activity
//! it belongs to, and a guessed or altered number costs no server anything.

use std::{
    fmt,
    str::FromStr,
    sync::{Mutex, PoisonError},
};

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use ulid::Ulid;

use super::ids::{ActivityId, UserId};

const MAC_BITS: u32 = 48;
const MAC_MASK: u128 = (1 << MAC_BITS) - 1;
const TIME_MASK: u64 = (1 << 48) - 1;

/// 26 characters of Crockford's base 32, in the one canonical spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderNo(Ulid);

/// A text that is not an order number in its canonical spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an order number")]
pub struct InvalidOrderNo;

impl OrderNo {
    /// When the number was made, ms since the epoch, by the clock of the node that made it.
    #[must_use]
    pub fn minted_at_ms(&self) -> i64 {
        // 48 bits always fit.
        i64::try_from(self.0.timestamp_ms()).unwrap_or(i64::MAX)
    }

    /// What is signed: everything above the MAC's bits.
    fn signed_part(&self) -> u128 {
        u128::from_be_bytes(self.0.to_bytes()) >> MAC_BITS
    }

    fn mac_part(&self) -> u128 {
        u128::from_be_bytes(self.0.to_bytes()) & MAC_MASK
    }
}

impl fmt::Display for OrderNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string())
    }
}

impl FromStr for OrderNo {
    type Err = InvalidOrderNo;
    fn from_str(text: &str) -> Result<Self, InvalidOrderNo> {
        let ulid = Ulid::from_string(text).map_err(|_| InvalidOrderNo)?;
        // Crockford reads lower case and look-alikes too, but one order has one address.
        if ulid.to_string() == text { Ok(Self(ulid)) } else { Err(InvalidOrderNo) }
    }
}

impl Serialize for OrderNo {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for OrderNo {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Makes and checks order numbers with one key.
pub struct OrderNumbers {
    key: Hmac<Sha256>,
    /// The last time and chance given out. Together they only ever grow, so a clock set back cannot
    /// yield a number twice.
    last: Mutex<(u64, u32)>,
}

impl fmt::Debug for OrderNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OrderNumbers")
    }
}

impl OrderNumbers {
    /// `secret` is the site's key; the MAC's own key is derived from it, so that no other use of the
    /// secret can serve to forge a number.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        let derived = keyed(secret).chain_update(b"seckill order number v1").finalize();
        Self { key: keyed(&derived.into_bytes()), last: Mutex::new((0, 0)) }
    }

    /// A new number for this shopper's purchase in this activity. `now_ms` is the node's clock.
    #[must_use]
    pub fn mint(&self, shopper: UserId, activity: ActivityId, now_ms: i64) -> OrderNo {
        let (time, chance) = self.next(u64::try_from(now_ms).unwrap_or(0) & TIME_MASK);
        let signed = (u128::from(time) << 32) | u128::from(chance);
        let number = (signed << MAC_BITS) | self.mac(signed, shopper, activity);
        OrderNo(Ulid::from_bytes(number.to_be_bytes()))
    }

    fn next(&self, now: u64) -> (u64, u32) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = match *last {
            (time, _) if now > time => (now, rand::random()),
            (time, u32::MAX) => (time + 1, rand::random()),
            (time, chance) => (time, chance + 1),
        };
        *last
    }

    /// Whether this number was made for this shopper and this activity.
    #[must_use]
    pub fn belongs(&self, number: OrderNo, shopper: UserId, activity: ActivityId) -> bool {
        let expected = self.mac(number.signed_part(), shopper, activity);
        expected.to_be_bytes().ct_eq(&number.mac_part().to_be_bytes()).into()
    }

    /// Which of these activities the number was made for, for this shopper; `None`: it is not theirs.
    pub fn activity_of(
        &self,
        number: OrderNo,
        shopper: UserId,
        activities: impl IntoIterator<Item = ActivityId>,
    ) -> Option<ActivityId> {
        activities.into_iter().find(|activity| self.belongs(number, shopper, *activity))
    }

    fn mac(&self, signed: u128, shopper: UserId, activity: ActivityId) -> u128 {
        let tag = self
            .key
            .clone()
            .chain_update(signed.to_be_bytes())
            .chain_update(shopper.0.to_be_bytes())
            .chain_update(activity.0.to_be_bytes())
            .finalize()
            .into_bytes();
        tag.iter().take(6).fold(0, |mac, byte| (mac << 8) | u128::from(*byte))
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    match Hmac::<Sha256>::new_from_slice(key) {
        Ok(mac) => mac,
        // HMAC takes a key of any length; the error type is there for other algorithms.
        Err(_) => unreachable!("HMAC accepts every key length"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const ALICE: UserId = UserId(1);
    const BOB: UserId = UserId(2);
    const SALE: ActivityId = ActivityId(42);

    fn numbers() -> OrderNumbers {
        OrderNumbers::new(&[7; 64])
    }

    #[test]
    fn a_number_belongs_to_its_shopper_and_activity_only() {
        let numbers = numbers();
        let number = numbers.mint(ALICE, SALE, 1_700_000_000_000);
        assert_eq!(number.minted_at_ms(), 1_700_000_000_000);
        assert!(numbers.belongs(number, ALICE, SALE));
        assert!(!numbers.belongs(number, BOB, SALE));
        assert!(!numbers.belongs(number, ALICE, ActivityId(43)));
        assert!(!OrderNumbers::new(&[8; 64]).belongs(number, ALICE, SALE));
        let activities = [ActivityId(1), SALE, ActivityId(99)];
        assert_eq!(numbers.activity_of(number, ALICE, activities), Some(SALE));
        assert_eq!(numbers.activity_of(number, BOB, activities), None);
    }

    #[test]
    fn a_number_with_any_one_character_changed_is_nobodys() {
        let numbers = numbers();
        let text = numbers.mint(ALICE, SALE, 1_700_000_000_000).to_string();
        for at in 0..text.len() {
            for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZabcIiLlOoUu-".chars() {
                let mut altered: Vec<char> = text.chars().collect();
                if altered[at] == other {
                    continue;
                }
                altered[at] = other;
                let altered: String = altered.into_iter().collect();
                let accepted =
                    altered.parse::<OrderNo>().is_ok_and(|n| numbers.belongs(n, ALICE, SALE));
                assert!(!accepted, "{altered} passes for {text}");
            }
        }
    }

    #[test]
    fn a_number_has_one_spelling() {
        let text = numbers().mint(ALICE, SALE, 1_700_000_000_000).to_string();
        assert_eq!(text.len(), 26);
        assert_eq!(text.parse::<OrderNo>().map(|n| n.to_string()), Ok(text.clone()));
        assert_eq!(text.to_lowercase().parse::<OrderNo>(), Err(InvalidOrderNo));
        for bad in ["", "7", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "💥💥💥💥💥💥💥", &"0".repeat(10_000)]
        {
            assert_eq!(bad.parse::<OrderNo>(), Err(InvalidOrderNo), "{bad}");
        }
    }

    #[test]
    fn a_clock_set_back_never_yields_a_number_twice() {
        let numbers = numbers();
        let mut seen = HashSet::new();
        let clock = [5000, 5000, 4000, 1, -1, 5000, 4999, 5001, 0];
        for now in clock.iter().cycle().take(20_000) {
            assert!(seen.insert(numbers.mint(ALICE, SALE, *now)));
        }
    }
}
