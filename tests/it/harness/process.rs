//! Seckill as a process of its own, for tests that kill it.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::app::{App, Side};
use super::eventually;

/// A running `seckill`. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    role: &'static str,
    environment: HashMap<String, String>,
    /// Where it serves: the site, or the ops port of a role without pages.
    pub(crate) url: String,
}

impl Process {
    /// Starts `seckill ROLE` on the places of this app and waits until it is ready.
    pub(crate) async fn start(app: &App, role: &'static str) -> Self {
        let side = if role == "web" { Side::Web } else { Side::Worker };
        Self::launch(role, app.environment_of(side)).await
    }

    /// The same with other variables beside; `SECKILL_LOG_FILE` names a file for its log.
    pub(crate) async fn start_with(
        app: &App,
        role: &'static str,
        variables: &[(&str, &str)],
    ) -> Self {
        let mut environment = app.environment();
        for (name, value) in variables {
            environment.insert((*name).to_owned(), (*value).to_owned());
        }
        Self::launch(role, environment).await
    }

    async fn launch(role: &'static str, environment: HashMap<String, String>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_seckill"));
        command
            .arg(role)
            .env_clear()
            .env("SECKILL_LOG", "error")
            .envs(&environment)
            .stdout(Stdio::piped());
        if let Some(path) = environment.get("SECKILL_LOG_FILE") {
            command.stderr(std::fs::File::create(path).unwrap());
        }
        let started = tokio::task::spawn_blocking(move || {
            let mut child = command.spawn().expect("seckill starts");
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let ready =
                lines.find_map(|line| line.unwrap().strip_prefix("ready: ").map(ToOwned::to_owned));
            (child, ready)
        });
        let (child, ready) = started.await.unwrap();
        Self { child, role, environment, url: ready.expect("seckill gets ready") }
    }

    /// SIGKILL, and the same once more at the same address.
    pub(crate) async fn kill_and_start(&mut self) {
        self.kill();
        let bind = if self.role == "worker" { "SECKILL_OPS_BIND" } else { "SECKILL_BIND" };
        let address = self.url.trim_start_matches("http://").to_owned();
        self.environment.insert(bind.to_owned(), address);
        *self = Self::launch(self.role, self.environment.clone()).await;
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

    /// SIGTERM, and its exit code; fails when it has not ended within `bound`.
    pub(crate) async fn terminate(mut self, bound: Duration) -> Option<i32> {
        self.signal(Signal::TERM);
        eventually("the process ends", bound, || {
            let ended = self.child.try_wait().unwrap();
            async move { ended }
        })
        .await
        .code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
