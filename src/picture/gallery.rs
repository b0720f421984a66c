//! The folder in which pictures are kept.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use moka::sync::Cache;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::{PictureError, PictureFile, Prepared, Refusal, prepare};

/// Pictures that are made at the same time: each takes a processor, and some hundred MiB at worst.
const MADE_AT_ONCE: usize = 2;
/// Memory for files that were asked for lately.
const KEPT_BYTES: u64 = 64 * 1024 * 1024;
/// No file of ours is as large: one that is was not made here.
const FILE_MAX: u64 = 32 * 1024 * 1024;

/// The pictures of all products. Cheap to clone. Several nodes share one folder: names tell contents, so
/// two of them never write different things into one file.
#[derive(Debug, Clone)]
pub struct Gallery {
    folder: Arc<Path>,
    making: Arc<Semaphore>,
    kept: Cache<PictureFile, Bytes>,
}

impl Gallery {
    /// Opens the folder; makes it when it is not there, and sees that it can be written.
    ///
    /// # Errors
    /// When it cannot.
    pub fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let trial = beside(&folder, "trial");
        File::create_new(&trial)?;
        fs::remove_file(&trial)?;
        let kept = Cache::builder()
            .max_capacity(KEPT_BYTES)
            .weigher(|_: &PictureFile, file: &Bytes| u32::try_from(file.len()).unwrap_or(u32::MAX))
            .build();
        Ok(Self { folder: folder.into(), making: Arc::new(Semaphore::new(MADE_AT_ONCE)), kept })
    }

    /// Checks and redraws what was sent, and keeps it. Gives the large file, which the ledger names.
    ///
    /// # Errors
    /// [`PictureError::Refused`] with the reason why it is not taken, or what is wrong with the folder.
    pub async fn add(&self, sent: Bytes) -> Result<PictureFile, PictureError> {
        let making = self.making.clone().acquire_owned().await;
        let permit = making.map_err(|_| PictureError::Stopped)?;
        let folder = self.folder.clone();
        let made = spawn_blocking(move || {
            // Here, so that one whose sender has gone away still counts.
            let _permit = permit;
            let prepared = prepare(&sent)?;
            keep(&folder, &prepared)?;
            Ok(prepared.file)
        });
        match made.await {
            Ok(made) => made,
            // A decoder that stumbles over a picture takes nobody else down.
            Err(error) if error.is_panic() => Err(Refusal::Damaged.into()),
            Err(_) => Err(PictureError::Stopped),
        }
    }

    /// A file's content; none when there is no such file.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub async fn read(&self, file: &PictureFile) -> Result<Option<Bytes>, PictureError> {
        if let Some(kept) = self.kept.get(file) {
            return Ok(Some(kept));
        }
        let path = self.folder.join(file.to_string());
        let read = spawn_blocking(move || content(&path)).await;
        let content = read.map_err(|_| PictureError::Stopped)??;
        if let Some(content) = &content {
            self.kept.insert(file.clone(), content.clone());
        }
        Ok(content)
    }
}

fn content(path: &Path) -> io::Result<Option<Bytes>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut content = Vec::new();
    file.take(FILE_MAX).read_to_end(&mut content)?;
    Ok(Some(content.into()))
}

/// The small one first: whoever is told of the large one finds both.
fn keep(folder: &Path, prepared: &Prepared) -> io::Result<()> {
    write(folder, &prepared.file.small(), &prepared.small)?;
    write(folder, &prepared.file, &prepared.large)?;
    // The names themselves are safe once the folder is.
    File::open(folder)?.sync_all()
}

/// Written beside and renamed, so that nobody ever reads half of it.
fn write(folder: &Path, file: &PictureFile, content: &[u8]) -> io::Result<()> {
    let beside = beside(folder, &file.to_string());
    let written =
        OpenOptions::new().write(true).create_new(true).open(&beside).and_then(|mut new| {
            new.write_all(content)?;
            new.sync_all()?;
            fs::rename(&beside, folder.join(file.to_string()))
        });
    if written.is_err() {
        let _gone = fs::remove_file(&beside);
    }
    written
}

/// A name that nobody else uses, and no request can ask for.
fn beside(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.{:08x}.new", rand::random::<u32>()))
}
