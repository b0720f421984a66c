//! One activity: what it is, how it stands, what can be done.

use askama::Template;

use super::stage_word;
use crate::back_office::Balance;
use crate::sale::stage::Stage;
use crate::sale::zone::Zone;
use crate::web::moment::Moment;
use crate::web::page::Frame;
use crate::web::text::Message;

/// `GET /admin/activities/{id}`, and the answer to each step that could not be taken.
#[derive(Debug, Template)]
#[template(path = "admin/activities/show.html")]
pub struct ShowPage {
    /// What every page has.
    pub f: Frame,
    /// The zone of all times on the page.
    pub zone: Zone,
    /// Whether the browser is to tell its zone.
    pub asks_zone: bool,
    /// The activity.
    pub a: Shown,
    /// Gate and ledger, side by side.
    pub balance: Balance,
    /// What was done before this page.
    pub said: Option<Message>,
    /// Why nothing was done.
    pub trouble: Option<Message>,
    /// What an admin should know.
    pub warnings: Vec<Message>,
    /// A fault of the form that changes the stock, and what was typed there.
    pub adjusting: Adjusting,
    /// The window is over, or has begun, as a draft would have it.
    pub start_is_past: bool,
    /// A draft that nobody could buy in.
    pub is_over: bool,
}

/// The form that changes the stock.
#[derive(Debug, Default)]
pub struct Adjusting {
    /// Names the change: sent twice, it counts once.
    pub change_id: String,
    /// What was typed.
    pub units: String,
    /// What is wrong with it.
    pub fault: Option<Message>,
}

/// What the page shows of an activity.
#[derive(Debug)]
pub struct Shown {
    /// Its number.
    pub id: i64,
    /// The version that every step is asked for on.
    pub version: i64,
    /// Its headline.
    pub title: String,
    /// The product's number.
    pub product_id: i64,
    /// The product's name.
    pub product: String,
    /// Where it stands.
    pub stage: Stage,
    /// Whole minor units.
    pub price: i64,
    /// The usual price.
    pub list_price: Option<i64>,
    /// The first moment, ms since the epoch.
    pub starts_at_ms: i64,
    /// The first moment after, ms since the epoch.
    pub ends_at_ms: i64,
    /// The first moment.
    pub starts: Moment,
    /// The first moment after.
    pub ends: Moment,
    /// The same in UTC, where the zone is another.
    pub utc: Option<(Moment, Moment)>,
    /// Whether a captcha is asked for.
    pub captcha: bool,
    /// Whether a shopper may buy again.
    pub rebuy: bool,
    /// The parts of the stock.
    pub buckets: String,
    /// Seconds to pay.
    pub pay_within_s: i64,
    /// The bound on one shopper.
    pub rate: i64,
    /// The bound on all.
    pub total_rate: Option<i64>,
}

impl ShowPage {
    /// The stage in one word.
    #[must_use]
    pub fn word(&self) -> Message {
        stage_word(self.a.stage)
    }

    /// Whether its terms can change.
    #[must_use]
    pub fn can_edit(&self) -> bool {
        matches!(self.a.stage, Stage::Draft | Stage::Upcoming | Stage::Open | Stage::Paused)
    }

    /// Whether it can be published.
    #[must_use]
    pub fn can_schedule(&self) -> bool {
        self.a.stage == Stage::Draft
    }

    /// Whether it can be stopped for the moment.
    #[must_use]
    pub fn can_pause(&self) -> bool {
        matches!(self.a.stage, Stage::Upcoming | Stage::Open)
    }

    /// Whether it can go on.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        self.a.stage == Stage::Paused
    }

    /// Whether it can be closed: it has begun.
    #[must_use]
    pub fn can_end(&self) -> bool {
        let begun = self.a.starts_at_ms <= self.f.now_ms;
        begun && matches!(self.a.stage, Stage::Open | Stage::Paused)
    }

    /// Whether it can be withdrawn: no order, as far as is known here.
    #[must_use]
    pub fn can_cancel(&self) -> bool {
        let orders = self.balance.orders;
        let made = [
            orders.pending_payment,
            orders.paid,
            orders.cancelled,
            orders.rejected,
            orders.lost,
            self.balance.reserved.unwrap_or_default(),
        ];
        let live =
            matches!(self.a.stage, Stage::Draft | Stage::Upcoming | Stage::Open | Stage::Paused);
        live && made.iter().all(|count| *count == 0)
    }

    /// Whether units can be added and taken away.
    #[must_use]
    pub fn can_adjust(&self) -> bool {
        matches!(self.a.stage, Stage::Upcoming | Stage::Open | Stage::Paused)
    }

    /// Whether shoppers see it.
    #[must_use]
    pub fn is_published(&self) -> bool {
        !matches!(self.a.stage, Stage::Draft | Stage::Cancelled)
    }

    /// Whether there is anything to watch or to count.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.a.stage != Stage::Draft
    }

    /// Whether shoppers could buy, but the gate does not say what it has.
    #[must_use]
    pub fn gate_is_away(&self) -> bool {
        self.a.stage == Stage::Open && self.balance.gate_stock.is_none()
    }
}
