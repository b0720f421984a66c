//! The balance sheet of each sale. The units are those of the moment; how many orders there are was counted
//! for the settlement or for the last sample of the sale's history. No page counts them: a million orders take
//! longer than anybody waits.

use futures_util::future::try_join_all;

use crate::back_office::{BackOffice, BackOfficeError};
use crate::ledger::{activities, samples, settlements};
use crate::sale::activity::{Activity, Phase, Status};
use crate::sale::ids::{ActivityId, Epoch};
use crate::sale::sample::Sample;
use crate::sale::settlement::Settlement;

/// The books of a sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleSheet {
    /// The sale; its units are the ledger's.
    pub activity: Activity,
    /// Its orders. `None`: a worker has still to count them.
    pub counted: Option<Counted>,
    /// Units left and units held at the gate, when it holds the sale.
    pub gate: Option<(i64, i64)>,
}

/// The orders of a sale when they were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// When, ms since the epoch. `None`: there can be none at this moment.
    pub at_ms: Option<i64>,
    /// Orders to be paid.
    pub pending: i64,
    /// Orders paid.
    pub paid: i64,
    /// Orders cancelled.
    pub cancelled: i64,
    /// Units of the ledger that neither were left then nor belonged to an order; with a minus, that did
    /// both. `None`: not known, since the units were changed after a sample that does not tell them.
    pub difference: Option<i64>,
}

impl Counted {
    const fn nothing(activity: &Activity) -> Self {
        let difference = Some(activity.total_stock - activity.remain_stock);
        Self { at_ms: None, pending: 0, paid: 0, cancelled: 0, difference }
    }

    /// Nothing changes after the settlement, so that the units of this moment have to fit it.
    const fn settled(activity: &Activity, settlement: &Settlement) -> Self {
        let Settlement { paid, cancelled, settled_at_ms, .. } = *settlement;
        let difference = Some(activity.total_stock - activity.remain_stock - paid);
        Self { at_ms: Some(settled_at_ms), pending: 0, paid, cancelled, difference }
    }

    fn sampled(activity: &Activity, sample: &Sample) -> Self {
        let of = |total: i64| total - sample.remain_stock - sample.placed();
        let difference = match sample.total_stock {
            Some(total) => Some(of(total)),
            None => Some(of(activity.total_stock)).filter(|difference| *difference == 0),
        };
        let &Sample { at_ms, pending, paid, cancelled, .. } = sample;
        Self { at_ms: Some(at_ms), pending, paid, cancelled, difference }
    }
}

impl SaleSheet {
    /// Units that an order holds.
    #[must_use]
    pub const fn sold(&self) -> i64 {
        self.activity.total_stock - self.activity.remain_stock
    }

    /// Units that the ledger had too many or too few when its orders were counted. `None`: not known.
    #[must_use]
    pub fn ledger_difference(&self) -> Option<i64> {
        self.counted.and_then(|counted| counted.difference)
    }

    /// Units that the gate has more than the sale. `None`: it does not hold the sale.
    #[must_use]
    pub fn gate_difference(&self) -> Option<i64> {
        self.gate.map(|(stock, holders)| stock + holders - self.activity.total_stock)
    }

    /// Whether the gate is to hold the sale.
    #[must_use]
    pub fn is_at_gate(&self) -> bool {
        let activity = &self.activity;
        activity.status.lives_at_gate() && activity.gate_epoch != Epoch::NEVER_OPENED
    }

    /// Units on their way from the gate to the ledger, or with a minus back from it.
    #[must_use]
    pub fn underway(&self) -> Option<i64> {
        self.gate.map(|(_, holders)| holders - self.sold())
    }
}

impl BackOffice {
    /// The books of the newest sales at `now_ms`; `before` goes on after the last one of a page.
    pub async fn sale_sheets(
        &self,
        now_ms: i64,
        before: Option<ActivityId>,
        limit: i64,
    ) -> Result<Vec<SaleSheet>, BackOfficeError> {
        let sales = activities::list(&self.ledger, before, limit).await?;
        try_join_all(sales.into_iter().map(|activity| self.sheet(now_ms, activity))).await
    }

    async fn sheet(&self, now_ms: i64, activity: Activity) -> Result<SaleSheet, BackOfficeError> {
        let gate =
            if activity.status.lives_at_gate() { self.gate_figures(&activity).await } else { None };
        let counted = self.counted(now_ms, &activity).await?;
        Ok(SaleSheet { activity, counted, gate })
    }

    async fn counted(
        &self,
        now_ms: i64,
        activity: &Activity,
    ) -> Result<Option<Counted>, BackOfficeError> {
        // No order is recorded of a sale that the gate never held.
        if activity.gate_epoch == Epoch::NEVER_OPENED {
            return Ok(Some(Counted::nothing(activity)));
        }
        if activity.status == Status::Settled
            && let Some(settlement) = settlements::get(&self.ledger, activity.id).await?
        {
            return Ok(Some(Counted::settled(activity, &settlement)));
        }
        let sample = samples::last(&self.ledger, activity.id).await?;
        Ok(match sample {
            Some(sample) => Some(Counted::sampled(activity, &sample)),
            // The worker that records the first order of a sale takes samples from its opening on.
            None if activity.phase(now_ms) == Phase::Upcoming => Some(Counted::nothing(activity)),
            None => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sale::activity::tests::sale;

    fn sheet(total: i64, remain: i64) -> Activity {
        Activity { total_stock: total, remain_stock: remain, ..sale() }
    }

    #[test]
    fn a_sample_tells_of_its_own_moment() {
        let sample = Sample { remain_stock: 40, pending: 10, paid: 50, ..Sample::default() };
        let told = Sample { total_stock: Some(100), ..sample.clone() };
        // Units were added since; the books of then were right.
        assert_eq!(Counted::sampled(&sheet(150, 90), &told).difference, Some(0));
        assert_eq!(Counted::sampled(&sheet(100, 40), &sample).difference, Some(0));
        // Whether units were added since or one is missing cannot be told.
        assert_eq!(Counted::sampled(&sheet(150, 90), &sample).difference, None);
        let wrong = Sample { paid: 49, ..told };
        assert_eq!(Counted::sampled(&sheet(150, 90), &wrong).difference, Some(1));
    }
}
