//! Planning a sale: a draft that no shopper sees, other terms for one that they do, a copy of an old one.

use chrono::{DateTime, Utc};

use super::{BackOffice, BackOfficeError};
use crate::ledger::activities::plan;
use crate::ledger::products::{self, NewProduct};
use crate::ledger::{Conflict, LedgerError};
use crate::sale::activity::{Activity, Status};
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, ProductId};
use crate::sale::money::Cents;
use crate::sale::plan::{Fault, Plan, is_name};
use crate::sale::zone::Zone;

/// A product by its name, as the commands name it; made when there is none of that name.
#[derive(Debug, Clone)]
pub struct NamedProduct {
    /// Its name.
    pub name: String,
    /// Used when it is made now.
    pub description: String,
    /// Its usual price, used when it is made now.
    pub list_price: Option<Cents>,
}

impl BackOffice {
    /// Makes a draft.
    ///
    /// # Errors
    /// [`BackOfficeError::Faults`] names the rules that the plan breaks.
    pub async fn draft(
        &self,
        product: ProductId,
        plan: Plan,
        actor: &Actor,
    ) -> Result<ActivityId, BackOfficeError> {
        let plan = tidied(plan);
        no_faults(plan.faults())?;
        match plan::insert_draft(&self.ledger, product, plan, actor.clone()).await {
            Err(LedgerError::NotFound) => Err(BackOfficeError::Faults(vec![Fault::Product])),
            made => Ok(made?),
        }
    }

    /// Makes a draft and, when there is none of that name, its product.
    pub async fn draft_of(
        &self,
        product: NamedProduct,
        plan: Plan,
        actor: &Actor,
    ) -> Result<ActivityId, BackOfficeError> {
        no_faults(plan.faults())?;
        if !is_name(&product.name) {
            let message = "product: 1 to 200 characters, no control characters";
            return Err(BackOfficeError::Invalid(message.to_owned()));
        }
        let product = NewProduct {
            name: product.name.trim().to_owned(),
            description: product.description,
            list_price: product.list_price,
        };
        let product = products::find_or_create(&self.ledger, product, actor.clone()).await?;
        self.draft(product, plan, actor).await
    }

    /// Gives an activity other terms: save, then tell the gate, under the lock. `seen` is the version on
    /// which the plan was made.
    ///
    /// # Errors
    /// [`BackOfficeError::Changed`] when somebody else was faster, [`BackOfficeError::Faults`] for a plan
    /// that breaks rules or would change what is fixed by now.
    pub async fn edit(
        &self,
        id: ActivityId,
        seen: i64,
        product: ProductId,
        plan: Plan,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        self.change_held(id, Some(seen), actor, async |held| {
            let activity = &held.activity;
            if matches!(activity.status, Status::Ended | Status::Settled | Status::Cancelled) {
                return Err(BackOfficeError::Over { id, status: activity.status });
            }
            let plan = tidied(plan);
            let mut faults = plan.faults_in_place_of(activity, Utc::now().timestamp_millis());
            if activity.status != Status::Draft && product != activity.product.id {
                faults.insert(0, Fault::ProductFixed);
            }
            no_faults(faults)?;
            let (fence, by) = (held.fence, held.actor.clone());
            match plan::edit(&self.ledger, id, fence, seen, product, plan, by).await {
                Err(LedgerError::NotFound) => {
                    return Err(BackOfficeError::Faults(vec![Fault::Product]));
                }
                Err(LedgerError::Conflict(Conflict::Version(_))) => {
                    return Err(BackOfficeError::Changed(Box::new(self.read(id).await?)));
                }
                edited => edited?,
            }
            self.configure(held).await?;
            // A start that was brought forward may be near now.
            self.fill_if_due(held).await
        })
        .await
    }

    /// Makes a draft with the terms of another activity, whatever became of that one. Its window is moved
    /// by whole days into the future, at the same time of the day by the clocks of `zone`.
    pub async fn clone_of(
        &self,
        id: ActivityId,
        zone: Zone,
        actor: &Actor,
    ) -> Result<ActivityId, BackOfficeError> {
        let activity = self.read(id).await?;
        let plan = moved_ahead(Plan::of(&activity), zone, Utc::now());
        self.draft(activity.product.id, plan, actor).await
    }

    /// An activity as shoppers will see it, drafts included.
    pub async fn preview(&self, id: ActivityId) -> Result<Activity, BackOfficeError> {
        self.read(id).await
    }
}

fn no_faults(faults: Vec<Fault>) -> Result<(), BackOfficeError> {
    if faults.is_empty() { Ok(()) } else { Err(BackOfficeError::Faults(faults)) }
}

fn tidied(mut plan: Plan) -> Plan {
    plan.title = plan.title.trim().to_owned();
    plan
}

fn moved_ahead(plan: Plan, zone: Zone, now: DateTime<Utc>) -> Plan {
    let Ok(days) = u64::try_from((now - plan.starts_at).num_days()) else { return plan };
    if plan.starts_at > now {
        return plan;
    }
    // A day on which clocks are put forward is shorter than the time that has passed may need.
    let later = |days| zone.days_later(plan.starts_at, days);
    let days = if later(days + 1) > now { days + 1 } else { days + 2 };
    let (starts_at, ends_at) = (later(days), zone.days_later(plan.ends_at, days));
    // Both ends may fall on the hour that is left out, or change places with an hour that comes twice.
    let lasts = plan.ends_at - plan.starts_at;
    let ends_at = if ends_at > starts_at { ends_at } else { starts_at + lasts };
    Plan { starts_at, ends_at, ..plan }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sale::zone::Fold;

    fn at(zone: &str, typed: &str, fold: Option<Fold>) -> DateTime<Utc> {
        zone.parse::<Zone>().unwrap().read(typed, fold).unwrap()
    }

    fn plan(starts_at: DateTime<Utc>, ends_at: DateTime<Utc>) -> Plan {
        Plan {
            title: "Kettles at noon".to_owned(),
            price: Cents(1999),
            stock: 1,
            starts_at,
            ends_at,
            captcha: true,
            rebuy: true,
            buckets: 1,
            pay_within_s: 900,
            rate_per_s: 5,
            total_rate_per_s: None,
        }
    }

    #[test]
    fn a_copy_is_at_the_same_time_of_the_day_by_the_admins_clocks() {
        for (zone, window, now, moved) in [
            // Ahead already: as it is.
            (
                "Europe/Berlin",
                ["2026-03-28T20:00", "2026-03-28T22:00"],
                "2026-03-28T19:59",
                ["2026-03-28T20:00", "2026-03-28T22:00"],
            ),
            (
                "Europe/Berlin",
                ["2026-03-28T20:00", "2026-03-28T22:00"],
                "2026-03-28T20:00",
                ["2026-03-29T20:00", "2026-03-29T22:00"],
            ),
            // The day between has 23 hours, and the clock is past eight again.
            (
                "Europe/Berlin",
                ["2026-03-28T20:00", "2026-03-28T22:00"],
                "2026-03-29T20:30",
                ["2026-03-30T20:00", "2026-03-30T22:00"],
            ),
            (
                "America/New_York",
                ["2026-10-31T09:00", "2026-11-01T09:00"],
                "2026-11-07T12:00",
                ["2026-11-08T09:00", "2026-11-09T09:00"],
            ),
            // It begins with the first moment that there is.
            (
                "Europe/Berlin",
                ["2026-03-28T02:30", "2026-03-28T04:00"],
                "2026-03-28T12:00",
                ["2026-03-29T03:00", "2026-03-29T04:00"],
            ),
            // All of it is left out: it lasts as long as it did.
            (
                "Europe/Berlin",
                ["2026-03-28T02:10", "2026-03-28T02:50"],
                "2026-03-28T12:00",
                ["2026-03-29T03:00", "2026-03-29T03:40"],
            ),
            (
                "UTC",
                ["2026-03-28T02:10", "2026-03-28T02:50"],
                "2026-03-28T12:00",
                ["2026-03-29T02:10", "2026-03-29T02:50"],
            ),
        ] {
            let [starts_at, ends_at] = window.map(|typed| at(zone, typed, None));
            let copy =
                moved_ahead(plan(starts_at, ends_at), zone.parse().unwrap(), at(zone, now, None));
            let [starts_at, ends_at] = moved.map(|typed| at(zone, typed, None));
            assert_eq!(copy, plan(starts_at, ends_at), "{zone} {window:?} {now}");
        }
        // Between the two times that clocks show half past two.
        let berlin = |typed, fold| at("Europe/Berlin", typed, fold);
        let starts_at = berlin("2026-10-25T02:50", Some(Fold::Earlier));
        let ends_at = berlin("2026-10-25T02:10", Some(Fold::Later));
        let now = berlin("2026-10-25T12:00", None);
        let copy = moved_ahead(plan(starts_at, ends_at), "Europe/Berlin".parse().unwrap(), now);
        let moved = ["2026-10-26T02:50", "2026-10-26T03:10"].map(|typed| berlin(typed, None));
        assert_eq!([copy.starts_at, copy.ends_at], moved);
    }
}
