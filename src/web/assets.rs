//! Style sheet, scripts and icon, built into the binary.
//!
//! Addresses carry a mark of the content (`/static/{mark}/site.css`), so a browser may keep a file
//! for ever; scripts import one another by relative addresses and so stay within the same mark.

use std::fmt::Write as _;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// A file as it goes out.
#[derive(Debug)]
pub struct Asset {
    /// The last part of its address.
    pub name: &'static str,
    /// What it is, with its character set.
    pub content_type: &'static str,
    /// All of it.
    pub body: &'static [u8],
}

macro_rules! asset {
    ($name:literal, $content_type:literal) => {
        Asset {
            name: $name,
            content_type: $content_type,
            body: include_bytes!(concat!("../../static/", $name)),
        }
    };
}

/// Every file under `/static`.
pub static ASSETS: [Asset; 10] = [
    asset!("site.css", "text/css; charset=utf-8"),
    asset!("console.css", "text/css; charset=utf-8"),
    asset!("favicon.svg", "image/svg+xml"),
    asset!("site.js", "text/javascript; charset=utf-8"),
    asset!("clock.js", "text/javascript; charset=utf-8"),
    asset!("countdown.js", "text/javascript; charset=utf-8"),
    asset!("sale.js", "text/javascript; charset=utf-8"),
    asset!("live.js", "text/javascript; charset=utf-8"),
    asset!("order.js", "text/javascript; charset=utf-8"),
    asset!("console.js", "text/javascript; charset=utf-8"),
];

/// A mark of all files together: changes when one of them does.
pub static MARK: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for asset in &ASSETS {
        hash.update(asset.name);
        hash.update(asset.body);
    }
    let mut mark = String::new();
    for byte in hash.finalize().iter().take(5) {
        // writing to a String cannot fail
        let _ = write!(mark, "{byte:02x}");
    }
    mark
});

/// The file of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// `Cache-Control` of a file asked for under a mark. During an update two marks are about: the
/// other one gets today's file, but only for now.
#[must_use]
pub fn cache_control(mark: &str) -> &'static str {
    if mark == *MARK { "public, max-age=31536000, immutable" } else { "no-cache" }
}

pub(super) fn address(name: &str) -> String {
    format!("/static/{}/{name}", *MARK)
}

#[cfg(test)]
mod tests {
    use super::{ASSETS, MARK, address, cache_control, find};

    #[test]
    fn every_file_of_the_folder_is_built_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/static");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let mut built_in: Vec<&str> = ASSETS.iter().map(|asset| asset.name).collect();
        built_in.sort_unstable();
        assert_eq!(files, built_in);
    }

    #[test]
    fn addresses_carry_the_mark() {
        assert_eq!(address("site.css"), format!("/static/{}/site.css", *MARK));
        assert!(find("site.css").is_some());
        assert!(find("../Cargo.toml").is_none());
        assert!(cache_control(&MARK).contains("immutable"));
        assert_eq!(cache_control("old"), "no-cache");
    }
}
