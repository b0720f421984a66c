//! The roles as processes: where they listen, what they tell of themselves, how they end.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Environment, command, fresh, key, places, seckill, with};
use crate::harness::proxy::Proxy;
use crate::harness::servers::Places;
use crate::harness::{App, Plan, SOON, Sale, eventually};

/// A command that goes on until it is stopped. Killed when dropped.
pub(super) struct Running {
    child: Child,
    /// What it printed up to the line that says where it serves.
    lines: Vec<String>,
    pub(super) url: String,
}

impl Running {
    pub(super) async fn start(environment: &Environment, arguments: &[&str]) -> Self {
        let mut command = command(environment, arguments);
        // Servers that are taken away are no news here.
        command.stdout(Stdio::piped()).env("SECKILL_LOG", "off");
        Self::start_as(command).await
    }

    async fn start_as(mut command: Command) -> Self {
        let mut running =
            Self { child: command.spawn().unwrap(), lines: Vec::new(), url: String::new() };
        let started = tokio::task::spawn_blocking(move || {
            for line in BufReader::new(running.child.stdout.take().unwrap()).lines() {
                running.lines.push(line.unwrap());
                if let Some(url) = running.lines.last().unwrap().strip_prefix("ready: ") {
                    running.url = url.to_owned();
                    return running;
                }
            }
            panic!("not ready: {:?}", running.lines);
        });
        started.await.unwrap()
    }

    /// SIGTERM; what it logged, and its exit code.
    async fn ended(mut self) -> (String, Option<i32>) {
        let log = self.child.stderr.take().unwrap();
        let code = self.terminate().await;
        (std::io::read_to_string(log).unwrap(), code)
    }

    /// SIGTERM, and its exit code.
    pub(super) async fn terminate(mut self) -> Option<i32> {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        let ended = eventually("it ends when it is told to", SOON, || {
            let ended = self.child.try_wait().unwrap();
            async move { ended }
        });
        ended.await.code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn free_address() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_is_told_on_a_port_of_its_own_and_names_what_is_missing() {
    let places = Places::fresh().await;
    let mut proxies = Vec::new();
    let mut environment = app_like(&places);
    for (name, url) in [
        ("REDIS_URL", &places.redis_url),
        ("DATABASE_URL", &places.database_url),
        ("AMQP_URL", &places.amqp_url),
    ] {
        let address = url::Url::parse(url).unwrap();
        let target = (address.host_str().unwrap().to_owned(), address.port().unwrap());
        let proxy = Proxy::start(target).await;
        environment.insert(name.to_owned(), proxy.url(url));
        proxies.push(proxy);
    }
    let ops = free_address();
    environment.insert("SECKILL_OPS_BIND".into(), ops.clone());
    seckill(&environment, &["migrate"]).await.well();
    let running = Running::start(&environment, &["serve"]).await;
    let ask = async |path: &str| reqwest::get(format!("http://{ops}{path}")).await.unwrap();

    assert_eq!(ask("/livez").await.status(), 200);
    let ready = ask("/readyz").await;
    assert_eq!(ready.status(), 200);
    let expected = serde_json::json!({"gate": "ok", "ledger": "ok", "queue": "ok"});
    assert_eq!(ready.json::<Value>().await.unwrap(), expected);
    for path in ["/livez", "/readyz", "/metrics"] {
        let there = reqwest::get(format!("{}{path}", running.url)).await.unwrap();
        assert_eq!(there.status(), 404, "{path} on the site's port");
    }
    assert_eq!(ask("/").await.status(), 404);

    for (name, proxy) in ["gate", "ledger", "queue"].iter().zip(&proxies) {
        proxy.refuse(true);
        proxy.cut();
        eventually(&format!("{name} is missing"), SOON, || async {
            let told = ask("/readyz").await;
            let status = told.status();
            let body: Value = told.json().await.unwrap();
            let missing: Vec<_> =
                body.as_object().unwrap().iter().filter(|(_, v)| **v != "ok").collect();
            (status == 503 && missing.len() == 1 && missing[0].0 == name).then_some(())
        })
        .await;
        assert_eq!(ask("/livez").await.status(), 200, "alive without its {name}");
        proxy.refuse(false);
        eventually(&format!("{name} is back"), SOON, || async {
            (ask("/readyz").await.status() == 200).then_some(())
        })
        .await;
    }
    assert_eq!(running.terminate().await, Some(0));
}

fn app_like(places: &Places) -> Environment {
    [
        ("SECKILL__QUEUE__PREFIX", places.prefix.as_str()),
        ("SECKILL_BIND", "127.0.0.1:0"),
        ("SECKILL_OPS_BIND", "127.0.0.1:0"),
        ("SECKILL__CAPTCHA__POOL", "8"),
        ("SECKILL_SECRET_KEY", &key()),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_opens_the_sandbox_to_the_world_is_warned_that_it_takes_no_money() {
    let app = places().await;
    for (address, warned) in [("127.0.0.1:0", false), ("0.0.0.0:0", true)] {
        let environment = with(&app.environment(), "SECKILL_BIND", address);
        let environment = with(&environment, "SECKILL__SITE__SECURE_COOKIES", "true");
        let mut command = command(&environment, &["web"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).env("SECKILL_LOG", "warn");
        let running = Running::start_as(command).await;
        let (told, code) = running.ended().await;
        assert_eq!(code, Some(0), "{told}");
        let warning = "payments go to the sandbox: no money is taken";
        assert_eq!(told.contains(warning), warned, "{address}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_has_no_site_and_a_web_process_shares_the_sale() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let (site, ops) = (free_address(), free_address());
    let environment = with(&app.environment(), "SECKILL_BIND", &site);
    let environment = with(&environment, "SECKILL_OPS_BIND", &ops);

    let worker = Running::start(&environment, &["worker"]).await;
    assert_eq!(worker.url, format!("http://{ops}"));
    assert_eq!(reqwest::get(format!("http://{ops}/readyz")).await.unwrap().status(), 200);
    assert!(reqwest::get(format!("http://{site}/")).await.is_err(), "a worker has a site");
    assert_eq!(worker.terminate().await, Some(0));

    let web = Running::start(&environment, &["web"]).await;
    assert_eq!(web.url, format!("http://{site}"));
    let ready: Value =
        reqwest::get(format!("http://{ops}/readyz")).await.unwrap().json().await.unwrap();
    assert_eq!(ready, serde_json::json!({"gate": "ok", "ledger": "ok"}), "the site has no queue");
    // A session and a ticket of one node are good at the other.
    let mut shopper = app.shopper().await;
    let told = shopper.ticket(sale).await.json();
    shopper.browser.goes_to(web.url.clone());
    let token = told["csrf_token"].as_str().unwrap();
    let answer = shopper.submit(sale, token, told["ticket"].as_str().unwrap(), "").await;
    assert_eq!(answer.outcome(), "admitted", "{}", answer.text);
    shopper.order_becomes(&answer.order_no(), "pending_payment").await;
    assert_eq!(web.terminate().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_have_the_names_that_dashboards_rely_on_and_name_nobody() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let sale = app.sale(Sale { rebuy: true, ..Sale::of(1) }).await;
    let ops = free_address();
    let environment = with(&app.environment(), "SECKILL_OPS_BIND", &ops);
    let running = Running::start(&environment, &["serve"]).await;
    let mut shopper = app.shopper().await;
    shopper.browser.goes_to(running.url.clone());
    let order_no = shopper.must_buy(sale).await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    assert_eq!(shopper.cancel(&order_no).await.status, 200);

    let names = [
        "seckill_admissions_total{outcome=\"admitted\"}",
        "seckill_http_request_duration_seconds_count{route=\"/orders/{order}\"",
        "seckill_gate_call_duration_seconds_count{script=\"admit\"}",
        &format!("seckill_gate_stock{{activity=\"{sale}\"}}"),
        &format!("seckill_ledger_remain{{activity=\"{sale}\"}}"),
        "seckill_outbox_entries ",
        "seckill_queue_messages{queue=",
        "seckill_record_lag_seconds_count",
        "seckill_orders_recorded_total 1",
        "seckill_releases_total{reason=",
        "seckill_ledger_pool_connections{state=\"idle\"}",
        "seckill_ledger_pool_wait_seconds_count",
    ];
    let text = eventually("all metrics are there", SOON, || async {
        let text =
            reqwest::get(format!("http://{ops}/metrics")).await.unwrap().text().await.unwrap();
        let missing: Vec<_> = names.iter().filter(|name| !text.contains(**name)).collect();
        if !missing.is_empty() {
            eprintln!("missing: {missing:?}");
        }
        missing.is_empty().then_some(text)
    })
    .await;

    assert!(!text.contains(&order_no) && !text.contains(&shopper.name), "{text}");
    let known = [
        "outcome", "route", "status", "script", "activity", "queue", "state", "reason", "kind",
        "le", "quantile",
    ];
    for line in text.lines().filter(|line| !line.starts_with('#') && line.contains('{')) {
        let labels = line.split_once('{').unwrap().1.rsplit_once('}').unwrap().0;
        for label in labels.split("\",") {
            let name = label.split('=').next().unwrap();
            assert!(known.contains(&name), "{line}");
        }
    }
    drop(running);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn up_writes_what_others_need_to_join_and_keeps_its_key() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let arguments = ["up", "--data-dir", data.to_str().unwrap()];
    let environment = fresh().await;

    let first = Running::start(&environment, &arguments).await;
    assert!(first.url.starts_with("http://127.0.0.1:"), "{}", first.url);
    assert_eq!(reqwest::get(&first.url).await.unwrap().status(), 200);
    let env_file = data.join("env");
    let written = std::fs::read_to_string(&env_file).unwrap();
    assert_eq!(std::fs::metadata(&env_file).unwrap().permissions().mode() & 0o777, 0o600);
    let lines: Vec<_> = written.lines().filter_map(|line| line.split_once('=')).collect();
    let names: Vec<_> = lines.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names,
        [
            "DATABASE_URL",
            "REDIS_URL",
            "AMQP_URL",
            "SECKILL_SECRET_KEY",
            "SECKILL__SITE__PICTURES_DIR"
        ]
    );
    for (name, value) in &lines[..3] {
        assert_eq!(environment[*name], *value);
    }
    assert!(lines[3].1.len() >= 64);
    assert!(std::path::Path::new(lines[4].1).ends_with("pictures"), "{}", lines[4].1);

    // A second one on the same data, while it runs: refused. Another role: joins.
    let refused = seckill(&environment, &arguments).await.failed_after_all();
    assert!(refused.contains("data"), "{refused}");
    let joining: Environment = lines
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .chain(environment.clone())
        .collect();
    let web = Running::start(&joining, &["web"]).await;
    assert_eq!(web.terminate().await, Some(0));
    assert_eq!(first.terminate().await, Some(0));
    nothing_runs_in(&data).await;

    let second = Running::start(&environment, &["up", "--demo", "--data-dir", arguments[2]]).await;
    assert_eq!(std::fs::read_to_string(&env_file).unwrap(), written, "the key is kept");
    let logins = second.lines.join("\n");
    for name in ["alice", "operator", "admin", "flash-sale-demo"] {
        assert!(logins.contains(name), "{logins}");
    }
    assert_eq!(second.lines.iter().filter(|line| line.starts_with("ready: ")).count(), 1);
    let page = reqwest::get(&second.url).await.unwrap().text().await.unwrap();
    for part in ["id=\"open\"", "id=\"upcoming\"", "id=\"ended\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(second.terminate().await, Some(0));
    nothing_runs_in(&data).await;
}

/// No process was left that knows of this folder.
async fn nothing_runs_in(folder: &std::path::Path) {
    let name = folder.to_str().unwrap().to_owned();
    eventually("all processes are gone", Duration::from_secs(10), || async {
        let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let left = processes
            .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
            .filter(|line| String::from_utf8_lossy(line).contains(&name))
            .count();
        (left == 0).then_some(())
    })
    .await;
}
