//! What is sold: making, editing and archiving products. Shoppers see a change of a running sale's product
//! with the catalog's next look.

use super::{BackOffice, BackOfficeError};
use crate::ledger::products;
pub use crate::ledger::products::Search;
use crate::ledger::{Conflict, LedgerError};
use crate::sale::activity::Product;
use crate::sale::actor::Actor;
use crate::sale::ids::ProductId;
use crate::sale::product::{ProductFault, ProductPlan};

/// Why something about a product could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ProductError {
    /// There is no such product.
    #[error("there is no product {0}")]
    NotFound(ProductId),
    /// The plan breaks rules.
    #[error("the product breaks rules: {0:?}")]
    Faults(Vec<ProductFault>),
    /// Somebody else changed the product since it was looked at; this is how it is now.
    #[error("product {} was changed by somebody else in between", .0.id)]
    Changed(Box<Product>),
}

impl ProductError {
    /// A short word for metrics.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not_found",
            Self::Faults(_) => "invalid",
            Self::Changed(_) => "changed",
        }
    }
}

impl BackOffice {
    /// Products, the newest first.
    pub async fn products(&self, search: Search) -> Result<Vec<Product>, BackOfficeError> {
        Ok(products::list(&self.ledger, search).await?)
    }

    /// The product of this number.
    pub async fn product(&self, id: ProductId) -> Result<Product, BackOfficeError> {
        let found = products::get(&self.ledger, id).await?;
        found.ok_or_else(|| ProductError::NotFound(id).into())
    }

    /// Makes a product.
    ///
    /// # Errors
    /// [`ProductError::Faults`] names the rules that the plan breaks.
    pub async fn make_product(
        &self,
        plan: ProductPlan,
        actor: &Actor,
    ) -> Result<ProductId, BackOfficeError> {
        let plan = sound(plan)?;
        match products::insert(&self.ledger, plan, actor.clone()).await {
            Err(LedgerError::Duplicate(_)) => Err(name_taken()),
            made => Ok(made?),
        }
    }

    /// Gives a product another plan. `seen` is the version on which the plan was made.
    ///
    /// # Errors
    /// [`ProductError::Changed`] when somebody else was faster, [`ProductError::Faults`] for a plan that
    /// breaks rules.
    pub async fn edit_product(
        &self,
        id: ProductId,
        seen: i64,
        plan: ProductPlan,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        let plan = sound(plan)?;
        match products::edit(&self.ledger, id, seen, plan, actor.clone()).await {
            Err(LedgerError::NotFound) => Err(ProductError::NotFound(id).into()),
            Err(LedgerError::Duplicate(_)) => Err(name_taken()),
            Err(LedgerError::Conflict(Conflict::Version(_))) => {
                Err(ProductError::Changed(Box::new(self.product(id).await?)).into())
            }
            edited => Ok(edited?),
        }
    }

    /// Takes a product out of what new sales may offer, or back into it. Sales that have it go on.
    pub async fn archive_product(
        &self,
        id: ProductId,
        archived: bool,
        actor: &Actor,
    ) -> Result<(), BackOfficeError> {
        match products::set_archived(&self.ledger, id, archived, actor.clone()).await {
            Err(LedgerError::NotFound) => Err(ProductError::NotFound(id).into()),
            done => Ok(done?),
        }
    }
}

fn sound(plan: ProductPlan) -> Result<ProductPlan, BackOfficeError> {
    let plan = plan.tidied();
    let faults = plan.faults();
    if faults.is_empty() { Ok(plan) } else { Err(ProductError::Faults(faults).into()) }
}

fn name_taken() -> BackOfficeError {
    ProductError::Faults(vec![ProductFault::NameTaken]).into()
}
