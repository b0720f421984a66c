//! Finding activities: by where they stand and by what they are called, a page at a time.

use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::mysql::Mysql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};

use super::{Row, activities, products, products_table};
use crate::ledger::error::LedgerError;
use crate::ledger::pool::Ledger;
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::ActivityId;
use crate::sale::stage::Stage;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Where it stands.
    pub stage: Option<Stage>,
    /// A part of its title or its product's name; how letters are written makes no difference.
    pub text: Option<String>,
    /// Goes on after this one, the last of a page.
    pub before: Option<ActivityId>,
}

/// The newest activities that fit, drafts included, at most `limit`. `now` decides what is open.
pub async fn find(
    ledger: &Ledger,
    search: Search,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Activity>, LedgerError> {
    ledger
        .run(move |conn| {
            let mut query = activities::table
                .inner_join(products_table::table)
                .filter(activities::id.lt(search.before.map_or(i64::MAX, |id| id.0)))
                .order(activities::id.desc())
                .limit(limit)
                .select((Row::as_select(), products::Row::as_select()))
                .into_boxed();
            if let Some(stage) = search.stage {
                query = query.filter(stands_at(stage, now));
            }
            if let Some(text) = search.text {
                query = query.filter(is_called(&text));
            }
            let rows: Vec<(Row, products::Row)> = query.load(conn)?;
            rows.into_iter().map(Activity::try_from).collect()
        })
        .await
}

type Condition = Box<
    dyn BoxableExpression<
            diesel::dsl::InnerJoinQuerySource<activities::table, products_table::table>,
            Mysql,
            SqlType = Bool,
        >,
>;

/// The rules of [`Stage::of`] in the ledger's words.
fn stands_at(stage: Stage, now: DateTime<Utc>) -> Condition {
    let now = now.naive_utc();
    let is = |status: Status| activities::status.eq(status.as_str());
    match stage {
        Stage::Draft => Box::new(is(Status::Draft)),
        Stage::Settled => Box::new(is(Status::Settled)),
        Stage::Cancelled => Box::new(is(Status::Cancelled)),
        Stage::Upcoming => Box::new(is(Status::Scheduled).and(activities::starts_at.gt(now))),
        Stage::Open => Box::new(
            is(Status::Scheduled)
                .and(activities::starts_at.le(now))
                .and(activities::ends_at.gt(now)),
        ),
        Stage::Paused => Box::new(is(Status::Paused).and(activities::ends_at.gt(now))),
        Stage::Ended => {
            let live =
                activities::status.eq_any([Status::Scheduled.as_str(), Status::Paused.as_str()]);
            Box::new(is(Status::Ended).or(live.and(activities::ends_at.le(now))))
        }
    }
}

/// The columns tell apart what differs in one bit; somebody who looks for a name does not.
fn is_called(text: &str) -> Condition {
    let within = |column: &str| {
        sql::<Bool>("LOCATE(CONVERT(")
            .bind::<Text, _>(text.to_owned())
            .sql(&format!(" USING utf8mb4) COLLATE utf8mb4_unicode_520_ci, {column}) > 0"))
    };
    Box::new(within("activities.title").or(within("products.name")))
}
