//! The figures of one sale: what gate and ledger say of it, how it was asked for, what came of it.

use super::{BackOffice, BackOfficeError, Balance, OrderCounts};
use crate::ledger::{orders, samples, settlements};
use crate::sale::activity::Activity;
use crate::sale::demand::Demand;
use crate::sale::ids::ActivityId;
use crate::sale::sample::Sample;
use crate::sale::settlement::Settlement;

/// Samples read in one call.
const PAGE: i64 = 2000;

/// A sale at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// The moment, ms since the epoch.
    pub at_ms: i64,
    /// The sale.
    pub activity: Activity,
    /// Gate and ledger side by side.
    pub balance: Balance,
    /// How many units more the gate holds than the ledger: they are on their way to it, or with a minus
    /// back from it. `None`: the gate says nothing.
    pub underway: Option<i64>,
    /// Refused orders by reason, a word of `RejectReason`.
    pub rejections: Vec<(String, i64)>,
    /// How it was asked for, when the gate knows.
    pub demand: Option<Demand>,
    /// What came of it, once it is settled.
    pub settlement: Option<Settlement>,
}

impl Figures {
    /// Orders by state.
    #[must_use]
    pub const fn orders(&self) -> OrderCounts {
        self.balance.orders
    }

    /// How many units the gate has more than the ledger, once those are counted that are on their way from
    /// one to the other. `None`: the gate says nothing.
    #[must_use]
    pub fn unexplained(&self) -> Option<i64> {
        let (stock, underway) = self.balance.gate_stock.zip(self.underway)?;
        Some(stock + underway - self.balance.remain_stock)
    }

    /// As the history keeps it, under this time.
    #[must_use]
    pub fn sample(&self, at_ms: i64) -> Sample {
        let orders = self.orders();
        Sample {
            at_ms,
            gate_stock: self.balance.gate_stock,
            total_stock: Some(self.balance.total_stock),
            remain_stock: self.balance.remain_stock,
            reserved: self.balance.reserved,
            pending: orders.pending_payment,
            paid: orders.paid,
            cancelled: orders.cancelled,
            rejected: orders.rejected,
            participants: self.demand.as_ref().map(|demand| demand.participants),
            outcomes: self.demand.as_ref().map(|demand| demand.outcomes.clone()),
        }
    }
}

impl BackOffice {
    /// The figures of a sale now.
    pub async fn figures(&self, id: ActivityId) -> Result<Figures, BackOfficeError> {
        let (activity, balance, underway) = self.look(id).await?;
        let rejections = match balance.orders.rejected {
            0 => Vec::new(),
            _ => orders::rejections(&self.ledger, id).await?,
        };
        let settlement = settlements::get(&self.ledger, id).await?;
        // Without the gate the rest is as true as ever.
        let demand = self.gate.demand(id).await.ok().flatten();
        let at_ms = chrono::Utc::now().timestamp_millis();
        Ok(Figures { at_ms, activity, balance, underway, rejections, demand, settlement })
    }

    /// Keeps a sample of a sale under this time, unless another worker has.
    pub async fn keep_sample(&self, id: ActivityId, at_ms: i64) -> Result<(), BackOfficeError> {
        let sample = self.figures(id).await?.sample(at_ms);
        samples::insert(&self.ledger, id, sample).await?;
        Ok(())
    }

    /// Settled sales that had orders and have no history, at most `limit`.
    pub async fn without_history(&self, limit: i64) -> Result<Vec<ActivityId>, BackOfficeError> {
        Ok(samples::without(&self.ledger, limit).await?)
    }

    /// The history of a sale after this time, ms since the epoch; the oldest first.
    pub async fn history(
        &self,
        id: ActivityId,
        after_ms: Option<i64>,
    ) -> Result<Vec<Sample>, BackOfficeError> {
        let mut history = Vec::new();
        let mut after_ms = after_ms;
        loop {
            let page = samples::after(&self.ledger, id, after_ms, PAGE).await?;
            let whole = i64::try_from(page.len()).is_ok_and(|count| count == PAGE);
            after_ms = page.last().map(|sample| sample.at_ms);
            history.extend(page);
            if !whole {
                return Ok(history);
            }
        }
    }

    /// What the ledger's orders cannot tell of a sale that is to be settled: from the gate, and from the
    /// history where the gate has lost it in between.
    pub(super) async fn asked(
        &self,
        id: ActivityId,
    ) -> Result<settlements::Asked, BackOfficeError> {
        let told = self.gate.demand(id).await.ok().flatten();
        let history = self.history(id, None).await?;
        let known = history.iter().filter_map(Sample::demand).chain(told);
        let known = known.reduce(|known, more| known.or_more(&more));
        // An estimate may fall below what the orders prove.
        let shoppers = orders::shoppers(&self.ledger, id).await?;
        let seen = known.as_ref().map_or(0, |demand| demand.participants);
        let outcomes = known.map(|demand| demand.outcomes);
        Ok(settlements::Asked { participants: seen.max(shoppers), outcomes })
    }
}
