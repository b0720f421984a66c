//! Comparisons of gate and ledger: what they found, and asking for one at once.

use std::collections::BTreeMap;

use super::Round;
use crate::back_office::{BackOffice, BackOfficeError};
use crate::ledger::{activities, reconciliations};
use crate::sale::actor::Actor;
use crate::sale::ids::ActivityId;

impl BackOffice {
    /// The newest comparisons that are over, all or those that found something; `before` goes on after the
    /// last one of a page.
    pub async fn comparisons(
        &self,
        only_found: bool,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<Round>, BackOfficeError> {
        Ok(reconciliations::list(&self.ledger, only_found, before, limit).await?)
    }

    /// The one of this number, and the titles of the sales that it names.
    pub async fn comparison(
        &self,
        id: i64,
    ) -> Result<Option<(Round, BTreeMap<ActivityId, String>)>, BackOfficeError> {
        let Some(round) = reconciliations::get(&self.ledger, id).await? else { return Ok(None) };
        let found = round.report.findings.iter().map(|finding| finding.difference.activity);
        let skipped = round.report.skipped.iter().map(|skipped| skipped.activity);
        let mut named: Vec<_> = found.chain(skipped).collect();
        named.sort_unstable();
        named.dedup();
        let titles = activities::titles(&self.ledger, named).await?;
        Ok(Some((round, titles)))
    }

    /// The one that somebody waits for, if there is one.
    pub async fn awaited_comparison(&self) -> Result<Option<Round>, BackOfficeError> {
        Ok(reconciliations::awaited(&self.ledger).await?)
    }

    /// Asks the reconciler for a comparison at once; tells its number. Audited.
    pub async fn compare_now(&self, actor: &Actor) -> Result<i64, BackOfficeError> {
        Ok(reconciliations::ask(&self.ledger, actor.clone()).await?)
    }
}
