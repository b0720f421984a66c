//! Writing what an admin planned: a new draft, or other terms for an activity under its lock.

use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::locked::{instant, lock_fenced, subject};
use super::read;
use crate::ledger::audit::{self, Change};
use crate::ledger::error::{Conflict, LedgerError};
use crate::ledger::last_insert_id;
use crate::ledger::pool::Ledger;
use crate::ledger::schema::{activities, products};
use crate::ledger::transaction::transaction;
use crate::sale::activity::{Activity, Status};
use crate::sale::actor::Actor;
use crate::sale::ids::{ActivityId, Fence, ProductId};
use crate::sale::plan::Plan;

/// Makes a draft. `NotFound`: no such product, or an archived one. A `Violation` tells that a price,
/// window or limit is none.
pub async fn insert_draft(
    ledger: &Ledger,
    product: ProductId,
    plan: Plan,
    actor: Actor,
) -> Result<ActivityId, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                check_product(conn, product)?;
                diesel::insert_into(activities::table)
                    .values((
                        activities::product_id.eq(product.0),
                        activities::title.eq(&plan.title),
                        activities::price_cents.eq(plan.price.0),
                        activities::total_stock.eq(plan.stock),
                        activities::remain_stock.eq(plan.stock),
                        activities::status.eq(Status::Draft.as_str()),
                        activities::starts_at.eq(plan.starts_at.naive_utc()),
                        activities::ends_at.eq(plan.ends_at.naive_utc()),
                        activities::captcha.eq(plan.captcha),
                        activities::rebuy.eq(plan.rebuy),
                        activities::bucket_count.eq(plan.buckets),
                        activities::pay_within_s.eq(plan.pay_within_s),
                        activities::rate_per_s.eq(plan.rate_per_s),
                        activities::total_rate_per_s.eq(plan.total_rate_per_s),
                    ))
                    .execute(conn)?;
                let id = ActivityId(last_insert_id(conn)?);
                let made = words(product, &plan).map(|(field, to)| Change::made(field, &to));
                audit::write(conn, &actor, "activity.create", &subject(id), &made)?;
                Ok(id)
            })
        })
        .await
}

/// Gives an activity other terms, if its version is still `version`. A draft takes them all; a published
/// one keeps its product, its stock and its buckets whatever the plan says of them.
pub async fn edit(
    ledger: &Ledger,
    id: ActivityId,
    fence: Fence,
    version: i64,
    product: ProductId,
    plan: Plan,
    actor: Actor,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                lock_fenced(conn, id, fence)?;
                let before = read(conn, id)?.ok_or(LedgerError::NotFound)?;
                if before.version != version {
                    return Err(Conflict::Version(before.version).into());
                }
                if product != before.product.id {
                    check_product(conn, product)?;
                }
                write(conn, &before, product, &plan)?;
                let after = read(conn, id)?.ok_or(LedgerError::NotFound)?;
                let was = words(before.product.id, &Plan::of(&before));
                let is = words(after.product.id, &Plan::of(&after));
                let pairs = was.into_iter().zip(is).map(|((field, was), (_, is))| (field, was, is));
                audit::write(conn, &actor, "activity.edit", &subject(id), &Change::between(pairs))
            })
        })
        .await
}

fn write(
    conn: &mut MysqlConnection,
    before: &Activity,
    product: ProductId,
    plan: &Plan,
) -> Result<(), LedgerError> {
    let this = activities::table.find(before.id.0);
    diesel::update(this)
        .set((
            activities::title.eq(&plan.title),
            activities::price_cents.eq(plan.price.0),
            activities::starts_at.eq(plan.starts_at.naive_utc()),
            activities::ends_at.eq(plan.ends_at.naive_utc()),
            activities::captcha.eq(plan.captcha),
            activities::rebuy.eq(plan.rebuy),
            activities::pay_within_s.eq(plan.pay_within_s),
            activities::rate_per_s.eq(plan.rate_per_s),
            activities::total_rate_per_s.eq(plan.total_rate_per_s),
            activities::version.eq(activities::version + 1),
        ))
        .execute(conn)?;
    if before.status == Status::Draft {
        diesel::update(this)
            .set((
                activities::product_id.eq(product.0),
                activities::total_stock.eq(plan.stock),
                activities::remain_stock.eq(plan.stock),
                activities::bucket_count.eq(plan.buckets),
            ))
            .execute(conn)?;
    }
    Ok(())
}

/// Locked against being archived in between.
fn check_product(conn: &mut MysqlConnection, id: ProductId) -> Result<(), LedgerError> {
    let live = products::table.filter(products::id.eq(id.0).and(products::archived_at.is_null()));
    let found = live.select(products::id).for_update().first::<i64>(conn).optional()?;
    found.map(drop).ok_or(LedgerError::NotFound)
}

/// The terms as the audit writes them.
fn words(product: ProductId, plan: &Plan) -> [(&'static str, String); 12] {
    [
        ("product", product.to_string()),
        ("title", plan.title.clone()),
        ("price_cents", plan.price.0.to_string()),
        ("total_stock", plan.stock.to_string()),
        ("starts_at", instant(plan.starts_at.naive_utc())),
        ("ends_at", instant(plan.ends_at.naive_utc())),
        ("captcha", plan.captcha.to_string()),
        ("rebuy", plan.rebuy.to_string()),
        ("bucket_count", plan.buckets.to_string()),
        ("pay_within_s", plan.pay_within_s.to_string()),
        ("rate_per_s", plan.rate_per_s.to_string()),
        (
            "total_rate_per_s",
            plan.total_rate_per_s.map_or_else(String::new, |rate| rate.to_string()),
        ),
    ]
}
