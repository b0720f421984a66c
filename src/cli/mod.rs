//! The commands. Exit 0 done, 1 failed (the reason on stderr, one line first), 2 wrong usage.

mod activity;
mod doctor;
pub(crate) mod output;
mod reconcile;
mod user;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::output::out;
use crate::config::Config;
use crate::role::serve::{Sockets, stop_on_signals};
use crate::role::{self, RoleError, Roles, UpOptions};
use crate::telemetry::start_logs;

/// Seckill, a flash-sale server: every unit goes to exactly one shopper.
#[derive(Debug, Parser)]
#[command(name = "seckill", version, arg_required_else_help = true)]
pub struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Everything on one machine, with private servers for what is not given by URL.
    Up {
        /// Add products, an open, an upcoming and an ended sale, and accounts, and print their logins.
        #[arg(long)]
        demo: bool,
        /// Where the private servers keep their data.
        #[arg(long, value_name = "DIR", default_value = ".seckill")]
        data_dir: PathBuf,
    },
    /// All roles in one process, against the given servers.
    Serve,
    /// The pages. Any number of processes.
    Web,
    /// The path behind the gate: relay, recorder, keeper. Any number of processes.
    Worker,
    /// The comparison of gate and ledger. Any number of processes; one works at a time.
    Reconcile(reconcile::ReconcileCommand),
    /// Brings the ledger's tables up to date, under a lock.
    Migrate,
    /// Makes, watches and steers sales.
    #[command(subcommand)]
    Activity(activity::ActivityCommand),
    /// Manages accounts.
    #[command(subcommand)]
    User(user::UserCommand),
    /// Checks servers, versions, settings, schema and clock; one line each.
    Doctor,
}

impl What {
    /// A server tells what it does; a command tells its result, and warnings beside it.
    const fn usual_logs(&self) -> &'static str {
        match self {
            // Libraries that tell every forged cookie or listening socket would drown our own lines.
            Self::Up { .. } | Self::Serve | Self::Web | Self::Worker => {
                "info,actix_session=error,actix_server=warn"
            }
            Self::Reconcile(command) if !command.is_once() => {
                "info,actix_session=error,actix_server=warn"
            }
            // What the broker's client says of a connection, the result says already.
            Self::Reconcile(_)
            | Self::Migrate
            | Self::Activity(_)
            | Self::User(_)
            | Self::Doctor => "warn,lapin=off",
        }
    }
}

/// Runs a command to its end.
#[must_use]
pub fn run(command: Command) -> ExitCode {
    if let Err(message) = start_logs(command.what.usual_logs()) {
        return failed(&message);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("cannot start: {error}")),
    };
    let code = match runtime.block_on(carry_out(command.what)) {
        Ok(code) => code,
        Err(error) => failed(&error.to_string()),
    };
    // A thread that waits for a silent database must not keep the process.
    runtime.shutdown_background();
    code
}

fn failed(message: &str) -> ExitCode {
    eprintln!("seckill: {message}");
    ExitCode::FAILURE
}

async fn carry_out(what: What) -> Result<ExitCode, RoleError> {
    let config = Config::load()?;
    match what {
        What::Up { demo, data_dir } => {
            role::up(config, UpOptions { data_dir, demo }, stop_on_signals()?).await?;
        }
        What::Serve => serve(&config, Roles::All).await?,
        What::Web => serve(&config, Roles::Web).await?,
        What::Worker => serve(&config, Roles::Worker).await?,
        What::Reconcile(command) if command.is_once() => {
            return reconcile::run(&config, &command).await;
        }
        What::Reconcile(_) => serve(&config, Roles::Reconcile).await?,
        What::Migrate => migrate(&config).await?,
        What::Activity(command) => activity::run(&config, command).await?,
        What::User(command) => user::run(&config, command).await?,
        What::Doctor => return doctor::run(&config).await,
    }
    Ok(ExitCode::SUCCESS)
}

async fn serve(config: &Config, roles: Roles) -> Result<(), RoleError> {
    let stop = stop_on_signals()?;
    let sockets = Sockets::take(config, roles)?;
    role::serve(config, roles, sockets, stop, |address| println!("ready: http://{address}")).await
}

async fn migrate(config: &Config) -> Result<(), RoleError> {
    let migrated = role::ledger(config)?.migrate().await?;
    if migrated.is_empty() {
        out!("the ledger is up to date");
    }
    for migration in migrated {
        out!("migrated {migration}");
    }
    Ok(())
}
