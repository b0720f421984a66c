//! Ports that a server keeps: chosen at its first start, the same in later runs while they are free.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{StackError, files};

/// Below the range from which the kernel takes the ports of outgoing connections (from 32768), so
/// that no client sits on a server's port while it restarts; and away from the standard services.
const FIRST: u16 = 20_000;
const LAST: u16 = 24_999;

/// A choice between two starts in one process must not meet before the first has bound its port.
static GIVEN_OUT: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// As many ports as asked for, kept in `file`, one a line.
pub(super) fn kept<const N: usize>(file: &Path) -> Result<[u16; N], StackError> {
    let text = files::read(file)?.unwrap_or_default();
    let mut lines = text.lines();
    let mut ports = [0; N];
    for port in &mut ports {
        let before = lines.next().and_then(|line| line.trim().parse().ok());
        *port = match before {
            Some(before) if is_free(before) => before,
            _ => choose()?,
        };
    }
    files::write(file, &ports.map(|port| format!("{port}\n")).concat())?;
    Ok(ports)
}

pub(super) fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn choose() -> Result<u16, StackError> {
    let mut given_out = GIVEN_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..10_000 {
        let port = rand::random_range(FIRST..=LAST);
        if !given_out.contains(&port) && is_free(port) {
            given_out.insert(port);
            return Ok(port);
        }
    }
    Err(StackError::NoPort { first: FIRST, last: LAST })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_kept_and_only_a_taken_one_is_chosen_anew() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("ports");
        let first: [u16; 3] = kept(&file).unwrap();
        assert!(first.iter().all(|port| (FIRST..=LAST).contains(port)));
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 3);
        assert_eq!(kept(&file).unwrap(), first);

        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, first[1])).unwrap();
        let second: [u16; 3] = kept(&file).unwrap();
        assert_eq!((second[0], second[2]), (first[0], first[2]));
        assert_ne!(second[1], first[1]);
    }

    #[test]
    fn a_file_that_makes_no_sense_is_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("ports");
        files::write(&file, "x\n70000").unwrap();
        let ports: [u16; 2] = kept(&file).unwrap();
        assert_eq!(kept(&file).unwrap(), ports);
    }
}
