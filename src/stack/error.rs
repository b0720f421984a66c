use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// Why a private server, or its data directory, could not be had. The first line tells it all;
/// further lines, if any, are the end of the server's log.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what it and its fields mean")]
pub enum StackError {
    #[error(
        "not installed: {}; on Debian or Ubuntu: apt-get install {}",
        .programs.join(", "),
        .packages.join(" ")
    )]
    Missing {
        programs: Vec<&'static str>,
        /// The Debian packages that hold them.
        packages: Vec<&'static str>,
    },

    #[error(
        "the data directory {} is in use by another seckill{}; stop that one, or choose another directory",
        .dir.display(),
        .owner.map(|pid| format!(" (process {pid})")).unwrap_or_default()
    )]
    InUse { dir: PathBuf, owner: Option<u32> },

    #[error(
        "{} is not empty and no data directory of seckill; choose an empty or a new directory",
        .dir.display()
    )]
    NotOurs { dir: PathBuf },

    #[error("cannot {action} {}: {source}", .path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },

    #[error("cannot run {}: {source}", .program.display())]
    Spawn { program: PathBuf, source: io::Error },

    #[error("no free port on 127.0.0.1 between {} and {}", .first, .last)]
    NoPort { first: u16, last: u16 },

    #[error("{server}'s port {port} has been taken by another program")]
    PortTaken { server: &'static str, port: u16 },

    #[error("{server} ended while it started ({status}); its log {} ends with:\n{tail}", .log.display())]
    Ended { server: &'static str, status: ExitStatus, log: PathBuf, tail: String },

    #[error("{server} did not answer within {} s; its log {} ends with:\n{tail}", .waited.as_secs(), .log.display())]
    Silent { server: &'static str, waited: Duration, log: PathBuf, tail: String },

    #[error("{name} (process {pid}) of {} does not end", .dir.display())]
    StillRunning { name: String, pid: u32, dir: PathBuf },
}

impl StackError {
    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { action, path, source }
    }
}
