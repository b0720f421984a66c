//! Files that only their owner may read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use super::StackError;

const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Makes `dir` and its parents; one that exists already is left as it is.
pub(super) fn make_dir(dir: &Path) -> Result<(), StackError> {
    DirBuilder::new()
        .recursive(true)
        .mode(DIR_MODE)
        .create(dir)
        .map_err(StackError::file("make", dir))
}

/// Writes the whole file anew.
pub(super) fn write(path: &Path, text: &str) -> Result<(), StackError> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(FILE_MODE)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(StackError::file("write", path))
}

/// The text of a file; none when there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<String>, StackError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StackError::file("read", path)(error)),
    }
}

/// A log that is written on at its end.
pub(super) fn append(path: &Path) -> Result<fs::File, StackError> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(FILE_MODE)
        .open(path)
        .map_err(StackError::file("open", path))
}

/// The random secret kept in this file; made at the first call.
pub(super) fn secret(path: &Path) -> Result<String, StackError> {
    if let Some(text) = read(path)?.filter(|text| !text.trim().is_empty()) {
        return Ok(text.trim().to_owned());
    }
    let secret = format!("{:032x}", rand::random::<u128>());
    write(path, &secret)?;
    Ok(secret)
}

/// The last lines of a log, for an error that a person reads.
pub(super) fn tail(path: &Path, lines: usize) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut last: Vec<&str> =
        text.lines().rev().filter(|line| !line.trim().is_empty()).take(lines).collect();
    last.reverse();
    last.join("\n")
}
