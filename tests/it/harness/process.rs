//! Seckill as a process of its own, for tests that kill it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::app::App;

/// A running `seckill`. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// Where it serves: the site, or the ops port of a role without pages.
    pub(crate) url: String,
}

impl Process {
    /// Starts `seckill ROLE` on the places of this app and waits until it is ready.
    pub(crate) async fn start(app: &App, role: &'static str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_seckill"));
        command
            .arg(role)
            .env_clear()
            .envs(app.environment())
            .env("SECKILL_LOG", "warn")
            .stdout(Stdio::piped());
        let started = tokio::task::spawn_blocking(move || {
            let mut child = command.spawn().expect("seckill starts");
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let ready =
                lines.find_map(|line| line.unwrap().strip_prefix("ready: ").map(ToOwned::to_owned));
            (child, ready)
        });
        let (child, ready) = started.await.unwrap();
        Self { child, url: ready.expect("seckill gets ready") }
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Any other signal.
    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// SIGTERM, and its exit code.
    pub(crate) async fn terminate(mut self) -> Option<i32> {
        self.signal(Signal::TERM);
        let status = tokio::task::block_in_place(|| self.child.wait()).unwrap();
        status.code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
