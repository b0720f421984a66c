//! Admins who steer: while a crowd buys, from several nodes at once, and from a process that stops or
//! dies half-way.

mod half_done;
mod nodes;
mod stopped;
mod storm;
mod withdrawn;

use chrono::Utc;
use seckill::back_office::{BackOffice, BackOfficeError};
use seckill::role;
use seckill::sale::actor::Actor;
use seckill::sale::ids::ActivityId;
use seckill::sale::plan::Plan as Terms;

use crate::harness::App;

fn admin() -> Actor {
    Actor::command()
}

/// The back office of another node.
async fn another_office(app: &App) -> BackOffice {
    role::Places::open(&app.config).await.unwrap().back_office(&app.config)
}

/// Gives a sale other terms, on top of whatever it is now.
async fn edit(
    office: &BackOffice,
    sale: ActivityId,
    change: impl FnOnce(&mut Terms),
) -> Result<(), BackOfficeError> {
    let activity = office.read(sale).await?;
    let mut terms = Terms::of(&activity);
    change(&mut terms);
    office.edit(sale, activity.version, activity.product.id, terms, &admin()).await
}

/// A change that somebody else's may get in the way of; tried again as a person would.
async fn insist<T>(what: impl AsyncFn() -> Result<T, BackOfficeError>) -> T {
    for _ in 0..50 {
        match what().await {
            Ok(done) => return done,
            Err(BackOfficeError::Busy(_) | BackOfficeError::Changed(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    panic!("fifty times in vain");
}

fn now_ms() -> i64 {
    Utc::now().timestamp_millis()
}
