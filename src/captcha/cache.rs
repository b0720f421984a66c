//! Pictures that were given out and are about to be looked at.

use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::{Picture, Seed, draw};

/// A little longer than a ticket lives.
const KEPT_FOR: Duration = Duration::from_secs(90);
/// A redraw that does not come in time is not worth waiting for.
const REDRAW_WAIT: Duration = Duration::from_secs(3);
/// Redraws at the same time: they must not take the processors from the sale.
const REDRAWS: usize = 2;

/// Keeps drawn pictures for a while, within a bound of memory, and draws again what it does not
/// hold: a picture given out by another node, or pushed out.
#[derive(Debug)]
pub struct PictureCache {
    pictures: Cache<Seed, Bytes>,
    redraws: Semaphore,
}

impl PictureCache {
    /// `max_bytes`: about how much memory the pictures may take.
    #[must_use]
    pub fn new(max_bytes: u64) -> Self {
        let pictures = Cache::builder()
            .max_capacity(max_bytes)
            .weigher(|_: &Seed, png: &Bytes| u32::try_from(png.len()).unwrap_or(u32::MAX))
            .time_to_live(KEPT_FOR)
            .build();
        Self { pictures, redraws: Semaphore::new(REDRAWS) }
    }

    /// Keeps a picture that was just given out.
    pub fn keep(&self, picture: &Picture) {
        self.pictures.insert(picture.seed, picture.png.clone());
    }

    /// The picture of a seed, drawn again off the request's thread if need be; none if that could
    /// not be done in time.
    pub async fn png(&self, seed: Seed) -> Option<Bytes> {
        match self.pictures.get(&seed) {
            Some(png) => Some(png),
            None => timeout(REDRAW_WAIT, self.redraw(seed)).await.ok().flatten(),
        }
    }

    async fn redraw(&self, seed: Seed) -> Option<Bytes> {
        let _permit = self.redraws.acquire().await.ok()?;
        let pictures = self.pictures.clone();
        let drawing =
            move || pictures.optionally_get_with(seed, || draw(seed).map(|drawn| drawn.png));
        tokio::task::spawn_blocking(drawing).await.ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::PictureCache;
    use crate::captcha::{Picture, Seed, draw};

    #[tokio::test]
    async fn a_kept_picture_is_not_drawn_again() {
        let cache = PictureCache::new(1 << 20);
        let seed = Seed::random();
        let picture = Picture { seed, answer: String::new(), png: b"as kept".as_slice().into() };
        cache.keep(&picture);
        assert_eq!(cache.png(seed).await.unwrap(), picture.png);
    }

    #[tokio::test]
    async fn an_unknown_picture_is_drawn_from_its_seed() {
        let cache = PictureCache::new(1 << 20);
        let seed = Seed::random();
        assert_eq!(cache.png(seed).await, draw(seed).map(|drawn| drawn.png));
        assert!(cache.pictures.contains_key(&seed));
    }
}
