//! The balance of one activity: what the gate and the ledger say, side by side.

use serde::Serialize;

use super::{BackOffice, BackOfficeError};
use crate::gate::{filling::Condition, keys::Keys};
use crate::ledger::{activities, orders};
use crate::sale::activity::{Activity, Phase};
use crate::sale::ids::{ActivityId, Epoch};

/// Figures of one activity. The gate's are missing when it does not hold the sale or cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Balance {
    /// Which activity.
    pub id: ActivityId,
    /// The ledger's state, or `open` while a scheduled sale is in its window.
    pub state: &'static str,
    /// Units given to the sale.
    pub total_stock: i64,
    /// Units that no order holds.
    pub remain_stock: i64,
    /// Units left at the gate.
    pub gate_stock: Option<i64>,
    /// Units held at the gate whose order the ledger does not have yet.
    pub reserved: Option<i64>,
    /// Orders by state.
    pub orders: OrderCounts,
}

/// Orders of one activity by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OrderCounts {
    /// To be paid.
    pub pending_payment: i64,
    /// Paid.
    pub paid: i64,
    /// Cancelled, by whomever.
    pub cancelled: i64,
    /// Refused by the ledger.
    pub rejected: i64,
    /// Lost with a former filling of the gate.
    pub lost: i64,
}

impl BackOffice {
    /// The balance of an activity.
    pub async fn balance(&self, id: ActivityId) -> Result<Balance, BackOfficeError> {
        Ok(self.look(id).await?.1)
    }

    /// The activity, its balance, and how many units more the gate holds than the ledger: those on their
    /// way to it, or with a minus back from it.
    pub(super) async fn look(
        &self,
        id: ActivityId,
    ) -> Result<(Activity, Balance, Option<i64>), BackOfficeError> {
        let balance = orders::balance(&self.ledger, id).await?;
        let (activity, counts) = balance.ok_or(BackOfficeError::NotFound(id))?;
        let gate = self.gate_figures(&activity).await;
        let underway = gate.map(|(_, holders)| holders - counts.holding());
        let balance = Balance {
            id,
            state: state_word(&activity),
            total_stock: activity.total_stock,
            remain_stock: activity.remain_stock,
            gate_stock: gate.map(|(stock, _)| stock),
            reserved: underway.map(|units| units.max(0)),
            orders: OrderCounts {
                pending_payment: counts.pending_payment,
                paid: counts.paid,
                cancelled: counts.cancelled,
                rejected: counts.rejected,
                lost: counts.lost,
            },
        };
        Ok((activity, balance, underway))
    }

    /// The newest activities; `before` goes on after the last one of a page.
    pub async fn activities(
        &self,
        before: Option<ActivityId>,
        limit: i64,
    ) -> Result<Vec<Activity>, BackOfficeError> {
        Ok(activities::list(&self.ledger, before, limit).await?)
    }

    /// Stock and holders at the gate, over all buckets.
    pub(super) async fn gate_figures(&self, activity: &Activity) -> Option<(i64, i64)> {
        if activity.gate_epoch == Epoch::NEVER_OPENED {
            return None;
        }
        let mut figures = (0, 0);
        for bucket in activity.buckets() {
            let seen = self.gate.inspect(&Keys::of(activity.id, bucket)).await.ok()?;
            if seen.condition != Condition::Loaded || seen.epoch != activity.gate_epoch {
                return None;
            }
            figures.0 += seen.stock;
            figures.1 += seen.holders;
        }
        Some(figures)
    }
}

/// The state in one word, with the clock's part in it.
#[must_use]
pub fn state_word(activity: &Activity) -> &'static str {
    match activity.phase(chrono::Utc::now().timestamp_millis()) {
        Phase::Open => "open",
        Phase::Ended if activity.status.lives_at_gate() => "ended",
        _ => activity.status.as_str(),
    }
}
