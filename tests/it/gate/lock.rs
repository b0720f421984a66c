//! `lock_take.lua`, `lock_renew.lua`, `lock_free.lua`, and the watchdog that uses them.

use std::time::{Duration, Instant};

use seckill::gate::keys;

use super::sale::{LIFE, Sale, activity};
use super::server::{BOUND, Server, eventually};

const NAME: &str = "activity:42";
const NO_WAIT: Duration = Duration::ZERO;

async fn place() -> (Sale, String) {
    (Sale::unloaded(activity(1)).await, keys::lock(NAME))
}

#[tokio::test]
async fn a_lock_is_one_owners_until_it_is_freed() {
    let (sale, key) = place().await;
    let gate = &sale.gate;
    let first = gate.lock(NAME, "a", LIFE, NO_WAIT).await.unwrap().unwrap();
    assert!((1..=60_000).contains(&sale.ttl_ms(&key)), "a lock always expires");
    assert!(gate.lock(NAME, "b", LIFE, NO_WAIT).await.unwrap().is_none());
    assert!(gate.lock("activity:43", "b", LIFE, NO_WAIT).await.unwrap().is_some());
    assert!(!first.is_lost());
    first.free().await;
    assert_eq!(sale.ttl_ms(&key), -2);
    assert!(gate.lock(NAME, "b", LIFE, NO_WAIT).await.unwrap().is_some());
}

#[tokio::test]
async fn who_waits_gets_the_lock_when_it_is_freed_and_a_clear_no_when_it_is_not() {
    let (sale, _) = place().await;
    let first = sale.gate.lock(NAME, "a", LIFE, NO_WAIT).await.unwrap().unwrap();
    let wait = Duration::from_millis(200);
    let asked = Instant::now();
    assert!(sale.gate.lock(NAME, "b", LIFE, wait).await.unwrap().is_none());
    assert!(asked.elapsed() >= wait);

    let gate = sale.gate.clone();
    let waiting = tokio::spawn(async move { gate.lock(NAME, "b", LIFE, BOUND).await.unwrap() });
    first.free().await;
    assert!(waiting.await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_takers_at_once_one_gets_it() {
    let (sale, _) = place().await;
    let mut takers = tokio::task::JoinSet::new();
    for (n, gate) in (0..50).zip(sale.connections(5).await.iter().cycle()) {
        let gate = gate.clone();
        takers
            .spawn(async move { gate.take_lock(NAME, &format!("owner-{n}"), LIFE).await.unwrap() });
    }
    let mut counts = takers.join_all().await;
    counts.sort_unstable();
    assert_eq!((counts[48], counts[49]), (0, 1));
}

#[tokio::test]
async fn an_owner_may_take_it_again_and_it_is_free_with_the_last_holding() {
    let (sale, key) = place().await;
    let gate = &sale.gate;
    let outer = gate.lock(NAME, "a", LIFE, NO_WAIT).await.unwrap().unwrap();
    let inner = gate.lock(NAME, "a", LIFE, NO_WAIT).await.unwrap().unwrap();
    inner.free().await;
    assert_eq!(gate.take_lock(NAME, "b", LIFE).await.unwrap(), 0, "the outer one still holds");
    assert!(sale.ttl_ms(&key) > 0);
    outer.free().await;
    assert_eq!(gate.take_lock(NAME, "b", LIFE).await.unwrap(), 1);
}

#[tokio::test]
async fn an_inner_holding_of_a_shorter_life_does_not_shorten_the_outer_ones() {
    let (sale, key) = place().await;
    let gate = &sale.gate;
    gate.take_lock(NAME, "a", LIFE).await.unwrap();
    let ends = sale.expires_at_ms(&key);
    let short = Duration::from_millis(20);
    assert_eq!(gate.take_lock(NAME, "a", short).await.unwrap(), 2);
    assert!(gate.renew_lock(NAME, "a", short).await.unwrap());
    assert_eq!(sale.expires_at_ms(&key), ends);
    assert!(gate.renew_lock(NAME, "a", 2 * LIFE).await.unwrap());
    assert!(sale.expires_at_ms(&key) > ends);
}

#[tokio::test]
async fn only_the_owner_renews_and_frees() {
    let (sale, key) = place().await;
    let gate = &sale.gate;
    assert!(!gate.renew_lock(NAME, "a", LIFE).await.unwrap(), "nobody holds it");
    assert!(!gate.free_lock(NAME, "a").await.unwrap());
    assert_eq!(sale.ttl_ms(&key), -2, "asking makes no lock");
    gate.take_lock(NAME, "a", LIFE).await.unwrap();
    let before = (sale.everything(), sale.expires_at_ms(&key));
    assert!(!gate.renew_lock(NAME, "b", 2 * LIFE).await.unwrap());
    assert!(!gate.free_lock(NAME, "b").await.unwrap());
    assert_eq!(before, (sale.everything(), sale.expires_at_ms(&key)));
    assert!(gate.free_lock(NAME, "a").await.unwrap());
    assert!(!gate.free_lock(NAME, "a").await.unwrap(), "freed once");
}

#[tokio::test]
async fn a_dead_holders_lock_expires_and_coming_back_they_can_do_nothing_to_the_next() {
    let (sale, key) = place().await;
    let gate = &sale.gate;
    // Taken without a watchdog: as by a process that stops right after.
    gate.take_lock(NAME, "stopped", Duration::from_millis(50)).await.unwrap();
    let next = gate.lock(NAME, "next", LIFE, BOUND).await.unwrap().unwrap();
    let before = (sale.everything(), sale.expires_at_ms(&key));
    assert!(!gate.renew_lock(NAME, "stopped", LIFE).await.unwrap());
    assert!(!gate.free_lock(NAME, "stopped").await.unwrap());
    assert_eq!(gate.take_lock(NAME, "stopped", LIFE).await.unwrap(), 0);
    assert_eq!(before, (sale.everything(), sale.expires_at_ms(&key)));
    assert!(!next.is_lost());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_watchdog_renews_a_lock_that_is_held() {
    let (sale, key) = place().await;
    let life = Duration::from_secs(6);
    let lock = sale.gate.lock(NAME, "a", life, NO_WAIT).await.unwrap().unwrap();
    let first = sale.expires_at_ms(&key);
    eventually("it is renewed", || sale.expires_at_ms(&key) > first);
    assert!(!lock.is_lost());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_who_is_dropped_without_freeing_leaves_the_lock_to_its_expiry() {
    let (sale, key) = place().await;
    let life = Duration::from_millis(300);
    drop(sale.gate.lock(NAME, "a", life, NO_WAIT).await.unwrap());
    eventually("it expires", || sale.ttl_ms(&key) == -2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_was_lost_is_noticed_and_freeing_it_leaves_the_next_holders() {
    let (sale, key) = place().await;
    let life = Duration::from_millis(600);
    let lock = sale.gate.lock(NAME, "a", life, NO_WAIT).await.unwrap().unwrap();
    sale.raw::<()>(&["DEL", &key]);
    sale.gate.take_lock(NAME, "b", LIFE).await.unwrap();
    eventually("the loss is noticed", || lock.is_lost());
    lock.free().await;
    assert!(sale.gate.renew_lock(NAME, "b", LIFE).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_cannot_be_renewed_for_its_whole_life_counts_as_lost() {
    let mut server = Server::start();
    let sale = Sale::at(&server, 0, activity(1)).await;
    let life = Duration::from_millis(300);
    let lock = sale.gate.lock(NAME, "a", life, NO_WAIT).await.unwrap().unwrap();
    server.kill();
    eventually("the loss is noticed", || lock.is_lost());
}
