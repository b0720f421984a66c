//! Where a visitor goes after signing in: an address on this site, whatever the request says.

use std::fmt;

/// An address on this site: path, and query if any. Empty means none was given, and leads to `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Next(String);

const NEXT_MAX: usize = 1024;

impl Next {
    /// Takes the text if it surely stays on this site, else forgets it.
    ///
    /// Browsers read `//host`, `/\host` and `/<tab>/host` as another site, so only plain text that
    /// begins with one slash is taken. Everything outside ASCII arrives percent-encoded.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut bytes = text.bytes();
        let stays = bytes.next() == Some(b'/')
            && !matches!(bytes.next(), Some(b'/' | b'\\'))
            && text.len() <= NEXT_MAX
            && text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\' && b != b'#');
        if stays { Self(text.to_owned()) } else { Self::default() }
    }

    /// For the hidden field of a form; empty when there is none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where to go.
    #[must_use]
    pub fn address(&self) -> &str {
        if self.0.is_empty() { "/" } else { &self.0 }
    }
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::Next;

    #[test]
    fn addresses_on_this_site_are_kept() {
        for kept in
            ["/", "/orders", "/activities/42/purchase", "/orders?before=9", "/a/../b", "/a//b"]
        {
            assert_eq!(Next::parse(kept).address(), kept);
        }
    }

    #[test]
    fn everything_else_leads_home() {
        let long = format!("/{}", "a".repeat(2000));
        for elsewhere in [
            "",
            "orders",
            "//elsewhere",
            "///elsewhere",
            "/\\elsewhere",
            "\\/elsewhere",
            "/\t/elsewhere",
            "/\n/elsewhere",
            "\t//elsewhere",
            " /orders",
            "/a b",
            "/a\\b",
            "https://elsewhere",
            "https:elsewhere",
            "javascript:alert(1)",
            "/\u{0}",
            "/\r\nSet-Cookie: a=b",
            "/订单",
            "?next=/",
            "/#//elsewhere",
            &long,
        ] {
            assert_eq!(Next::parse(elsewhere).address(), "/", "{elsewhere:?}");
            assert_eq!(Next::parse(elsewhere).as_str(), "");
        }
    }
}
