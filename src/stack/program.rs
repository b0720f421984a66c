//! Where the servers' programs are, and which packages hold those that are not there.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Kind, StackError};

/// Searched after `PATH`, which often lacks the administrator's directories.
const MORE_DIRS: [&str; 4] = ["/usr/local/sbin", "/usr/sbin", "/usr/bin", "/sbin"];

/// Debian's `rabbitmq-server` in the `PATH` is a wrapper that works in the system's directories, as
/// the system's user. This is the script behind it.
const RABBITMQ_DIR: &str = "/usr/lib/rabbitmq/bin";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Program {
    name: &'static str,
    package: &'static str,
}

pub(super) const REDIS: Program = Program { name: "redis-server", package: "redis-server" };
pub(super) const MARIADB: Program = Program { name: "mariadbd", package: "mariadb-server" };
pub(super) const MARIADB_INSTALL: Program =
    Program { name: "mariadb-install-db", package: "mariadb-server" };
pub(super) const RABBITMQ: Program =
    Program { name: "rabbitmq-server", package: "rabbitmq-server" };
pub(super) const EPMD: Program = Program { name: "epmd", package: "rabbitmq-server" };

impl Program {
    pub(super) fn find(self) -> Result<PathBuf, StackError> {
        self.look().ok_or_else(|| missing(&[self]))
    }

    fn look(self) -> Option<PathBuf> {
        let first = (self == RABBITMQ).then(|| PathBuf::from(RABBITMQ_DIR));
        first.into_iter().chain(dirs()).map(|dir| dir.join(self.name)).find(|path| path.is_file())
    }
}

/// Names everything that is missing at once.
pub(super) fn check(kinds: impl Iterator<Item = Kind>) -> Result<(), StackError> {
    let absent: Vec<Program> = kinds
        .flat_map(Kind::programs)
        .copied()
        .filter(|program| program.look().is_none())
        .collect();
    if absent.is_empty() { Ok(()) } else { Err(missing(&absent)) }
}

/// The `PATH` for the servers and their scripts.
pub(super) fn path() -> OsString {
    env::join_paths(dirs()).unwrap_or_else(|_| MORE_DIRS.join(":").into())
}

fn dirs() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let own: Vec<PathBuf> = env::split_paths(&path).filter(|dir| dir.is_absolute()).collect();
    own.into_iter().chain(MORE_DIRS.iter().map(|dir| Path::new(dir).to_owned()))
}

fn missing(programs: &[Program]) -> StackError {
    let mut packages: Vec<&str> = programs.iter().map(|program| program.package).collect();
    packages.dedup();
    StackError::Missing {
        programs: programs.iter().map(|program| program.name).collect(),
        packages,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_are_told_with_their_packages() {
        let error = missing(&[MARIADB, MARIADB_INSTALL, REDIS]);
        assert_eq!(
            error.to_string(),
            "not installed: mariadbd, mariadb-install-db, redis-server; \
             on Debian or Ubuntu: apt-get install mariadb-server redis-server"
        );
    }

    #[test]
    fn a_program_that_is_nowhere_is_missing() {
        let nowhere = Program { name: "seckill-no-such-program", package: "none" };
        assert!(matches!(nowhere.find(), Err(StackError::Missing { .. })));
    }
}
