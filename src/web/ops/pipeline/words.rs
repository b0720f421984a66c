//! What each alarm means, and what to do about it.

use crate::sale::pipeline::{Alarm, Station};
use crate::web::text::{Message, key};

/// A station's name.
pub(super) fn station(station: Station) -> Message {
    match station {
        Station::Admissions => key("pipeline-admissions"),
        Station::Gate => key("pipeline-gate"),
        Station::Outbox => key("pipeline-outbox"),
        Station::Queue => key("pipeline-queue"),
        Station::Recorder => key("pipeline-recorder"),
        Station::Ledger => key("pipeline-ledger"),
        Station::DeadLetters => key("pipeline-dead-letters"),
        Station::Reconciliation => key("pipeline-reconciliation"),
    }
}

/// The page that tells more of a station.
pub(super) const fn page_of(station: Station) -> Option<&'static str> {
    match station {
        Station::DeadLetters => Some("/ops/dead-letters"),
        Station::Reconciliation => Some("/ops/reconciliation"),
        _ => None,
    }
}

/// A word for each, by which it is found in the page.
pub(super) const fn word(alarm: &Alarm) -> &'static str {
    match alarm {
        Alarm::GateAway => "gate-away",
        Alarm::Evicts(_) => "evicts",
        Alarm::Evicted(_) => "evicted",
        Alarm::NotAppendOnly => "not-append-only",
        Alarm::WritesFail => "writes-fail",
        Alarm::MemoryFull(_) => "memory-full",
        Alarm::GateSlow(_) => "gate-slow",
        Alarm::SlowCommands => "slow-commands",
        Alarm::OutboxOld(_) => "outbox-old",
        Alarm::OutboxFull(_) => "outbox-full",
        Alarm::QueueAway => "queue-away",
        Alarm::QueueLong(_) => "queue-long",
        Alarm::NoConsumer => "no-consumer",
        Alarm::NoWorker => "no-worker",
        Alarm::Silent(_) => "silent",
        Alarm::LagLong(_) => "lag-long",
        Alarm::UnderwayOld(_) => "underway-old",
        Alarm::LedgerAway => "ledger-away",
        Alarm::PoolShort(_) => "pool-short",
        Alarm::DeadLetters(_) => "dead-letters",
        Alarm::ReconcileAlarms(_) => "reconcile-alarms",
        Alarm::Unreconciled(_) => "unreconciled",
        Alarm::NeverReconciled => "never-reconciled",
        Alarm::Uncompared(_) => "uncompared",
    }
}

/// What it means.
pub(super) fn meaning(alarm: &Alarm) -> Message {
    match alarm {
        Alarm::GateAway => key("alarm-gate-away"),
        Alarm::Evicts(policy) => key("alarm-evicts").with("policy", policy),
        Alarm::Evicted(keys) => key("alarm-evicted").with("count", keys),
        Alarm::NotAppendOnly => key("alarm-not-append-only"),
        Alarm::WritesFail => key("alarm-writes-fail"),
        Alarm::MemoryFull(percent) => key("alarm-memory-full").with("percent", percent),
        Alarm::GateSlow(ms) => key("alarm-gate-slow").with("ms", ms),
        Alarm::SlowCommands => key("alarm-slow-commands"),
        Alarm::OutboxOld(seconds) => key("alarm-outbox-old").with("seconds", seconds),
        Alarm::OutboxFull(percent) => key("alarm-outbox-full").with("percent", percent),
        Alarm::QueueAway => key("alarm-queue-away"),
        Alarm::QueueLong(messages) => key("alarm-queue-long").with("count", messages),
        Alarm::NoConsumer => key("alarm-no-consumer"),
        Alarm::NoWorker => key("alarm-no-worker"),
        Alarm::Silent(count) => key("alarm-silent").with("count", count),
        Alarm::LagLong(seconds) => key("alarm-lag-long").with("seconds", seconds),
        Alarm::UnderwayOld(seconds) => key("alarm-underway-old").with("seconds", seconds),
        Alarm::LedgerAway => key("alarm-ledger-away"),
        Alarm::PoolShort(waiting) => key("alarm-pool-short").with("count", waiting),
        Alarm::DeadLetters(count) => key("alarm-dead-letters").with("count", count),
        Alarm::ReconcileAlarms(count) => key("alarm-reconcile-alarms").with("count", count),
        Alarm::Unreconciled(minutes) => key("alarm-unreconciled").with("minutes", minutes),
        Alarm::NeverReconciled => key("alarm-never-reconciled"),
        Alarm::Uncompared(count) => key("alarm-uncompared").with("count", count),
    }
}

/// The page that an alarm leads to, and its name.
pub(super) fn page(alarm: &Alarm) -> Option<(&'static str, Message)> {
    match alarm {
        Alarm::OutboxOld(_) | Alarm::UnderwayOld(_) | Alarm::ReconcileAlarms(_) => {
            Some(("/ops/stuck", key("ops-stuck")))
        }
        Alarm::DeadLetters(_) => Some(("/ops/dead-letters", key("ops-dead-letters"))),
        Alarm::Unreconciled(_) => Some(("/ops/reconciliation", key("ops-reconciliation"))),
        Alarm::Evicted(_) => Some(("/ops/sales", key("ops-sales"))),
        _ => None,
    }
}

/// What to do about it.
pub(super) fn remedy(alarm: &Alarm) -> Message {
    match alarm {
        Alarm::GateAway => key("alarm-gate-away-do"),
        Alarm::Evicts(_) => key("alarm-evicts-do"),
        Alarm::Evicted(_) => key("alarm-evicted-do"),
        Alarm::NotAppendOnly => key("alarm-not-append-only-do"),
        Alarm::WritesFail => key("alarm-writes-fail-do"),
        Alarm::MemoryFull(_) => key("alarm-memory-full-do"),
        Alarm::GateSlow(_) => key("alarm-gate-slow-do"),
        Alarm::SlowCommands => key("alarm-slow-commands-do"),
        Alarm::OutboxOld(_) => key("alarm-outbox-old-do"),
        Alarm::OutboxFull(_) => key("alarm-outbox-full-do"),
        Alarm::QueueAway => key("alarm-queue-away-do"),
        Alarm::QueueLong(_) => key("alarm-queue-long-do"),
        Alarm::NoConsumer => key("alarm-no-consumer-do"),
        Alarm::NoWorker => key("alarm-no-worker-do"),
        Alarm::Silent(_) => key("alarm-silent-do"),
        Alarm::LagLong(_) => key("alarm-lag-long-do"),
        Alarm::UnderwayOld(_) => key("alarm-underway-old-do"),
        Alarm::LedgerAway => key("alarm-ledger-away-do"),
        Alarm::PoolShort(_) => key("alarm-pool-short-do"),
        Alarm::DeadLetters(_) => key("alarm-dead-letters-do"),
        Alarm::ReconcileAlarms(_) => key("alarm-reconcile-alarms-do"),
        Alarm::Unreconciled(_) => key("alarm-unreconciled-do"),
        Alarm::NeverReconciled => key("alarm-never-reconciled-do"),
        Alarm::Uncompared(_) => key("alarm-uncompared-do"),
    }
}
