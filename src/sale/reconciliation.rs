//! What a comparison of gate and ledger finds, and what becomes of it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::ids::{ActivityId, Bucket, UserId};
use super::order_number::OrderNo;

/// In what gate and ledger differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The gate does not hold a sale that it should, or not whole. It is filled from the ledger.
    Unfilled,
    /// The gate has an older configuration than the ledger. It gets the present one.
    Terms,
    /// The gate was given more or fewer units than the sale has. They are levelled.
    Units,
    /// The stock is not what the rule says, units − holders: something beside the gate's scripts changed it.
    /// It is counted anew.
    Stock,
    /// A unit is held for long, and neither outbox nor queue has its message any more. It is sent again.
    Waiting,
    /// A unit is held for long, and its message lies with the dead letters. An operator decides.
    Buried,
    /// A unit is held for long, and an operator has put its message away. It is given back.
    PutAway,
    /// An order holds a unit, and the gate knows nothing of it. It gets its entry back.
    Absent,
    /// A cancelled order bars its shopper, and the gate knows nothing of it. It gets its entry back.
    Unbarred,
    /// The order is recorded, and the gate does not know it. It is marked.
    Unmarked,
    /// The order holds no unit, and the gate still does. It is released.
    Held,
    /// An entry at the gate that cannot be read. A person has to look.
    Unreadable,
    /// The ledger's units do not add up: total ≠ left + orders that hold one. A person has to look.
    Books,
}

/// A word that names no kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a kind of difference")]
pub struct UnknownKind;

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Unfilled,
        Self::Terms,
        Self::Units,
        Self::Stock,
        Self::Waiting,
        Self::Buried,
        Self::PutAway,
        Self::Absent,
        Self::Unbarred,
        Self::Unmarked,
        Self::Held,
        Self::Unreadable,
        Self::Books,
    ];

    /// The word of reports and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unfilled => "unfilled",
            Self::Terms => "terms",
            Self::Units => "units",
            Self::Stock => "stock",
            Self::Waiting => "waiting",
            Self::Buried => "buried",
            Self::PutAway => "put_away",
            Self::Absent => "absent",
            Self::Unbarred => "unbarred",
            Self::Unmarked => "unmarked",
            Self::Held => "held",
            Self::Unreadable => "unreadable",
            Self::Books => "books",
        }
    }

    /// Whether only a person can put it right: no guess of ours is better than none.
    #[must_use]
    pub const fn is_alarm(self) -> bool {
        matches!(self, Self::Buried | Self::Unreadable | Self::Books)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;
    fn from_str(word: &str) -> Result<Self, UnknownKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or(UnknownKind)
    }
}

/// One difference. Two looks that find the same one give equal values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Difference {
    /// Of which sale.
    pub activity: ActivityId,
    /// In what.
    pub kind: Kind,
    /// In which part of the stock, where it is of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<Bucket>,
    /// Of which shopper, where it is of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shopper: Option<UserId>,
    /// Of which order, where it is of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_no: Option<OrderNo>,
    /// By how many units: those that the gate, or the ledger, has too many; with a minus, too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<i64>,
}

impl Difference {
    /// One of a whole sale.
    #[must_use]
    pub const fn of(activity: ActivityId, kind: Kind) -> Self {
        Self { activity, kind, bucket: None, shopper: None, order_no: None, units: None }
    }
}

/// What became of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Only looked at.
    Found,
    /// It is put right.
    Repaired,
    /// It was gone when it was to be put right.
    Gone,
    /// It could not be put right now; the next round tries again.
    Left,
    /// Only a person can put it right.
    Alarm,
}

impl Outcome {
    /// The word of reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Repaired => "repaired",
            Self::Gone => "gone",
            Self::Left => "left",
            Self::Alarm => "alarm",
        }
    }
}

/// A difference that two looks showed, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What differs.
    #[serde(flatten)]
    pub difference: Difference,
    /// What became of it.
    pub outcome: Outcome,
}

/// Findings that a report names one by one; more are only counted.
pub const NAMED_MAX: usize = 500;

/// What one round of comparisons came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Whether nothing was to be repaired.
    pub dry_run: bool,
    /// Sales that were compared.
    pub compared: Vec<ActivityId>,
    /// Sales that could not be, and why.
    pub skipped: Vec<Skipped>,
    /// How many differences there were.
    pub differences: i64,
    /// How many of them were put right.
    pub repaired: i64,
    /// How many of them only a person can put right.
    pub alarms: i64,
    /// The differences, the alarms first, at most [`NAMED_MAX`].
    pub findings: Vec<Finding>,
}

/// A sale that could not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Which.
    pub activity: ActivityId,
    /// Why, in the words of a log.
    pub why: String,
}

impl Report {
    /// Takes a sale up that was compared, or could not be.
    pub fn take(&mut self, activity: ActivityId, why_not: Option<String>) {
        match why_not {
            None => self.compared.push(activity),
            Some(why) => self.skipped.push(Skipped { activity, why }),
        }
    }

    /// Takes findings up.
    pub fn add(&mut self, findings: Vec<Finding>) {
        let count = |outcome| findings.iter().filter(|f| f.outcome == outcome).count();
        let whole = |count| i64::try_from(count).unwrap_or(i64::MAX);
        self.differences = self.differences.saturating_add(whole(findings.len()));
        self.repaired = self.repaired.saturating_add(whole(count(Outcome::Repaired)));
        let alarms = findings.iter().filter(|f| f.difference.kind.is_alarm()).count();
        self.alarms = self.alarms.saturating_add(whole(alarms));
        self.findings.extend(findings);
        // An alarm must not be crowded out by what repairs itself.
        self.findings.sort_by_key(|f| !f.difference.kind.is_alarm());
        self.findings.truncate(NAMED_MAX);
    }

    /// Differences of which the report gives only the number.
    #[must_use]
    pub fn unnamed(&self) -> i64 {
        self.differences - i64::try_from(self.findings.len()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: Kind, outcome: Outcome) -> Finding {
        Finding { difference: Difference::of(ActivityId(42), kind), outcome }
    }

    #[test]
    fn every_word_leads_back_to_its_kind_and_is_the_one_of_the_report() {
        for kind in Kind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
    }

    #[test]
    fn alarms_are_named_though_others_are_too_many() {
        let mut report = Report::default();
        report.add(vec![finding(Kind::Held, Outcome::Repaired); NAMED_MAX + 10]);
        report.add(vec![finding(Kind::Books, Outcome::Alarm)]);
        assert_eq!(report.differences, 511);
        assert_eq!((report.repaired, report.alarms), (510, 1));
        assert_eq!(report.findings.first().unwrap().difference.kind, Kind::Books);
        assert_eq!((report.findings.len(), report.unnamed()), (NAMED_MAX, 11));
    }

    #[test]
    fn a_report_survives_being_kept() {
        let mut report = Report { compared: vec![ActivityId(1)], ..Report::default() };
        report.skipped.push(Skipped { activity: ActivityId(2), why: "the gate is away".into() });
        report.add(vec![finding(Kind::Units, Outcome::Left)]);
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }
}
