//! Step 2: the admission. One call of the gate decides; every answer is a value.

use super::desk::{Desk, now_ms};
use crate::gate::admission::{AdmitRequest, Decision, Refusal};
use crate::gate::{GateError, keys::Keys};
use crate::sale::activity::{Activity, Phase};
use crate::sale::admission::Admission;
use crate::sale::error::Class;
use crate::sale::ids::UserId;
use crate::sale::order_number::OrderNo;

/// A purchase as the form sent it, checked for its form alone.
#[derive(Debug, Clone)]
pub struct Purchase<'a> {
    /// Who buys.
    pub shopper: UserId,
    /// In which sale.
    pub activity: &'a Activity,
    /// The ticket's token.
    pub token: &'a str,
    /// The captcha's answer as typed.
    pub answer: &'a str,
    /// Goes along to the recorder's log.
    pub request_id: &'a str,
}

/// How often the gate is asked again when it may or may not have carried a purchase out.
const ASKED_AGAIN: usize = 2;

impl Desk {
    /// Asks the gate for a unit. The number is made before and stays, so an answer that was lost is asked
    /// for again: the holder check comes first in the script, and the second call tells the truth.
    pub async fn admit(&self, purchase: Purchase<'_>) -> Admission {
        let Purchase { shopper, activity, .. } = purchase;
        let order_no = self.numbers.mint(shopper, activity.id, now_ms());
        let admission = self.decide(&purchase, order_no).await;
        self.tally.count(activity, shopper, admission);
        tracing::debug!(activity = %activity.id, %shopper, outcome = admission.label(), "admission");
        admission
    }

    /// Counts a shopper who was told that there is nothing to buy before they could ask for a unit.
    pub fn turned_away(&self, shopper: UserId, activity: &Activity, answer: Admission) {
        self.tally.count(activity, shopper, answer);
    }

    async fn decide(&self, purchase: &Purchase<'_>, order_no: OrderNo) -> Admission {
        let answer = purchase.answer.trim().to_lowercase();
        let keys = Keys::of(purchase.activity.id, purchase.activity.bucket_of(purchase.shopper));
        let request = AdmitRequest {
            shopper: purchase.shopper,
            order_no,
            token: purchase.token,
            answer: &answer,
            request_id: purchase.request_id,
        };
        let mut first_was_lost = false;
        for _ in 0..=ASKED_AGAIN {
            match self.gate.admit(&keys, &request).await {
                Ok(Decision::Admitted) => return Admission::Admitted(order_no),
                Ok(Decision::Refused(refusal)) if first_was_lost && !is_final(refusal) => break,
                Ok(Decision::Refused(refusal)) => {
                    return told(refusal, purchase.activity, now_ms());
                }
                Err(error) if error.class() == Class::Unknown => {
                    lost(purchase, &error);
                    first_was_lost = true;
                }
                Err(error) => {
                    lost(purchase, &error);
                    if !first_was_lost {
                        return Admission::Busy;
                    }
                }
            }
        }
        Admission::Unknown(order_no)
    }
}

/// Whether a refusal also holds for a first call that was not answered: it may still be on its way to the
/// gate on another connection, or have been carried out by a gate that has since been emptied. Without a
/// ticket, and beside an order, it can do nothing any more.
const fn is_final(refusal: Refusal) -> bool {
    matches!(
        refusal,
        Refusal::AlreadyHeld(_)
            | Refusal::Barred
            | Refusal::TicketInvalid
            | Refusal::CaptchaWrong
            | Refusal::Ended
    )
}

fn lost(purchase: &Purchase<'_>, error: &GateError) {
    metrics::counter!("seckill_gate_errors_total", "kind" => error.label()).increment(1);
    tracing::warn!(
        activity = %purchase.activity.id,
        request_id = purchase.request_id,
        %error,
        "the gate gave no decision"
    );
}

/// A refusal in the shopper's words. A gate that does not hold the sale means three different things:
/// it is too early, it is over, or it is being restored.
pub(super) fn told(refusal: Refusal, activity: &Activity, now_ms: i64) -> Admission {
    match refusal {
        Refusal::NotLoaded => match activity.phase(now_ms) {
            Phase::Upcoming => Admission::NotOpen { opens_at_ms: activity.opens_ms() },
            Phase::Ended | Phase::Hidden => Admission::Ended,
            Phase::Open | Phase::Paused => Admission::Restoring,
        },
        Refusal::AlreadyHeld(order_no) => Admission::AlreadyHeld(order_no),
        Refusal::Barred => Admission::Barred,
        Refusal::NotOpen(opens_at_ms) => Admission::NotOpen { opens_at_ms },
        Refusal::Ended => Admission::Ended,
        Refusal::Paused => Admission::Paused,
        Refusal::SoldOut => Admission::SoldOut,
        Refusal::TooFast => Admission::TooFast,
        Refusal::Busy => Admission::Busy,
        Refusal::TicketInvalid => Admission::TicketInvalid,
        Refusal::CaptchaWrong => Admission::CaptchaWrong,
    }
}
