//! What shoppers asked of a sale, and how they were answered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Answers by outcome, a word of [`super::admission::Admission::label`]. They only ever grow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Outcomes(BTreeMap<String, i64>);

/// Everything that was asked of a sale until now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Demand {
    /// Answers by outcome.
    pub outcomes: Outcomes,
    /// Shoppers who asked, each once; an estimate, right to about one in a hundred.
    pub participants: i64,
}

impl Demand {
    /// What two counts of the same say together: what one of them has lost, the other may have.
    #[must_use]
    pub fn or_more(self, other: &Self) -> Self {
        Self {
            outcomes: self.outcomes.or_more(&other.outcomes),
            participants: self.participants.max(other.participants),
        }
    }
}

impl Outcomes {
    /// Counts answers.
    pub fn add(&mut self, outcome: &str, by: i64) {
        match self.0.get_mut(outcome) {
            Some(count) => *count = count.saturating_add(by),
            None => drop(self.0.insert(outcome.to_owned(), by)),
        }
    }

    /// Answers of this outcome.
    #[must_use]
    pub fn of(&self, outcome: &str) -> i64 {
        self.0.get(outcome).copied().unwrap_or_default()
    }

    /// All answers.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.0.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Each outcome and its answers, in order of the words.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        self.0.iter().map(|(outcome, count)| (outcome.as_str(), *count))
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What came since an earlier count. One that has shrunk was lost in between, and counts as nothing.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let grown = self
            .iter()
            .map(|(word, count)| (word.to_owned(), count.saturating_sub(earlier.of(word)).max(0)));
        Self(grown.collect())
    }

    fn or_more(mut self, other: &Self) -> Self {
        for (word, count) in other.iter() {
            let lacking = count.saturating_sub(self.of(word));
            if lacking > 0 {
                self.add(word, lacking);
            }
        }
        self
    }
}

impl<'a> FromIterator<(&'a str, i64)> for Outcomes {
    fn from_iter<I: IntoIterator<Item = (&'a str, i64)>>(counted: I) -> Self {
        let mut outcomes = Self::default();
        for (word, count) in counted {
            outcomes.add(word, count);
        }
        outcomes
    }
}

#[cfg(test)]
mod tests {
    use super::Outcomes;

    fn outcomes(counted: &[(&str, i64)]) -> Outcomes {
        counted.iter().copied().collect()
    }

    #[test]
    fn what_came_since_is_never_less_than_nothing() {
        let now = outcomes(&[("admitted", 5), ("sold_out", 2), ("busy", 1)]);
        let earlier = outcomes(&[("admitted", 3), ("sold_out", 4)]);
        let since = now.since(&earlier);
        assert_eq!((since.of("admitted"), since.of("sold_out"), since.of("busy")), (2, 0, 1));
        assert_eq!(since.total(), 3);
    }

    #[test]
    fn of_two_counts_the_larger_is_believed() {
        let kept = outcomes(&[("admitted", 5), ("sold_out", 2)]);
        let after_a_loss = outcomes(&[("sold_out", 9), ("busy", 1)]);
        let both = outcomes(&[("admitted", 5), ("busy", 1), ("sold_out", 9)]);
        assert_eq!(kept.clone().or_more(&after_a_loss), both);
        assert_eq!(after_a_loss.or_more(&kept), both);
    }
}
