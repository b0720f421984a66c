//! Activities: reading. What is done under an activity's lock is in [`locked`], writing the terms of a sale
//! in [`plan`], changes of the stock in [`stock`], finding in [`search`].

pub mod locked;
pub mod plan;
pub mod search;
pub mod stock;

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::error::LedgerError;
use super::pool::Ledger;
use super::products;
use super::schema::{activities, products as products_table};
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::{ActivityId, Epoch};
use crate::sale::money::Cents;

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

/// All activities that were ever published, for the catalog. One that was withdrawn as a draft is none.
pub async fn snapshot(ledger: &Ledger) -> Result<Vec<Activity>, LedgerError> {
    ledger
        .run(|conn| {
            let rows: Vec<(Row, products::Row)> = activities::table
                .inner_join(products_table::table)
                .filter(activities::published_at.is_not_null())
                .order(activities::id)
                .select((Row::as_select(), products::Row::as_select()))
                .load(conn)?;
            rows.into_iter().map(Activity::try_from).collect()
        })
        .await
}

/// The activities that the gate holds or is to hold, the newest first, at most `limit`.
pub async fn at_gate(ledger: &Ledger, limit: i64) -> Result<Vec<Activity>, LedgerError> {
    ledger
        .run(move |conn| {
            let live = [Status::Scheduled, Status::Paused, Status::Ended].map(Status::as_str);
            let rows: Vec<(Row, products::Row)> = activities::table
                .inner_join(products_table::table)
                .filter(activities::status.eq_any(live))
                .order(activities::id.desc())
                .limit(limit)
                .select((Row::as_select(), products::Row::as_select()))
                .load(conn)?;
            rows.into_iter().map(Activity::try_from).collect()
        })
        .await
}

/// The titles of these activities.
pub async fn titles(
    ledger: &Ledger,
    ids: Vec<ActivityId>,
) -> Result<BTreeMap<ActivityId, String>, LedgerError> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    ledger
        .run(move |conn| {
            let rows: Vec<(i64, String)> = activities::table
                .filter(activities::id.eq_any(ids.iter().map(|id| id.0)))
                .select((activities::id, activities::title))
                .load(conn)?;
            Ok(rows.into_iter().map(|(id, title)| (ActivityId(id), title)).collect())
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
