//! Pictures of a few characters that a shopper types before buying.
//!
//! A picture follows from its seed alone. The shopper's ticket keeps the seed and the answer, so
//! that any node can draw the picture again; the seed never leaves the servers.

pub mod cache;
pub mod pool;

use std::fmt;
use std::str::FromStr;

use ::captcha::RngCaptcha;
use ::captcha::filters::{Grid, Wave};
use bytes::Bytes;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// How many characters a picture shows.
pub const LENGTH: u32 = 5;

/// The characters: lower-case, none that the font draws like another one (no 0 o, 1 i l j, 2 z,
/// 5 s, 6 b, 9 g q, u v), and no r, which reads as m before n.
pub const ALPHABET: [char; 17] =
    ['a', 'c', 'd', 'e', 'f', 'h', 'k', 'm', 'n', 'p', 't', 'w', 'x', 'y', '3', '4', '7'];

/// Width and height of a picture in pixels.
pub const SIZE: (u32, u32) = (200, 72);

/// What a picture is drawn from. Whoever knows it knows the answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seed([u8; 16]);

impl Seed {
    /// One that nobody can guess.
    #[must_use]
    pub fn random() -> Self {
        Self(rand::random())
    }
}

/// Hex, as it stands in the ticket.
impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Keeps the seed out of logs.
impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(…)")
    }
}

/// The text is not 32 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a captcha seed")]
pub struct NotASeed;

impl FromStr for Seed {
    type Err = NotASeed;

    fn from_str(text: &str) -> Result<Self, NotASeed> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotASeed);
        }
        u128::from_str_radix(text, 16)
            .map(|number| Self(number.to_be_bytes()))
            .map_err(|_| NotASeed)
    }
}

/// A picture with what it was drawn from.
#[derive(Clone)]
pub struct Picture {
    /// What it was drawn from.
    pub seed: Seed,
    /// The characters it shows.
    pub answer: String,
    /// The picture.
    pub png: Bytes,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Picture").field("bytes", &self.png.len()).finish_non_exhaustive()
    }
}

/// What a seed draws.
pub struct Drawn {
    /// The characters it shows.
    pub answer: String,
    /// The picture.
    pub png: Bytes,
}

/// Draws the picture of a seed; about a millisecond of work, so never on a request's thread.
/// Uses only filters that take nothing from the thread's random numbers: the same seed gives the
/// same picture on every node. None if it could not be drawn.
#[must_use]
pub fn draw(seed: Seed) -> Option<Drawn> {
    let mut key = [0; 32];
    for (to, from) in key.iter_mut().zip(seed.0) {
        *to = from;
    }
    let mut random = ChaCha12Rng::from_seed(key);
    let color = [
        between(&mut random, 10, 110),
        between(&mut random, 10, 70),
        between(&mut random, 20, 120),
    ];
    let horizontal =
        (f64::from(between(&mut random, 8, 18)) / 10.0, f64::from(between(&mut random, 5, 9)));
    let vertical =
        (f64::from(between(&mut random, 8, 18)) / 10.0, f64::from(between(&mut random, 4, 9)));
    let gaps = (u32::from(between(&mut random, 34, 58)), u32::from(between(&mut random, 15, 25)));

    let (width, height) = SIZE;
    let mut captcha = RngCaptcha::from_rng(random);
    captcha
        .set_chars(&ALPHABET)
        .add_chars(LENGTH)
        // cut first: the filters then have an eighth of the work
        .view(width, height)
        .apply_filter(Grid::new(gaps.0, gaps.1))
        .apply_filter(Wave::new(horizontal.0, horizontal.1).horizontal())
        .apply_filter(Wave::new(vertical.0, vertical.1).vertical())
        .set_color(color);
    let (answer, png) = captcha.as_tuple()?;
    let whole = answer.chars().count() == usize::try_from(LENGTH).ok()?;
    whole.then(|| Drawn { answer, png: png.into() })
}

/// What a shopper typed, in the letters of the answers: without spaces, in lower case, and in
/// plain letters where an input method made them full-width.
#[must_use]
pub fn normalized(typed: &str) -> String {
    typed
        .chars()
        .filter(|character| !character.is_whitespace())
        .map(|character| match character {
            '\u{ff01}'..='\u{ff5e}' => {
                char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character)
            }
            _ => character,
        })
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// A number from `low` up to and without `high`.
fn between(random: &mut impl RngCore, low: u8, high: u8) -> u8 {
    let span = u32::from(high.saturating_sub(low).max(1));
    low.saturating_add(u8::try_from(random.next_u32() % span).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::{ALPHABET, LENGTH, NotASeed, Seed, draw, normalized};

    #[test]
    fn a_seed_always_draws_the_same() {
        let seed = Seed::random();
        let (first, second) = (draw(seed).unwrap(), draw(seed).unwrap());
        assert_eq!(first.answer, second.answer);
        assert_eq!(first.png, second.png);
        assert_ne!(first.png, draw(Seed::random()).unwrap().png);
    }

    #[test]
    fn the_drawing_does_not_change_from_version_to_version() {
        let seed = "000102030405060708090a0b0c0d0e0f".parse().unwrap();
        assert_eq!(draw(seed).unwrap().answer, "m4hka");
    }

    #[test]
    fn answers_hold_only_the_alphabet() {
        for _ in 0..100 {
            let drawn = draw(Seed::random()).unwrap();
            assert_eq!(drawn.answer.chars().count(), LENGTH as usize);
            assert!(drawn.answer.chars().all(|character| ALPHABET.contains(&character)));
            assert!(drawn.png.starts_with(b"\x89PNG"));
            assert!(drawn.png.len() < 16_000, "{} bytes", drawn.png.len());
        }
    }

    #[test]
    fn the_font_has_every_character_of_the_alphabet() {
        let supported = captcha::Captcha::new().supported_chars();
        assert!(ALPHABET.iter().all(|character| supported.contains(character)));
    }

    #[test]
    fn a_seed_is_read_back_as_it_was_written() {
        let seed = Seed::random();
        assert_eq!(seed.to_string().parse(), Ok(seed));
        assert_eq!(seed.to_string().len(), 32);
        for text in ["", "00", &"g".repeat(32), &"+".repeat(32), &"é".repeat(16), &"0".repeat(33)]
        {
            assert_eq!(text.parse::<Seed>(), Err(NotASeed), "{text}");
        }
        assert!(!format!("{seed:?}").contains(&seed.to_string()));
    }

    #[test]
    fn what_was_typed_is_read_kindly() {
        assert_eq!(normalized(" A c4\u{3000}Ｗ７\n"), "ac4w7");
        assert_eq!(normalized("字😀"), "字😀");
        assert_eq!(normalized(""), "");
    }
}
