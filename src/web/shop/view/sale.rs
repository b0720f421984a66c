//! The list of sales and the page of one.

use askama::Template;

use crate::web::page::Frame;
use crate::web::pictures::Look;
use crate::web::text::{Message, key};

/// The list: `GET /`.
#[derive(Debug, Template)]
#[template(path = "shop/activities.html")]
pub struct ActivitiesPage {
    /// What every page has.
    pub f: Frame,
    /// Open, sold out, paused or being restored.
    pub open: Vec<Sale>,
    /// Those that have not begun.
    pub upcoming: Vec<Sale>,
    /// Those that are over, the latest first.
    pub ended: Vec<Sale>,
}

/// One sale: `GET /activities/{id}`.
#[derive(Debug, Template)]
#[template(path = "shop/activity.html")]
pub struct ActivityPage {
    /// What every page has.
    pub f: Frame,
    /// The sale itself.
    pub sale: Sale,
    /// What the seller tells of the product; may be empty.
    pub description: String,
    /// How long an order may stay unpaid, in seconds.
    pub pay_within_seconds: i64,
    /// Whether buying asks for the characters in a picture.
    pub asks_captcha: bool,
    /// Whether an admin looks at it as shoppers will; nothing can be pressed then.
    pub is_preview: bool,
}

/// What pages show of a sale.
#[derive(Debug, Clone)]
pub struct Sale {
    /// Its number.
    pub id: i64,
    /// What the sale is called.
    pub title: String,
    /// The product and its picture.
    pub look: Look,
    /// Whole minor units of the shop's currency.
    pub price: i64,
    /// The price before the sale, when it is to be shown.
    pub former_price: Option<i64>,
    /// Its start, milliseconds since the epoch.
    pub starts_at_ms: i64,
    /// Its end, milliseconds since the epoch.
    pub ends_at_ms: i64,
    /// What it is at this moment.
    pub state: SaleState,
    /// Units that can still be bought.
    pub left: i64,
    /// All units of the sale.
    pub total: i64,
}

/// What a sale is at the moment the page was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaleState {
    /// Before the start.
    Upcoming,
    /// Can be bought in.
    Open,
    /// Under way, with no unit left at the moment.
    SoldOut,
    /// Stopped by staff; goes on.
    Paused,
    /// The gate is being rebuilt; goes on.
    Restoring,
    /// Over.
    Ended,
    /// Called off before it began.
    Cancelled,
}

impl SaleState {
    /// The state in one or two words.
    #[must_use]
    pub fn label(self) -> Message {
        match self {
            Self::Upcoming => key("state-upcoming"),
            Self::Open => key("state-open"),
            Self::SoldOut => key("state-sold-out"),
            Self::Paused => key("state-paused"),
            Self::Restoring => key("state-restoring"),
            Self::Ended => key("state-ended"),
            Self::Cancelled => key("state-cancelled"),
        }
    }

    /// The name that the style sheet and the scripts know.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Upcoming => "upcoming",
            Self::Open => "open",
            Self::SoldOut => "sold-out",
            Self::Paused => "paused",
            Self::Restoring => "restoring",
            Self::Ended => "ended",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Sale {
    /// What to take off the former price, in whole per cent; none when it is no less than one.
    #[must_use]
    pub fn percent_off(&self) -> Option<i64> {
        let former = self.former_price.filter(|former| *former > self.price)?;
        let off = former.saturating_sub(self.price).saturating_mul(100) / former;
        (off > 0).then_some(off)
    }

    /// The stock in words: how it feels, not a figure that is old when it arrives.
    #[must_use]
    pub fn stock_words(&self) -> Message {
        match self.percent_left() {
            0 => key("stock-none"),
            1..=10 => key("stock-almost-gone"),
            11..=35 => key("stock-quarter"),
            36..=65 => key("stock-half"),
            66..=99 => key("stock-plenty"),
            _ => key("stock-all"),
        }
    }

    /// What is left in per cent, rounded up, so that the last unit still shows.
    #[must_use]
    pub fn percent_left(&self) -> i64 {
        if self.total <= 0 {
            return 0;
        }
        let left = i128::from(self.left.clamp(0, self.total));
        let total = i128::from(self.total);
        i64::try_from((left * 100 + total - 1) / total).unwrap_or(100)
    }

    /// Whether little enough is left to say it in colour.
    #[must_use]
    pub fn is_scarce(&self) -> bool {
        (1..=20).contains(&self.percent_left())
    }

    /// Whether it has not begun.
    #[must_use]
    pub fn is_upcoming(&self) -> bool {
        self.state == SaleState::Upcoming
    }

    /// Whether it can be bought in.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == SaleState::Open
    }

    /// Paused or being restored: it goes on, and nobody can say when.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        matches!(self.state, SaleState::Paused | SaleState::Restoring)
    }

    /// Nobody can buy in it any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state, SaleState::Ended | SaleState::Cancelled)
    }

    /// Whether a sale that began is still under way, though perhaps not at this moment.
    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(
            self.state,
            SaleState::Open | SaleState::SoldOut | SaleState::Paused | SaleState::Restoring
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, Sale, SaleState};

    fn sale(left: i64, total: i64) -> Sale {
        Sale {
            id: 1,
            title: String::new(),
            look: Look::drawn(1, ""),
            price: 1999,
            former_price: Some(3998),
            starts_at_ms: 0,
            ends_at_ms: 0,
            state: SaleState::Open,
            left,
            total,
        }
    }

    #[test]
    fn the_last_unit_still_shows() {
        assert_eq!(sale(1, 1_000_000).percent_left(), 1);
        assert_eq!(sale(0, 100).percent_left(), 0);
        assert_eq!(sale(100, 100).percent_left(), 100);
        assert_eq!(sale(i64::MAX, i64::MAX).percent_left(), 100);
        assert_eq!(sale(5, 0).percent_left(), 0);
        assert_eq!(sale(-3, 10).percent_left(), 0);
    }

    #[test]
    fn a_discount_is_only_named_when_there_is_one() {
        let mut sale = sale(1, 1);
        assert_eq!(sale.percent_off(), Some(50));
        sale.former_price = Some(1999);
        assert_eq!(sale.percent_off(), None);
        sale.former_price = Some(2000);
        assert_eq!(sale.percent_off(), None);
        sale.former_price = None;
        assert_eq!(sale.percent_off(), None);
    }
}
