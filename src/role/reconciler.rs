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
            // An owner of its own: a process with all roles runs others too.
            owner: format!("reconcile:{}", identity()),
        },
    })
}

/// Compares once, and repairs unless it is a dry run.
pub(crate) async fn reconcile_once(
    config: &Config,
    dry_run: bool,
    stop: &CancellationToken,
) -> Result<Report, RoleError> {
    let places = Places::open(config).await?;
    let reconciler = reconciler(config, &places, &places.catalog())?;
    Ok(reconciler.once(dry_run, stop).await?)
}
