//! A harness like a person: `app.shopper().await.buy(sale)`.
//!
//! The servers are started once and shared by the run; each test has a database, a logical database of
//! Redis and names of queues of its own. When an [`App`] is dropped it waits until nothing is on its way
//! and checks that the books balance, in every test.

pub(crate) mod app;
mod books;
pub(crate) mod process;
pub(crate) mod proxy;
mod sale;
pub(crate) mod servers;
pub(crate) mod shopper;

use std::future::Future;
use std::time::{Duration, Instant};

pub(crate) use app::{App, Plan, Side};
pub(crate) use process::Process;
pub(crate) use sale::Sale;
pub(crate) use shopper::{Answer, Shopper};

/// Waits until `condition` gives something, looking often; fails after `bound` with `what`.
pub(crate) async fn eventually<T, F>(
    what: &str,
    bound: Duration,
    mut condition: impl FnMut() -> F,
) -> T
where
    F: Future<Output = Option<T>>,
{
    let begun = Instant::now();
    loop {
        if let Some(value) = condition().await {
            return value;
        }
        assert!(begun.elapsed() < bound, "not within {bound:?}: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The bound of what should happen at once on a machine that is busy with other tests.
pub(crate) const SOON: Duration = Duration::from_secs(30);
