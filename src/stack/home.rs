use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::guard::{AtEnd, Guard};
use super::leftovers::{self, Leftover};
use super::{StackError, files};

/// Marks a directory as ours, is locked by its owner, and holds the owner's process id.
const LOCK: &str = "seckill.lock";

/// A data directory with one owner: this process, for as long as the value lives.
///
/// Every [`Server`](super::Server) in it holds on to it. When the last holder goes, or the process
/// is killed, the guard ends the servers that still run.
#[derive(Debug)]
pub struct Home {
    dir: PathBuf,
    guard: Guard,
    /// Locked; the kernel unlocks it when the process ends.
    _lock: File,
}

impl Home {
    /// Takes a directory into possession, and stops the servers that an earlier owner left in it.
    ///
    /// # Errors
    /// It is in use, holds somebody else's files, or cannot be written.
    pub async fn open(dir: &Path) -> Result<Arc<Self>, StackError> {
        let (home, leftovers) = Self::claim(dir)?;
        leftovers::end(home.dir(), leftovers).await?;
        Ok(home)
    }

    /// A new directory among the machine's temporary files; the guard removes it in the end.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn temporary() -> Result<Arc<Self>, StackError> {
        let dir = std::env::temp_dir().join(format!("seckill-{:016x}", rand::random::<u64>()));
        Self::own(&dir, AtEnd::Remove)
    }

    /// Takes a directory into possession, and tells which servers still run in it.
    pub(super) fn claim(dir: &Path) -> Result<(Arc<Self>, Vec<Leftover>), StackError> {
        let home = Self::own(dir, AtEnd::Keep)?;
        let leftovers = leftovers::find(home.dir());
        Ok((home, leftovers))
    }

    fn own(dir: &Path, at_end: AtEnd) -> Result<Arc<Self>, StackError> {
        files::make_dir(dir)?;
        // Servers are recognised by the directory they work in, which the kernel tells without links.
        let dir = fs::canonicalize(dir).map_err(StackError::file("find", dir))?;
        if !is_empty(&dir)? && !dir.join(LOCK).exists() {
            return Err(StackError::NotOurs { dir });
        }
        let lock = take_lock(&dir)?;
        let guard = Guard::post(&dir, at_end)?;
        // A data directory inside a checkout is no business of its version control.
        files::write(&dir.join(".gitignore"), "*\n")?;
        Ok(Arc::new(Self { dir, guard, _lock: lock }))
    }

    /// Absolute, without links.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The process that ends the servers when this one has gone.
    #[must_use]
    pub fn guard_pid(&self) -> u32 {
        self.guard.pid()
    }

    pub(super) fn watch(&self, pid: u32) {
        self.guard.watch(pid);
    }
}

fn is_empty(dir: &Path) -> Result<bool, StackError> {
    let mut entries = fs::read_dir(dir).map_err(StackError::file("read", dir))?;
    Ok(entries.next().is_none())
}

fn take_lock(dir: &Path) -> Result<File, StackError> {
    let path = dir.join(LOCK);
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        // not before it is ours: it tells who has it
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(StackError::file("open", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let owner = files::read(&path)?.and_then(|text| text.trim().parse().ok());
            return Err(StackError::InUse { dir: dir.to_owned(), owner });
        }
        Err(TryLockError::Error(error)) => return Err(StackError::file("lock", &path)(error)),
    }
    file.set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(StackError::file("write", &path))?;
    Ok(file)
}
