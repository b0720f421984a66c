//! Private Redis servers.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use redis::FromRedisValue;
use seckill::gate::{Gate, GateOptions};
use tempfile::TempDir;

/// Longer than any start, stop or election takes on a busy machine; nothing waits that long unless it
/// fails.
pub const BOUND: Duration = Duration::from_secs(30);

/// A server with its data in a directory of its own. Stopped when it is dropped.
pub struct Server {
    dir: TempDir,
    port: u16,
    settings: Vec<String>,
    process: Option<Child>,
    databases_given: AtomicU32,
}

impl Server {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// `settings` as on the command line of redis-server.
    pub fn start_with(settings: &[&str]) -> Self {
        let mut server = Self {
            dir: tempfile::tempdir().unwrap(),
            port: free_port(),
            settings: settings.iter().map(ToString::to_string).collect(),
            process: None,
            databases_given: AtomicU32::new(0),
        };
        server.start_again();
        server
    }

    /// The one that the tests of a run share, as long as one of them uses it.
    pub fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start());
            *shared = Arc::downgrade(&server);
            server
        })
    }

    /// Starts it on the data it has, and waits until it answers.
    pub fn start_again(&mut self) {
        assert!(self.process.is_none(), "it runs already");
        let deadline = Instant::now() + BOUND;
        while !self.answers() {
            assert!(Instant::now() < deadline, "redis-server never answers");
            let gone = self.process.as_mut().is_none_or(|p| p.try_wait().unwrap().is_some());
            if gone {
                // At the first time, or because somebody else has just taken the port.
                self.process = Some(self.spawn());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn spawn(&self) -> Child {
        Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"])
            .args(["--maxmemory-policy", "noeviction", "--databases", "1024"])
            .args(["--port", &self.port.to_string()])
            .arg("--dir")
            .arg(self.dir.path())
            .args(&self.settings)
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server can be started")
    }

    /// Whether it is this one that answers at its port.
    fn answers(&self) -> bool {
        let Some(process) = &self.process else { return false };
        let own = format!("process_id:{}\r", process.id());
        self.try_ask::<String>(0, &["INFO", "server"]).is_ok_and(|info| info.contains(&own))
    }

    /// As a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub fn dir(&self) -> &std::path::Path {
        self.dir.path()
    }

    /// For signals.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.process.as_ref().expect("it runs").id()).unwrap()
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// A database that no other test has.
    pub fn database(&self) -> u32 {
        self.databases_given.fetch_add(1, Ordering::Relaxed)
    }

    pub fn url(&self, database: u32) -> String {
        format!("redis://127.0.0.1:{}/{database}", self.port)
    }

    /// A command of the test's own, past the gate.
    pub fn ask<T: FromRedisValue>(&self, database: u32, words: &[&str]) -> T {
        self.try_ask(database, words).unwrap_or_else(|e| panic!("{words:?}: {e}"))
    }

    pub fn try_ask<T: FromRedisValue>(
        &self,
        database: u32,
        words: &[&str],
    ) -> redis::RedisResult<T> {
        let mut conn = redis::Client::open(self.url(database))?.get_connection()?;
        let (name, rest) = words.split_first().unwrap();
        redis::cmd(name).arg(rest).query(&mut conn)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A gate that waits long enough for a busy machine.
pub async fn gate_at(url: &str) -> Gate {
    let options = GateOptions {
        url: url.to_owned(),
        call_timeout: Duration::from_secs(10),
        connect_timeout: Duration::from_secs(5),
    };
    Gate::connect(&options).await.unwrap()
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits for what another process has yet to do.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + BOUND;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
