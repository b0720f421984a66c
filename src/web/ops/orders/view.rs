//! Orders in an operator's words.

use askama::Template;

use super::search::Search;
use crate::back_office::Exported;
use crate::back_office::ops::{AtGate, Event, InOutbox, OnItsWay, OrderPath};
use crate::sale::order::OrderState;
use crate::sale::payment::Payment;
use crate::sale::reservation::EntryState;
use crate::web::faults::Faults;
use crate::web::ops::words::{self, REASONS};
use crate::web::page::Frame;
use crate::web::price::Price;
use crate::web::text::{Message, key};

/// The list: `GET /ops/orders`.
#[derive(Debug, Template)]
#[template(path = "ops/orders.html")]
pub struct OrdersPage {
    /// What every page has.
    pub f: Frame,
    /// What was looked for.
    pub search: Search,
    /// What of it could not be understood.
    pub faults: Faults,
    /// The orders of this page.
    pub rows: Vec<Row>,
    /// What the gate knows of a number that the ledger does not have.
    pub on_its_way: Option<OnItsWay>,
    /// An order of that number, which does not fit what else was looked for.
    pub other: Option<String>,
    /// The address of the next page.
    pub older: Option<String>,
}

/// A word to choose, what it means, and whether it is chosen.
type Choice = (&'static str, Message, bool);

impl OrdersPage {
    fn states(&self) -> Vec<Choice> {
        let choice = |state: OrderState| {
            (state.as_str(), words::state(state), state.as_str() == self.search.state)
        };
        OrderState::ALL.into_iter().map(choice).collect()
    }

    /// Whether what is seldom searched for is part of this search.
    fn has_more_filters(&self) -> bool {
        let Search { reason, from, to, .. } = &self.search;
        [reason, from, to].into_iter().any(|typed| !typed.is_empty())
    }

    fn reasons(&self) -> Vec<Choice> {
        let choice = |word| Some((word, words::reason(word)?, word == self.search.reason));
        REASONS.into_iter().filter_map(choice).collect()
    }
}

/// An order in the list.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its number.
    pub order_no: String,
    /// Whose it is.
    pub shopper: i64,
    /// Their name.
    pub shopper_name: String,
    /// Of which sale.
    pub activity: i64,
    /// What was bought.
    pub product: String,
    /// What it costs.
    pub price: Price,
    /// Its state in a word that the style sheet knows.
    pub state_name: &'static str,
    /// Its state.
    pub state: Message,
    /// Why it ended so.
    pub reason: Option<Message>,
    /// When it was recorded, ms since the epoch.
    pub created_at_ms: i64,
}

impl From<Exported> for Row {
    fn from(order: Exported) -> Self {
        Self {
            order_no: order.order_no.to_string(),
            shopper: order.shopper.0,
            shopper_name: order.shopper_name,
            activity: order.activity_id.0,
            product: order.product,
            price: Price::new(order.price.0, &order.currency),
            state_name: order.state.as_str(),
            state: words::state(order.state),
            reason: order.reason.as_deref().and_then(words::reason),
            created_at_ms: order.created_at_ms,
        }
    }
}

/// One order: `GET /ops/orders/{order}`, and the answer to a cancellation that came to nothing.
#[derive(Debug, Template)]
#[template(path = "ops/order.html")]
pub struct OrderPage {
    /// What every page has.
    pub f: Frame,
    /// The order and its way.
    pub way: Way,
    /// What was just done.
    pub done: Option<Done>,
    /// What is wrong with the form.
    pub faults: Faults,
    /// The reason as typed.
    pub reason: String,
}

/// What was just done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// The order is cancelled.
    Cancelled,
    /// Something else came first.
    Overtaken,
}

impl Done {
    /// What an address says was done.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        (word == "cancel").then_some(Self::Cancelled)
    }

    fn text(self) -> Message {
        match self {
            Self::Cancelled => key("ops-order-cancelled"),
            Self::Overtaken => key("ops-order-overtaken"),
        }
    }
}

/// How a station of the way looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The order is past it, or has nothing to do there.
    Past,
    /// It is there now, and something is still to come.
    Here,
    /// It has come to its end there.
    Done,
    /// It has not come there yet.
    Ahead,
    /// Something is not as it should be, or not known.
    Odd,
}

impl Mark {
    fn is_here(self) -> bool {
        matches!(self, Self::Here | Self::Done)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Past => "past",
            Self::Here => "here",
            Self::Done => "done",
            Self::Ahead => "ahead",
            Self::Odd => "odd",
        }
    }
}

/// A station of an order's way.
#[derive(Debug, Clone)]
pub struct Station {
    /// Its name.
    pub name: Message,
    /// How it looks.
    pub mark: Mark,
    /// What is there.
    pub what: Message,
}

impl Station {
    /// The way of what the ledger does not have yet.
    #[must_use]
    pub fn of_reservation(found: &OnItsWay) -> Vec<Self> {
        let (outbox, queue) = match found.outbox {
            InOutbox::Waiting => (
                (Mark::Here, key("ops-outbox-to-publish")),
                (Mark::Ahead, key("ops-not-there-yet")),
            ),
            InOutbox::Gone => {
                ((Mark::Past, key("ops-outbox-gone")), (Mark::Here, key("ops-queue-or-recorder")))
            }
            InOutbox::Away => {
                ((Mark::Odd, key("ops-outbox-away")), (Mark::Ahead, key("ops-queue-or-recorder")))
            }
        };
        let station = |name, (mark, what)| Self { name, mark, what };
        vec![
            station(key("ops-gate"), (Mark::Past, key("ops-gate-holds"))),
            station(key("ops-outbox"), outbox),
            station(key("ops-queue"), queue),
            station(key("ops-ledger"), (Mark::Ahead, key("ops-not-there-yet"))),
        ]
    }
}

/// A line of the history.
#[derive(Debug, Clone)]
pub struct Line {
    /// When, ms since the epoch.
    pub at_ms: i64,
    /// The state that the order came to.
    pub state: Message,
    /// Who did it.
    pub actor: Message,
    /// Why, in a word of ours.
    pub reason: Option<Message>,
    /// Why, as somebody typed it.
    pub typed: Option<String>,
    /// Finds the lines in the logs.
    pub request_id: String,
}

/// A payment.
#[derive(Debug, Clone)]
pub struct Paid {
    /// Its number.
    pub number: String,
    /// Who takes the money.
    pub provider: String,
    /// What was asked for.
    pub amount: Price,
    /// What was taken.
    pub taken: Option<Price>,
    /// What became of it.
    pub state: Message,
    /// Why it goes back.
    pub why: Option<Message>,
    /// When it was begun, ms since the epoch.
    pub begun_at_ms: i64,
}

/// An order and its way in words.
#[derive(Debug, Clone)]
pub struct Way {
    /// The order itself.
    pub order: Row,
    /// The sale's headline.
    pub title: String,
    /// When the gate decided, ms since the epoch.
    pub reserved_at_ms: i64,
    /// Its deadline, ms since the epoch.
    pub pay_before_ms: i64,
    /// From the gate to the ledger.
    pub stations: Vec<Station>,
    /// What is wrong, with what to do.
    pub trouble: Option<Message>,
    /// Its payments, oldest first.
    pub payments: Vec<Paid>,
    /// Its history, oldest first.
    pub history: Vec<Line>,
    /// Whether an operator may cancel it.
    pub may_be_cancelled: bool,
}

impl Way {
    /// An order's way in words.
    #[must_use]
    pub fn of(path: &OrderPath) -> Self {
        Self {
            title: path.activity.title.clone(),
            reserved_at_ms: path.order.reserved_at_ms,
            pay_before_ms: path.order.pay_before_ms,
            stations: vec![at_gate(path), outbox(path.outbox), queue(path.outbox), ledger(path)],
            trouble: trouble(path),
            payments: path.payments.iter().map(paid).collect(),
            history: path.history.iter().map(line).collect(),
            may_be_cancelled: path.may_be_cancelled(),
            order: Row::from(path.order.clone()),
        }
    }
}

fn at_gate(path: &OrderPath) -> Station {
    let (mark, what) = match path.gate {
        AtGate::Away => (Mark::Odd, key("ops-gate-away")),
        AtGate::NotHeld => (Mark::Past, key("ops-gate-not-held")),
        AtGate::Nothing => (Mark::Past, key("ops-gate-nothing")),
        AtGate::This(EntryState::Reserved) => (Mark::Here, key("ops-gate-reserved")),
        AtGate::This(EntryState::Recorded) => (Mark::Past, key("ops-gate-recorded")),
        AtGate::This(EntryState::Barred) => (Mark::Past, key("ops-gate-barred")),
        AtGate::Other(number, _) => {
            (Mark::Past, key("ops-gate-other").with("number", number.to_string()))
        }
    };
    let wrong = path.is_held_in_vain() || path.is_unknown_at_gate();
    Station { name: key("ops-gate"), mark: if wrong { Mark::Odd } else { mark }, what }
}

fn outbox(outbox: InOutbox) -> Station {
    let (mark, what) = match outbox {
        InOutbox::Away => (Mark::Odd, key("ops-outbox-away")),
        InOutbox::Gone => (Mark::Past, key("ops-outbox-gone")),
        InOutbox::Waiting => (Mark::Here, key("ops-outbox-waiting")),
    };
    Station { name: key("ops-outbox"), mark, what }
}

/// The row is there, so nothing of it need be in the queue; a second delivery would change nothing.
fn queue(outbox: InOutbox) -> Station {
    let what = match outbox {
        InOutbox::Waiting => key("ops-queue-again"),
        InOutbox::Gone | InOutbox::Away => key("ops-queue-through"),
    };
    Station { name: key("ops-queue"), mark: Mark::Past, what }
}

fn ledger(path: &OrderPath) -> Station {
    let (mark, what) = match path.order.state {
        OrderState::PendingPayment => (Mark::Here, key("ops-ledger-pending")),
        OrderState::Paid => (Mark::Done, key("ops-ledger-paid")),
        OrderState::Cancelled => (Mark::Done, key("ops-ledger-cancelled")),
        OrderState::Rejected => (Mark::Done, key("ops-ledger-rejected")),
        OrderState::Lost => (Mark::Done, key("ops-ledger-lost")),
    };
    Station { name: key("ops-ledger"), mark, what }
}

fn trouble(path: &OrderPath) -> Option<Message> {
    if path.is_held_in_vain() {
        Some(key("ops-trouble-held"))
    } else if path.is_unknown_at_gate() {
        Some(key("ops-trouble-unknown"))
    } else {
        None
    }
}

fn paid(payment: &Payment) -> Paid {
    let price = |cents: i64| Price::new(cents, payment.currency.code());
    Paid {
        number: payment.payment_no.to_string(),
        provider: payment.provider.clone(),
        amount: price(payment.amount.0),
        taken: payment.taken.map(|taken| price(taken.0)),
        state: words::payment(payment.state),
        why: payment.reason.as_deref().map(words::refund),
        begun_at_ms: payment.begun_at_ms,
    }
}

fn line(event: &Event) -> Line {
    let state = OrderState::ALL.into_iter().find(|state| state.as_str() == event.kind);
    let own = event.reason.as_deref().filter(|_| !event.is_by_staff()).and_then(words::reason);
    Line {
        at_ms: event.at_ms,
        state: state.map_or_else(|| key("ops-state-lost"), words::state),
        actor: words::actor(event),
        typed: event.reason.clone().filter(|_| own.is_none()),
        reason: own,
        request_id: event.request_id.clone(),
    }
}
