//! `seckill doctor`: is everything as it must be? One line each; exit 1 if one is wrong.

use std::process::ExitCode;

use super::output::out;
use crate::config::{Config, Needs};
use crate::ledger::Ledger;
use crate::role::{self, RoleError};

/// Clocks may differ by this much before sales open early or deadlines lie.
const CLOCK_MS: i64 = 1000;

/// A list of findings, printed as they come.
#[derive(Default)]
struct Findings {
    wrong: usize,
}

impl Findings {
    fn tell(&mut self, what: &str, finding: Result<String, String>) {
        let (mark, text) = match finding {
            Ok(text) => ("ok   ", text),
            Err(text) => {
                self.wrong += 1;
                ("WRONG", text)
            }
        };
        out!("{mark} {what:<16} {text}");
    }

    fn demand(&mut self, what: &str, holds: bool, is: &str, should: &str) {
        let finding = if holds { Ok(is.to_owned()) } else { Err(format!("{is}; {should}")) };
        self.tell(what, finding);
    }

    fn clock(&mut self, what: &str, theirs_ms: i64) {
        let difference = theirs_ms - chrono::Utc::now().timestamp_millis();
        let is = format!("{difference:+} ms from ours");
        self.demand(what, difference.abs() <= CLOCK_MS, &is, "set the clocks by NTP");
    }
}

pub(super) async fn run(config: &Config) -> Result<ExitCode, RoleError> {
    let mut findings = Findings::default();
    let secret = config.require(Needs { secret_key: true, ..Needs::default() });
    findings.tell("secret key", secret.map(|()| "long enough".into()).map_err(|e| e.to_string()));
    gate(config, &mut findings).await;
    ledger(config, &mut findings).await;
    queue(config, &mut findings).await;
    findings.tell("pictures", pictures(config));
    findings.tell("payments", Ok(role::provider().to_owned()));
    Ok(if findings.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn gate(config: &Config, findings: &mut Findings) {
    let facts = match role::gate(config).await {
        Ok(gate) => gate.server_facts().await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let facts = match facts {
        Ok(facts) => facts,
        Err(error) => return findings.tell("gate", Err(error)),
    };
    let version = format!("Redis {}", facts.version);
    let new_enough = facts.version.split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0) >= 7;
    findings.demand("gate", new_enough, &version, "Redis 7 or later is needed");
    let policy = &facts.maxmemory_policy;
    let should = "set maxmemory-policy to noeviction: an evicted key is a lost unit";
    findings.demand("gate eviction", policy == "noeviction", policy, should);
    let (is, should) = ("append-only file", "set appendonly to yes: a restart must find the sale");
    findings.demand("gate persistence", facts.append_only, is, should);
    findings.clock("gate clock", facts.now_ms);
}

async fn ledger(config: &Config, findings: &mut Findings) {
    let ledger = match role::ledger(config) {
        Ok(ledger) => ledger,
        Err(error) => return findings.tell("ledger", Err(error.to_string())),
    };
    match ledger.server_facts().await {
        Ok(facts) => {
            let kind = if facts.mariadb { "MariaDB" } else { "MySQL" };
            let least = if facts.mariadb { (10, 6) } else { (8, 0) };
            let is = format!("{kind} {}", facts.version);
            let should = "MySQL 8 or MariaDB 10.6 or later is needed";
            findings.demand("ledger", version(&facts.version) >= least, &is, should);
            findings.clock("ledger clock", facts.now.timestamp_millis());
        }
        Err(error) => return findings.tell("ledger", Err(error.to_string())),
    }
    findings.tell("ledger schema", schema(&ledger).await);
}

async fn schema(ledger: &Ledger) -> Result<String, String> {
    let schema = ledger.schema_version().await.map_err(|error| error.to_string())?;
    if schema.is_current() {
        return Ok("up to date".to_owned());
    }
    Err(format!("{} migrations missing; run `seckill migrate`", schema.missing.len()))
}

async fn queue(config: &Config, findings: &mut Findings) {
    let finding = match role::queue(config, "doctor") {
        Ok(queue) => {
            let checked = queue.check().await;
            // With a goodbye: a connection that is merely dropped is an error in the client's log.
            queue.close().await;
            match checked {
                Ok(()) => Ok("reachable, exchanges and queues as declared".to_owned()),
                Err(error) => Err(error.to_string()),
            }
        }
        Err(error) => Err(error.to_string()),
    };
    findings.tell("queue", finding);
}

/// A look as the web role takes it, but nothing is made.
fn pictures(config: &Config) -> Result<String, String> {
    let folder = config.site.pictures_dir();
    let is = folder.display();
    if !folder.exists() {
        return Ok(format!("{is}, which the web role makes at its start"));
    }
    role::gallery(config).map_err(|error| error.to_string())?;
    Ok(format!("{is}, can be written; web nodes share it"))
}

/// The first two numbers of a server's version.
fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
