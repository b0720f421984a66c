//! Who changed what: the audit, for its page.

use super::{BackOffice, BackOfficeError};
use crate::ledger::audit;

pub use crate::ledger::audit::{Change, Filter as AuditFilter, Row as AuditRow};

impl BackOffice {
    /// The newest rows that pass the filter; `before` goes on after the last one of a page.
    pub async fn audit(
        &self,
        filter: AuditFilter,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<AuditRow>, BackOfficeError> {
        Ok(audit::list(&self.ledger, filter, before, limit).await?)
    }
}
