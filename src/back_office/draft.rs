//! Planning a sale: a draft that no shopper sees, other terms for one that they do, a copy of an old one.

use chrono::{TimeDelta, Utc};

use super::{BackOffice, BackOfficeError};
use crate::ledger::activities::plan;
use crate::ledger::products::{self, NewProduct};
use crate::ledger::{Conflict, LedgerError};
use crate::sale::activity::{Activity, Status};
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, ProductId};
use crate::sale::money::Cents;
use crate::sale::plan::{Fault, Plan, is_name};

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
    /// by whole days into the future.
    pub async fn clone_of(
        &self,
        id: ActivityId,
        actor: &Actor,
    ) -> Result<ActivityId, BackOfficeError> {
        let activity = self.read(id).await?;
        let plan = moved_ahead(Plan::of(&activity));
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

fn moved_ahead(plan: Plan) -> Plan {
    let late = Utc::now() - plan.starts_at;
    let days = TimeDelta::days(if late < TimeDelta::zero() { 0 } else { late.num_days() + 1 });
    Plan { starts_at: plan.starts_at + days, ends_at: plan.ends_at + days, ..plan }
}
