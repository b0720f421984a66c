//! How times are written: always with their zone, and readable by a script, which turns them
//! into the visitor's own time.

use chrono::{DateTime, Datelike, SecondsFormat, Utc};

use super::language::Language;
use super::text::{Text, key};

/// A point in time, for `<time datetime="{iso}">{text}</time>`.
#[derive(Debug, Clone)]
pub struct Moment {
    /// RFC 3339 with milliseconds, in UTC.
    pub iso: String,
    /// Date, time and zone in words.
    pub text: Text,
}

impl Moment {
    /// `ms`: milliseconds since the epoch. A time that no calendar holds is shown as the epoch.
    #[must_use]
    pub fn new(ms: i64, language: Language) -> Self {
        Self::with_clock(ms, "%H:%M", language)
    }

    /// To the second, for who compares it with a log.
    #[must_use]
    pub fn exact(ms: i64, language: Language) -> Self {
        Self::with_clock(ms, "%H:%M:%S", language)
    }

    fn with_clock(ms: i64, clock: &str, language: Language) -> Self {
        let time = DateTime::<Utc>::from_timestamp_millis(ms).unwrap_or_default();
        let text = key("moment")
            .with("year", time.year().to_string())
            .with("month", time.month())
            .with("day", time.day())
            .with("clock", time.format(clock).to_string())
            .in_language(language);
        Self { iso: time.to_rfc3339_opts(SecondsFormat::Millis, true), text }
    }
}

/// A length of time that is left, cut into what a countdown shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Whole days.
    pub days: i64,
    /// Hours beside the days, up to 23.
    pub hours: i64,
    /// Minutes beside the hours, up to 59.
    pub minutes: i64,
    /// Seconds beside the minutes, up to 59.
    pub seconds: i64,
}

impl Left {
    /// From now to then, rounded up to whole seconds; nothing once it has passed.
    #[must_use]
    pub fn between(now_ms: i64, then_ms: i64) -> Self {
        let total = then_ms.saturating_sub(now_ms).max(0).saturating_add(999) / 1000;
        Self {
            days: total / 86_400,
            hours: total / 3600 % 24,
            minutes: total / 60 % 60,
            seconds: total % 60,
        }
    }
}

/// A length of time in words, in the largest unit that fits: "15 minutes", "2 hours".
#[must_use]
pub fn duration(seconds: i64, language: Language) -> Text {
    let seconds = seconds.max(0);
    let message = if seconds >= 3600 && seconds % 3600 == 0 {
        key("duration-hours").with("count", seconds / 3600)
    } else if seconds >= 60 && (seconds % 60 == 0 || seconds > 600) {
        key("duration-minutes").with("count", seconds / 60)
    } else {
        key("duration-seconds").with("count", seconds)
    };
    message.in_language(language)
}

#[cfg(test)]
mod tests {
    use super::{Left, Moment, duration};
    use crate::web::language::Language;

    #[test]
    fn a_moment_names_its_zone() {
        let moment = Moment::new(1_795_953_600_000, Language::En);
        assert_eq!(moment.iso, "2026-11-29T12:00:00.000Z");
        assert_eq!(moment.text.to_string(), "29 Nov 2026, 12:00 UTC");
        let moment = Moment::new(1_795_953_600_000, Language::ZhCn);
        assert_eq!(moment.text.to_string(), "2026年11月29日 12:00（UTC）");
        assert_eq!(Moment::new(i64::MAX, Language::En).iso, "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn what_is_left_never_shows_zero_too_early() {
        let left = |ms| {
            let Left { days, hours, minutes, seconds } = Left::between(0, ms);
            (days, hours, minutes, seconds)
        };
        assert_eq!(left(1), (0, 0, 0, 1));
        assert_eq!(left(60_000), (0, 0, 1, 0));
        assert_eq!(left(90_061_000), (1, 1, 1, 1));
        assert_eq!(left(-5), (0, 0, 0, 0));
        assert_eq!(Left::between(i64::MIN, i64::MAX).seconds, 55);
    }

    #[test]
    fn durations_use_the_unit_a_person_would() {
        let words = |seconds| duration(seconds, Language::En).to_string();
        assert_eq!(words(1), "1 second");
        assert_eq!(words(90), "90 seconds");
        assert_eq!(words(900), "15 minutes");
        assert_eq!(words(3600), "1 hour");
        assert_eq!(words(7200), "2 hours");
    }
}
