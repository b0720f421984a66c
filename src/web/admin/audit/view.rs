//! The audit in words.

use askama::Template;
use chrono::DateTime;

use super::search::Search;
use crate::back_office::{AuditRow, Change};
use crate::sale::order_number::OrderNo;
use crate::web::faults::Faults;
use crate::web::moment::Moment;
use crate::web::page::Frame;
use crate::web::text::{Message, Text, key};

/// The list: `GET /admin/audit`.
#[derive(Debug, Template)]
#[template(path = "admin/audit.html")]
pub struct AuditPage {
    /// What every page has.
    pub f: Frame,
    /// What was looked for.
    pub search: Search,
    /// What of it could not be understood.
    pub faults: Faults,
    /// The rows of this page.
    pub entries: Vec<Entry>,
    /// The address of the next page.
    pub older: Option<String>,
    /// The address of the first page, from any other.
    pub newest: Option<String>,
}

impl AuditPage {
    /// The actions that can be chosen: their words, what they mean, and whether it is the one searched for.
    #[must_use]
    pub fn actions(&self) -> Vec<(&'static str, Message, bool)> {
        ACTIONS.iter().map(|word| (*word, action(word), *word == self.search.action)).collect()
    }

    /// Whether the search names an action that is none of those.
    #[must_use]
    pub fn has_other_action(&self) -> bool {
        let wanted = self.search.action.as_str();
        !wanted.is_empty() && !ACTIONS.contains(&wanted)
    }
}

/// A row.
#[derive(Debug, Clone)]
pub struct Entry {
    /// When, ms since the epoch.
    pub at_ms: i64,
    /// Who.
    pub actor: Actor,
    /// This actor's rows.
    pub by: String,
    /// What was done.
    pub action: Message,
    /// The same as the ledger writes it.
    pub word: String,
    /// To what, as the ledger writes it.
    pub subject: String,
    /// The name of that, where the number alone says little.
    pub subject_name: Option<String>,
    /// The page of that, if there is one.
    pub subject_page: Option<String>,
    /// This subject's rows.
    pub about: String,
    /// What became of which value.
    pub changes: Vec<Turned>,
    /// Finds the lines in the logs.
    pub request_id: String,
}

/// Who did something.
#[derive(Debug, Clone)]
pub enum Actor {
    /// An account, by its name at that time.
    Account(String),
    /// What acts by itself.
    Itself(Message),
}

/// A value that became another.
#[derive(Debug, Clone)]
pub struct Turned {
    /// Which.
    pub field: Message,
    /// What it was.
    pub from: Option<Value>,
    /// What it is.
    pub to: Option<Value>,
}

/// A value as it is shown.
#[derive(Debug, Clone)]
pub enum Value {
    /// Nothing.
    Empty,
    /// A time.
    Time(Moment),
    /// A word of ours.
    Word(Text),
    /// Whatever somebody typed.
    Text(String),
}

impl Entry {
    /// A row in words.
    #[must_use]
    pub fn of(row: AuditRow, search: &Search, f: &Frame) -> Self {
        let changes = row.changes.iter().map(|change| turned(change, f)).collect();
        Self {
            at_ms: row.at_ms,
            by: search.by(&row.actor),
            actor: actor(&row),
            action: action(&row.action),
            word: row.action,
            subject_name: row.subject_name,
            subject_page: page_of(&row.subject),
            about: search.about(&row.subject),
            subject: row.subject,
            changes,
            request_id: row.request_id,
        }
    }
}

/// Only what has no account can be the clock: anybody may call themselves so.
fn actor(row: &AuditRow) -> Actor {
    match (row.actor_id, row.actor.as_str()) {
        (None, "clock") => Actor::Itself(key("audit-actor-clock")),
        (None, "command") => Actor::Itself(key("audit-actor-command")),
        _ => Actor::Account(row.actor.clone()),
    }
}

/// What the form offers.
const ACTIONS: [&str; 27] = [
    "activity.create",
    "activity.edit",
    "activity.publish",
    "activity.pause",
    "activity.resume",
    "activity.stock",
    "activity.end",
    "activity.settle",
    "activity.cancel",
    "product.create",
    "product.edit",
    "product.archive",
    "product.restore",
    "account.add",
    "account.role",
    "account.password",
    "account.disable",
    "account.enable",
    "account.end_sessions",
    "order.cancel",
    "dead_letter.replay",
    "dead_letter.discard",
    "payment.refund",
    "order.expire",
    "stuck.send_again",
    "stuck.release",
    "reconciliation.ask",
];

fn action(word: &str) -> Message {
    match word {
        "activity.create" => key("audit-activity-create"),
        "activity.edit" => key("audit-activity-edit"),
        "activity.publish" => key("audit-activity-publish"),
        "activity.pause" => key("audit-activity-pause"),
        "activity.resume" => key("audit-activity-resume"),
        "activity.stock" => key("audit-activity-stock"),
        "activity.end" => key("audit-activity-end"),
        "activity.settle" => key("audit-activity-settle"),
        "activity.cancel" => key("audit-activity-cancel"),
        "product.create" => key("audit-product-create"),
        "product.edit" => key("audit-product-edit"),
        "product.archive" => key("audit-product-archive"),
        "product.restore" => key("audit-product-restore"),
        "account.add" => key("audit-account-add"),
        "account.role" => key("audit-account-role"),
        "account.password" => key("audit-account-password"),
        "account.disable" => key("audit-account-disable"),
        "account.enable" => key("audit-account-enable"),
        "account.end_sessions" => key("audit-account-end-sessions"),
        "order.cancel" => key("audit-order-cancel"),
        "dead_letter.replay" => key("audit-letter-replay"),
        "dead_letter.discard" => key("audit-letter-discard"),
        "payment.refund" => key("audit-payment-refund"),
        "order.expire" => key("audit-order-expire"),
        "stuck.send_again" => key("audit-stuck-send-again"),
        "stuck.release" => key("audit-stuck-release"),
        "reconciliation.ask" => key("audit-reconciliation-ask"),
        other => key("audit-other").with("word", other),
    }
}

/// Only a number makes an address.
fn page_of(subject: &str) -> Option<String> {
    let (kind, number) = subject.split_once(':')?;
    if kind == "order" {
        return number.parse::<OrderNo>().ok().map(|number| format!("/ops/orders/{number}"));
    }
    let number: i64 = number.parse().ok().filter(|number| *number > 0)?;
    let folder = match kind {
        "activity" => "/admin/activities",
        "product" => "/admin/products",
        "user" => "/admin/accounts",
        "dead_letter" => "/ops/dead-letters",
        "reconciliation" => "/ops/reconciliation",
        _ => return None,
    };
    Some(format!("{folder}/{number}"))
}

fn turned(change: &Change, f: &Frame) -> Turned {
    let shown = |text: &Option<String>| text.as_ref().map(|text| value(&change.field, text, f));
    Turned { field: field(&change.field), from: shown(&change.from), to: shown(&change.to) }
}

fn field(word: &str) -> Message {
    match word {
        "product" => key("audit-field-product"),
        "title" => key("audit-field-title"),
        "price_cents" => key("audit-field-price"),
        "list_price_cents" | "list_price" => key("audit-field-list-price"),
        "total_stock" => key("audit-field-stock"),
        "starts_at" => key("audit-field-starts-at"),
        "ends_at" => key("audit-field-ends-at"),
        "captcha" => key("audit-field-captcha"),
        "rebuy" => key("audit-field-rebuy"),
        "bucket_count" => key("audit-field-buckets"),
        "pay_within_s" => key("audit-field-pay-within"),
        "rate_per_s" => key("audit-field-rate"),
        "total_rate_per_s" => key("audit-field-total-rate"),
        "status" | "state" => key("audit-field-status"),
        "asked" => key("audit-field-asked"),
        "change_id" => key("audit-field-change-id"),
        "name" | "username" => key("audit-field-name"),
        "description" => key("audit-field-description"),
        "picture" => key("audit-field-picture"),
        "archived" => key("audit-field-archived"),
        "role" => key("audit-field-role"),
        "disabled" => key("audit-field-disabled"),
        "reason" => key("audit-field-reason"),
        "count" => key("audit-field-count"),
        other => key("audit-other").with("word", other),
    }
}

fn value(field: &str, text: &str, f: &Frame) -> Value {
    let plain = || Value::Text(text.to_owned());
    match (field, text) {
        (_, "") => Value::Empty,
        ("captcha" | "rebuy" | "archived" | "disabled", "true") => {
            Value::Word(f.t(key("audit-yes")))
        }
        ("captcha" | "rebuy" | "archived" | "disabled", "false") => {
            Value::Word(f.t(key("audit-no")))
        }
        ("price_cents" | "list_price_cents", number) => number
            .parse()
            .map_or_else(|_| plain(), |minor| Value::Text(f.price(&minor).to_string())),
        ("starts_at" | "ends_at", time) => DateTime::parse_from_rfc3339(time)
            .map_or_else(|_| plain(), |time| Value::Time(f.moment(&time.timestamp_millis()))),
        _ => plain(),
    }
}
