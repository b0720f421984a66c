//! A small shell that ends the servers when their owner has gone.
//!
//! It holds the reading end of a pipe whose writing end only the owner has, so the kernel tells it
//! of the owner's end, whatever that was. It lives in a process group of its own: Ctrl-C in the
//! terminal reaches the owner, who stops the servers in order, and not the guard.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::StackError;

const SHELL: &str = "/bin/sh";
const SCRIPT: &str = include_str!("guard.sh");

#[derive(Clone, Copy, Debug)]
pub(super) enum AtEnd {
    /// The data is kept: the servers may write it out first.
    Keep,
    /// The directory goes too, so nothing is worth waiting for.
    Remove,
}

#[derive(Debug)]
pub(super) struct Guard {
    shell: Child,
    pipe: Mutex<Option<ChildStdin>>,
}

impl Guard {
    pub(super) fn post(dir: &Path, at_end: AtEnd) -> Result<Self, StackError> {
        let mut shell = Command::new(SHELL)
            .args(["-c", SCRIPT, "seckill-guard"])
            .arg(dir)
            .arg(match at_end {
                AtEnd::Keep => "keep",
                AtEnd::Remove => "remove",
            })
            // a guard that works in the directory would keep its file system busy
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|source| StackError::Spawn { program: SHELL.into(), source })?;
        let pipe = Mutex::new(shell.stdin.take());
        Ok(Self { shell, pipe })
    }

    /// Puts one more process under guard.
    pub(super) fn watch(&self, pid: u32) {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let told = pipe.as_mut().map(|pipe| writeln!(pipe, "{pid}"));
        if !matches!(told, Some(Ok(()))) {
            // The server is still stopped in order, and by the next run; only a kill -9 now leaves it behind.
            tracing::warn!(pid, "the guard of the private servers has gone");
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.shell.id()
    }
}
