//! Where a visitor goes after signing in: an address on this site, whatever the request says.

use std::fmt;

use crate::sale::shopper::Role;

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
        self.or("/")
    }

    /// Where somebody of this role goes after signing in: staff to their own pages.
    #[must_use]
    pub fn address_for(&self, role: Role) -> &str {
        self.or(match role {
            Role::Shopper => "/",
            Role::Operator => "/ops",
            Role::Admin => "/admin",
        })
    }

    fn or<'a>(&'a self, home: &'a str) -> &'a str {
        if self.0.is_empty() { home } else { &self.0 }
    }
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::{Next, Role};

    #[test]
    fn addresses_on_this_site_are_kept() {
        for kept in
            ["/", "/orders", "/activities/42/purchase", "/orders?before=9", "/a/../b", "/a//b"]
        {
            assert_eq!(Next::parse(kept).address(), kept);
        }
    }

    #[test]
    fn staff_go_to_their_own_pages_unless_they_were_on_the_way_to_another() {
        for (role, home) in
            [(Role::Shopper, "/"), (Role::Operator, "/ops"), (Role::Admin, "/admin")]
        {
            assert_eq!(Next::parse("").address_for(role), home);
            assert_eq!(Next::parse("//elsewhere").address_for(role), home);
            assert_eq!(Next::parse("/").address_for(role), "/");
            assert_eq!(Next::parse("/orders").address_for(role), "/orders");
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
