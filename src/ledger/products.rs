//! What is sold.

use chrono::NaiveDateTime;
use diesel::mysql::{Mysql, MysqlConnection};
use diesel::prelude::*;

use super::audit::{self, Change};
use super::clock;
use super::error::{Conflict, LedgerError};
use super::last_insert_id;
use super::pool::Ledger;
use super::schema::products;
use super::transaction::{fitting, transaction};
use crate::sale::activity::Product;
use crate::sale::actor::Actor;
use crate::sale::ids::ProductId;
use crate::sale::money::Cents;
use crate::sale::product::{ProductField, ProductPlan};

/// As much of a text as the audit keeps, characters: its column holds two of them, and the other fields.
const AUDITED: usize = 4000;

diesel::define_sql_function! {
    /// A text in small letters, to find it by.
    fn lower(text: diesel::sql_types::Text) -> diesel::sql_types::Text;
}

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
    actor: Actor,
) -> Result<ProductId, LedgerError> {
    ledger
        .run(move |conn| {
            let NewProduct { name, description, list_price } = product;
            let plan = ProductPlan { name, description, list_price, picture: None };
            let found = |conn: &mut _| {
                let named = products::table.filter(products::name.eq(&plan.name));
                named.select(products::id).first::<i64>(conn).optional()
            };
            if let Some(id) = found(conn)? {
                return Ok(ProductId(id));
            }
            match transaction(conn, |conn| create(conn, &plan, &actor)) {
                // Somebody else made it in between.
                Err(LedgerError::Duplicate(_)) => {
                    found(conn)?.map(ProductId).ok_or(LedgerError::NotFound)
                }
                made => made,
            }
        })
        .await
}

/// Which products are asked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Part of the name, large and small letters alike; empty: any.
    pub text: String,
    /// The archived ones, or those that are not.
    pub archived: bool,
    /// Goes on after the last one of a page.
    pub before: Option<ProductId>,
    /// At most so many.
    pub limit: i64,
}

/// The newest products of a kind.
pub async fn list(ledger: &Ledger, search: Search) -> Result<Vec<Product>, LedgerError> {
    ledger
        .run(move |conn| {
            let before = search.before.map_or(i64::MAX, |id| id.0);
            let mut found = products::table.filter(products::id.lt(before)).into_boxed::<Mysql>();
            found = if search.archived {
                found.filter(products::archived_at.is_not_null())
            } else {
                found.filter(products::archived_at.is_null())
            };
            if !search.text.is_empty() {
                let like = lower(products::name).like(lower(containing(&search.text)));
                found = found.filter(like.escape('!'));
            }
            let rows: Vec<Row> = found
                .order(products::id.desc())
                .limit(search.limit)
                .select(Row::as_select())
                .load(conn)?;
            Ok(rows.into_iter().map(Product::from).collect())
        })
        .await
}

/// A pattern for all that contains this text, whose own `%` and `_` are letters like others.
fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// The product of this number.
pub async fn get(ledger: &Ledger, id: ProductId) -> Result<Option<Product>, LedgerError> {
    ledger.run(move |conn| read(conn, id, false)).await
}

/// Makes a product. `Duplicate`: another one has its name.
pub async fn insert(
    ledger: &Ledger,
    plan: ProductPlan,
    actor: Actor,
) -> Result<ProductId, LedgerError> {
    ledger.run(move |conn| transaction(conn, |conn| create(conn, &plan, &actor))).await
}

/// The row and the audit's.
fn create(
    conn: &mut MysqlConnection,
    plan: &ProductPlan,
    actor: &Actor,
) -> Result<ProductId, LedgerError> {
    diesel::insert_into(products::table).values(columns(plan)).execute(conn)?;
    let id = ProductId(last_insert_id(conn)?);
    let made = changes(&ProductPlan::default(), plan);
    let made: Vec<_> = made.into_iter().map(|c| Change { from: None, ..c }).collect();
    audit::write(conn, actor, "product.create", &subject(id), &made)?;
    Ok(id)
}

/// Gives a product another plan, if its version is still `version`; a plan that changes nothing leaves it
/// as it is. `Duplicate`: another one has its name. `Conflict::Version`: somebody else was faster.
pub async fn edit(
    ledger: &Ledger,
    id: ProductId,
    version: i64,
    plan: ProductPlan,
    actor: Actor,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let before = read(conn, id, true)?.ok_or(LedgerError::NotFound)?;
                if before.version != version {
                    return Err(LedgerError::Conflict(Conflict::Version(before.version)));
                }
                let changed = changes(&ProductPlan::of(&before), &plan);
                if changed.is_empty() {
                    return Ok(());
                }
                diesel::update(products::table.find(id.0))
                    .set((columns(&plan), products::version.eq(products::version + 1)))
                    .execute(conn)?;
                audit::write(conn, &actor, "product.edit", &subject(id), &changed)
            })
        })
        .await
}

/// Takes a product out of what new sales may offer, or back into it. One that is there already stays.
pub async fn set_archived(
    ledger: &Ledger,
    id: ProductId,
    archived: bool,
    actor: Actor,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let before = read(conn, id, true)?.ok_or(LedgerError::NotFound)?;
                if before.archived == archived {
                    return Ok(());
                }
                let at = if archived { Some(clock::now(conn)?) } else { None };
                diesel::update(products::table.find(id.0))
                    .set((
                        products::archived_at.eq(at),
                        products::version.eq(products::version + 1),
                    ))
                    .execute(conn)?;
                let action = if archived { "product.archive" } else { "product.restore" };
                let change = Change::turned("archived", &before.archived, &archived);
                audit::write(conn, &actor, action, &subject(id), &[change])
            })
        })
        .await
}

/// The row, locked against other changes where it is about to be changed.
fn read(
    conn: &mut MysqlConnection,
    id: ProductId,
    locked: bool,
) -> Result<Option<Product>, LedgerError> {
    let this = products::table.find(id.0).select(Row::as_select());
    let row = if locked { this.for_update().first(conn) } else { this.first(conn) };
    Ok(row.optional()?.map(Product::from))
}

fn subject(id: ProductId) -> String {
    format!("product:{id}")
}

fn changes(from: &ProductPlan, to: &ProductPlan) -> Vec<Change> {
    let short = |plan: &ProductPlan, field| fitting(&plan.value(field), AUDITED);
    let turned = |field: ProductField| {
        Change::turned(field.as_str(), &short(from, field), &short(to, field))
    };
    from.differing(to).into_iter().map(turned).collect()
}

type Columns<'a> = (
    diesel::dsl::Eq<products::name, &'a str>,
    diesel::dsl::Eq<products::description, &'a str>,
    diesel::dsl::Eq<products::list_price_cents, Option<i64>>,
    diesel::dsl::Eq<products::picture, Option<&'a str>>,
);

fn columns(plan: &ProductPlan) -> Columns<'_> {
    (
        products::name.eq(plan.name.as_str()),
        products::description.eq(plan.description.as_str()),
        products::list_price_cents.eq(plan.list_price.map(|price| price.0)),
        products::picture.eq(plan.picture.as_deref()),
    )
}
