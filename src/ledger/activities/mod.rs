//! Activities: reading, and making drafts. What is done under an activity's lock is in [`locked`], changes
//! of the stock in [`stock`].

pub mod locked;
pub mod stock;

use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::error::LedgerError;
use super::last_insert_id;
use super::pool::Ledger;
use super::products;
use super::schema::{activities, products as products_table};
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::{ActivityId, Epoch, ProductId};
use crate::sale::money::Cents;

/// An activity to be made, as a draft.
#[derive(Debug, Clone)]
pub struct NewActivity {
    /// What is sold.
    pub product_id: ProductId,
    /// The sale's own headline, at most 200 characters.
    pub title: String,
    /// What one unit costs, above zero.
    pub price: Cents,
    /// Units to sell.
    pub total_stock: i64,
    /// The first moment of the window.
    pub starts_at: DateTime<Utc>,
    /// The first moment after it, later than the first.
    pub ends_at: DateTime<Utc>,
    /// Whether a ticket asks for a captcha.
    pub captcha: bool,
    /// Whether a shopper whose order was cancelled may buy again.
    pub rebuy: bool,
    /// Parts of the stock at the gate, at least 1.
    pub bucket_count: u16,
    /// Seconds from the recording of an order to its deadline.
    pub pay_within_s: i64,
    /// Purchase requests that one shopper may make a second.
    pub rate_per_s: i64,
    /// Attempts of all shoppers together a second; None: no bound.
    pub total_rate_per_s: Option<i64>,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = activities)]
struct Row {
    id: i64,
    title: String,
    price_cents: i64,
    total_stock: i64,
    remain_stock: i64,
    status: String,
    starts_at: NaiveDateTime,
    ends_at: NaiveDateTime,
    version: i64,
    gate_epoch: i64,
    captcha: bool,
    rebuy: bool,
    bucket_count: u16,
    pay_within_s: i64,
    rate_per_s: i64,
    total_rate_per_s: Option<i64>,
}

impl TryFrom<(Row, products::Row)> for Activity {
    type Error = LedgerError;
    fn try_from((row, product): (Row, products::Row)) -> Result<Self, LedgerError> {
        Ok(Self {
            id: ActivityId(row.id),
            product: product.into(),
            title: row.title,
            price: Cents(row.price_cents),
            total_stock: row.total_stock,
            remain_stock: row.remain_stock,
            status: status_of(&row.status)?,
            starts_at: row.starts_at.and_utc(),
            ends_at: row.ends_at.and_utc(),
            version: row.version,
            gate_epoch: Epoch(row.gate_epoch),
            captcha: row.captcha,
            rebuy: row.rebuy,
            bucket_count: row.bucket_count,
            pay_within_s: row.pay_within_s,
            rate_per_s: row.rate_per_s,
            total_rate_per_s: row.total_rate_per_s,
        })
    }
}

fn status_of(text: &str) -> Result<Status, LedgerError> {
    text.parse().map_err(|_| LedgerError::Unreadable(format!("activity status {text:?}")))
}

/// Makes a draft. A `Violation` tells that a price, window or limit is none.
pub async fn insert_draft(ledger: &Ledger, new: NewActivity) -> Result<ActivityId, LedgerError> {
    ledger
        .run(move |conn| {
            diesel::insert_into(activities::table)
                .values((
                    activities::product_id.eq(new.product_id.0),
                    activities::title.eq(new.title),
                    activities::price_cents.eq(new.price.0),
                    activities::total_stock.eq(new.total_stock),
                    activities::remain_stock.eq(new.total_stock),
                    activities::status.eq(Status::Draft.as_str()),
                    activities::starts_at.eq(new.starts_at.naive_utc()),
                    activities::ends_at.eq(new.ends_at.naive_utc()),
                    activities::captcha.eq(new.captcha),
                    activities::rebuy.eq(new.rebuy),
                    activities::bucket_count.eq(new.bucket_count),
                    activities::pay_within_s.eq(new.pay_within_s),
                    activities::rate_per_s.eq(new.rate_per_s),
                    activities::total_rate_per_s.eq(new.total_rate_per_s),
                ))
                .execute(conn)?;
            Ok(ActivityId(last_insert_id(conn)?))
        })
        .await
}

/// The activity of this number.
pub async fn get(ledger: &Ledger, id: ActivityId) -> Result<Option<Activity>, LedgerError> {
    ledger.run(move |conn| read(conn, id)).await
}

/// The newest activities, drafts included; `before` goes on after the last one of a page.
pub async fn list(
    ledger: &Ledger,
    before: Option<ActivityId>,
    limit: i64,
) -> Result<Vec<Activity>, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<(Row, products::Row)> = activities::table
                .inner_join(products_table::table)
                .filter(activities::id.lt(before.map_or(i64::MAX, |id| id.0)))
                .order(activities::id.desc())
                .limit(limit)
                .select((Row::as_select(), products::Row::as_select()))
                .load(conn)?;
            rows.into_iter().map(Activity::try_from).collect()
        })
        .await
}

/// All activities that were ever published, for the catalog.
pub async fn snapshot(ledger: &Ledger) -> Result<Vec<Activity>, LedgerError> {
    ledger
        .run(|conn| {
            let rows: Vec<(Row, products::Row)> = activities::table
                .inner_join(products_table::table)
                .filter(activities::status.ne(Status::Draft.as_str()))
                .order(activities::id)
                .select((Row::as_select(), products::Row::as_select()))
                .load(conn)?;
            rows.into_iter().map(Activity::try_from).collect()
        })
        .await
}

pub(super) fn read(
    conn: &mut MysqlConnection,
    id: ActivityId,
) -> Result<Option<Activity>, LedgerError> {
    activities::table
        .inner_join(products_table::table)
        .filter(activities::id.eq(id.0))
        .select((Row::as_select(), products::Row::as_select()))
        .first::<(Row, products::Row)>(conn)
        .optional()?
        .map(Activity::try_from)
        .transpose()
}
