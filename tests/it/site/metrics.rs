//! What both roles tell on their ops ports after a small sale; and that dashboard and alerts go by it.

use std::collections::{BTreeMap, BTreeSet};

use seckill::telemetry::{Kind, METRICS};
use serde_json::Value;

use crate::harness::{App, Plan, Process, SOON, Sale, eventually};

/// The contract's names, their label, and whether a web or a worker process tells them.
const CONTRACT: [(&str, &[&str], bool, bool); 14] = [
    ("seckill_admissions_total", &["outcome"], true, false),
    ("seckill_http_request_duration_seconds", &["route", "status"], true, false),
    ("seckill_gate_call_duration_seconds", &["script"], true, true),
    ("seckill_gate_stock", &["activity"], true, true),
    ("seckill_ledger_remain", &["activity"], true, true),
    ("seckill_outbox_entries", &[], false, true),
    ("seckill_queue_messages", &["queue"], false, true),
    ("seckill_record_lag_seconds", &[], false, true),
    ("seckill_orders_recorded_total", &[], false, true),
    ("seckill_orders_rejected_total", &["reason"], false, true),
    ("seckill_releases_total", &["reason"], true, true),
    ("seckill_ledger_pool_connections", &["state"], true, true),
    ("seckill_ledger_pool_wait_seconds", &[], true, true),
    ("seckill_reconcile_differences_total", &["kind"], false, true),
];

/// What a process told.
#[derive(Debug, Default)]
struct Scraped {
    /// Each name without the endings of a histogram: its type.
    kinds: BTreeMap<String, String>,
    help: BTreeMap<String, String>,
    /// Each name with its labels as written, and its value.
    values: BTreeMap<String, f64>,
}

impl Scraped {
    async fn of(ops: &str) -> Self {
        let url = format!("http://{}/metrics", ops.trim_start_matches("http://"));
        let text = reqwest::get(url).await.unwrap().text().await.unwrap();
        let mut scraped = Self::default();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                scraped.kinds.insert(name.to_owned(), kind.to_owned());
            } else if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap();
                scraped.help.insert(name.to_owned(), help.to_owned());
            } else if !line.is_empty() {
                let (name, value) = line.rsplit_once(' ').unwrap();
                scraped.values.insert(name.to_owned(), value.parse().unwrap());
            }
        }
        scraped
    }

    /// The names of the labels of a metric.
    fn labels(&self, name: &str) -> BTreeSet<String> {
        let of_it = self.values.keys().filter(|line| family(line) == name);
        let labels = of_it.filter_map(|line| line.split_once('{')).flat_map(|(_, labels)| {
            labels.split(',').filter_map(|label| label.split_once('=')).map(|(label, _)| label)
        });
        labels.filter(|label| *label != "le").map(ToOwned::to_owned).collect()
    }

    fn value(&self, line: &str) -> Option<f64> {
        self.values.get(line).copied()
    }
}

/// A name without labels and without the endings of a histogram.
fn family(line: &str) -> &str {
    let name = line.split('{').next().unwrap();
    ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

fn free_address() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// A sale of two units over a web and a worker process: two are admitted, one is told sold out, one pays,
/// one cancels.
struct SmallSale {
    app: App,
    ops: String,
    web: Process,
    worker: Process,
    orders: Vec<String>,
}

impl SmallSale {
    async fn over(log: Option<&str>) -> Self {
        let plan = Plan { no_worker: true, no_web: true, ..Plan::default() };
        let mut app = App::start_with(plan).await;
        let ops = free_address();
        let mut variables = vec![("SECKILL_OPS_BIND", ops.as_str())];
        if let Some(path) = log {
            variables.push(("SECKILL_LOG_FILE", path));
            variables.push(("SECKILL_LOG_FORMAT", "json"));
            variables.push(("SECKILL_LOG", "seckill=debug"));
        }
        let web = Process::start_with(&app, "web", &variables).await;
        let worker_log = log.map(|path| format!("{path}.worker"));
        let mut variables = Vec::new();
        if let Some(path) = &worker_log {
            variables.push(("SECKILL_LOG_FILE", path.as_str()));
            variables.push(("SECKILL_LOG_FORMAT", "json"));
            variables.push(("SECKILL_LOG", "seckill=debug"));
        }
        let worker = Process::start_with(&app, "worker", &variables).await;
        app.is_served_at(&web.url);
        let sale = app.sale(Sale { rebuy: false, ..Sale::of(2) }).await;
        let mut orders = Vec::new();
        let shoppers = app.shoppers(3).await;
        for shopper in &shoppers[..2] {
            let order = shopper.must_buy(sale).await;
            shopper.order_becomes(&order, "pending_payment").await;
            orders.push(order);
        }
        assert_eq!(shoppers[2].buy(sale).await.outcome(), "sold_out");
        shoppers[0].pay(&orders[0]).await;
        assert_eq!(shoppers[1].cancel(&orders[1]).await.status, 200);
        Self { app, ops, web, worker, orders }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_role_tells_what_the_contract_names_and_deploy_goes_by_it() {
    let small = SmallSale::over(None).await;
    let (web, worker) = eventually("both have measured everything", SOON, || async {
        let (web, worker) = (Scraped::of(&small.ops).await, Scraped::of(&small.worker.url).await);
        let all = CONTRACT.iter().all(|(name, _, of_web, of_worker)| {
            (!of_web || web.kinds.contains_key(*name))
                && (!of_worker || worker.kinds.contains_key(*name))
        });
        let gone = web.value("seckill_releases_total{reason=\"by_shopper\"}") == Some(1.0);
        (all && gone).then_some((web, worker))
    })
    .await;
    for (name, labels, of_web, of_worker) in CONTRACT {
        for (told, by) in [(&web, of_web), (&worker, of_worker)] {
            assert_eq!(told.kinds.contains_key(name), by, "{name}");
            let labels = labels.iter().map(|label| (*label).to_owned());
            let expected: BTreeSet<_> = labels.filter(|_| by).collect();
            assert_eq!(told.labels(name), expected, "{name}");
        }
    }
    for told in [&web, &worker] {
        for (name, kind) in told.kinds.iter().filter(|(name, _)| name.starts_with("seckill_")) {
            let metric = METRICS.iter().find(|metric| metric.name == name).expect(name);
            let expected = match metric.kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Histogram => "histogram",
            };
            assert_eq!(kind, expected, "{name}");
            assert_eq!(told.help.get(name).map(String::as_str), Some(metric.help), "{name}");
        }
        for line in told.values.keys() {
            assert!(!line.contains("user") && !line.contains("order_no"), "{line}");
            assert!(small.orders.iter().all(|order| !line.contains(order.as_str())), "{line}");
        }
    }
    assert_eq!(web.value("seckill_admissions_total{outcome=\"admitted\"}"), Some(2.0));
    assert_eq!(web.value("seckill_admissions_total{outcome=\"sold_out\"}"), Some(1.0));
    assert_eq!(web.value("seckill_admissions_total{outcome=\"busy\"}"), Some(0.0));
    assert_eq!(worker.value("seckill_orders_recorded_total"), Some(2.0));
    assert_eq!(worker.value("seckill_record_lag_seconds_count"), Some(2.0));

    let reconciler = Process::start_with(&small.app, "reconcile", &[]).await;
    let compared = eventually("a comparison", SOON, || async {
        let told = Scraped::of(&reconciler.url).await;
        told.kinds.contains_key("seckill_reconcile_alarms").then_some(told)
    })
    .await;
    let kinds = web.kinds.keys().chain(worker.kinds.keys()).chain(compared.kinds.keys());
    let known: BTreeSet<String> = kinds.cloned().collect();
    for (what, expression) in dashboard().into_iter().chain(alerts()) {
        let names = names_in(&expression);
        assert!(!names.is_empty(), "{what}: {expression}");
        for name in names {
            assert!(known.contains(family(&name)), "{what} goes by {name}, which nobody tells");
        }
    }
}

/// The words of an expression that name metrics.
fn names_in(expression: &str) -> Vec<String> {
    let words = expression.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    words.filter(|word| word.starts_with("seckill_")).map(ToOwned::to_owned).collect()
}

fn deployed(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Each panel's title and what it asks.
fn dashboard() -> Vec<(String, String)> {
    let board: Value = serde_json::from_str(&deployed("grafana-dashboard.json")).unwrap();
    let mut asked = Vec::new();
    let mut ids = BTreeSet::new();
    for panel in board["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().unwrap().to_owned();
        assert!(ids.insert(panel["id"].as_i64().unwrap()), "{title}: an id stands twice");
        assert!(!panel["description"].as_str().unwrap().is_empty(), "{title}");
        for target in panel["targets"].as_array().unwrap() {
            asked.push((title.clone(), target["expr"].as_str().unwrap().to_owned()));
        }
    }
    assert!(asked.len() >= 10, "{asked:?}");
    asked
}

/// Each alert's name and what it asks. The file keeps to a form that these lines can read.
fn alerts() -> Vec<(String, String)> {
    let mut asked: Vec<(String, String)> = Vec::new();
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in deployed("alerts.yml").lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line.trim_start_matches("- ").split_once(':').expect(line);
        let value = value.trim();
        let last = asked.last().map(|(alert, _)| alert.clone()).unwrap_or_default();
        match name {
            "alert" => asked.push((value.to_owned(), String::new())),
            "expr" => {
                // What YAML would take for something else.
                assert!(!value.contains(": ") && !value.contains(" #"), "{line}");
                assert!(!value.starts_with(['{', '"', '\'', '[', '&', '*', '|', '>']), "{line}");
                value.clone_into(&mut asked.last_mut().unwrap().1);
            }
            "for" | "severity" | "summary" | "description" | "action" => {
                assert!(!value.is_empty(), "{line}");
                told.entry(last).or_default().insert(name.to_owned());
            }
            "groups" | "name" | "rules" | "labels" | "annotations" => {}
            _ => panic!("not understood: {line}"),
        }
    }
    assert!(asked.len() >= 8, "{asked:?}");
    for (alert, expression) in &asked {
        let fields: Vec<&str> = told[alert].iter().map(String::as_str).collect();
        assert_eq!(fields, ["action", "description", "for", "severity", "summary"], "{alert}");
        assert!(!expression.is_empty(), "{alert}");
    }
    asked
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_logs_are_one_object_a_line_and_name_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log").to_str().unwrap().to_owned();
    let small = SmallSale::over(Some(&path)).await;
    let asked = small.app.http.get(format!("{}/", small.web.url)).send().await.unwrap();
    let request_id = asked.headers()["x-request-id"].to_str().unwrap().to_owned();
    let lines = |path: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        // The last line may be about to be written.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    };
    let of_web = eventually("the request is logged", SOON, || async {
        let lines = lines(&path);
        lines.iter().any(|line| mentions(line, &request_id)).then_some(lines)
    })
    .await;
    let of_worker = lines(&format!("{path}.worker"));
    for line in of_web.iter().chain(&of_worker) {
        assert!(line["timestamp"].is_string() && line["level"].is_string(), "{line}");
        assert!(line["fields"]["message"].is_string(), "{line}");
    }
    // The recorder names the request that began the order.
    let settled = of_worker.iter().find(|line| line["fields"]["message"] == "settled").unwrap();
    assert_eq!(settled["fields"]["request_id"].as_str().unwrap().len(), 26, "{settled}");
    // Nothing secret.
    let all = format!("{of_web:?}{of_worker:?}");
    assert!(!all.contains(crate::harness::app::PASSWORD));
}

/// Whether a line names this request.
fn mentions(line: &Value, request_id: &str) -> bool {
    let named = |value: &Value| value["request_id"] == request_id;
    named(&line["fields"])
        || named(&line["span"])
        || line["spans"].as_array().is_some_and(|spans| spans.iter().any(named))
}
