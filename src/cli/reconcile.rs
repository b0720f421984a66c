//! `seckill reconcile`: the role, or one round of it for a person or a script.

use std::process::ExitCode;

use clap::Args;

use super::output::out;
use crate::config::Config;
use crate::role::serve::stop_on_signals;
use crate::role::{RoleError, reconcile_once};
use crate::sale::reconciliation::{Difference, Finding, Kind, Report};

/// What `reconcile` is asked for.
#[derive(Debug, Args)]
pub(super) struct ReconcileCommand {
    /// Run once, print what was found, and end. Takes some seconds: two looks have to agree.
    #[arg(long)]
    once: bool,
    /// Only look; repair nothing.
    #[arg(long, requires = "once")]
    dry_run: bool,
    /// Print the report as JSON.
    #[arg(long, requires = "once")]
    json: bool,
}

impl ReconcileCommand {
    pub(super) const fn is_once(&self) -> bool {
        self.once
    }
}

/// Runs one round. Fails when a sale could not be compared: then nobody knows.
pub(super) async fn run(
    config: &Config,
    command: &ReconcileCommand,
) -> Result<ExitCode, RoleError> {
    let report = reconcile_once(config, command.dry_run, &stop_on_signals()?).await?;
    if command.json {
        let text = serde_json::to_string(&report)
            .map_err(|error| RoleError::Other(format!("the report: {error}")))?;
        out!("{text}");
    } else {
        print(&report);
    }
    match report.skipped.as_slice() {
        [] => Ok(ExitCode::SUCCESS),
        [first, ..] => {
            let (count, sale, why) = (report.skipped.len(), first.activity, &first.why);
            Err(RoleError::Other(format!(
                "{count} not compared, the first: activity {sale}: {why}"
            )))
        }
    }
}

fn print(report: &Report) {
    for finding in &report.findings {
        out!("{}", line(finding));
    }
    if report.unnamed() > 0 {
        out!("… and {} more", report.unnamed());
    }
    let (differences, repaired, alarms) = (report.differences, report.repaired, report.alarms);
    let compared = report.compared.len();
    if report.dry_run {
        out!("{compared} compared, {differences} differences, nothing repaired (dry run)");
    } else {
        out!(
            "{compared} compared, {differences} differences, {repaired} repaired, {alarms} alarms"
        );
    }
}

fn line(finding: &Finding) -> String {
    let Difference { activity, kind, bucket, shopper, order_no, units } = &finding.difference;
    let named = [
        ("order", order_no.map(|number| number.to_string())),
        ("shopper", shopper.map(|id| id.to_string())),
        ("bucket", bucket.map(|bucket| bucket.to_string())),
        ("units", units.map(|units| format!("{units:+}"))),
    ];
    let mut line = vec![format!("activity {activity}: {kind}: {}", meaning(*kind))];
    line.extend(named.into_iter().filter_map(|(what, value)| Some(format!("{what} {}", value?))));
    format!("{}: {}", line.join("; "), finding.outcome.as_str())
}

const fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::Unfilled => "the gate does not hold the sale",
        Kind::Terms => "the gate has older settings than the ledger",
        Kind::Units => "the gate was given another number of units",
        Kind::Stock => "the stock is not units less holders",
        Kind::Waiting => "reserved for long, and its message is nowhere",
        Kind::PutAway => "reserved, and an operator has put its message away",
        Kind::Buried => "reserved, and its message lies with the dead letters",
        Kind::Absent => "the order holds a unit, the gate knows nothing of it",
        Kind::Unbarred => "the cancelled order bars its shopper, the gate does not",
        Kind::Unmarked => "the order is recorded, the gate does not know it",
        Kind::Held => "the order holds no unit, the gate still does",
        Kind::Unreadable => "the gate's entry cannot be read",
        Kind::Books => "total is not what is left and what orders hold",
    }
}
