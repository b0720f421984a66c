//! The history of a sale: its figures at moments that lie closer together the more happens.

use super::demand::{Demand, Outcomes};

/// The figures of a sale at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    /// When, ms since the epoch.
    pub at_ms: i64,
    /// Units left at the gate, when it held the sale.
    pub gate_stock: Option<i64>,
    /// Units that the sale had. `None`: taken by a release that did not keep it.
    pub total_stock: Option<i64>,
    /// Units that no order held.
    pub remain_stock: i64,
    /// Units held at the gate whose order was not recorded yet.
    pub reserved: Option<i64>,
    /// Orders to be paid.
    pub pending: i64,
    /// Orders paid.
    pub paid: i64,
    /// Orders cancelled.
    pub cancelled: i64,
    /// Orders refused by the ledger.
    pub rejected: i64,
    /// Shoppers who had asked to buy, when that was known.
    pub participants: Option<i64>,
    /// Answers until then, by outcome, when they were known.
    pub outcomes: Option<Outcomes>,
}

impl Sample {
    /// Orders that hold a unit.
    #[must_use]
    pub const fn placed(&self) -> i64 {
        self.pending.saturating_add(self.paid)
    }

    /// What was asked until then, when that was known.
    #[must_use]
    pub fn demand(&self) -> Option<Demand> {
        let outcomes = self.outcomes.clone()?;
        Some(Demand { outcomes, participants: self.participants.unwrap_or_default() })
    }

    /// Units left: the gate's figure, which decides, or else the ledger's.
    #[must_use]
    pub fn left(&self) -> i64 {
        self.gate_stock.unwrap_or(self.remain_stock)
    }
}

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// How far apart samples lie, ms, so long after the opening: a crowd comes and goes within seconds, and a
/// sale of weeks still has a history that fits into memory.
#[must_use]
pub const fn step_ms(since_opening_ms: i64) -> i64 {
    if since_opening_ms < 10 * MINUTE {
        SECOND
    } else if since_opening_ms < HOUR {
        10 * SECOND
    } else if since_opening_ms < 24 * HOUR {
        MINUTE
    } else {
        10 * MINUTE
    }
}

/// At most so many of these, the first and the last among them, the rest evenly between.
#[must_use]
pub fn thinned<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    let (count, most) = (all.len(), most.max(2));
    if count <= most {
        return all.to_vec();
    }
    let place = |step: usize| step.saturating_mul(count - 1) / (most - 1);
    (0..most).filter_map(|step| all.get(place(step)).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_minutes_are_looked_at_closely() {
        assert_eq!(step_ms(-1), SECOND);
        assert_eq!(step_ms(0), SECOND);
        assert_eq!(step_ms(599_999), SECOND);
        assert_eq!(step_ms(600_000), 10_000);
        assert_eq!(step_ms(3_600_000), MINUTE);
        assert_eq!(step_ms(86_400_000), 600_000);
        // A month of it can be read at once.
        let mut samples = 0;
        let mut at = 0;
        while at < 30 * 24 * HOUR {
            at += step_ms(at);
            samples += 1;
        }
        assert!(samples < 10_000, "{samples}");
    }

    #[test]
    fn thinning_keeps_the_ends() {
        let all: Vec<usize> = (0..10_000).collect();
        let some = thinned(&all, 600);
        assert_eq!(some.len(), 600);
        assert_eq!((some.first(), some.last()), (Some(&0), Some(&9999)));
        assert!(some.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(thinned(&all[..600], 600).len(), 600);
        assert_eq!(thinned(&all[..601], 600).len(), 600);
        assert!(thinned::<usize>(&[], 600).is_empty());
        assert_eq!(thinned(&[7], 0), [7]);
        assert_eq!(thinned(&all[..3], 0), [0, 2]);
    }
}
