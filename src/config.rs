//! Configuration: built-in defaults, then a file, then the environment; checked once, at the start.
//!
//! Each layer overrides the one before. A key that does not exist, a value of the wrong kind and a set-up
//! that would be dangerous are refused with the key's name and what would be right.

use std::{collections::HashMap, fmt, net::SocketAddr, path::PathBuf, time::Duration};

use serde::Deserialize;

use crate::sale::money::Currency;

mod checks;

pub use checks::{Needs, SECRET_KEY_MIN};

/// A configuration that cannot be used. Each problem is one line that names its key.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A layer cannot be read.
    #[error("configuration: {0}")]
    Unreadable(String),
    /// It can be read, but must not be used.
    #[error("configuration: {}", .0.join("; "))]
    Refused(Vec<String>),
}

/// A value that no log may show.
#[derive(Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether nothing was given.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_missing() { "missing" } else { "***" })
    }
}

/// Everything that can be set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The web role.
    pub site: Site,
    /// What all sales of the site share.
    pub sale: Sale,
    /// Redis.
    pub gate: Gate,
    /// MySQL or MariaDB.
    pub ledger: Ledger,
    /// RabbitMQ.
    pub queue: Queue,
    /// Gate to queue.
    pub relay: Relay,
    /// Queue to ledger.
    pub recorder: Recorder,
    /// Preheat and rebuild.
    pub keeper: Keeper,
    /// The comparison of gate and ledger.
    pub reconcile: Reconcile,
    /// The pictures.
    pub captcha: Captcha,
    /// Passwords.
    pub account: Account,
    /// Who takes the money.
    pub payment: Payment,
}

/// `[site]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// Where the site listens. Also `SECKILL_BIND`.
    pub bind: SocketAddr,
    /// Where health and metrics are served. Also `SECKILL_OPS_BIND`.
    pub ops_bind: SocketAddr,
    /// At least 64 bytes, the same on all nodes. Also `SECKILL_SECRET_KEY`.
    pub secret_key: Secret,
    /// Cookies are sent over TLS only. Needed wherever the site is not on a loopback address.
    pub secure_cookies: bool,
    /// Threads that serve requests; 0: one for each core.
    pub workers: usize,
    /// The largest body of a request, bytes.
    pub body_limit: usize,
    /// The largest picture that may be sent, bytes.
    pub picture_limit: usize,
    /// Where pictures of products are kept; several web nodes need one folder that all of them see.
    /// None: `pictures` in the data directory of `up`, whichever role runs.
    pub pictures_dir: Option<PathBuf>,
    /// How long a client may take to send a form with a picture, ms.
    pub upload_timeout_ms: u64,
    /// How long a client may take to send a request's head, ms.
    pub client_timeout_ms: u64,
    /// How long a request may take, ms.
    pub request_timeout_ms: u64,
    /// How long what is in hand may take when the process is told to stop, seconds.
    pub shutdown_timeout_s: u64,
}

impl Site {
    /// Where pictures of products are kept.
    #[must_use]
    pub fn pictures_dir(&self) -> PathBuf {
        self.pictures_dir.clone().unwrap_or_else(|| PathBuf::from(PICTURES_DIR))
    }
}

/// Where `up` keeps them, unless it is told another data directory.
const PICTURES_DIR: &str = ".seckill/pictures";

/// `[sale]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sale {
    /// Of all prices, ISO 4217.
    pub currency: Currency,
    /// Life of a ticket, seconds.
    pub ticket_life_s: u64,
    /// How long before its start a sale is put into the gate, seconds.
    pub preheat_before_s: i64,
    /// Reservations that may wait in one outbox before shoppers are told to wait.
    pub outbox_bound: i64,
    /// How long the gate's keys outlive a sale's last deadline, hours.
    pub keep_hours: i64,
}

/// `[gate]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Also `REDIS_URL`.
    pub url: Secret,
    /// Bound of one call, ms.
    pub call_timeout_ms: u64,
    /// Bound of making a connection, ms.
    pub connect_timeout_ms: u64,
}

/// `[ledger]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// Also `DATABASE_URL`.
    pub url: Secret,
    /// Connections of this process.
    pub pool_size: u32,
    /// How long a step may wait for a connection, ms.
    pub checkout_timeout_ms: u64,
    /// How long one statement may run at the server, ms.
    pub statement_timeout_ms: u64,
    /// How long one statement may wait for a row's lock, seconds.
    pub lock_timeout_s: u64,
    /// After this a connection that says nothing is given up, ms.
    pub call_timeout_ms: u64,
}

/// `[queue]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Also `AMQP_URL`.
    pub url: Secret,
    /// What the names of exchanges and queues begin with.
    pub prefix: String,
    /// Bound of making a connection or channel, ms.
    pub connect_timeout_ms: u64,
    /// How long a publisher waits for the broker's confirm, ms.
    pub confirm_timeout_ms: u64,
    /// Heartbeat, seconds.
    pub heartbeat_s: u16,
}

/// `[relay]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relay {
    /// Entries published together.
    pub batch: usize,
    /// How often an idle outbox is looked at, ms.
    pub idle_ms: u64,
    /// Life of the lease of one outbox, ms.
    pub lease_ms: u64,
    /// Messages in the queue above which the relay pauses.
    pub pause_above: u32,
}

/// `[recorder]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorder {
    /// Consumers of this process, each with its own channel.
    pub consumers: usize,
    /// Unacknowledged messages of one consumer.
    pub prefetch: u16,
    /// Orders written in one transaction, at most.
    pub batch: usize,
    /// How long a batch waits for more, ms.
    pub linger_ms: u64,
    /// How long the ledger may be away before the consumer is cancelled, seconds.
    pub step_back_after_s: u64,
}

/// `[keeper]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keeper {
    /// How often the gate is looked at, ms.
    pub every_ms: u64,
    /// How long a rebuild lets relay and recorder finish what is on its way, ms.
    pub drain_ms: u64,
    /// Life of an activity's lock, ms.
    pub lock_ms: u64,
}

/// `[reconcile]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reconcile {
    /// From one comparison to the next, seconds.
    pub every_s: u64,
    /// Between the two looks that have to show a difference, ms.
    pub apart_ms: u64,
    /// How long a reservation may have no order before it is looked for, seconds; at most once in this time
    /// it is sent again.
    pub waiting_s: i64,
}

/// `[captcha]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Captcha {
    /// Pictures drawn ahead.
    pub pool: usize,
}

/// `[account]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Memory of one password hash, KiB.
    pub argon2_memory_kib: u32,
    /// Passes over it.
    pub argon2_passes: u32,
    /// Hashes computed at the same time; more wait.
    pub argon2_at_once: u32,
}

/// `[payment]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payment {
    /// How long the provider may take to answer, ms.
    pub answer_timeout_ms: u64,
    /// How long beyond its deadline an unpaid order waits for a provider that does not answer, seconds.
    pub patience_s: i64,
}

const DEFAULTS: &str = r#"
[site]
bind = "127.0.0.1:8080"
ops_bind = "127.0.0.1:9090"
secret_key = ""
secure_cookies = false
workers = 0
body_limit = 8192
picture_limit = 8388608
upload_timeout_ms = 60000
client_timeout_ms = 5000
request_timeout_ms = 15000
shutdown_timeout_s = 10

[sale]
currency = "CNY"
ticket_life_s = 60
preheat_before_s = 300
outbox_bound = 50000
keep_hours = 24

[gate]
url = ""
call_timeout_ms = 1000
connect_timeout_ms = 1000

[ledger]
url = ""
pool_size = 8
checkout_timeout_ms = 3000
statement_timeout_ms = 5000
lock_timeout_s = 5
call_timeout_ms = 15000

[queue]
url = ""
prefix = "seckill"
connect_timeout_ms = 3000
confirm_timeout_ms = 5000
heartbeat_s = 10

[relay]
batch = 500
idle_ms = 50
lease_ms = 5000
pause_above = 100000

[recorder]
consumers = 2
prefetch = 500
batch = 200
linger_ms = 5
step_back_after_s = 120

[keeper]
every_ms = 1000
drain_ms = 5000
lock_ms = 10000

[reconcile]
every_s = 60
apart_ms = 10000
waiting_s = 180

[captcha]
pool = 256

[account]
argon2_memory_kib = 19456
argon2_passes = 2
argon2_at_once = 2

[payment]
answer_timeout_ms = 2000
patience_s = 60
"#;

/// The variables with names of their own, and the key that each sets.
const NAMED: [(&str, &str); 6] = [
    ("DATABASE_URL", "ledger.url"),
    ("REDIS_URL", "gate.url"),
    ("AMQP_URL", "queue.url"),
    ("SECKILL_BIND", "site.bind"),
    ("SECKILL_OPS_BIND", "site.ops_bind"),
    ("SECKILL_SECRET_KEY", "site.secret_key"),
];

impl Config {
    /// Loads the layers with the process's environment.
    ///
    /// # Errors
    /// [`ConfigError`], naming each key that is wrong.
    pub fn load() -> Result<Self, ConfigError> {
        // Variables that are not UTF-8 cannot be ours.
        let variables = std::env::vars_os()
            .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        Self::from_variables(variables.collect())
    }

    /// Loads the layers with these variables as the environment.
    ///
    /// # Errors
    /// [`ConfigError`], naming each key that is wrong.
    pub fn from_variables(variables: HashMap<String, String>) -> Result<Self, ConfigError> {
        let unreadable = |error: config::ConfigError| ConfigError::Unreadable(error.to_string());
        let mut layers = config::Config::builder()
            .add_source(config::File::from_str(DEFAULTS, config::FileFormat::Toml));
        if let Some(path) = variables.get("SECKILL_CONFIG") {
            layers = layers.add_source(config::File::from(PathBuf::from(path)));
        }
        for (name, key) in NAMED {
            if let Some(value) = variables.get(name).filter(|value| !value.is_empty()) {
                layers = layers.set_override(key, value.as_str()).map_err(unreadable)?;
            }
        }
        let sections = config::Environment::with_prefix("SECKILL")
            .prefix_separator("__")
            .separator("__")
            .try_parsing(true)
            .source(Some(variables.into_iter().collect()));
        let config: Self = layers
            .add_source(sections)
            .build()
            .map_err(unreadable)?
            .try_deserialize()
            .map_err(unreadable)?;
        config.validated()
    }
}

/// A number of milliseconds as a duration.
#[must_use]
pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
