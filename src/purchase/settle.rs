//! Step 4, for one reservation alone: its fate in the ledger, and what the gate hears of it.
//!
//! A batch that does not go through as a whole comes here message by message. An order number has one row,
//! its fate for ever; whatever the ledger refuses is released at the gate before it is acknowledged.

use super::record::Recorder;
use crate::gate::release::{Released, Return};
use crate::gate::{GateError, keys::Keys};
use crate::ledger::orders::{self, Fate, Known};
use crate::ledger::{LedgerError, activities};
use crate::queue::{Incoming, PublishError, Publisher};
use crate::sale::activity::Activity;
use crate::sale::order::OrderState;
use crate::sale::reservation::Reservation;

/// Why a message stays in hand.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unsettled {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error(transparent)]
    Dead(#[from] PublishError),
    #[error("of an epoch that the ledger has not begun")]
    EpochAhead,
    #[error("the gate is being restored")]
    Restoring,
}

impl Recorder {
    /// Settles one message by itself. `Ok` means that it may be acknowledged.
    pub(super) async fn settle_alone(
        &self,
        reservation: &Reservation,
        incoming: &Incoming,
        publisher: &mut Publisher,
    ) -> Result<(), Unsettled> {
        let fate = match orders::settle_one(&self.ledger, reservation.clone(), None).await? {
            Fate::AskGate => {
                let names_it = self.gate_names(reservation).await?;
                orders::settle_one(&self.ledger, reservation.clone(), Some(names_it)).await?
            }
            fate => fate,
        };
        match fate {
            Fate::Placed => {
                self.meter.recorded(1);
                Ok(self.mark(std::iter::once(reservation)).await?)
            }
            Fate::AlreadyKnown(known) => self.follow(reservation, &known).await,
            Fate::Refused(reason) => {
                metrics::counter!("seckill_orders_rejected_total", "reason" => reason.as_str())
                    .increment(1);
                let request_id = &reservation.request_id;
                let order_no = reservation.order_no;
                tracing::warn!(%order_no, request_id, %reason, "refused by the ledger");
                let reason = Some(reason.as_str());
                self.release_ended(reservation, OrderState::Rejected, reason).await
            }
            Fate::Lost => {
                let (order_no, request_id) = (reservation.order_no, &reservation.request_id);
                tracing::warn!(%order_no, request_id, "lost with a former filling");
                self.release(reservation, Return::Free).await
            }
            // (Given the answer, the ledger does not ask for it again.)
            Fate::EpochAhead | Fate::AskGate => Err(Unsettled::EpochAhead),
            Fate::NoSuchActivity => Ok(bury(publisher, incoming, "no such activity").await?),
            Fate::Unrecordable(rule) => Ok(bury(publisher, incoming, &rule).await?),
        }
    }

    /// Whether a newer filling of the gate than the message's names its number. While one is being made it
    /// may yet come to: a rebuild puts back what it finds in the outbox.
    async fn gate_names(&self, reservation: &Reservation) -> Result<bool, Unsettled> {
        let keys = Keys::of(reservation.activity_id, reservation.bucket);
        let held = self.gate.holding(&keys, reservation.user_id).await?;
        let newer = held.epoch.is_some_and(|epoch| epoch > reservation.epoch);
        if newer && (held.names(reservation.order_no) || !held.restoring) {
            return Ok(held.names(reservation.order_no));
        }
        let activity = self.activity(reservation).await?;
        if activity.is_some_and(|activity| activity.status.lives_at_gate()) {
            return Err(Unsettled::Restoring);
        }
        Ok(false)
    }

    /// The number has its row from an earlier delivery: the gate hears of it once more.
    async fn follow(&self, reservation: &Reservation, known: &Known) -> Result<(), Unsettled> {
        if known.state.holds_unit() {
            return Ok(self.mark(std::iter::once(reservation)).await?);
        }
        self.release_ended(reservation, known.state, known.reason.as_deref()).await
    }

    /// Gives the unit of a reservation back that ended so.
    async fn release_ended(
        &self,
        reservation: &Reservation,
        state: OrderState,
        reason: Option<&str>,
    ) -> Result<(), Unsettled> {
        let activity = self.activity(reservation).await?;
        let how = activity.and_then(|of| Return::of(state, reason, &of, reservation.bucket));
        self.release(reservation, how.unwrap_or(Return::Free)).await
    }

    /// A gate that does not hold the sale has nothing to release: it is filled from the ledger, where this
    /// number holds nothing.
    async fn release(&self, reservation: &Reservation, how: Return) -> Result<(), Unsettled> {
        let keys = Keys::of(reservation.activity_id, reservation.bucket);
        let (shopper, order_no) = (reservation.user_id, reservation.order_no);
        if self.gate.release(&keys, shopper, order_no, how).await? == Released::Done {
            metrics::counter!("seckill_releases_total", "reason" => "refused").increment(1);
        }
        Ok(())
    }

    async fn activity(&self, reservation: &Reservation) -> Result<Option<Activity>, LedgerError> {
        activities::get(&self.ledger, reservation.activity_id).await
    }
}

pub(super) async fn bury(
    publisher: &mut Publisher,
    incoming: &Incoming,
    reason: &str,
) -> Result<(), PublishError> {
    tracing::error!(%reason, "a message goes to the dead letters");
    metrics::counter!("seckill_dead_letters_total").increment(1);
    publisher.publish_dead(&incoming.body, &incoming.properties, reason).await
}
