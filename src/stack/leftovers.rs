//! Servers that still run in a data directory though their owner has gone.
//!
//! They are recognised by what the kernel says of them, the program and the directory it works in,
//! and not by a process id in a file: that may be gone, or belong to a stranger by now.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::StackError;

/// Names of the programs that run in a data directory, as in `/proc/PID/comm` (15 bytes at most).
/// Their own children are not among them: they end with them.
const PROGRAMS: [&str; 7] =
    ["redis-server", "mariadbd", "mariadb-install", "beam.smp", "erl", "epmd", "rabbitmq-server"];

const STOP_WITHIN: Duration = Duration::from_secs(20);
const KILL_WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Leftover {
    pub(super) name: String,
    process: Pid,
}

impl Leftover {
    pub(super) fn pid(&self) -> u32 {
        self.process.as_raw_nonzero().get().unsigned_abs()
    }

    fn lives(&self, dir: &Path) -> bool {
        program_in(dir, self.process).is_some_and(|name| name == self.name)
    }
}

pub(super) fn find(dir: &Path) -> Vec<Leftover> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter_map(|process| Some(Leftover { name: program_in(dir, process)?, process }))
        .collect()
}

/// Stops them: by SIGTERM, so that they write their data, and by SIGKILL past a bound.
pub(super) async fn end(dir: &Path, mut leftovers: Vec<Leftover>) -> Result<(), StackError> {
    for (signal, bound) in [(Signal::TERM, STOP_WITHIN), (Signal::KILL, KILL_WITHIN)] {
        let begun = Instant::now();
        leftovers.retain(|leftover| leftover.lives(dir));
        for leftover in &leftovers {
            // it may have gone in this moment
            let _gone = kill_process(leftover.process, signal);
        }
        while !leftovers.is_empty() && begun.elapsed() < bound {
            tokio::time::sleep(Duration::from_millis(50)).await;
            leftovers.retain(|leftover| leftover.lives(dir));
        }
    }
    match leftovers.into_iter().next() {
        None => Ok(()),
        Some(leftover) => {
            let pid = leftover.pid();
            Err(StackError::StillRunning { name: leftover.name, pid, dir: dir.to_owned() })
        }
    }
}

/// The name of one of our programs, if that is what this process is and it works below `dir`.
fn program_in(dir: &Path, process: Pid) -> Option<String> {
    let proc = Path::new("/proc").join(process.as_raw_nonzero().to_string());
    let works_in = fs::read_link(proc.join("cwd")).ok()?;
    if works_in == dir || !works_in.starts_with(dir) {
        return None;
    }
    let name = fs::read_to_string(proc.join("comm")).ok()?;
    PROGRAMS.contains(&name.trim()).then(|| name.trim().to_owned())
}
