//! What is sold.

use chrono::NaiveDateTime;
use diesel::prelude::*;

use super::error::LedgerError;
use super::last_insert_id;
use super::pool::Ledger;
use super::schema::products;
use crate::sale::activity::Product;
use crate::sale::ids::ProductId;
use crate::sale::money::Cents;

/// A product to be made.
#[derive(Debug, Clone)]
pub struct NewProduct {
    /// At most 200 characters; products are told apart by it.
    pub name: String,
    /// Plain text.
    pub description: String,
    /// The usual price, shown struck through beside the sale's.
    pub list_price: Option<Cents>,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = products)]
pub(super) struct Row {
    id: i64,
    name: String,
    description: String,
    list_price_cents: Option<i64>,
    picture: Option<String>,
    archived_at: Option<NaiveDateTime>,
    version: i64,
}

impl From<Row> for Product {
    fn from(row: Row) -> Self {
        Self {
            id: ProductId(row.id),
            name: row.name,
            description: row.description,
            list_price: row.list_price_cents.map(Cents),
            picture: row.picture,
            archived: row.archived_at.is_some(),
            version: row.version,
        }
    }
}

/// The product of this name; made when there is none. One that exists keeps what it has.
pub async fn find_or_create(
    ledger: &Ledger,
    product: NewProduct,
) -> Result<ProductId, LedgerError> {
    ledger
        .run(move |conn| {
            let found = |conn: &mut _| {
                let named = products::table.filter(products::name.eq(&product.name));
                named.select(products::id).first::<i64>(conn).optional()
            };
            if let Some(id) = found(conn)? {
                return Ok(ProductId(id));
            }
            let made = diesel::insert_into(products::table)
                .values((
                    products::name.eq(&product.name),
                    products::description.eq(&product.description),
                    products::list_price_cents.eq(product.list_price.map(|price| price.0)),
                ))
                .execute(conn);
            match made.map_err(Into::into) {
                Ok(_) => Ok(ProductId(last_insert_id(conn)?)),
                // Somebody else made it in between.
                Err(LedgerError::Duplicate(_)) => {
                    found(conn)?.map(ProductId).ok_or(LedgerError::NotFound)
                }
                Err(error) => Err(error),
            }
        })
        .await
}
