//! What comparisons of gate and ledger found.

use chrono::NaiveDateTime;
use diesel::prelude::*;

use super::clock::{now, to_millis};
use super::error::LedgerError;
use super::pool::Ledger;
use super::schema::reconciliations;
use crate::sale::pipeline::Reconciled;

/// The last one that repaired what it could; `None`: there was none yet.
pub async fn last(ledger: &Ledger) -> Result<Option<Reconciled>, LedgerError> {
    ledger
        .run(|conn| {
            let found: Option<(i64, i64, i64, NaiveDateTime)> = reconciliations::table
                .filter(reconciliations::dry_run.eq(false))
                .order(reconciliations::id.desc())
                .select((
                    reconciliations::differences,
                    reconciliations::repaired,
                    reconciliations::alarms,
                    reconciliations::finished_at,
                ))
                .first(conn)
                .optional()?;
            let Some((differences, repaired, alarms, finished_at)) = found else {
                return Ok(None);
            };
            let ago_ms = to_millis(now(conn)?).saturating_sub(to_millis(finished_at));
            Ok(Some(Reconciled { ago_ms, differences, repaired, alarms }))
        })
        .await
}
