//! Messages that nobody could record: looked at, and decided about. A worker carries the decisions out.

use super::{DeadLetter, Decision};
use crate::back_office::{BackOffice, BackOfficeError};
use crate::ledger::dead_letters;
use crate::sale::actor::Actor;
use crate::sale::dead_letter::LetterState;

impl BackOffice {
    /// The newest letters, of one state or of all; `before` goes on after the last one of a page.
    pub async fn dead_letters(
        &self,
        state: Option<LetterState>,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<DeadLetter>, BackOfficeError> {
        Ok(dead_letters::list(&self.ledger, state, before, limit).await?)
    }

    /// A letter with its body as it came.
    pub async fn dead_letter(
        &self,
        id: i64,
    ) -> Result<Option<(DeadLetter, Vec<u8>)>, BackOfficeError> {
        Ok(dead_letters::get(&self.ledger, id).await?)
    }

    /// Decides of a letter that waits. `false`: it waits no more.
    pub async fn decide_letter(
        &self,
        id: i64,
        decision: Decision,
        actor: &Actor,
    ) -> Result<bool, BackOfficeError> {
        Ok(dead_letters::decide(&self.ledger, id, decision, actor.clone()).await?)
    }

    /// Decides that all waiting letters up to this one are sent again; tells how many.
    pub async fn replay_letters(&self, last: i64, actor: &Actor) -> Result<usize, BackOfficeError> {
        Ok(dead_letters::replay_up_to(&self.ledger, last, actor.clone()).await?)
    }
}
