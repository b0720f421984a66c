//! Which texts are names, and which names are the same.

use super::FieldError;

/// The fewest characters of a name.
pub const MIN_NAME: usize = 2;
/// The most characters of a name.
pub const MAX_NAME: usize = 40;

/// A name as somebody typed it, whole: emoji, right-to-left letters and joiners are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Username {
    text: String,
    key: String,
}

impl Username {
    /// Takes a typed name without the spaces around it, or refuses it whole.
    pub fn parse(typed: &str) -> Result<Self, FieldError> {
        let text = typed.trim();
        let length = text.chars().count();
        if length > MAX_NAME {
            return Err(FieldError::UsernameTooLong);
        }
        if text.chars().any(is_forbidden) {
            return Err(FieldError::UsernameForbidden);
        }
        let key = fold(text);
        if length < MIN_NAME || key.is_empty() {
            return Err(FieldError::UsernameTooShort);
        }
        Ok(Self { text: text.to_owned(), key })
    }

    /// The name as it is shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What names are compared by.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// What the keys of names begin with that begin with what was typed, for searching.
#[must_use]
pub(super) fn beginning(typed: &str) -> String {
    fold(typed.trim())
}

/// Lower case, without what cannot be seen: `Ann` with a joiner inside would pass for `ann`.
fn fold(text: &str) -> String {
    text.chars().filter(|c| !is_invisible(*c)).collect::<String>().to_lowercase()
}

/// Control characters; line and paragraph separators; and what turns the direction of the text around a
/// name, with which it would write over the page beside it.
fn is_forbidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Joiners, marks and spaces without width, and the choice between two looks of one emoji.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_world_are_kept_whole() {
        for name in ["王芳", "😀😀", "👩‍👩‍👧‍👦 family", "محمد علی", "می‌خواهم", "O'Neil \"Bob\"", "a b"]
        {
            assert_eq!(Username::parse(name).map(|n| n.text), Ok(name.to_owned()));
        }
        assert_eq!(Username::parse("  ann\t").map(|n| n.text), Ok("ann".to_owned()));
    }

    #[test]
    fn a_name_is_refused_whole_or_taken_whole() {
        assert!(Username::parse(&"界".repeat(40)).is_ok());
        assert_eq!(Username::parse(&"界".repeat(41)), Err(FieldError::UsernameTooLong));
        assert_eq!(Username::parse(&"x".repeat(10_000)), Err(FieldError::UsernameTooLong));
        for short in ["", " ", "x", " x ", "\u{200D}\u{200D}", "\u{FE0F}\u{200B}"] {
            assert_eq!(Username::parse(short), Err(FieldError::UsernameTooShort), "{short:?}");
        }
        for bad in ["a\0b", "a\nb", "a\u{7f}b", "ab\u{202E}dc", "a\u{2066}b", "a\u{2028}b"] {
            assert_eq!(Username::parse(bad), Err(FieldError::UsernameForbidden), "{bad:?}");
        }
    }

    #[test]
    fn names_that_look_the_same_are_the_same() {
        let key = |name: &str| Username::parse(name).map(|n| n.key);
        assert_eq!(key("Ann"), key("aNN"));
        assert_eq!(key("ann"), key("a\u{200D}nn"));
        assert_eq!(key("ÄRGER"), key("ärger"));
        assert_ne!(key("😀😀"), key("😀😁"));
        assert_ne!(key("ann"), key("ánn"));
    }
}
