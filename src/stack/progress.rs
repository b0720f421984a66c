use std::fmt;
use std::time::Duration;

use super::Kind;

/// What a person who waits for the servers wants to know; `Display` is a line for a terminal.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are named")]
pub enum Progress {
    /// This server was given by its URL, none is started for it.
    Given { server: Kind },
    /// A server that an owner left behind who did not end in peace; it is being stopped.
    Leftover { name: String, pid: u32 },
    /// `first`: it has no data yet, which takes a little longer.
    Starting { server: Kind, first: bool },
    /// It answers on this port of 127.0.0.1.
    Ready { server: Kind, port: u16, took: Duration },
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given { server } => write!(f, "{server}: given, none is started"),
            Self::Leftover { name, pid } => {
                write!(f, "stopping {name} (process {pid}), left over from a run that was cut off")
            }
            Self::Starting { server, first: true } => {
                write!(f, "{server}: starting for the first time …")
            }
            Self::Starting { server, first: false } => write!(f, "{server}: starting …"),
            Self::Ready { server, port, took } => {
                write!(f, "{server}: ready on 127.0.0.1:{port} after {:.1} s", took.as_secs_f64())
            }
        }
    }
}
