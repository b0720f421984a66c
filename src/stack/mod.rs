//! Private Redis, MariaDB and RabbitMQ for `seckill up` and for the tests.
//!
//! A [`Home`] is a data directory with one owner: it is locked, and a [guard](guard) ends its servers
//! when the owner goes in any way, even by `kill -9`. In it live [`Server`]s, each in a folder of its own:
//! the ports it keeps, its password, its log, its data. A [`Stack`] is the three of them together,
//! where a server that was given by its URL takes the place of a private one.
//!
//! The servers listen on loopback only, on ports that no standard service uses, take no setting from
//! the machine's own configuration, and ask for a password. Nothing outside the data directory is written.

mod error;
mod files;
mod guard;
mod home;
mod leftovers;
mod mariadb;
mod plan;
mod ports;
mod process;
mod program;
mod progress;
mod rabbitmq;
mod redis;
mod server;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::future::{join_all, try_join_all};

pub use error::StackError;
pub use home::Home;
pub use plan::Speed;
pub use progress::Progress;
pub use server::{Kind, Server};

/// Where the data of a stack lives.
#[derive(Clone, Debug)]
pub enum DataDir {
    /// Kept there from run to run.
    Kept(PathBuf),
    /// In a new directory that goes together with its owner.
    Temporary,
}

/// What to start, and where.
#[derive(Clone, Debug)]
pub struct StackOptions {
    /// Where the private servers keep their data, ports and passwords.
    pub data_dir: DataDir,
    /// A ledger to use instead of a private MariaDB.
    pub database_url: Option<String>,
    /// A gate to use instead of a private Redis.
    pub redis_url: Option<String>,
    /// A broker to use instead of a private RabbitMQ.
    pub amqp_url: Option<String>,
    /// What the private servers are for.
    pub speed: Speed,
}

impl StackOptions {
    /// Three private servers that keep their data in `data_dir`.
    pub fn kept(data_dir: impl Into<PathBuf>) -> Self {
        Self::new(DataDir::Kept(data_dir.into()), Speed::Durable)
    }

    /// Three private servers for one test run; nothing of them stays.
    #[must_use]
    pub fn temporary() -> Self {
        Self::new(DataDir::Temporary, Speed::Test)
    }

    fn new(data_dir: DataDir, speed: Speed) -> Self {
        Self { data_dir, database_url: None, redis_url: None, amqp_url: None, speed }
    }
}

/// The three servers that Seckill stands on, private or given.
///
/// Dropping it without [`Stack::stop`] leaves the ending of its servers to the guard.
#[derive(Debug)]
pub struct Stack {
    database: Place,
    redis: Place,
    amqp: Place,
    home: Arc<Home>,
}

#[derive(Debug)]
enum Place {
    Private(Box<Server>),
    Given(String),
}

impl Place {
    fn new(
        kind: Kind,
        given: Option<String>,
        home: &Arc<Home>,
        speed: Speed,
    ) -> Result<Self, StackError> {
        match given {
            Some(url) => Ok(Self::Given(url)),
            None => Server::prepare(home, kind, kind.folder(), speed)
                .map(|server| Self::Private(Box::new(server))),
        }
    }

    fn url(&self) -> &str {
        match self {
            Self::Private(server) => server.url(),
            Self::Given(url) => url,
        }
    }

    fn server(&self) -> Option<&Server> {
        match self {
            Self::Private(server) => Some(server),
            Self::Given(_) => None,
        }
    }
}

impl Stack {
    /// Starts what is not given, all at the same time, and returns when every server answers.
    ///
    /// Dropping the returned future ends what had been started.
    ///
    /// # Errors
    /// A server that is not installed, a data directory in use, a server that does not come up.
    /// Whatever had been started is stopped again.
    pub async fn start(
        options: StackOptions,
        on_progress: impl FnMut(Progress) + Send,
    ) -> Result<Self, StackError> {
        let progress = Mutex::new(on_progress);
        let tell = |event| (progress.lock().unwrap_or_else(PoisonError::into_inner))(event);

        let StackOptions { data_dir, database_url, redis_url, amqp_url, speed } = options;
        let wanted = [
            (Kind::MariaDb, database_url.is_none()),
            (Kind::Redis, redis_url.is_none()),
            (Kind::RabbitMq, amqp_url.is_none()),
        ];
        program::check(wanted.into_iter().filter_map(|(kind, private)| private.then_some(kind)))?;
        for (kind, _) in wanted.into_iter().filter(|(_, private)| !private) {
            tell(Progress::Given { server: kind });
        }

        let home = match data_dir {
            DataDir::Kept(dir) => {
                let (home, leftovers) = Home::claim(&dir)?;
                for leftover in &leftovers {
                    tell(Progress::Leftover { name: leftover.name.clone(), pid: leftover.pid() });
                }
                leftovers::end(home.dir(), leftovers).await?;
                home
            }
            DataDir::Temporary => Home::temporary()?,
        };
        let stack = Self {
            database: Place::new(Kind::MariaDb, database_url, &home, speed)?,
            redis: Place::new(Kind::Redis, redis_url, &home, speed)?,
            amqp: Place::new(Kind::RabbitMq, amqp_url, &home, speed)?,
            home,
        };
        if let Err(error) =
            try_join_all(stack.servers().map(|server| start_one(server, &tell))).await
        {
            stack.stop().await;
            return Err(error);
        }
        Ok(stack)
    }

    /// Stops every private server, cleanly where it lets us, within a bound. May be called again.
    pub async fn stop(&self) {
        join_all(self.servers().map(Server::stop)).await;
    }

    /// Of the ledger, private or given.
    #[must_use]
    pub fn database_url(&self) -> &str {
        self.database.url()
    }

    /// Of the gate, private or given.
    #[must_use]
    pub fn redis_url(&self) -> &str {
        self.redis.url()
    }

    /// Of the broker, private or given.
    #[must_use]
    pub fn amqp_url(&self) -> &str {
        self.amqp.url()
    }

    /// The private MariaDB; none when a database was given.
    #[must_use]
    pub fn mariadb(&self) -> Option<&Server> {
        self.database.server()
    }

    /// The private Redis; none when one was given.
    #[must_use]
    pub fn redis(&self) -> Option<&Server> {
        self.redis.server()
    }

    /// The private RabbitMQ; none when one was given.
    #[must_use]
    pub fn rabbitmq(&self) -> Option<&Server> {
        self.amqp.server()
    }

    /// The data directory, which is this stack's own while it lives.
    #[must_use]
    pub fn home(&self) -> &Arc<Home> {
        &self.home
    }

    fn servers(&self) -> impl Iterator<Item = &Server> {
        [&self.database, &self.redis, &self.amqp].into_iter().filter_map(Place::server)
    }
}

async fn start_one(server: &Server, tell: &(impl Fn(Progress) + Sync)) -> Result<(), StackError> {
    let begun = Instant::now();
    tell(Progress::Starting { server: server.kind(), first: !server.has_data() });
    server.start().await?;
    tell(Progress::Ready { server: server.kind(), port: server.port(), took: begun.elapsed() });
    Ok(())
}
