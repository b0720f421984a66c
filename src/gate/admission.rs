//! Tickets and the decision itself.

use std::time::Duration;

use redis::Value;

use super::conn::Gate;
use super::error::GateError;
use super::keys::Keys;
use super::scripts::{ADMIT, HOLDING, TICKET};
use crate::sale::ids::{Epoch, UserId};
use crate::sale::money::Cents;
use crate::sale::order_number::OrderNo;
use crate::sale::reservation::Entry;

/// A purchase as the gate judges it.
#[derive(Debug, Clone)]
pub struct AdmitRequest<'a> {
    /// Who asks.
    pub shopper: UserId,
    /// The number that the order will have.
    pub order_no: OrderNo,
    /// The ticket's token.
    pub token: &'a str,
    /// The captcha's answer, lower case; empty when none was asked.
    pub answer: &'a str,
    /// For the logs along the path.
    pub request_id: &'a str,
}

/// Why there is nothing to buy, or that there is something already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The gate does not hold the sale.
    NotLoaded,
    /// The shopper holds a unit under this number.
    AlreadyHeld(OrderNo),
    /// The shopper may not buy again.
    Barred,
    /// The window begins at this time, ms since the epoch.
    NotOpen(i64),
    /// The window is over.
    Ended,
    /// Stopped by an admin.
    Paused,
    /// All units are held.
    SoldOut,
    /// Too many requests of this shopper.
    TooFast,
    /// The outbox is at its bound.
    Busy,
    /// No such live ticket.
    TicketInvalid,
    /// The ticket is spent on a wrong answer.
    CaptchaWrong,
}

/// The gate's answer to a purchase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The unit is the shopper's under the number they came with.
    Admitted,
    /// It is not.
    Refused(Refusal),
}

/// A new ticket to issue when the shopper has none.
#[derive(Debug, Clone)]
pub struct NewTicket<'a> {
    /// Random, unguessable.
    pub token: &'a str,
    /// The captcha's answer, lower case; empty for none.
    pub answer: &'a str,
    /// What any node needs to draw the picture again.
    pub seed: &'a str,
    /// How long it lives.
    pub life: Duration,
}

/// A shopper's live ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// What the form sends back.
    pub token: String,
    /// The price that the shopper is shown, and that the order will have.
    pub price: Cents,
    /// The captcha's seed; empty when none is asked.
    pub seed: String,
    /// How long it still lives, ms.
    pub expires_in_ms: i64,
}

/// The gate's answer to the wish for a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TicketAnswer {
    /// The live ticket.
    Live(Ticket),
    /// None yet.
    None,
    /// There is nothing to buy.
    Refused(Refusal),
}

/// What the gate knows of a shopper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// The filling that the entries belong to.
    pub epoch: Option<Epoch>,
    /// Whether the gate does not hold the sale whole: it has lost it, is being filled, or was restarted
    /// with data that may be older. Then a missing entry tells nothing.
    pub restoring: bool,
    /// Their entry.
    pub entry: Option<Entry>,
}

impl Holding {
    /// Whether the shopper's entry names this number, whatever its state.
    #[must_use]
    pub fn names(&self, order_no: OrderNo) -> bool {
        self.entry.is_some_and(|entry| entry.order_no == order_no)
    }
}

impl Gate {
    /// Asks for a unit. Asked again with the same number it gives the same answer.
    pub async fn admit(
        &self,
        keys: &Keys,
        request: &AdmitRequest<'_>,
    ) -> Result<Decision, GateError> {
        let reply: Vec<Value> = self
            .run(&ADMIT, |script| {
                script
                    .key(keys.sale())
                    .key(keys.stock())
                    .key(keys.users())
                    .key(keys.rate(request.shopper))
                    .key(keys.ticket(request.shopper))
                    .key(keys.outbox())
                    .key(keys.rate_of_all())
                    .arg(request.shopper.0)
                    .arg(request.order_no.to_string())
                    .arg(request.token)
                    .arg(request.answer)
                    .arg(request.request_id)
            })
            .await?;
        let words = Words(reply);
        match words.first()?.as_str() {
            "admitted" => Ok(Decision::Admitted),
            word => words.refusal(word).map(Decision::Refused),
        }
    }

    /// The shopper's live ticket; issues `new` when there is none.
    pub async fn ticket(
        &self,
        keys: &Keys,
        shopper: UserId,
        new: Option<&NewTicket<'_>>,
    ) -> Result<TicketAnswer, GateError> {
        let reply: Vec<Value> = self
            .run(&TICKET, |script| {
                script
                    .key(keys.sale())
                    .key(keys.stock())
                    .key(keys.users())
                    .key(keys.ticket(shopper))
                    .arg(shopper.0)
                    .arg(new.map_or("", |n| n.token))
                    .arg(new.map_or("", |n| n.answer))
                    .arg(new.map_or("", |n| n.seed))
                    .arg(new.map_or(0, |n| n.life.as_millis()).to_string())
            })
            .await?;
        let words = Words(reply);
        match words.first()?.as_str() {
            "none" => Ok(TicketAnswer::None),
            "ticket" => Ok(TicketAnswer::Live(Ticket {
                token: words.text(1)?,
                price: Cents(words.number(2)?),
                seed: words.text(3)?,
                expires_in_ms: words.number(4)?,
            })),
            word => words.refusal(word).map(TicketAnswer::Refused),
        }
    }

    /// The seed of the picture of the shopper's live ticket, if it has this token.
    pub async fn picture_seed(
        &self,
        keys: &Keys,
        shopper: UserId,
        token: &str,
    ) -> Result<Option<String>, GateError> {
        let (held, seed): (Option<String>, Option<String>) = self
            .command(redis::cmd("HMGET").arg(keys.ticket(shopper)).arg("token").arg("seed"))
            .await?;
        Ok(seed.filter(|seed| held.as_deref() == Some(token) && !seed.is_empty()))
    }

    /// The shopper's entry.
    pub async fn holding(&self, keys: &Keys, shopper: UserId) -> Result<Holding, GateError> {
        type Reply = (Option<i64>, i64, Option<String>);
        let (epoch, restoring, entry): Reply = self
            .run(&HOLDING, |script| script.key(keys.sale()).key(keys.users()).arg(shopper.0))
            .await?;
        let entry = entry.map(|text| text.parse().map_err(GateError::unreadable)).transpose()?;
        Ok(Holding { epoch: epoch.map(Epoch), restoring: restoring != 0, entry })
    }
}

/// A script's reply: a word and what comes with it.
struct Words(Vec<Value>);

impl Words {
    fn value<T: redis::FromRedisValue>(&self, at: usize) -> Result<T, GateError> {
        let value = self.0.get(at).ok_or_else(|| GateError::unreadable(&self.0))?;
        T::from_redis_value(value.clone()).map_err(|_| GateError::unreadable(&self.0))
    }

    fn first(&self) -> Result<String, GateError> {
        self.value(0)
    }

    fn text(&self, at: usize) -> Result<String, GateError> {
        self.value(at)
    }

    fn number(&self, at: usize) -> Result<i64, GateError> {
        self.value(at)
    }

    fn refusal(&self, word: &str) -> Result<Refusal, GateError> {
        Ok(match word {
            "not_loaded" => Refusal::NotLoaded,
            "already_held" => Refusal::AlreadyHeld(
                self.text(1)?.parse().map_err(|_| GateError::unreadable(&self.0))?,
            ),
            "barred" => Refusal::Barred,
            "not_open" => Refusal::NotOpen(self.number(1)?),
            "ended" => Refusal::Ended,
            "paused" => Refusal::Paused,
            "sold_out" => Refusal::SoldOut,
            "too_fast" => Refusal::TooFast,
            "busy" => Refusal::Busy,
            "ticket_invalid" => Refusal::TicketInvalid,
            "captcha_wrong" => Refusal::CaptchaWrong,
            _ => return Err(GateError::unreadable(&self.0)),
        })
    }
}
