//! Which language a visitor reads: chosen by the visitor, else by the browser's `Accept-Language`.

use actix_web::cookie::{Cookie, SameSite, time::Duration};
use fluent_templates::{LanguageIdentifier, langid};

use super::negotiate::weight;

static EN: LanguageIdentifier = langid!("en");
static ZH_CN: LanguageIdentifier = langid!("zh-CN");

/// A language that the message catalogue speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    ZhCn,
}

impl Language {
    /// The cookie that keeps a visitor's choice.
    pub const COOKIE: &str = "lang";

    /// Every language, in the order in which the switch shows them.
    pub const ALL: [Self; 2] = [Self::En, Self::ZhCn];

    /// What the visitor chose, else the best that the browser accepts, else English.
    #[must_use]
    pub fn choose(cookie: Option<&str>, accept_language: Option<&str>) -> Self {
        cookie
            .and_then(Self::from_tag)
            .or_else(|| accept_language.and_then(negotiate))
            .unwrap_or_default()
    }

    /// The language of a tag such as `zh`, `zh-TW`, `zh-Hans-CN` or `en-GB`.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split('-').next()?;
        if primary.eq_ignore_ascii_case("zh") {
            Some(Self::ZhCn)
        } else if primary.eq_ignore_ascii_case("en") {
            Some(Self::En)
        } else {
            None
        }
    }

    /// The tag, for `lang` attributes, the cookie and the form field.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::ZhCn => "zh-CN",
        }
    }

    /// What its own speakers call it. Not a text of the catalogue: it is the same in all of them.
    #[must_use]
    pub fn own_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::ZhCn => "中文",
        }
    }

    /// The cookie that remembers this choice for a year. `secure`: the site is served over TLS.
    #[must_use]
    pub fn cookie(self, secure: bool) -> Cookie<'static> {
        Cookie::build(Self::COOKIE, self.tag())
            .path("/")
            .max_age(Duration::days(365))
            .same_site(SameSite::Lax)
            .http_only(true)
            .secure(secure)
            .finish()
    }

    pub(super) fn identifier(self) -> &'static LanguageIdentifier {
        match self {
            Self::En => &EN,
            Self::ZhCn => &ZH_CN,
        }
    }
}

/// The best language of an `Accept-Language` header (RFC 9110, section 12.5.4).
/// The first one wins among equals; `q=0` means "not this one".
fn negotiate(header: &str) -> Option<Language> {
    let mut best: Option<(Language, u16)> = None;
    for (language, weight) in header.split(',').filter_map(range) {
        if weight > best.map_or(0, |(_, highest)| highest) {
            best = Some((language, weight));
        }
    }
    best.map(|(language, _)| language)
}

/// One range of the header and its weight in thousandths.
fn range(part: &str) -> Option<(Language, u16)> {
    let mut fields = part.split(';');
    let language = Language::from_tag(fields.next()?)?;
    Some((language, weight(fields)?))
}

#[cfg(test)]
mod tests {
    use super::Language::{self, En, ZhCn};

    fn accepted(header: &str) -> Language {
        Language::choose(None, Some(header))
    }

    #[test]
    fn the_highest_weight_wins_then_the_first() {
        assert_eq!(accepted("en;q=0.5, zh;q=0.9"), ZhCn);
        assert_eq!(accepted("zh-CN,zh;q=0.9,en;q=0.8"), ZhCn);
        assert_eq!(accepted("en-GB,en;q=0.9,zh;q=0.9"), En);
        assert_eq!(accepted("zh , en"), ZhCn);
        assert_eq!(accepted("en;q=0.124, zh;q=0.125"), ZhCn);
    }

    #[test]
    fn every_chinese_is_read_as_zh_cn() {
        for tag in ["zh", "zh-TW", "zh-Hans-CN", "ZH-hk", " zh-CN "] {
            assert_eq!(accepted(tag), ZhCn, "{tag}");
        }
    }

    #[test]
    fn what_we_do_not_speak_is_passed_over() {
        assert_eq!(accepted("fr, de;q=0.9, zh;q=0.1"), ZhCn);
        assert_eq!(accepted("fr"), En);
        assert_eq!(accepted("*"), En);
        assert_eq!(accepted("zhx"), En);
        assert_eq!(accepted(""), En);
    }

    #[test]
    fn zero_and_nonsense_weights_count_for_nothing() {
        assert_eq!(accepted("zh;q=0, en;q=0.1"), En);
        assert_eq!(accepted("zh;q=0"), En);
        assert_eq!(accepted("zh;q=2"), En);
        assert_eq!(accepted("zh;q=1.5"), En);
        assert_eq!(accepted("zh;q=0.1234"), En);
        assert_eq!(accepted("zh;q=, en;q=0.1"), En);
        assert_eq!(accepted("zh; q = 1.000"), ZhCn);
    }

    #[test]
    fn the_visitors_choice_comes_first() {
        assert_eq!(Language::choose(Some("en"), Some("zh")), En);
        assert_eq!(Language::choose(Some("zh-CN"), Some("en")), ZhCn);
        assert_eq!(Language::choose(Some("klingon"), Some("zh")), ZhCn);
        assert_eq!(Language::choose(None, None), En);
    }
}
