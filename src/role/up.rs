//! `seckill up`: everything on one machine, with private servers for what is not given.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use rand::distr::{Alphanumeric, SampleString as _};
use tokio_util::sync::CancellationToken;

use super::RoleError;
use super::demo;
use super::places::Places;
use super::serve::{Roles, Sockets, serve};
use crate::config::{Config, Secret};
use crate::stack::{Stack, StackOptions};

/// The file that lets another role or a tool join.
const ENV_FILE: &str = "env";
const KEY_NAME: &str = "SECKILL_SECRET_KEY";

/// What `up` is asked for.
#[derive(Debug, Clone)]
pub struct UpOptions {
    /// Where the private servers keep their data.
    pub data_dir: PathBuf,
    /// Whether to add products, sales and accounts to try.
    pub demo: bool,
}

/// Starts what is not given, migrates, and runs all roles until `stop`; then stops what it started.
pub async fn up(
    mut config: Config,
    options: UpOptions,
    stop: CancellationToken,
) -> Result<(), RoleError> {
    if options.demo && !config.site.bind.ip().is_loopback() {
        let message = "--demo makes accounts with known passwords: only on a loopback address \
                       (SECKILL_BIND)";
        return Err(RoleError::Other(message.to_owned()));
    }
    let sockets = Sockets::take(&config, Roles::All)?;
    let begun = Instant::now();
    say("Seckill is starting its servers.");
    let given = |url: &Secret| (!url.is_missing()).then(|| url.reveal().to_owned());
    let stack_options = StackOptions {
        database_url: given(&config.ledger.url),
        redis_url: given(&config.gate.url),
        amqp_url: given(&config.queue.url),
        ..StackOptions::kept(&options.data_dir)
    };
    let starting = Stack::start(stack_options, |progress| say(&format!("  {progress}")));
    let stack = tokio::select! {
        stack = starting => stack?,
        () = stop.cancelled() => return Ok(()),
    };
    let served = run(&mut config, &options, &stack, sockets, stop, begun).await;
    say("Stopping the servers.");
    stack.stop().await;
    served
}

async fn run(
    config: &mut Config,
    options: &UpOptions,
    stack: &Stack,
    sockets: Sockets,
    stop: CancellationToken,
    begun: Instant,
) -> Result<(), RoleError> {
    config.ledger.url = Secret::new(stack.database_url().to_owned());
    config.gate.url = Secret::new(stack.redis_url().to_owned());
    config.queue.url = Secret::new(stack.amqp_url().to_owned());
    if config.site.pictures_dir.is_none() {
        // In full, for those who join from elsewhere.
        let data_dir = std::path::absolute(&options.data_dir)?;
        config.site.pictures_dir = Some(data_dir.join("pictures"));
    }
    let env_file = options.data_dir.join(ENV_FILE);
    if config.site.secret_key.is_missing() {
        config.site.secret_key = kept_key(&env_file)?.unwrap_or_else(new_key);
    }
    write_env(&env_file, config)?;

    let places = Places::open(config).await?;
    for migration in places.ledger.migrate().await? {
        say(&format!("  ledger: migrated {migration}"));
    }
    if options.demo {
        demo::add(config, &places).await?;
    }
    serve(config, Roles::All, sockets, stop, |address| {
        say(&format!("All roles run after {:.1} s.", begun.elapsed().as_secs_f64()));
        if options.demo {
            demo::print_logins();
        }
        // The one line that scripts wait for.
        println!("ready: http://{address}");
    })
    .await
}

/// Progress is for a person who waits.
fn say(line: &str) {
    eprintln!("{line}");
}

/// The key of an earlier run in this data directory: sessions and order numbers go on.
fn kept_key(env_file: &Path) -> Result<Option<Secret>, RoleError> {
    match fs::read_to_string(env_file) {
        Ok(text) => Ok(text
            .lines()
            .find_map(|line| line.strip_prefix(KEY_NAME)?.strip_prefix('='))
            .map(|key| Secret::new(key.to_owned()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn new_key() -> Secret {
    Secret::new(Alphanumeric.sample_string(&mut rand::rng(), 96))
}

/// A word of the shell, whatever it holds.
fn quoted(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-".contains(&b);
    if text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Written beside and renamed, so that a reader never sees half of it; readable by its owner only.
fn write_env(path: &Path, config: &Config) -> Result<(), RoleError> {
    let beside = path.with_extension("new");
    let _gone = fs::remove_file(&beside);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    for (name, value) in [
        ("DATABASE_URL", &config.ledger.url),
        ("REDIS_URL", &config.gate.url),
        ("AMQP_URL", &config.queue.url),
        (KEY_NAME, &config.site.secret_key),
    ] {
        writeln!(file, "{name}={}", value.reveal())?;
    }
    if let Some(folder) = &config.site.pictures_dir {
        writeln!(file, "SECKILL__SITE__PICTURES_DIR={}", quoted(&folder.to_string_lossy()))?;
    }
    file.sync_all()?;
    Ok(fs::rename(&beside, path)?)
}
