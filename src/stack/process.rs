//! One running program of a server.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Home, StackError, files, program};

/// The server's own temporary files, below its folder.
pub(super) const TMP: &str = "tmp";

const KILL_WITHIN: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How to run a program. It sees no variable of ours but those named here, so that no setting
/// meant for another server reaches it.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
    pub(super) envs: Vec<(&'static str, OsString)>,
}

/// A child that is asked, not awaited: it must outlive the runtime that started it, since every
/// test has a runtime of its own.
#[derive(Debug)]
pub(super) struct Process(Child);

impl Process {
    /// Starts it in `dir` (by which guard and leftovers know it again) and in a process group of its
    /// own, where Ctrl-C in the terminal does not reach it.
    pub(super) fn spawn(
        home: &Home,
        launch: &Launch,
        dir: &Path,
        log: &Path,
    ) -> Result<Self, StackError> {
        let out = files::append(log)?;
        let err = out.try_clone().map_err(StackError::file("open", log))?;
        let child = Command::new(&launch.program)
            .args(&launch.args)
            .env_clear()
            .envs([("LANG", "C.UTF-8"), ("TZ", "UTC")])
            .env("PATH", program::path())
            .env("HOME", dir)
            // Not shared: a MariaDB that starts deletes the temporary tables of all others it finds.
            .env("TMPDIR", dir.join(TMP))
            .envs(launch.envs.iter().map(|(name, value)| (name, value)))
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .process_group(0)
            .spawn()
            .map_err(|source| StackError::Spawn { program: launch.program.clone(), source })?;
        home.watch(child.id());
        Ok(Self(child))
    }

    pub(super) fn id(&self) -> u32 {
        self.0.id()
    }

    /// How it ended; none while it runs.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        // An error would mean that it is no child of ours, which cannot be.
        self.0.try_wait().ok().flatten()
    }

    pub(super) fn signal(&mut self, signal: Signal) {
        // Not yet waited for, so the number is still its own.
        if self.ended().is_none() {
            let _gone = kill_process(Pid::from_child(&self.0), signal);
        }
    }

    pub(super) async fn ends_within(&mut self, bound: Duration) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            match self.ended() {
                None if begun.elapsed() < bound => tokio::time::sleep(LOOK_EVERY).await,
                status => return status,
            }
        }
    }

    /// Asks it to end, and kills it when it has not within the bound.
    pub(super) async fn stop(&mut self, bound: Duration) {
        self.signal(Signal::TERM);
        if self.ends_within(bound).await.is_none() {
            tracing::warn!(pid = self.id(), "does not stop, is killed");
            self.kill().await;
        }
    }

    pub(super) async fn kill(&mut self) {
        self.signal(Signal::KILL);
        if self.ends_within(KILL_WITHIN).await.is_none() {
            tracing::error!(pid = self.id(), "does not even end by SIGKILL");
        }
    }
}
