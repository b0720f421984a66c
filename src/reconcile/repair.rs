//! Putting right what two looks have shown.
//!
//! Each repair is one conditional step of the gate's, which acts only if the shopper's entry still is what it
//! was: twice done is once done, and what moved on meanwhile is left alone. Where an order could end just
//! while its entry comes back, the ledger is asked once more *afterwards*: whichever of the two came last
//! sees the other. So no row of the ledger is locked while the gate is asked, and no sale waits for it.

use super::round::Reconciler;
use crate::back_office::BackOfficeError;
use crate::gate::GateError;
use crate::gate::keys::Keys;
use crate::gate::release::{Released, Return};
use crate::gate::underway::{PutBack, SentAgain};
use crate::ledger::{LedgerError, orders};
use crate::sale::activity::Activity;
use crate::sale::ids::UserId;
use crate::sale::order_number::OrderNo;
use crate::sale::reconciliation::{Difference, Finding, Kind, Outcome};

/// The request that a reservation sent again names, for the logs.
const REQUEST: &str = "reconcile";

/// Why something stays as it is for now.
#[derive(Debug, thiserror::Error)]
enum RepairError {
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Office(#[from] BackOfficeError),
}

impl Reconciler {
    /// Puts the differences of one sale right, the sale as a whole first.
    pub(super) async fn repair(
        &self,
        activity: &Activity,
        differences: Vec<Difference>,
    ) -> Vec<Finding> {
        let mut findings = Vec::with_capacity(differences.len());
        let mut of_sale = None;
        for difference in differences {
            let outcome = match difference.kind {
                kind if kind.is_alarm() => Ok(Outcome::Alarm),
                // One filling, one configuration for all of them.
                Kind::Unfilled | Kind::Terms | Kind::Units | Kind::Stock => match of_sale {
                    Some(outcome) => Ok(outcome),
                    None => self.repair_sale(activity).await,
                },
                _ => self.repair_order(activity, &difference).await,
            };
            let outcome = outcome.unwrap_or_else(|error| {
                let (activity, kind) = (activity.id, difference.kind);
                tracing::warn!(%activity, %kind, %error, "a difference is left to the next round");
                Outcome::Left
            });
            if difference.order_no.is_none() && !difference.kind.is_alarm() {
                of_sale = Some(outcome);
            }
            findings.push(Finding { difference, outcome });
        }
        findings
    }

    async fn repair_sale(&self, activity: &Activity) -> Result<Outcome, RepairError> {
        let done = self.keeper.put_right(activity.id).await?;
        Ok(if done { Outcome::Repaired } else { Outcome::Left })
    }

    async fn repair_order(
        &self,
        activity: &Activity,
        difference: &Difference,
    ) -> Result<Outcome, RepairError> {
        let (Some(shopper), Some(order_no)) = (difference.shopper, difference.order_no) else {
            return Ok(Outcome::Left);
        };
        match difference.kind {
            Kind::Waiting => self.send_again(activity, shopper, order_no).await,
            Kind::Absent | Kind::Unbarred => self.put_back(activity, shopper, order_no).await,
            Kind::Unmarked => self.mark(activity, shopper, order_no).await,
            Kind::Held => self.release(activity, shopper, order_no).await,
            Kind::PutAway => self.give_back(activity, shopper, order_no).await,
            _ => Ok(Outcome::Left),
        }
    }

    async fn send_again(
        &self,
        activity: &Activity,
        shopper: UserId,
        order_no: OrderNo,
    ) -> Result<Outcome, RepairError> {
        let keys = Keys::of(activity.id, activity.bucket_of(shopper));
        let every_ms = self.terms.waiting_ms;
        let gate = &self.office.gate;
        Ok(match gate.send_again(&keys, shopper, order_no, REQUEST, every_ms).await? {
            SentAgain::Done => Outcome::Repaired,
            SentAgain::Nothing => Outcome::Gone,
            SentAgain::Lately | SentAgain::NotLoaded => Outcome::Left,
        })
    }

    async fn put_back(
        &self,
        activity: &Activity,
        shopper: UserId,
        order_no: OrderNo,
    ) -> Result<Outcome, RepairError> {
        let Some(order) = orders::holder(&self.office.ledger, order_no).await? else {
            return Ok(Outcome::Gone);
        };
        if !order.state.holds_unit() && !bars(activity, &order) {
            return Ok(Outcome::Gone);
        }
        let (gate, epoch) = (&self.office.gate, activity.gate_epoch);
        let keys = Keys::of(activity.id, activity.bucket_of(shopper));
        match gate.put_back(&keys, epoch, shopper, order.entry()).await? {
            PutBack::Done => {}
            PutBack::Held => return Ok(Outcome::Gone),
            PutBack::NotLoaded => return Ok(Outcome::Left),
        }
        // It may have ended just before its entry was there to be released.
        self.release(activity, shopper, order_no).await?;
        Ok(Outcome::Repaired)
    }

    async fn mark(
        &self,
        activity: &Activity,
        shopper: UserId,
        order_no: OrderNo,
    ) -> Result<Outcome, RepairError> {
        let keys = Keys::of(activity.id, activity.bucket_of(shopper));
        self.office.gate.mark_recorded(&keys, &[(shopper, order_no)]).await?;
        Ok(Outcome::Repaired)
    }

    /// Releases the unit of a reservation that will never be an order. If a copy of its message comes after
    /// all, the ledger decides anew, and an order's entry is put back.
    async fn give_back(
        &self,
        activity: &Activity,
        shopper: UserId,
        order_no: OrderNo,
    ) -> Result<Outcome, RepairError> {
        if !orders::known(&self.office.ledger, vec![order_no]).await?.is_empty() {
            return Ok(Outcome::Gone);
        }
        self.released(activity, shopper, order_no, Return::Free).await
    }

    /// Releases the unit of an order that holds none; one that does keeps it.
    async fn release(
        &self,
        activity: &Activity,
        shopper: UserId,
        order_no: OrderNo,
    ) -> Result<Outcome, RepairError> {
        let known = orders::known(&self.office.ledger, vec![order_no]).await?;
        let bucket = activity.bucket_of(shopper);
        let how = known
            .first()
            .and_then(|known| Return::of(known.state, known.reason.as_deref(), activity, bucket));
        let Some(how) = how else { return Ok(Outcome::Gone) };
        self.released(activity, shopper, order_no, how).await
    }

    async fn released(
        &self,
        activity: &Activity,
        shopper: UserId,
        order_no: OrderNo,
        how: Return,
    ) -> Result<Outcome, RepairError> {
        let keys = Keys::of(activity.id, activity.bucket_of(shopper));
        Ok(match self.office.gate.release(&keys, shopper, order_no, how).await? {
            Released::Done => {
                metrics::counter!("seckill_releases_total", "reason" => "reconciled").increment(1);
                Outcome::Repaired
            }
            Released::Nothing => Outcome::Gone,
            Released::NotLoaded => Outcome::Left,
        })
    }
}

/// Whether a cancelled order keeps its shopper from buying again.
fn bars(activity: &Activity, order: &orders::Holder) -> bool {
    use crate::sale::order::OrderState;
    !activity.rebuy && order.state == OrderState::Cancelled
}
