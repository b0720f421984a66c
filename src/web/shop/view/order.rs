//! One order and the list of mine.

use askama::Template;

use crate::web::page::Frame;
use crate::web::pictures::Look;
use crate::web::price::Price;
use crate::web::text::{Message, key};

/// `GET /orders/{order_no}`, and the answer to a payment or cancellation that came to nothing.
#[derive(Debug, Template)]
#[template(path = "shop/order.html")]
pub struct OrderPage {
    /// What every page has.
    pub f: Frame,
    /// The order itself.
    pub order: Order,
    /// What is to be said of payments.
    pub money: Vec<Money>,
    /// What became of the order, oldest first.
    pub history: Vec<Happened>,
    /// Why a payment or cancellation changed nothing.
    pub notice: Option<OrderNotice>,
    /// Whether cancelling shuts the shopper out of this sale; said before it is done.
    pub cancel_bars: bool,
}

impl OrderPage {
    /// Whether the news of a payment is close.
    fn is_paying(&self) -> bool {
        self.money.iter().any(|told| matches!(told, Money::Begun | Money::GoesBack(_)))
    }
}

/// `GET /orders`, newest first.
#[derive(Debug, Template)]
#[template(path = "shop/orders.html")]
pub struct OrdersPage {
    /// What every page has.
    pub f: Frame,
    /// Those of this page.
    pub orders: Vec<Order>,
    /// The address of the next page, when there is one.
    pub older: Option<String>,
}

/// What a shopper is told of a payment; amounts as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Money {
    /// Nobody knows yet what became of it.
    Begun,
    /// Nothing was taken.
    Failed,
    /// What was taken goes back.
    GoesBack(String),
    /// What was taken is back.
    IsBack(String),
}

impl Money {
    /// What is said about it.
    #[must_use]
    pub fn text(&self) -> Message {
        match self {
            Self::Begun => key("money-begun"),
            Self::Failed => key("money-failed"),
            Self::GoesBack(amount) => key("money-goes-back").with("amount", amount),
            Self::IsBack(amount) => key("money-is-back").with("amount", amount),
        }
    }
}

/// One thing that became of an order, in plain words.
#[derive(Debug, Clone)]
pub struct Happened {
    /// When, milliseconds since the epoch.
    pub at_ms: i64,
    /// What.
    pub what: Message,
    /// Why, in the words of whoever did it.
    pub words: Option<String>,
}

/// What pages show of an order.
#[derive(Debug, Clone)]
pub struct Order {
    /// The number that names the order for ever.
    pub order_no: String,
    /// The sale it belongs to.
    pub activity_id: i64,
    /// The sale's title.
    pub title: String,
    /// The product and its picture.
    pub look: Look,
    /// Whole minor units of `currency`.
    pub amount: i64,
    /// ISO 4217 code, kept with the order.
    pub currency: String,
    /// When the unit was asked for, milliseconds since the epoch.
    pub made_at_ms: i64,
    /// Where it stands.
    pub state: OrderState,
}

/// Where an order stands; times are milliseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderState {
    /// The unit is taken at the gate, the order not yet written.
    Reserved,
    /// Nobody can tell at the moment.
    Checking,
    /// Written; the shopper has to pay.
    PendingPayment {
        /// When it is cancelled if it is not paid.
        pay_before_ms: i64,
    },
    /// Paid.
    Paid {
        /// When, where that is known.
        paid_at_ms: Option<i64>,
    },
    /// Ended before it was paid; its unit went back.
    Cancelled {
        /// When, where that is known.
        cancelled_at_ms: Option<i64>,
        /// Who or what ended it.
        reason: CancelReason,
        /// Whether the shopper may try for another unit.
        may_buy_again: bool,
    },
    /// Could not be written; its unit went back.
    Rejected {
        /// Why not.
        reason: RejectReason,
    },
    /// Neither gate nor ledger will ever know this number.
    Lost,
}

/// Who or what ended an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelReason {
    /// The shopper took it back.
    ByShopper,
    /// The time to pay ran out.
    NotPaidInTime,
    /// Staff ended it.
    ByStaff,
}

/// Why an order could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectReason {
    /// The ledger had no unit left.
    SoldOut,
    /// The shopper holds another order of this sale.
    AlreadyHeld,
    /// The shopper cancelled in this sale before.
    Barred,
}

/// Why a payment or a cancellation changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderNotice {
    /// The order is only reserved so far.
    BeingPlaced,
    /// The order had changed in the meantime; what it is now stands below.
    HasChanged,
    /// The payment could not be begun; nothing was charged.
    PaymentUnavailable,
}

impl OrderNotice {
    /// What is said about it.
    #[must_use]
    pub fn text(self) -> Message {
        match self {
            Self::BeingPlaced => key("order-notice-being-placed"),
            Self::HasChanged => key("order-notice-has-changed"),
            Self::PaymentUnavailable => key("order-notice-payment-unavailable"),
        }
    }
}

impl OrderState {
    /// The name in JSON answers, style classes and scripts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Checking => "checking",
            Self::PendingPayment { .. } => "pending_payment",
            Self::Paid { .. } => "paid",
            Self::Cancelled { .. } => "cancelled",
            Self::Rejected { .. } => "rejected",
            Self::Lost => "lost",
        }
    }

    /// The state in one or two words.
    #[must_use]
    pub fn label(self) -> Message {
        match self {
            Self::Reserved => key("order-label-reserved"),
            Self::Checking => key("order-label-checking"),
            Self::PendingPayment { .. } => key("order-label-pending-payment"),
            Self::Paid { .. } => key("order-label-paid"),
            Self::Cancelled { .. } => key("order-label-cancelled"),
            Self::Rejected { .. } => key("order-label-rejected"),
            Self::Lost => key("order-label-lost"),
        }
    }

    /// The headline of the order's page.
    #[must_use]
    pub fn title(self) -> Message {
        match self {
            Self::Reserved => key("order-reserved"),
            Self::Checking => key("order-checking"),
            Self::PendingPayment { .. } => key("order-pending-payment"),
            Self::Paid { .. } => key("order-paid"),
            Self::Cancelled { .. } => key("order-cancelled"),
            Self::Rejected { .. } => key("order-rejected"),
            Self::Lost => key("order-lost"),
        }
    }

    /// What it means, and what was taken.
    #[must_use]
    pub fn what(self) -> Message {
        match self {
            Self::Reserved => key("order-reserved-what"),
            Self::Checking => key("order-checking-what"),
            Self::PendingPayment { .. } => key("order-pending-payment-what"),
            Self::Paid { .. } => key("order-paid-what"),
            Self::Cancelled { reason, .. } => match reason {
                CancelReason::ByShopper => key("order-cancelled-by-shopper"),
                CancelReason::NotPaidInTime => key("order-cancelled-not-paid"),
                CancelReason::ByStaff => key("order-cancelled-by-staff"),
            },
            Self::Rejected { reason } => match reason {
                RejectReason::SoldOut => key("order-rejected-sold-out"),
                RejectReason::AlreadyHeld => key("order-rejected-already-held"),
                RejectReason::Barred => key("order-rejected-barred"),
            },
            Self::Lost => key("order-lost-what"),
        }
    }

    /// Whether the page asks again by itself.
    #[must_use]
    pub fn is_on_its_way(self) -> bool {
        matches!(self, Self::Reserved | Self::Checking)
    }

    /// How many of the three steps (reserved, placed, paid) are done; none for an order that
    /// leaves that road.
    #[must_use]
    pub fn steps_done(self) -> Option<u32> {
        match self {
            Self::Checking => Some(0),
            Self::Reserved => Some(1),
            Self::PendingPayment { .. } => Some(2),
            Self::Paid { .. } => Some(3),
            Self::Cancelled { .. } | Self::Rejected { .. } | Self::Lost => None,
        }
    }

    /// Whether it is gone without an order.
    #[must_use]
    pub fn is_lost(self) -> bool {
        self == Self::Lost
    }

    /// Until when it is to be paid.
    #[must_use]
    pub fn pay_before_ms(self) -> Option<i64> {
        match self {
            Self::PendingPayment { pay_before_ms } => Some(pay_before_ms),
            _ => None,
        }
    }

    /// When it was paid.
    #[must_use]
    pub fn paid_at_ms(self) -> Option<i64> {
        match self {
            Self::Paid { paid_at_ms } => paid_at_ms,
            _ => None,
        }
    }

    /// When it was cancelled.
    #[must_use]
    pub fn cancelled_at_ms(self) -> Option<i64> {
        match self {
            Self::Cancelled { cancelled_at_ms, .. } => cancelled_at_ms,
            _ => None,
        }
    }

    /// Whether the shopper may try for another unit in the same sale.
    #[must_use]
    pub fn may_buy_again(self) -> bool {
        matches!(self, Self::Lost | Self::Cancelled { may_buy_again: true, .. })
    }
}

impl Order {
    /// What it costs, in the currency it was bought in.
    #[must_use]
    pub fn price(&self) -> Price {
        Price::new(self.amount, &self.currency)
    }
}
