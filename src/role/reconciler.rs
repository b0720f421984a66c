//! The reconciler: compares gate and ledger and puts them right.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::RoleError;
use super::places::{Places, identity, queue};
use crate::catalog::Catalog;
use crate::config::{Config, ms};
use crate::reconcile::quiet::Quiet;
use crate::reconcile::round::{Reconciler, ReconcilerTerms};
use crate::sale::reconciliation::Report;

/// A reconciler that is ready to run.
pub(super) fn reconciler(
    config: &Config,
    places: &Places,
    catalog: &Catalog,
) -> Result<Reconciler, RoleError> {
    let queue = queue(config, "reconcile")?;
    Ok(Reconciler {
        office: places.back_office(config),
        catalog: catalog.clone(),
        keeper: places.keeper(config, catalog, &queue),
        quiet: Quiet::new(queue),
        terms: ReconcilerTerms {
            every: Duration::from_secs(config.reconcile.every_s),
            apart: ms(config.reconcile.apart_ms),
            waiting_ms: config.reconcile.waiting_s.saturating_mul(1000),
            // Each an owner of its own: two of one process must not share the lock.
            owner: format!("{}:{:016x}", identity(), rand::random::<u64>()),
        },
    })
}

/// Compares once, and repairs unless it is a dry run.
///
/// # Errors
/// When a place cannot be asked, another one does not end in time, or it was told to stop.
pub async fn reconcile_once(
    config: &Config,
    dry_run: bool,
    stop: &CancellationToken,
) -> Result<Report, RoleError> {
    let places = Places::open(config).await?;
    let reconciler = reconciler(config, &places, &places.catalog())?;
    Ok(reconciler.once(dry_run, stop).await?)
}
