//! The commands of the real binary: what they print, how they end, and what they refuse.

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use seckill::sale::ids::ActivityId;
use serde_json::Value;

use super::row;
use crate::harness::app::PASSWORD;
use crate::harness::proxy::Proxy;
use crate::harness::servers::Places;
use crate::harness::{App, Plan, SOON, Sale, Shopper, eventually};

type Environment = HashMap<String, String>;

/// A command that has ended.
#[derive(Debug)]
struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Done {
    /// It did what it was asked for; gives what it printed.
    fn well(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// It failed, with a reason in its first line.
    fn failed(self) -> String {
        assert!(self.err.starts_with("seckill: "), "{self:?}");
        self.failed_after_all()
    }

    /// It failed after it had told of tries, or of its progress.
    fn failed_after_all(self) -> String {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert!(!self.err.contains("panicked") && !self.err.contains('\u{1b}'), "{self:?}");
        let reasons: Vec<_> = self.err.lines().filter(|l| l.starts_with("seckill: ")).collect();
        assert_eq!(reasons.len(), 1, "{self:?}");
        reasons[0].to_owned()
    }

    /// It was called wrongly.
    fn misused(self) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.err.starts_with("error: ") && self.out.is_empty(), "{self:?}");
    }
}

fn command(environment: &Environment, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_seckill"));
    command.args(arguments).env_clear().envs(environment).stdin(Stdio::null());
    command
}

async fn seckill(environment: &Environment, arguments: &[&str]) -> Done {
    let mut command = command(environment, arguments);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    Done {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A command that goes on until it is stopped. Killed when dropped.
struct Running {
    child: Child,
    /// What it printed up to the line that says where it serves.
    lines: Vec<String>,
    url: String,
}

impl Running {
    async fn start(environment: &Environment, arguments: &[&str]) -> Self {
        let mut command = command(environment, arguments);
        command.stdout(Stdio::piped()).env("SECKILL_LOG", "error");
        tokio::task::spawn_blocking(move || {
            let mut child = command.spawn().unwrap();
            let mut lines = Vec::new();
            for line in BufReader::new(child.stdout.take().unwrap()).lines() {
                lines.push(line.unwrap());
                if let Some(url) = lines.last().unwrap().strip_prefix("ready: ") {
                    let url = url.to_owned();
                    return Self { child, lines, url };
                }
            }
            panic!("not ready: {lines:?}");
        })
        .await
        .unwrap()
    }

    async fn terminate(mut self) -> Option<i32> {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        tokio::task::block_in_place(|| self.child.wait()).unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The environment of a process on places where nothing is yet.
async fn fresh() -> Environment {
    let places = Places::fresh().await;
    [
        ("DATABASE_URL", places.database_url.as_str()),
        ("REDIS_URL", &places.redis_url),
        ("AMQP_URL", &places.amqp_url),
        ("SECKILL__QUEUE__PREFIX", &places.prefix),
        ("SECKILL_BIND", "127.0.0.1:0"),
        ("SECKILL_OPS_BIND", "127.0.0.1:0"),
        ("SECKILL__CAPTCHA__POOL", "8"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

fn with(environment: &Environment, name: &str, value: &str) -> Environment {
    let mut environment = environment.clone();
    environment.insert(name.to_owned(), value.to_owned());
    environment
}

fn free_address() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// An app without roles in this process: what runs are the processes of the test.
async fn places() -> App {
    App::start_with(Plan { no_web: true, no_worker: true, ..Plan::default() }).await
}

const CREATE: [&str; 12] = [
    "activity",
    "create",
    "--product",
    "Kettle",
    "--title",
    "At noon",
    "--price",
    "19.99",
    "--stock",
    "10",
    "--starts-at",
    "now",
];

async fn create(environment: &Environment, more: &[&str]) -> Done {
    let arguments = [&CREATE[..], &["--ends-at", "2999-01-01T00:00:00Z"], more].concat();
    seckill(environment, &arguments).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_command_tells_how_it_is_used() {
    let environment = Environment::new();
    for command in [
        &[][..],
        &["up"],
        &["serve"],
        &["web"],
        &["worker"],
        &["migrate"],
        &["activity"],
        &["activity", "create"],
        &["activity", "list"],
        &["activity", "show"],
        &["activity", "schedule"],
        &["activity", "pause"],
        &["activity", "resume"],
        &["activity", "end"],
        &["activity", "cancel"],
        &["activity", "adjust"],
        &["user"],
        &["user", "add"],
        &["doctor"],
    ] {
        let told = seckill(&environment, &[command, &["--help"]].concat()).await;
        let usage = ["Usage: seckill", &command.join(" ")].join(" ");
        assert!(told.out.contains(usage.trim()), "{command:?}: {told:?}");
        assert!(told.err.is_empty(), "{told:?}");
        told.well();
    }
    for wrong in [
        &["nonsense"][..],
        &["--nonsense"],
        &["serve", "now"],
        &["activity", "show"],
        &["activity", "show", "x"],
        &["activity", "show", "0"],
        &["activity", "show", "-1"],
        &["activity", "pause", "9223372036854775808"],
        &["activity", "adjust", "1"],
        &["activity", "adjust", "1", "--stock", "5"],
        &["activity", "adjust", "1", "--stock", "+0"],
        &["activity", "adjust", "1", "--stock", "many"],
        &["user", "add", "ann"],
        &["user", "add", "ann", "--role", "king"],
    ] {
        seckill(&environment, wrong).await.misused();
    }
    for (name, wrong) in [
        ("--price", "-1"),
        ("--price", "1.999"),
        ("--price", "1e3"),
        ("--price", "NaN"),
        ("--stock", "x"),
        ("--stock", "1.5"),
        ("--starts-at", "tomorrow"),
        ("--starts-at", "2026-13-01T00:00:00Z"),
    ] {
        let mut arguments = CREATE.to_vec();
        let at = arguments.iter().position(|word| *word == name).unwrap();
        arguments[at + 1] = wrong;
        let arguments = [arguments, vec!["--ends-at", "2999-01-01T00:00:00Z"]].concat();
        let done = seckill(&environment, &arguments).await;
        assert_eq!(done.code, Some(2), "{name} {wrong}: {done:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn migrating_twice_or_by_two_at_once_is_migrating_once() {
    let environment = fresh().await;
    let unmigrated = with(&environment, "SECKILL_SECRET_KEY", &key());
    let reason = seckill(&unmigrated, &["serve"]).await.failed();
    assert!(reason.contains("seckill migrate"), "{reason}");

    let (one, other) =
        tokio::join!(seckill(&environment, &["migrate"]), seckill(&environment, &["migrate"]));
    let mut told = [one.well(), other.well()];
    told.sort();
    assert!(told[0].starts_with("migrated "), "{told:?}");
    assert_eq!(told[1], "the ledger is up to date\n");
    assert_eq!(seckill(&environment, &["migrate"]).await.well(), "the ledger is up to date\n");

    let nowhere = with(&environment, "DATABASE_URL", "mysql://root:x@127.0.0.1:1/x");
    seckill(&nowhere, &["migrate"]).await.failed_after_all();
    let reason = seckill(&Environment::new(), &["migrate"]).await.failed();
    assert!(reason.contains("DATABASE_URL"), "{reason}");
}

/// A key as `openssl rand -hex 64` makes one.
fn key() -> String {
    format!(
        "{:032x}{:032x}{:032x}{:032x}",
        rand::random::<u128>(),
        rand::random::<u128>(),
        rand::random::<u128>(),
        rand::random::<u128>()
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_is_added_can_sign_in() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let environment = with(&app.environment(), "SECKILL_PASSWORD", PASSWORD);
    for (name, role) in [("王芳 🎁", "operator"), ("Ann", "shopper"), ("root", "admin")] {
        let told = seckill(&environment, &["user", "add", name, "--role", role]).await.well();
        assert!(told.contains(name), "{told}");
        let query =
            "SELECT CONCAT(username, '/', role) AS text FROM users ORDER BY id DESC LIMIT 1";
        assert_eq!(row(&app, query), format!("{name}/{role}"));
        let id = row(&app, "SELECT CAST(MAX(id) AS CHAR) AS text FROM users").parse().unwrap();
        Shopper::sign_in(&app, id, name).await;
    }
    for (name, password) in
        [("ann", PASSWORD), ("x", PASSWORD), ("a\nb", PASSWORD), ("Ben", "short")]
    {
        let environment = with(&environment, "SECKILL_PASSWORD", password);
        seckill(&environment, &["user", "add", name, "--role", "shopper"]).await.failed();
    }
    assert_eq!(row(&app, "SELECT CAST(COUNT(*) AS CHAR) AS text FROM users"), "3");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_activity_is_led_from_its_draft_to_its_end() {
    let app = places().await;
    let environment = app.environment();
    let run = async |arguments: &[&str]| seckill(&environment, arguments).await;
    let shown = async |id: &str| -> Value {
        serde_json::from_str(&run(&["activity", "show", id, "--json"]).await.well()).unwrap()
    };

    let out = create(&environment, &["--no-captcha", "--pay-within", "60"]).await.well();
    let id = out.trim_end();
    assert_eq!(out, format!("{}\n", id.parse::<ActivityId>().unwrap()));
    let balance = shown(id).await;
    let fields: BTreeSet<_> = balance.as_object().unwrap().keys().map(String::as_str).collect();
    let expected =
        ["id", "state", "total_stock", "remain_stock", "gate_stock", "reserved", "orders"];
    assert_eq!(fields, BTreeSet::from(expected));
    for name in ["pending_payment", "paid", "cancelled"] {
        assert_eq!(balance["orders"][name], 0, "{balance}");
    }
    assert_eq!(balance["state"], "draft");
    assert_eq!((&balance["total_stock"], &balance["gate_stock"]), (&10.into(), &Value::Null));
    for step in ["pause", "resume", "end"] {
        run(&["activity", step, id]).await.failed();
    }
    assert!(run(&["activity", "list"]).await.well().contains("At noon"));
    assert!(run(&["activity", "show", id]).await.well().contains("Kettle"));

    assert_eq!(run(&["activity", "schedule", id]).await.well(), "");
    let balance = shown(id).await;
    assert_eq!((&balance["state"], &balance["gate_stock"]), (&"open".into(), &10.into()));
    for step in ["schedule", "resume"] {
        let reason = run(&["activity", step, id]).await.failed();
        assert!(reason.contains(id), "{reason}");
    }
    run(&["activity", "pause", id]).await.well();
    assert_eq!(shown(id).await["state"], "paused");
    run(&["activity", "pause", id]).await.failed();
    run(&["activity", "resume", id]).await.well();
    assert_eq!(shown(id).await["state"], "open");
    run(&["activity", "end", id]).await.well();
    assert_eq!(shown(id).await["state"], "ended");
    for step in ["schedule", "pause", "resume", "end", "cancel"] {
        run(&["activity", step, id]).await.failed();
    }
    run(&["activity", "adjust", id, "--stock", "+1"]).await.failed();

    let id = create(&environment, &[]).await.well().trim_end().to_owned();
    run(&["activity", "cancel", &id]).await.well();
    assert_eq!(shown(&id).await["state"], "cancelled");
    run(&["activity", "schedule", &id]).await.failed();
    for step in ["show", "schedule", "pause", "resume", "end", "cancel"] {
        let reason = run(&["activity", step, "424242"]).await.failed();
        assert!(reason.contains("424242"), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_activity_that_makes_no_sense_is_not_created() {
    let app = places().await;
    let environment = app.environment();
    let long = "x".repeat(10_000);
    for (name, value, named) in [
        ("--product", "", "product"),
        ("--product", &long, "product"),
        ("--product", "a\nb", "product"),
        ("--title", " ", "title"),
        ("--title", &long, "title"),
        ("--price", "0", "price"),
        ("--price", "100000000", "price"),
        ("--stock", "100000001", "stock"),
        ("--starts-at", "2999-01-01T00:00:00Z", "ends-at"),
        ("--starts-at", "1969-01-01T00:00:00Z", "starts-at"),
    ] {
        let mut arguments = CREATE.to_vec();
        let at = arguments.iter().position(|word| *word == name).unwrap();
        arguments[at + 1] = value;
        let arguments = [arguments, vec!["--ends-at", "2998-01-01T00:00:00Z"]].concat();
        let done = seckill(&environment, &arguments).await;
        assert!(done.out.is_empty() && matches!(done.code, Some(1 | 2)), "{name}: {done:?}");
        assert!(done.err.contains(named), "{name}: {done:?}");
    }
    for more in [["--buckets", "2"], ["--buckets", "0"], ["--pay-within", "9"], ["--rate", "0"]] {
        create(&environment, &more).await.failed();
    }
    let made = "SELECT CAST((SELECT COUNT(*) FROM activities) + (SELECT COUNT(*) FROM products) \
                AS CHAR) AS text";
    assert_eq!(row(&app, made), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stock_is_changed_exactly_and_once_for_each_change_id() {
    let app = App::start().await;
    let environment = app.environment();
    let sale = app.sale(Sale::of(10)).await;
    let other = app.sale(Sale::of(10)).await;
    let adjust = async |sale: ActivityId, by: &str, more: &[&str]| {
        let id = sale.to_string();
        let arguments = ["activity", "adjust", &id, "--stock", by];
        seckill(&environment, &[&arguments[..], more].concat()).await
    };
    let balances = async |total: i64, free: i64| {
        let balance = app.balance(sale).await;
        let figures = (balance.total_stock, balance.remain_stock, balance.gate_stock);
        assert_eq!(figures, (total, free, Some(free)));
    };
    assert_eq!(adjust(sale, "+5", &[]).await.well(), "changed by +5, total 15\n");
    assert_eq!(adjust(sale, "-3", &[]).await.well(), "changed by -3, total 12\n");
    balances(12, 12).await;

    for shopper in app.shoppers(2).await {
        let order_no = shopper.must_buy(sale).await;
        shopper.order_becomes(&order_no, "pending_payment").await;
    }
    // Once for each id: at once, and after other changes.
    for _ in 0..2 {
        let told = adjust(sale, "+10", &["--change-id", "more"]).await.well();
        assert_eq!(told, "changed by +10, total 22\n");
        balances(22, 20).await;
    }
    for _ in 0..2 {
        let told = adjust(sale, "-4", &["--change-id", "less"]).await.well();
        assert_eq!(told, "changed by -4, total 18\n");
        balances(18, 16).await;
    }
    adjust(sale, "+1", &["--change-id", "between"]).await.well();
    balances(19, 17).await;
    let told = adjust(sale, "-4", &["--change-id", "less"]).await.well();
    assert!(told.starts_with("changed by -4, "), "{told}");
    balances(19, 17).await;
    let told = adjust(sale, "+10", &["--change-id", "more"]).await.well();
    assert!(told.starts_with("changed by +10, "), "{told}");
    balances(19, 17).await;

    // An id that names another change is refused, and nothing happens.
    for (id, by) in [("more", "+9"), ("more", "-10"), ("less", "+4"), ("between", "-1")] {
        adjust(sale, by, &["--change-id", id]).await.failed();
        balances(19, 17).await;
    }
    for (id, by) in [("more", "+10"), ("less", "-4")] {
        adjust(other, by, &["--change-id", id]).await.failed();
        let balance = app.balance(other).await;
        assert_eq!((balance.total_stock, balance.gate_stock), (10, Some(10)));
    }

    // Never under what is sold.
    assert_eq!(adjust(sale, "-1000", &[]).await.well(), "changed by -17, total 2\n");
    balances(2, 0).await;
    assert_eq!(adjust(sale, "-1", &[]).await.well(), "changed by +0, total 2\n");
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "sold_out");
    adjust(sale, "+1", &[]).await.well();
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "admitted");
    adjust(sale, "+100000001", &[]).await.failed();

    let draft = app.draft(Sale::of(10)).await;
    assert_eq!(adjust(draft, "-4", &[]).await.well(), "changed by -4, total 6\n");
    assert_eq!(adjust(draft, "-40", &[]).await.well(), "changed by -6, total 0\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_activity_is_withdrawn_only_while_nobody_has_bought() {
    let mut app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let environment = app.environment();
    let sale = app.sale(Sale::of(3)).await;
    let id = sale.to_string();
    let shopper = app.shopper().await;
    let order_no = shopper.must_buy(sale).await;

    // Reserved counts: its order is on its way.
    let reason = seckill(&environment, &["activity", "cancel", &id]).await.failed();
    assert!(reason.contains("order"), "{reason}");
    assert_eq!(app.balance(sale).await.state, "open");
    assert_eq!(app.shopper().await.buy(sale).await.outcome(), "admitted");
    app.start_worker().await;
    shopper.order_becomes(&order_no, "pending_payment").await;
    seckill(&environment, &["activity", "cancel", &id]).await.failed();
    assert_eq!(app.balance(sale).await.state, "open");

    let unsold = app.sale(Sale::of(3)).await;
    seckill(&environment, &["activity", "cancel", &unsold.to_string()]).await.well();
    let gone = shopper.buy(unsold).await;
    assert!(["ended", "paused"].contains(&gone.outcome().as_str()), "{}", gone.text);
    eventually("it is called off", SOON, || async {
        let page = shopper.browser.get(&format!("/activities/{unsold}")).await;
        page.text.contains("called off").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_names_what_is_wrong() {
    let app = App::start_with(Plan { no_web: true, ..Plan::default() }).await;
    let environment = app.environment();
    let healthy = seckill(&environment, &["doctor"]).await;
    assert_eq!(healthy.code, Some(0), "{healthy:?}");
    assert!(healthy.out.lines().count() >= 8, "{healthy:?}");
    assert!(healthy.out.lines().all(|line| line.starts_with("ok ")), "{healthy:?}");

    let empty = Places::fresh().await.database_url;
    for (name, value, line) in [
        ("SECKILL_SECRET_KEY", "short", "secret key"),
        ("REDIS_URL", "redis://127.0.0.1:1", "gate"),
        ("DATABASE_URL", "mysql://root@127.0.0.1:1/x", "ledger"),
        ("DATABASE_URL", &empty, "ledger schema"),
        ("AMQP_URL", "amqp://127.0.0.1:1", "queue"),
        ("AMQP_URL", "", "queue"),
    ] {
        let told = seckill(&with(&environment, name, value), &["doctor"]).await;
        assert_eq!(told.code, Some(1), "{name}={value}: {told:?}");
        let wrong: Vec<_> = told.out.lines().filter(|line| line.starts_with("WRONG ")).collect();
        assert_eq!(wrong.len(), 1, "{name}={value}: {told:?}");
        assert!(wrong[0].starts_with(&format!("WRONG {line}")), "{wrong:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_up_that_is_dangerous_or_misspelt_is_refused_by_name() {
    let app = places().await;
    let mut environment = app.environment();
    environment.remove("SECKILL_SECRET_KEY");
    let sample = "changeme".repeat(10);
    let repeated = "ab".repeat(40);
    for key in
        [None, Some(""), Some("short"), Some(sample.as_str()), Some(&repeated), Some(&key()[..63])]
    {
        for role in ["serve", "web"] {
            let mut environment = environment.clone();
            if let Some(key) = key {
                environment.insert("SECKILL_SECRET_KEY".into(), key.into());
            }
            let reason = seckill(&environment, &[role]).await.failed();
            assert!(reason.contains("SECKILL_SECRET_KEY"), "{key:?}: {reason}");
            assert!(key.is_none_or(|key| key.is_empty() || !reason.contains(key)), "{reason}");
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("seckill.toml");
    std::fs::write(&file, "[recorder]\nbathc = 3\n").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let held = std::net::TcpListener::bind(&taken);
    let environment = app.environment();
    for (name, value, named) in [
        ("SECKILL__RECORDER__BATHC", "3", "bathc"),
        ("SECKILL__RECORDER__BATCH", "many", "batch"),
        ("SECKILL__RECORDER__BATCH", "0", "recorder.batch"),
        ("SECKILL_CONFIG", file.to_str().unwrap(), "bathc"),
        ("SECKILL_CONFIG", "/nowhere/seckill.toml", "seckill.toml"),
        ("SECKILL_BIND", "0.0.0.0:0", "site.secure_cookies"),
        ("SECKILL_BIND", "nowhere", "site.bind"),
        ("SECKILL_BIND", &taken, "SECKILL_BIND"),
        ("SECKILL_OPS_BIND", &taken, "SECKILL_OPS_BIND"),
        ("SECKILL_LOG_FORMAT", "xml", "SECKILL_LOG_FORMAT"),
        ("SECKILL_LOG", "a=b=c", "SECKILL_LOG"),
        ("DATABASE_URL", "postgres://x", "DATABASE_URL"),
        ("REDIS_URL", "", "REDIS_URL"),
        ("AMQP_URL", "http://x", "AMQP_URL"),
    ] {
        let reason = seckill(&with(&environment, name, value), &["serve"]).await.failed();
        assert!(reason.to_lowercase().contains(&named.to_lowercase()), "{name}={value}: {reason}");
    }
    drop(held);
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
    assert_eq!(names, ["DATABASE_URL", "REDIS_URL", "AMQP_URL", "SECKILL_SECRET_KEY"]);
    for (name, value) in &lines[..3] {
        assert_eq!(environment[*name], *value);
    }
    assert!(lines[3].1.len() >= 64);

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
