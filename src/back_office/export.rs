//! All orders of a sale, page by page, for a file.

use super::{BackOffice, BackOfficeError};
use crate::ledger::orders::{self, Span};
use crate::sale::ids::ActivityId;

pub use crate::ledger::orders::Exported;

/// The orders of a sale as they were when somebody began to read them, and how far they have been read.
#[derive(Debug, Clone)]
pub struct Orders {
    office: BackOffice,
    activity: ActivityId,
    left: Option<Span>,
}

impl BackOffice {
    /// Begins to read all orders of a sale.
    pub async fn orders_of(&self, id: ActivityId) -> Result<Orders, BackOfficeError> {
        self.read(id).await?;
        let left = orders::span(&self.ledger, id).await?;
        Ok(Orders { office: self.clone(), activity: id, left })
    }
}

impl Orders {
    /// The next page, in order of recording, which may be empty; `None`: that was all.
    pub async fn next_page(&mut self) -> Result<Option<Vec<Exported>>, BackOfficeError> {
        let Some(span) = self.left else { return Ok(None) };
        let (page, left) = orders::exported(&self.office.ledger, self.activity, span).await?;
        self.left = left;
        Ok(Some(page))
    }
}
