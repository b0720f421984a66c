//! Orders page by page, for a file: all of a sale, or those that somebody looked for.

use super::{BackOffice, BackOfficeError};
use crate::ledger::orders::search::{self, Search};
use crate::ledger::orders::{self, Span};
use crate::sale::ids::ActivityId;

pub use crate::ledger::orders::Exported;

/// Orders of a search read at once. They are fetched by their numbers, and of a list of a thousand the server
/// would make a table first.
const PAGE: i64 = 500;

/// Orders that are being read, and how far they have been.
#[derive(Debug, Clone)]
pub struct Orders {
    office: BackOffice,
    left: Left,
}

/// What is still to be read.
#[derive(Debug, Clone)]
enum Left {
    /// Of a sale, as it was when somebody began to read, in order of recording.
    OfSale(ActivityId, Span),
    /// Of a search, before this row, the newest first.
    Found(Box<Search>, Option<i64>),
    Nothing,
}

impl BackOffice {
    /// Begins to read all orders of a sale.
    pub async fn orders_of(&self, id: ActivityId) -> Result<Orders, BackOfficeError> {
        self.read(id).await?;
        let span = orders::span(&self.ledger, id).await?;
        let left = span.map_or(Left::Nothing, |span| Left::OfSale(id, span));
        Ok(Orders { office: self.clone(), left })
    }

    /// Begins to read the orders that are looked for.
    #[must_use]
    pub fn orders_found(&self, search: Search) -> Orders {
        Orders { office: self.clone(), left: Left::Found(Box::new(search), None) }
    }
}

impl Orders {
    /// The next page, which may be empty; `None`: that was all.
    pub async fn next_page(&mut self) -> Result<Option<Vec<Exported>>, BackOfficeError> {
        let ledger = &self.office.ledger;
        match &self.left {
            Left::Nothing => Ok(None),
            Left::OfSale(activity, span) => {
                let (page, left) = orders::exported(ledger, *activity, *span).await?;
                self.left = left.map_or(Left::Nothing, |span| Left::OfSale(*activity, span));
                Ok(Some(page))
            }
            Left::Found(wanted, before) => {
                let page = search::find(ledger, (**wanted).clone(), *before, PAGE).await?;
                let whole = i64::try_from(page.len()).is_ok_and(|count| count == PAGE);
                self.left = match page.last().filter(|_| whole) {
                    Some(last) => Left::Found(wanted.clone(), Some(last.id)),
                    None => Left::Nothing,
                };
                Ok(Some(page))
            }
        }
    }
}
