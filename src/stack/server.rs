use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::sync::Mutex;

use super::plan::{DATA, Data, Plan, Site, Speed};
use super::process::{Launch, Process, TMP};
use super::program::{self, Program};
use super::{Home, StackError, files, mariadb, ports, rabbitmq, redis};

const TAIL_LINES: usize = 40;
const LOOK_EVERY: Duration = Duration::from_millis(50);
const INSTALL_WITHIN: Duration = Duration::from_secs(120);
/// A helper has nothing to write.
const HELPER_STOPS_WITHIN: Duration = Duration::from_secs(5);

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// MariaDB, for the ledger.
    MariaDb,
    /// Redis, for the gate.
    Redis,
    /// RabbitMQ, for the queue.
    RabbitMq,
}

impl Kind {
    /// As its makers write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MariaDb => "MariaDB",
            Self::Redis => "Redis",
            Self::RabbitMq => "RabbitMQ",
        }
    }

    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::MariaDb => "mariadb",
            Self::Redis => "redis",
            Self::RabbitMq => "rabbitmq",
        }
    }

    pub(super) fn programs(self) -> &'static [Program] {
        match self {
            Self::MariaDb => &[program::MARIADB, program::MARIADB_INSTALL],
            Self::Redis => &[program::REDIS],
            Self::RabbitMq => &[program::RABBITMQ, program::EPMD],
        }
    }

    fn plan(self, site: Site<'_>) -> Result<Plan, StackError> {
        match self {
            Self::MariaDb => mariadb::plan(site),
            Self::Redis => redis::plan(site),
            Self::RabbitMq => rabbitmq::plan(site),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A private server in a folder of a [`Home`]. It can be stopped, killed and started again, with
/// its data, on the same port, so that its clients find it again.
#[derive(Debug)]
pub struct Server {
    kind: Kind,
    dir: PathBuf,
    log: PathBuf,
    plan: Plan,
    running: Mutex<Running>,
    home: Arc<Home>,
}

#[derive(Debug, Default)]
struct Running {
    helper: Option<Process>,
    main: Option<Process>,
}

impl Running {
    fn ended(&mut self) -> Option<ExitStatus> {
        self.main.as_mut().and_then(Process::ended)
    }

    fn lives(&mut self) -> bool {
        self.main.as_mut().is_some_and(|main| main.ended().is_none())
    }

    async fn kill(&mut self) {
        for process in [self.main.as_mut(), self.helper.as_mut()].into_iter().flatten() {
            process.kill().await;
        }
        *self = Self::default();
    }
}

impl Server {
    /// Starts one server in the folder `name` of the home.
    ///
    /// # Errors
    /// It is not installed, or does not come up.
    pub async fn start_in(
        home: &Arc<Home>,
        kind: Kind,
        name: &str,
        speed: Speed,
    ) -> Result<Self, StackError> {
        let server = Self::prepare(home, kind, name, speed)?;
        server.start().await?;
        Ok(server)
    }

    /// Chooses ports and writes the configuration; starts nothing.
    pub(super) fn prepare(
        home: &Arc<Home>,
        kind: Kind,
        name: &str,
        speed: Speed,
    ) -> Result<Self, StackError> {
        let dir = home.dir().join(name);
        files::make_dir(&dir.join(TMP))?;
        let log = dir.join("log");
        keep_last_log(&log)?;
        let plan = kind.plan(Site { dir: &dir, speed })?;
        Ok(Self { kind, dir, log, plan, running: Mutex::default(), home: Arc::clone(home) })
    }

    /// Which server it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// With user and password; stays the same over restarts.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.plan.url
    }

    /// The URL of another place in the same server: a logical database of Redis, a database, a
    /// virtual host.
    #[must_use]
    pub fn url_of(&self, place: &str) -> String {
        format!("{}/{place}", self.plan.address)
    }

    /// On 127.0.0.1; stays the same over restarts.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.plan.port
    }

    /// What the server wrote. A test may cut or delete it while the server does not run.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.dir.join(DATA)
    }

    /// What it said, in all starts of this owner; the owner before has `log.1`.
    #[must_use]
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// False before its first start, and after [`Server::wipe`].
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.data_dir().exists()
    }

    /// The process id of the server; none when it does not run.
    pub async fn pid(&self) -> Option<u32> {
        let mut running = self.running.lock().await;
        if running.lives() { running.main.as_ref().map(Process::id) } else { None }
    }

    /// Starts it, with the data it has, and returns when it answers. Does nothing when it runs.
    ///
    /// # Errors
    /// It ends at once or does not answer in time; nothing of it runs then.
    pub async fn start(&self) -> Result<(), StackError> {
        let mut running = self.running.lock().await;
        if running.lives() {
            return Ok(());
        }
        running.kill().await;
        if !ports::is_free(self.plan.port) {
            return Err(StackError::PortTaken { server: self.kind.name(), port: self.plan.port });
        }
        self.make_data().await?;
        // Kept at once: who gives up waiting must still be able to stop them.
        if let Some(helper) = &self.plan.helper {
            running.helper = Some(self.spawn(helper)?);
        }
        running.main = Some(self.spawn(&self.plan.main)?);
        let ready = self.await_answer(&mut running).await;
        if ready.is_err() {
            running.kill().await;
        }
        ready
    }

    /// Lets it end in peace, within a bound, past which it is killed. May be called again.
    pub async fn stop(&self) {
        let mut running = self.running.lock().await;
        if let Some(main) = running.main.as_mut() {
            main.stop(self.plan.stop_within).await;
        }
        if let Some(helper) = running.helper.as_mut() {
            helper.stop(HELPER_STOPS_WITHIN).await;
        }
        *running = Running::default();
    }

    /// SIGKILL, at once.
    pub async fn kill(&self) {
        self.running.lock().await.kill().await;
    }

    /// Halts it in the middle of whatever it does (SIGSTOP): its port is open, but nothing answers.
    pub async fn freeze(&self) {
        if let Some(main) = self.running.lock().await.main.as_mut() {
            main.signal(Signal::STOP);
        }
    }

    /// Lets it go on after [`Server::freeze`].
    pub async fn thaw(&self) {
        if let Some(main) = self.running.lock().await.main.as_mut() {
            main.signal(Signal::CONT);
        }
    }

    /// Kills it and deletes all its data; the next start begins with none.
    ///
    /// # Errors
    /// The directory cannot be removed.
    pub async fn wipe(&self) -> Result<(), StackError> {
        self.kill().await;
        remove_dir(&self.data_dir())
    }

    fn spawn(&self, launch: &Launch) -> Result<Process, StackError> {
        Process::spawn(&self.home, launch, &self.dir, &self.log)
    }

    async fn make_data(&self) -> Result<(), StackError> {
        let data = self.data_dir();
        match &self.plan.data {
            _ if data.exists() => Ok(()),
            Data::Empty => files::make_dir(&data),
            Data::Installed { unfinished, by } => {
                let unfinished = self.dir.join(unfinished);
                // of an installation that was cut off
                remove_dir(&unfinished)?;
                self.run_to_end(by).await?;
                fs::rename(&unfinished, &data).map_err(StackError::file("rename", &unfinished))
            }
        }
    }

    async fn run_to_end(&self, launch: &Launch) -> Result<(), StackError> {
        let mut process = self.spawn(launch)?;
        match process.ends_within(INSTALL_WITHIN).await {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.has_ended(status)),
            None => {
                process.kill().await;
                Err(self.is_silent(INSTALL_WITHIN))
            }
        }
    }

    async fn await_answer(&self, running: &mut Running) -> Result<(), StackError> {
        let begun = Instant::now();
        while begun.elapsed() < self.plan.ready_within {
            if let Some(status) = running.ended() {
                return Err(self.has_ended(status));
            }
            if self.plan.probe.answered(self.plan.port).await {
                return Ok(());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(self.is_silent(self.plan.ready_within))
    }

    fn has_ended(&self, status: ExitStatus) -> StackError {
        let tail = files::tail(&self.log, TAIL_LINES);
        StackError::Ended { server: self.kind.name(), status, log: self.log.clone(), tail }
    }

    fn is_silent(&self, waited: Duration) -> StackError {
        let tail = files::tail(&self.log, TAIL_LINES);
        StackError::Silent { server: self.kind.name(), waited, log: self.log.clone(), tail }
    }
}

fn keep_last_log(log: &Path) -> Result<(), StackError> {
    if log.exists() {
        fs::rename(log, log.with_extension("1")).map_err(StackError::file("rename", log))?;
    }
    Ok(())
}

fn remove_dir(dir: &Path) -> Result<(), StackError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StackError::file("remove", dir)(error))
        }
        _ => Ok(()),
    }
}
