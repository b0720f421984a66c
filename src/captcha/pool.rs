//! Pictures drawn ahead, so that the moment of the start draws none.

use std::io;
use std::num::NonZeroUsize;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use super::{Picture, Seed, draw};

/// How many pictures wait, who draws them, and how long a shopper waits for one.
#[derive(Debug, Clone, Copy)]
pub struct PoolSettings {
    /// Pictures held ready.
    pub size: NonZeroUsize,
    /// Threads that draw; they sleep while the pool is full.
    pub threads: NonZeroUsize,
    /// The longest wait for a picture when the pool is empty.
    pub wait: Duration,
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            size: NonZeroUsize::new(256).unwrap_or(NonZeroUsize::MIN),
            threads: NonZeroUsize::MIN,
            wait: Duration::from_secs(2),
        }
    }
}

/// A stock of pictures, each given out once. Its threads end when it is dropped.
#[derive(Debug)]
pub struct Pool {
    pictures: Mutex<mpsc::Receiver<Picture>>,
    painters: Vec<JoinHandle<()>>,
    wait: Duration,
}

impl Pool {
    /// Starts drawing.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(settings: PoolSettings) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel(settings.size.get());
        let mut pool =
            Self { pictures: Mutex::new(receiver), painters: Vec::new(), wait: settings.wait };
        for number in 0..settings.threads.get() {
            let sender = sender.clone();
            let painter = thread::Builder::new()
                .name(format!("captcha-{number}"))
                .spawn(move || paint(&sender))?;
            pool.painters.push(painter);
        }
        Ok(pool)
    }

    /// A picture that nobody else gets; none if there was none in time.
    pub async fn take(&self) -> Option<Picture> {
        let next = async { self.pictures.lock().await.recv().await };
        timeout(self.wait, next).await.ok().flatten()
    }

    /// How many pictures wait at the moment; none if that cannot be seen right now.
    #[must_use]
    pub fn ready(&self) -> Option<usize> {
        self.pictures.try_lock().ok().map(|pictures| pictures.len())
    }
}

/// Draws until nobody takes the pictures any more. Sending waits while the pool is full.
fn paint(pictures: &mpsc::Sender<Picture>) {
    while !pictures.is_closed() {
        let seed = Seed::random();
        let Some(drawn) = draw(seed) else {
            // A picture that cannot be drawn is a fault of the build; do not spin on it.
            tracing::error!("captcha picture could not be drawn");
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        let picture = Picture { seed, answer: drawn.answer, png: drawn.png };
        if pictures.blocking_send(picture).is_err() {
            return;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.pictures.get_mut().close();
        for painter in self.painters.drain(..) {
            // A painter that panicked has said so already.
            let _ = painter.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::num::NonZeroUsize;
    use std::time::{Duration, Instant};

    use super::{Pool, PoolSettings};
    use crate::captcha::draw;

    fn pool(size: usize, threads: usize) -> Pool {
        Pool::start(PoolSettings {
            size: NonZeroUsize::new(size).unwrap(),
            threads: NonZeroUsize::new(threads).unwrap(),
            wait: Duration::from_secs(20),
        })
        .unwrap()
    }

    #[tokio::test]
    async fn each_picture_is_given_once_and_the_pool_refills() {
        let pool = pool(4, 2);
        let mut seeds = HashSet::new();
        for _ in 0..20 {
            let picture = pool.take().await.unwrap();
            assert_eq!(draw(picture.seed).unwrap().png, picture.png);
            assert!(seeds.insert(picture.seed), "given twice");
        }
        let bound = Instant::now() + Duration::from_secs(20);
        while pool.ready() != Some(4) {
            assert!(Instant::now() < bound, "the pool did not refill");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn many_take_at_the_same_time() {
        let pool = pool(2, 1);
        let taken = futures_util::future::join_all((0..50).map(|_| pool.take())).await;
        let seeds: HashSet<_> = taken.into_iter().map(|picture| picture.unwrap().seed).collect();
        assert_eq!(seeds.len(), 50);
    }

    #[tokio::test]
    async fn nobody_waits_for_ever() {
        let mut pool = pool(1, 1);
        pool.wait = Duration::from_millis(20);
        let held = pool.pictures.lock().await;
        assert!(pool.take().await.is_none());
        drop(held);
    }

    #[test]
    fn dropping_a_full_pool_ends_its_threads() {
        let pool = pool(1, 2);
        let bound = Instant::now() + Duration::from_secs(20);
        while pool.ready() != Some(1) {
            assert!(Instant::now() < bound, "the pool did not fill");
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(pool); // joins the threads: would hang if one did not end
    }
}
