//! Names of picture files: made from their content, and read back strictly.

use std::{fmt, fmt::Write as _, str::FromStr};

use sha2::{Digest as _, Sha256};

/// Hexadecimal digits of a name: 128 bits of the content's hash.
const DIGITS: usize = 32;
const SMALL: &str = "-small";

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An opaque picture.
    Jpeg,
    /// One with transparent parts.
    Png,
}

impl Kind {
    /// The end of a file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
        }
    }

    /// The type under which it is served.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }
}

/// A file of the gallery. The ledger keeps the large one's name, and the small one's follows from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PictureFile {
    digits: String,
    kind: Kind,
    small: bool,
}

impl PictureFile {
    /// The large file with this content.
    #[must_use]
    pub fn of(content: &[u8], kind: Kind) -> Self {
        let mut digits = String::with_capacity(DIGITS);
        for byte in Sha256::digest(content).iter().take(DIGITS / 2) {
            // writing to a String cannot fail
            let _ = write!(digits, "{byte:02x}");
        }
        Self { digits, kind, small: false }
    }

    /// The small file beside it.
    #[must_use]
    pub fn small(&self) -> Self {
        Self { small: true, ..self.clone() }
    }

    /// Whether it is the small one.
    #[must_use]
    pub const fn is_small(&self) -> bool {
        self.small
    }

    /// What it holds.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }
}

impl fmt::Display for PictureFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let small = if self.small { SMALL } else { "" };
        write!(f, "{}{small}.{}", self.digits, self.kind.extension())
    }
}

/// A text that names no picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a picture file")]
pub struct InvalidName;

impl FromStr for PictureFile {
    type Err = InvalidName;
    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let (stem, extension) = text.split_once('.').ok_or(InvalidName)?;
        let kind = [Kind::Jpeg, Kind::Png].into_iter().find(|kind| kind.extension() == extension);
        let digits = stem.strip_suffix(SMALL).unwrap_or(stem);
        let is_hash = digits.len() == DIGITS
            && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match kind {
            Some(kind) if is_hash => {
                Ok(Self { digits: digits.to_owned(), kind, small: digits.len() < stem.len() })
            }
            _ => Err(InvalidName),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_as_it_is_written() {
        for kind in [Kind::Jpeg, Kind::Png] {
            let large = PictureFile::of(b"content", kind);
            for file in [large.clone(), large.small()] {
                assert_eq!(file.to_string().parse(), Ok(file));
            }
            assert_ne!(large, PictureFile::of(b"other", kind));
        }
        let name = PictureFile::of(b"content", Kind::Jpeg).to_string();
        assert_eq!(name, "ed7002b439e9ac845f22357d822bac14.jpg");
    }

    #[test]
    fn nothing_else_is_a_name() {
        let digits = "ed7002b439e9ac845f22357d822bac14";
        for text in [
            "",
            ".jpg",
            digits,
            "../ed7002b439e9ac845f22357d822bac14.jpg",
            "ed7002b439e9ac845f22357d822bac1.jpg",
            "ed7002b439e9ac845f22357d822bac144.jpg",
            "ED7002B439E9AC845F22357D822BAC14.jpg",
            "ed7002b439e9ac845f22357d822bac14.jpeg",
            "ed7002b439e9ac845f22357d822bac14.svg",
            "ed7002b439e9ac845f22357d822bac14.jpg.png",
            "ed7002b439e9ac845f22357d822bac14.jpg\0",
            "ed7002b439e9ac845f22357d822bac14-small-small.jpg",
            "ed7002b439e9ac845f22357d822bac14-large.jpg",
            " ed7002b439e9ac845f22357d822bac14.jpg",
            "ed7002b439e9ac845f22357d822bac14 .jpg",
            "éé7002b439e9ac845f22357d822bac14.jpg",
        ] {
            assert_eq!(text.parse::<PictureFile>(), Err(InvalidName), "{text:?}");
        }
    }
}
