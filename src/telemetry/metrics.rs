//! Every metric by name, kind and meaning. A test holds that no other one is written, and that those of the
//! contract are there.
//!
//! Counters begin at zero with each of their labels that are known, so that the first of something is seen
//! as a rise. No label ever holds a shopper or an order number: each value would be a series of its own.

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, histogram};

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only rises.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by size.
    Histogram,
}

/// Which roles write a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Those with pages.
    Web,
    /// Those behind the gate.
    Worker,
    /// Those that compare gate and ledger.
    Reconciler,
    /// Both of them: each keeps the gate as the ledger says.
    Keeper,
    /// All.
    Each,
}

/// A metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// As it is written.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Who writes it.
    pub of: Of,
    /// What it tells.
    pub help: &'static str,
    /// Its label, and those of its values that are there from the beginning.
    pub label: Option<(&'static str, &'static [&'static str])>,
}

const fn metric(kind: Kind, of: Of, name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind, of, help, label: None }
}

impl Metric {
    const fn by(self, label: &'static str, values: &'static [&'static str]) -> Self {
        Self { label: Some((label, values)), ..self }
    }

    /// Whether a process with these roles writes it.
    #[must_use]
    pub const fn is_written_by(&self, web: bool, worker: bool, reconciler: bool) -> bool {
        match self.of {
            Of::Web => web,
            Of::Worker => worker,
            Of::Reconciler => reconciler,
            Of::Keeper => worker || reconciler,
            Of::Each => true,
        }
    }
}

use Kind::{Counter, Gauge, Histogram};
use Of::{Each, Keeper, Reconciler, Web, Worker};

/// All of them.
pub const METRICS: &[Metric] = &[
    metric(Counter, Web, "seckill_admissions_total", "Answers to requests to buy, by outcome").by(
        "outcome",
        &[
            "admitted",
            "already_held",
            "unknown",
            "sold_out",
            "not_open",
            "ended",
            "paused",
            "ticket_invalid",
            "captcha_wrong",
            "too_fast",
            "restoring",
            "busy",
            "barred",
        ],
    ),
    metric(
        Histogram,
        Web,
        "seckill_http_request_duration_seconds",
        "Time to answer a request, by route and status",
    ),
    metric(
        Counter,
        Web,
        "seckill_gate_errors_total",
        "Requests to buy whose answer the gate did not give, by kind of failure",
    )
    .by("kind", &[]),
    metric(
        Counter,
        Web,
        "seckill_payment_notices_refused_total",
        "Notices of payment that were not the provider's",
    ),
    metric(
        Counter,
        Each,
        "seckill_payments_total",
        "Payments that were settled, by what came of it",
    )
    .by("outcome", &[]),
    metric(
        Histogram,
        Each,
        "seckill_gate_call_duration_seconds",
        "Time of a call of a script at the gate, by script",
    ),
    metric(Gauge, Each, "seckill_gate_stock", "Units left at the gate, by open activity")
        .by("activity", &[]),
    metric(Gauge, Each, "seckill_ledger_remain", "Units that no order holds, by open activity")
        .by("activity", &[]),
    metric(Gauge, Each, "seckill_ledger_pool_connections", "Connections to the ledger, by state")
        .by("state", &["in_use", "idle"]),
    metric(Gauge, Each, "seckill_ledger_pool_waiting", "Calls that wait for a connection"),
    metric(
        Histogram,
        Each,
        "seckill_ledger_pool_wait_seconds",
        "Time that a call waited for a connection to the ledger",
    ),
    metric(
        Counter,
        Each,
        "seckill_ledger_deadlocks_total",
        "Transactions that the ledger ended as deadlocks, and that were repeated",
    ),
    metric(Counter, Each, "seckill_releases_total", "Units given back at the gate, by reason")
        .by("reason", &["by_shopper", "by_staff", "unpaid", "refused", "missed", "reconciled"]),
    metric(
        Gauge,
        Worker,
        "seckill_outbox_entries",
        "Reservations that are not yet safe in the queue; every worker tells the same",
    ),
    metric(
        Gauge,
        Worker,
        "seckill_outbox_oldest_seconds",
        "Age of the oldest reservation that is not yet safe in the queue",
    ),
    metric(
        Gauge,
        Worker,
        "seckill_queue_messages",
        "Messages ready in a queue; every worker tells the same",
    )
    .by("queue", &["orders", "dead"]),
    metric(
        Gauge,
        Worker,
        "seckill_queue_consumers",
        "Recorders that listen to the queue of orders",
    ),
    metric(
        Counter,
        Worker,
        "seckill_relay_failures_total",
        "Rounds of the relay that left something in the outbox",
    ),
    metric(
        Histogram,
        Worker,
        "seckill_record_lag_seconds",
        "Time from the admission to the order in the ledger",
    ),
    metric(Counter, Worker, "seckill_orders_recorded_total", "Orders written into the ledger"),
    metric(
        Counter,
        Worker,
        "seckill_orders_rejected_total",
        "Reservations that the ledger refused, by reason",
    )
    .by("reason", &["sold_out", "already_held", "barred"]),
    metric(
        Counter,
        Worker,
        "seckill_dead_letters_total",
        "Messages that could not be read and were put aside",
    ),
    metric(Counter, Keeper, "seckill_rebuilds_total", "Times that the gate was filled again"),
    metric(
        Counter,
        Keeper,
        "seckill_reconcile_differences_total",
        "Differences between gate and ledger that were found, by kind",
    )
    .by(
        "kind",
        &[
            "unfilled",
            "terms",
            "units",
            "stock",
            "waiting",
            "buried",
            "put_away",
            "absent",
            "unbarred",
            "unmarked",
            "held",
            "unreadable",
            "books",
        ],
    ),
    metric(
        Counter,
        Reconciler,
        "seckill_reconciliations_total",
        "Comparisons of gate and ledger that were finished",
    ),
    metric(
        Gauge,
        Reconciler,
        "seckill_reconcile_alarms",
        "Differences that only a person can put right, by the last comparison",
    ),
];

/// Says what each metric means, and begins those that a process with these roles writes.
pub fn begin(web: bool, worker: bool, reconciler: bool) {
    for metric in METRICS.iter().filter(|metric| metric.is_written_by(web, worker, reconciler)) {
        let (name, help) = (metric.name, metric.help);
        match metric.kind {
            Counter => describe_counter!(name, help),
            Gauge => describe_gauge!(name, help),
            Histogram => describe_histogram!(name, help),
        }
        match (metric.kind, metric.label) {
            (Counter, None) => counter!(name).increment(0),
            (Counter, Some((label, values))) => {
                for value in values {
                    counter!(name, label => *value).increment(0);
                }
            }
            // Nothing is known of a gauge before it is measured.
            (Gauge, _) => {}
            (Histogram, _) => {
                if name == "seckill_record_lag_seconds" {
                    drop(histogram!(name));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn every_metric_that_is_written_is_described() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = Vec::new();
        files(&root, &mut found);
        let mut written = BTreeSet::new();
        for path in found.iter().filter(|path| !path.ends_with("telemetry/metrics.rs")) {
            let code = std::fs::read_to_string(path).unwrap();
            for kind in ["counter!(", "gauge!(", "histogram!("] {
                for rest in code.split(&format!("metrics::{kind}")).skip(1) {
                    let name = rest.split('"').nth(1).unwrap();
                    written.insert(name.to_owned());
                }
            }
        }
        let described: BTreeSet<String> =
            METRICS.iter().map(|metric| metric.name.to_owned()).collect();
        assert_eq!(written, described);
        assert_eq!(described.len(), METRICS.len(), "one is described twice");
    }

    #[test]
    fn counters_are_named_as_such() {
        for metric in METRICS {
            assert!(metric.name.starts_with("seckill_") && !metric.help.ends_with('.'));
            assert_eq!(metric.kind == Counter, metric.name.ends_with("_total"), "{}", metric.name);
        }
    }
}
