//! A number that the ledger does not have yet. It names neither its sale nor its shopper, but it tells when it
//! was made, and the gate keeps what is on its way by time: so a live sale is asked about some seconds of its
//! outbox, and of what has left it.

use super::OrderSearch;
use super::orders::{InOutbox, LOOKED_THROUGH};
use crate::back_office::{BackOffice, BackOfficeError};
use crate::gate::keys::Keys;
use crate::ledger::activities;
use crate::sale::activity::Activity;
use crate::sale::ids::{ActivityId, UserId};
use crate::sale::order_number::OrderNo;
use crate::sale::reservation::{EntryState, Reservation};

/// How far the clocks of a web node and of the gate may differ, ms: as a rule, and at worst.
const CLOCKS_MS: [i64; 2] = [2_000, 60_000];
/// Live sales that are asked.
const SALES: i64 = 200;

/// What the gate knows of such a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnItsWay {
    /// Its sale.
    pub activity: Activity,
    /// Whose it is.
    pub shopper: UserId,
    /// When the gate decided, ms since the epoch.
    pub reserved_at_ms: i64,
    /// Whether it is still in the outbox.
    pub outbox: InOutbox,
}

impl BackOffice {
    /// Looks at the gate for a number that the ledger does not have.
    pub async fn on_its_way(
        &self,
        search: &OrderSearch,
    ) -> Result<Option<OnItsWay>, BackOfficeError> {
        let Some(number) = search.number else { return Ok(None) };
        let sales = self.live_sales(search.activity).await?;
        for slack_ms in CLOCKS_MS {
            let made = number.minted_at_ms();
            let around = (made.saturating_sub(slack_ms), made.saturating_add(slack_ms));
            for activity in &sales {
                if let Some(found) = self.reserved_around(activity, number, around).await? {
                    return Ok(Some(found));
                }
            }
        }
        // Where so many came at that time that it was not among them, its shopper leads to it.
        for shopper in search.shoppers.iter().flatten() {
            for activity in &sales {
                if let Some(found) = self.held_by(activity, number, *shopper).await? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    async fn live_sales(&self, one: Option<ActivityId>) -> Result<Vec<Activity>, BackOfficeError> {
        let Some(id) = one else { return Ok(activities::at_gate(&self.ledger, SALES).await?) };
        let sale = activities::get(&self.ledger, id).await?;
        Ok(sale.filter(|activity| activity.status.lives_at_gate()).into_iter().collect())
    }

    async fn reserved_around(
        &self,
        activity: &Activity,
        number: OrderNo,
        around: (i64, i64),
    ) -> Result<Option<OnItsWay>, BackOfficeError> {
        for bucket in activity.buckets() {
            let keys = Keys::of(activity.id, bucket);
            let entries = self.gate.outbox_between(&keys, around, LOOKED_THROUGH).await?;
            let waiting = entries.into_iter().find_map(|entry| {
                entry.reservation.ok().filter(|reservation| reservation.order_no == number)
            });
            let activity = activity.clone();
            if let Some(Reservation { user_id: shopper, reserved_at_ms, .. }) = waiting {
                let outbox = InOutbox::Waiting;
                return Ok(Some(OnItsWay { activity, shopper, reserved_at_ms, outbox }));
            }
            let left = self.gate.underway_between(&keys, around, LOOKED_THROUGH).await?;
            if let Some(found) = left.into_iter().find(|found| found.order_no == number) {
                let (shopper, reserved_at_ms) = (found.shopper, found.reserved_at_ms);
                let outbox = InOutbox::Gone;
                return Ok(Some(OnItsWay { activity, shopper, reserved_at_ms, outbox }));
            }
        }
        Ok(None)
    }

    async fn held_by(
        &self,
        activity: &Activity,
        number: OrderNo,
        shopper: UserId,
    ) -> Result<Option<OnItsWay>, BackOfficeError> {
        let keys = Keys::of(activity.id, activity.bucket_of(shopper));
        let entry = self.gate.holding(&keys, shopper).await?.entry;
        let holds = |entry: &EntryState| *entry != EntryState::Barred;
        let Some(entry) = entry.filter(|e| e.order_no == number && holds(&e.state)) else {
            return Ok(None);
        };
        let reserved_at_ms = entry.reserved_at_ms;
        let outbox = self.in_outbox(&keys, number, reserved_at_ms).await;
        Ok(Some(OnItsWay { activity: activity.clone(), shopper, reserved_at_ms, outbox }))
    }
}
