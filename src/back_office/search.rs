//! What an admin looks for: activities in a list, products for a new one.

use chrono::{DateTime, Utc};

use super::{BackOffice, BackOfficeError};
use crate::ledger::activities::search;
use crate::ledger::product_choices;
use crate::sale::activity::Activity;
use crate::sale::ids::ProductId;

pub use crate::ledger::activities::search::Search;
pub use crate::ledger::product_choices::ProductChoice;

/// More products than this nobody chooses from in a list.
const CHOICES_MAX: i64 = 500;

impl BackOffice {
    /// The newest activities that fit, at most `limit`; `now` decides what is open.
    pub async fn find_activities(
        &self,
        search: Search,
        now: DateTime<Utc>,
        limit: i64,
    ) -> Result<Vec<Activity>, BackOfficeError> {
        Ok(search::find(&self.ledger, search, now, limit).await?)
    }

    /// The products that a sale may take; and `also`, whatever became of it.
    pub async fn product_choices(
        &self,
        also: Option<ProductId>,
    ) -> Result<Vec<ProductChoice>, BackOfficeError> {
        Ok(product_choices::choices(&self.ledger, also, CHOICES_MAX).await?)
    }
}
