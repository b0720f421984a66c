//! What is allowed but rarely meant: said before it is done, and done when it is meant.

use crate::back_office::ProductChoice;
use crate::sale::activity::{Activity, Status};
use crate::sale::ids::ProductId;
use crate::sale::money::Cents;
use crate::sale::plan::Plan;
use crate::sale::stage::Stage;
use crate::web::page::Frame;
use crate::web::text::{Message, key};

/// From so many units on, machines are worth the trouble of whoever lets them buy.
const MANY: i64 = 100;
/// So near to its start a draft is probably forgotten.
const NEAR_MS: i64 = 30 * 60_000;

/// What an admin has to mean when they save a plan: words, and the mark by which the form says that they
/// were read. The mark holds the figures: with other ones it is another warning.
#[derive(Debug, Default)]
pub(super) struct ToAccept {
    pub(super) words: Vec<Message>,
    pub(super) mark: String,
}

impl ToAccept {
    fn add(&mut self, words: Message, mark: &str) {
        self.words.push(words);
        self.mark.push_str(mark);
    }

    /// Whether the form brought the mark of just these warnings.
    pub(super) fn is_accepted(&self, mark: &str) -> bool {
        self.words.is_empty() || self.mark == mark
    }
}

/// Of a plan about to be saved; `activity` is what it replaces.
pub(super) fn of_plan(
    plan: &Plan,
    product: ProductId,
    choices: &[ProductChoice],
    activity: Option<&Activity>,
    f: &Frame,
) -> ToAccept {
    let mut warnings = ToAccept::default();
    let product = choices.iter().find(|choice| choice.id == product);
    if let Some(list_price) = product.and_then(|product| product.list_price)
        && plan.price >= list_price
    {
        let mark = format!("price:{}:{};", plan.price.0, list_price.0);
        warnings.add(not_below(list_price, f), &mark);
    }
    let waits = activity
        .is_some_and(|activity| activity.status != Status::Draft && activity.opens_ms() > f.now_ms);
    if waits && plan.starts_at.timestamp_millis() <= f.now_ms {
        warnings.add(key("warn-opens-at-once"), "past;");
    }
    warnings
}

fn not_below(list_price: Cents, f: &Frame) -> Message {
    key("warn-price-not-below").with("list_price", f.price(&list_price.0).to_string())
}

/// What an admin should know who looks at an activity.
pub(super) fn of_activity(activity: &Activity, f: &Frame) -> Vec<Message> {
    let stage = Stage::of(activity, f.now_ms);
    let mut warnings = Vec::new();
    if stage == Stage::Draft {
        warnings.extend(of_draft_window(activity, f.now_ms));
    }
    if stage == Stage::Paused {
        warnings.push(key("warn-paused"));
    }
    if matches!(stage, Stage::Draft | Stage::Upcoming | Stage::Open | Stage::Paused) {
        if let Some(list_price) = activity.product.list_price
            && activity.price >= list_price
        {
            warnings.push(not_below(list_price, f));
        }
        if !activity.captcha && activity.total_stock >= MANY {
            warnings.push(key("warn-no-captcha").with("stock", activity.total_stock));
        }
        if activity.total_stock == 0 {
            warnings.push(key("warn-no-stock"));
        }
    }
    warnings
}

/// A draft whose time has come, or nearly.
pub(super) fn of_draft_window(activity: &Activity, now_ms: i64) -> Option<Message> {
    if activity.status != Status::Draft {
        None
    } else if activity.closes_ms() <= now_ms {
        Some(key("warn-draft-over"))
    } else if activity.opens_ms() <= now_ms {
        Some(key("warn-draft-late"))
    } else if activity.opens_ms() - now_ms <= NEAR_MS {
        Some(key("warn-draft-near"))
    } else {
        None
    }
}
