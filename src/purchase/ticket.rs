//! Step 1: the ticket, without which no purchase reaches the stock. It is random, lives for a minute, is
//! bound to one shopper and activity, and holds the captcha's answer and the price that is shown.

use rand::distr::{Alphanumeric, SampleString};

use super::admit::told;
use super::desk::{Desk, now_ms};
use crate::gate::admission::{NewTicket, TicketAnswer};
use crate::gate::{GateError, keys::Keys};
use crate::sale::activity::Activity;
use crate::sale::admission::Admission;
use crate::sale::error::Class;
use crate::sale::ids::UserId;

pub use crate::gate::admission::Ticket;

/// The longest token that is looked at.
pub const TOKEN_LENGTH: usize = 32;

/// The answer to the wish for a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TicketOffer {
    /// The shopper's live ticket.
    Ticket(Ticket),
    /// There is none yet, but there is something to buy: issue one.
    None,
    /// There is nothing to buy.
    Nothing(Admission),
}

impl Desk {
    /// The shopper's live ticket; asked again, the same one: two tabs share it.
    pub async fn live_ticket(&self, shopper: UserId, activity: &Activity) -> TicketOffer {
        self.offer(shopper, activity, None).await
    }

    /// Issues a ticket, unless another tab was quicker. `answer` and `seed` are the picture's; both empty
    /// when the activity asks for no captcha.
    pub async fn issue_ticket(
        &self,
        shopper: UserId,
        activity: &Activity,
        answer: &str,
        seed: &str,
    ) -> TicketOffer {
        let token = Alphanumeric.sample_string(&mut rand::rng(), TOKEN_LENGTH);
        let new = NewTicket { token: &token, answer, seed, life: self.ticket_life };
        self.offer(shopper, activity, Some(&new)).await
    }

    /// The seed of the picture of the shopper's own live ticket with this token.
    pub async fn picture_seed(
        &self,
        shopper: UserId,
        activity: &Activity,
        token: &str,
    ) -> Result<Option<String>, GateError> {
        let keys = Keys::of(activity.id, activity.bucket_of(shopper));
        self.gate.picture_seed(&keys, shopper, token).await
    }

    async fn offer(
        &self,
        shopper: UserId,
        activity: &Activity,
        new: Option<&NewTicket<'_>>,
    ) -> TicketOffer {
        let keys = Keys::of(activity.id, activity.bucket_of(shopper));
        let mut answer = self.gate.ticket(&keys, shopper, new).await;
        if answer.as_ref().is_err_and(|error| error.class() == Class::Unknown) {
            // Asked again it is the same ticket, whether the first call was carried out or not.
            answer = self.gate.ticket(&keys, shopper, new).await;
        }
        match answer {
            Ok(TicketAnswer::Live(ticket)) => TicketOffer::Ticket(ticket),
            Ok(TicketAnswer::None) => TicketOffer::None,
            Ok(TicketAnswer::Refused(refusal)) => {
                TicketOffer::Nothing(told(refusal, activity, now_ms()))
            }
            Err(error) => {
                tracing::warn!(activity = %activity.id, %error, "no ticket");
                TicketOffer::Nothing(Admission::Busy)
            }
        }
    }
}
