//! Times as people write them in their own zone, and back. What a zone's clock shows twice or never is
//! neither guessed nor moved.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Days, NaiveDateTime, Offset, TimeZone, Timelike, Utc};
use chrono_tz::{GapInfo, OffsetName, TZ_VARIANTS, Tz};

/// A time zone by its IANA name, as `Europe/Berlin`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone(Tz);

/// A text that names no zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no time zone has this name")]
pub struct UnknownZone;

/// Which of the two moments is meant that a clock shows alike when it is put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// The first of them.
    Earlier,
    /// The second.
    Later,
}

/// A moment as the clocks of a zone show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalTime {
    /// Date and time of the day.
    pub at: NaiveDateTime,
    /// How far ahead of UTC, seconds.
    pub ahead_s: i32,
    /// What the zone's people call the offset, as `CET`; none where they have no word.
    pub abbreviation: Option<String>,
}

/// Why a typed time is no moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMoment {
    /// Nothing was typed.
    #[error("no time was given")]
    Missing,
    /// Not a date and a time of the day.
    #[error("not a time; write it like 2026-03-29T20:00")]
    NotATime,
    /// The clocks of the zone are put forward over it.
    #[error("clocks in {zone} go from {from} to {to}; {typed} does not exist")]
    Gap {
        /// What was typed.
        typed: NaiveDateTime,
        /// The zone.
        zone: Zone,
        /// What clocks would show when they are put forward.
        from: NaiveDateTime,
        /// What they show instead.
        to: NaiveDateTime,
    },
    /// The clocks of the zone show it twice.
    #[error("clocks in {zone} show {typed} twice")]
    Twice {
        /// What was typed.
        typed: NaiveDateTime,
        /// The zone.
        zone: Zone,
        /// The first time.
        earlier: LocalTime,
        /// The second time.
        later: LocalTime,
    },
}

impl Zone {
    /// Where nothing better is known.
    pub const UTC: Self = Self(Tz::UTC);

    /// The names of all zones, in order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TZ_VARIANTS.iter().map(|zone| zone.name())
    }

    /// Its IANA name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The moment of `2026-03-29T20:00`, with or without seconds and their parts; `fold` decides where the
    /// clocks show it twice.
    ///
    /// # Errors
    /// [`NoMoment`] for what is no time, and for what this zone's clocks show never, or twice.
    pub fn read(self, typed: &str, fold: Option<Fold>) -> Result<DateTime<Utc>, NoMoment> {
        let typed = typed.trim();
        if typed.is_empty() {
            return Err(NoMoment::Missing);
        }
        let typed = naive(typed).ok_or(NoMoment::NotATime)?;
        let found = self.0.from_local_datetime(&typed);
        let (Some(earlier), Some(later)) = (found.earliest(), found.latest()) else {
            return Err(self.gap(typed));
        };
        match fold {
            _ if earlier == later => Ok(earlier.to_utc()),
            Some(Fold::Earlier) => Ok(earlier.to_utc()),
            Some(Fold::Later) => Ok(later.to_utc()),
            None => Err(NoMoment::Twice {
                typed,
                zone: self,
                earlier: self.show(earlier.to_utc()),
                later: self.show(later.to_utc()),
            }),
        }
    }

    /// What the zone's clocks show at a moment.
    #[must_use]
    pub fn show(self, at: DateTime<Utc>) -> LocalTime {
        let local = at.with_timezone(&self.0);
        let ahead_s = local.offset().fix().local_minus_utc();
        // Where there is no word, the data has digits.
        let word = local.offset().abbreviation();
        let word = word.filter(|word| word.bytes().all(|b| b.is_ascii_alphabetic()));
        let abbreviation = word.map(ToOwned::to_owned);
        LocalTime { at: local.naive_local(), ahead_s, abbreviation }
    }

    /// A moment as [`Zone::read`] takes it and a field of the kind `datetime-local` holds it, whole; and
    /// which of two it is, where the clocks show it twice.
    #[must_use]
    pub fn write(self, at: DateTime<Utc>) -> (String, Option<Fold>) {
        let local = at.with_timezone(&self.0).naive_local();
        let text = local.format("%Y-%m-%dT%H:%M:%S%.f").to_string();
        let fold = match self.read(&text, Some(Fold::Earlier)) {
            Ok(earlier) if self.read(&text, None).is_ok() && earlier == at => None,
            Ok(earlier) if earlier == at => Some(Fold::Earlier),
            _ => Some(Fold::Later),
        };
        (text, fold)
    }

    /// When the clocks show the same so many days later: the first time, where they show it twice; the
    /// next that they show, where they jump over it.
    #[must_use]
    pub fn days_later(self, at: DateTime<Utc>, days: u64) -> DateTime<Utc> {
        let local = at.with_timezone(&self.0).naive_local();
        let Some(local) = local.checked_add_days(Days::new(days)) else { return at };
        let shown = self.0.from_local_datetime(&local).earliest();
        let next = || GapInfo::new(&local, &self.0).and_then(|gap| gap.end);
        shown.or_else(next).map_or_else(|| local.and_utc(), |shown| shown.to_utc())
    }

    fn gap(self, typed: NaiveDateTime) -> NoMoment {
        let Some(gap) = GapInfo::new(&typed, &self.0) else { return NoMoment::NotATime };
        match (gap.begin, gap.end) {
            (Some((from, _)), Some(end)) => {
                NoMoment::Gap { typed, zone: self, from, to: end.naive_local() }
            }
            // Beyond what is known of the zone.
            _ => NoMoment::NotATime,
        }
    }
}

impl LocalTime {
    /// The offset, as `UTC+01:00`.
    #[must_use]
    pub fn offset(&self) -> String {
        let sign = if self.ahead_s < 0 { '-' } else { '+' };
        let minutes = self.ahead_s.unsigned_abs() / 60;
        format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// Years of four digits alone: what is beyond is a slip of the hand.
fn naive(typed: &str) -> Option<NaiveDateTime> {
    let (date, time) = typed.split_once(['T', ' '])?;
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let plain = date.len() == 10
        && (date.split('-').count(), date.split('-').all(digits)) == (3, true)
        && time.split([':', '.']).all(digits);
    if !plain {
        return None;
    }
    let typed = format!("{date}T{time}");
    let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
    let read = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(&typed, form).ok())?;
    // A 60th second is read as a leap second, which is beyond the nanoseconds of a second.
    (read.nanosecond() < 1_000_000_000).then_some(read)
}

impl FromStr for Zone {
    type Err = UnknownZone;
    fn from_str(text: &str) -> Result<Self, UnknownZone> {
        text.parse().map(Self).map_err(|_| UnknownZone)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Fold {
    /// The word in a form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Earlier => "earlier",
            Self::Later => "later",
        }
    }

    /// The word of a form; none for any other text.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        [Self::Earlier, Self::Later].into_iter().find(|fold| fold.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> Zone {
        name.parse().expect("a zone")
    }

    fn read(name: &str, typed: &str) -> Result<String, NoMoment> {
        zone(name).read(typed, None).map(rfc)
    }

    fn rfc(at: DateTime<Utc>) -> String {
        at.format("%Y-%m-%dT%H:%M:%S%.fZ").to_string()
    }

    fn at(text: &str) -> NaiveDateTime {
        naive(text).expect("a time")
    }

    #[test]
    fn a_time_is_read_by_the_clocks_of_its_zone() {
        for (name, typed, utc) in [
            ("UTC", "2026-03-29T02:30", "2026-03-29T02:30:00Z"),
            ("Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
            ("Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-07-01T12:00:07.25", "2026-07-01T10:00:07.250Z"),
            ("America/New_York", "2026-12-24T20:00", "2026-12-25T01:00:00Z"),
            ("Asia/Shanghai", "2026-11-11T00:00", "2026-11-10T16:00:00Z"),
            ("Australia/Lord_Howe", "2026-01-01T00:00", "2025-12-31T13:00:00Z"),
            ("Australia/Lord_Howe", "2026-07-01T00:00", "2026-06-30T13:30:00Z"),
            ("Asia/Kathmandu", "2026-11-29 12:00", "2026-11-29T06:15:00Z"),
            ("Europe/Berlin", "2040-07-01T12:00", "2040-07-01T10:00:00Z"),
            ("Asia/Shanghai", "2038-01-19T11:14:08", "2038-01-19T03:14:08Z"),
            ("America/New_York", "2090-07-01T12:00", "2090-07-01T16:00:00Z"),
        ] {
            assert_eq!(read(name, typed), Ok(utc.to_owned()), "{name} {typed}");
        }
    }

    #[test]
    fn what_clocks_jump_over_is_refused_with_the_jump() {
        for (name, typed, from, to) in [
            ("Europe/Berlin", "2026-03-29T02:30", "2026-03-29T02:00", "2026-03-29T03:00"),
            ("Europe/Berlin", "2026-03-29T02:00", "2026-03-29T02:00", "2026-03-29T03:00"),
            ("America/New_York", "2027-03-14T02:59:59", "2027-03-14T02:00", "2027-03-14T03:00"),
            ("Australia/Lord_Howe", "2026-10-04T02:10", "2026-10-04T02:00", "2026-10-04T02:30"),
            ("Europe/Berlin", "2040-03-25T02:30", "2040-03-25T02:00", "2040-03-25T03:00"),
            ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T00:00", "2011-12-31T00:00"),
        ] {
            let expected =
                NoMoment::Gap { typed: at(typed), zone: zone(name), from: at(from), to: at(to) };
            assert_eq!(read(name, typed), Err(expected));
            // No choice helps where there is nothing to choose from.
            assert!(zone(name).read(typed, Some(Fold::Later)).is_err());
        }
        // Shanghai has no such day.
        assert!(read("Asia/Shanghai", "2026-03-29T02:30").is_ok());
    }

    #[test]
    fn what_clocks_show_twice_is_asked_about_and_then_taken() {
        for (name, typed, earlier, later) in [
            ("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),
            (
                "America/New_York",
                "2026-11-01T01:00:30",
                "2026-11-01T05:00:30Z",
                "2026-11-01T06:00:30Z",
            ),
            (
                "Australia/Lord_Howe",
                "2026-04-05T01:45",
                "2026-04-04T14:45:00Z",
                "2026-04-04T15:15:00Z",
            ),
        ] {
            let Err(NoMoment::Twice { .. }) = read(name, typed) else { panic!("{name} {typed}") };
            let with = |fold| zone(name).read(typed, Some(fold)).map(rfc);
            assert_eq!(with(Fold::Earlier), Ok(earlier.to_owned()));
            assert_eq!(with(Fold::Later), Ok(later.to_owned()));
        }
        // A choice that is not needed changes nothing.
        let noon = zone("Europe/Berlin").read("2026-10-25T12:00", Some(Fold::Later)).map(rfc);
        assert_eq!(noon, Ok("2026-10-25T11:00:00Z".to_owned()));
        let Err(NoMoment::Twice { earlier, later, .. }) = read("Europe/Berlin", "2026-10-25T02:30")
        else {
            panic!("shown once")
        };
        assert_eq!(
            (earlier.abbreviation.as_deref(), later.abbreviation.as_deref()),
            (Some("CEST"), Some("CET"))
        );
        assert_eq!((earlier.offset(), later.offset()), ("UTC+02:00".into(), "UTC+01:00".into()));
    }

    #[test]
    fn whatever_is_no_time_or_no_zone_is_refused() {
        assert_eq!(read("UTC", " "), Err(NoMoment::Missing));
        for typed in [
            "soon",
            "2026-03-29",
            "20:00",
            "2026-02-30T10:00",
            "2026-03-29T25:00",
            "2026-03-29T12:00:60",
            "2026-03-29T23:59:60",
            "2026-03-29T12:00:60.5",
            "2026-03-29T12:60",
            "2026-03-29T10:00Z",
            "2026-03-29T10:00+02:00",
            "+12026-03-29T10:00",
            "-026-03-29T10:00",
            "12026-03-29T10:00",
            "2026-3-9T10:00",
            "2026-03-29TT10:00",
            "2026-03-29T10:00<script>",
            "２０２６-03-29T10:00",
        ] {
            assert_eq!(read("UTC", typed), Err(NoMoment::NotATime), "{typed}");
        }
        for name in ["", "Mars/Olympus", "europe/berlin", "CEST", "Europe/Berlin ", "<b>"] {
            assert_eq!(name.parse::<Zone>(), Err(UnknownZone), "{name}");
        }
    }

    #[test]
    fn a_moment_is_shown_with_its_offset_and_its_word() {
        let moment = zone("UTC").read("2026-11-29T12:00:05", None).expect("a moment");
        for (name, clock, offset, abbreviation) in [
            ("Europe/Berlin", "2026-11-29T13:00:05", "UTC+01:00", Some("CET")),
            ("America/New_York", "2026-11-29T07:00:05", "UTC-05:00", Some("EST")),
            ("Asia/Shanghai", "2026-11-29T20:00:05", "UTC+08:00", Some("CST")),
            ("Asia/Kathmandu", "2026-11-29T17:45:05", "UTC+05:45", None),
            ("Australia/Lord_Howe", "2026-11-29T23:00:05", "UTC+11:00", None),
            ("UTC", "2026-11-29T12:00:05", "UTC+00:00", Some("UTC")),
        ] {
            let shown = zone(name).show(moment);
            assert_eq!(shown.at, at(clock), "{name}");
            assert_eq!(
                (shown.offset().as_str(), shown.abbreviation.as_deref()),
                (offset, abbreviation)
            );
        }
    }

    #[test]
    fn what_is_written_is_read_back_to_the_millisecond() {
        let berlin = zone("Europe/Berlin");
        for (utc, text, fold) in [
            ("2026-11-29T12:00:00", "2026-11-29T13:00:00", None),
            ("2026-11-29T12:00:05.123", "2026-11-29T13:00:05.123", None),
            ("2026-10-25T00:30:00", "2026-10-25T02:30:00", Some(Fold::Earlier)),
            ("2026-10-25T01:30:00", "2026-10-25T02:30:00", Some(Fold::Later)),
        ] {
            let moment = zone("UTC").read(utc, None).expect("a moment");
            assert_eq!(berlin.write(moment), (text.to_owned(), fold));
            assert_eq!(berlin.read(text, fold), Ok(moment));
        }
    }

    #[test]
    fn days_later_the_clocks_show_the_same_wherever_they_can() {
        for (name, from, days, to) in [
            ("Europe/Berlin", "2026-03-28T12:00", 0, "2026-03-28T12:00"),
            ("Europe/Berlin", "2026-03-28T12:00", 1, "2026-03-29T12:00"),
            ("Europe/Berlin", "2026-10-24T20:00:07.25", 7, "2026-10-31T20:00:07.25"),
            ("America/New_York", "2026-10-31T20:00", 2, "2026-11-02T20:00"),
            ("Europe/Berlin", "2026-03-28T02:30", 1, "2026-03-29T03:00"),
            ("Australia/Lord_Howe", "2026-10-03T02:10", 1, "2026-10-04T02:30"),
            ("Pacific/Apia", "2011-12-29T12:00", 1, "2011-12-31T00:00"),
            ("Asia/Shanghai", "2026-03-28T02:30", 1, "2026-03-29T02:30"),
        ] {
            let read = |typed| zone(name).read(typed, None).expect("a moment");
            assert_eq!(zone(name).days_later(read(from), days), read(to), "{name} {from}");
        }
        let berlin = zone("Europe/Berlin");
        let before = berlin.read("2026-10-24T02:30", None).expect("a moment");
        let twice = berlin.read("2026-10-25T02:30", Some(Fold::Earlier)).expect("a moment");
        assert_eq!(berlin.days_later(before, 1), twice);
        assert_eq!(berlin.days_later(before, u64::MAX), before);
    }

    #[test]
    fn every_name_on_the_list_is_a_zone() {
        assert!(Zone::names().count() > 400);
        assert!(Zone::names().all(|name| name.parse::<Zone>().is_ok()));
    }
}
