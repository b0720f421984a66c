//! The products that a new sale may take, for a field to choose from.

use diesel::prelude::*;

use super::error::LedgerError;
use super::pool::Ledger;
use super::schema::products;
use crate::sale::ids::ProductId;
use crate::sale::money::Cents;

/// A product in a list to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductChoice {
    /// Its number.
    pub id: ProductId,
    /// Its name.
    pub name: String,
    /// The usual price.
    pub list_price: Option<Cents>,
}

/// Those that are not archived, by name, at most `limit`; and `also`, whatever became of it.
pub async fn choices(
    ledger: &Ledger,
    also: Option<ProductId>,
    limit: i64,
) -> Result<Vec<ProductChoice>, LedgerError> {
    ledger
        .run(move |conn| {
            let columns = (products::id, products::name, products::list_price_cents);
            let mut rows: Vec<(i64, String, Option<i64>)> = products::table
                .filter(products::archived_at.is_null())
                .order((products::name, products::id))
                .limit(limit)
                .select(columns)
                .load(conn)?;
            if let Some(also) = also.filter(|also| rows.iter().all(|(id, ..)| *id != also.0)) {
                let found = products::table.find(also.0).select(columns).first(conn).optional()?;
                rows.extend(found);
            }
            let choice = |(id, name, list_price): (i64, String, Option<i64>)| ProductChoice {
                id: ProductId(id),
                name,
                list_price: list_price.map(Cents),
            };
            Ok(rows.into_iter().map(choice).collect())
        })
        .await
}
