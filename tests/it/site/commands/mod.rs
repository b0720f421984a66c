//! The commands of the real binary: what they print, how they end, and what they refuse.

mod activities;
mod reconcile;
mod roles;

use std::collections::HashMap;
use std::process::{Command, Stdio};

use seckill::sale::ids::UserId;

use super::{row, rows};
use crate::harness::app::PASSWORD;
use crate::harness::servers::Places;
use crate::harness::{App, Plan, SOON, Shopper, eventually};

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_command_tells_how_it_is_used() {
    let environment = Environment::new();
    for command in [
        &[][..],
        &["up"],
        &["serve"],
        &["web"],
        &["worker"],
        &["reconcile"],
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
        &["user", "list"],
        &["user", "role"],
        &["user", "disable"],
        &["user", "enable"],
        &["user", "password"],
        &["user", "end-sessions"],
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
        &["reconcile", "--dry-run"],
        &["reconcile", "--json"],
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
        &["user", "role", "ann"],
        &["user", "role", "ann", "king"],
        &["user", "disable"],
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
async fn accounts_are_changed_by_the_rules_of_the_console() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    let environment = with(&app.environment(), "SECKILL_PASSWORD", PASSWORD);
    let user =
        async |arguments: &[&str]| seckill(&environment, &[&["user"], arguments].concat()).await;
    user(&["add", "Root", "--role", "admin"]).await.well();
    user(&["add", "王芳 🎁", "--role", "shopper"]).await.well();
    let shopper = Shopper::sign_in(&app, UserId(2), "王芳 🎁").await;

    let reason = user(&["disable", "root"]).await.failed();
    assert!(reason.contains("last admin"), "{reason}");
    let reason = user(&["role", "root", "shopper"]).await.failed();
    assert!(reason.contains("last admin"), "{reason}");
    let reason = user(&["end-sessions", "nobody"]).await.failed();
    assert!(reason.contains("no such account"), "{reason}");

    for (arguments, told) in [
        (&["role", "王芳 🎁", "operator"][..], "王芳 🎁 is now operator\n"),
        (&["role", "王芳 🎁", "operator"], "王芳 🎁 is already operator\n"),
        (&["disable", "王芳 🎁"], "王芳 🎁 is now disabled\n"),
        (&["list"], "1\tadmin\tlive\tRoot\n2\toperator\tdisabled\t王芳 🎁\n"),
        (&["list", "--role", "shopper"], ""),
        (&["enable", "王芳 🎁"], "王芳 🎁 is now enabled\n"),
        (&["password", "王芳 🎁"], "王芳 🎁 has a new password\n"),
        (&["end-sessions", "王芳 🎁"], "the sessions of 王芳 🎁 are over\n"),
    ] {
        assert_eq!(user(arguments).await.well(), told);
    }
    eventually("the shopper is signed out", SOON, || async {
        (shopper.browser.get("/orders").await.status == 303).then_some(())
    })
    .await;
    let audit = "SELECT CONCAT_WS(' ', IFNULL(actor_id, '-'), actor, action, subject) AS text \
                 FROM audit_log ORDER BY id";
    assert_eq!(
        rows(&app, audit),
        [
            "add user:1",
            "add user:2",
            "role user:2",
            "disable user:2",
            "enable user:2",
            "password user:2",
            "end_sessions user:2"
        ]
        .map(|line| format!("- command account.{line}"))
    );
    let short = with(&environment, "SECKILL_PASSWORD", "short");
    seckill(&short, &["user", "password", "root"]).await.failed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_names_what_is_wrong() {
    let app = App::start_with(Plan { no_web: true, ..Plan::default() }).await;
    let environment = app.environment();
    let healthy = seckill(&environment, &["doctor"]).await;
    assert_eq!(healthy.code, Some(0), "{healthy:?}");
    assert!(healthy.out.lines().count() >= 8, "{healthy:?}");
    assert!(healthy.out.lines().all(|line| line.starts_with("ok ")), "{healthy:?}");
    assert!(healthy.out.contains("payments go to the sandbox: no money is taken"), "{healthy:?}");

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
