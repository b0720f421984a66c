//! `tally.lua`: what nodes counted arrives once, whatever becomes of the calls.

use seckill::gate::tally::Told;
use seckill::sale::demand::{Demand, Outcomes};
use seckill::sale::ids::UserId;

use super::sale::{Sale, activity};

fn outcomes(counted: &[(&str, i64)]) -> Outcomes {
    counted.iter().copied().collect()
}

async fn tell(sale: &Sale, node: &str, counted: &[(&str, i64)], shoppers: &[i64]) -> Told {
    let shoppers: Vec<UserId> = shoppers.iter().copied().map(UserId).collect();
    let totals = outcomes(counted);
    sale.gate.tell_tally(sale.activity.id, node, &totals, &shoppers).await.unwrap()
}

async fn demand(sale: &Sale) -> Option<Demand> {
    sale.gate.demand(sale.activity.id).await.unwrap()
}

#[tokio::test]
async fn a_repeated_or_late_call_counts_once() {
    let sale = Sale::of(5).await;
    assert_eq!(demand(&sale).await, None);
    assert_eq!(tell(&sale, "a", &[("admitted", 2), ("sold_out", 1)], &[1, 2, 3]).await, Told::Told);
    for _ in 0..3 {
        tell(&sale, "a", &[("admitted", 3), ("sold_out", 4)], &[2, 4]).await;
    }
    // The first call, on a connection that was slow.
    tell(&sale, "a", &[("admitted", 2), ("sold_out", 1)], &[1, 2, 3]).await;
    let told = demand(&sale).await.unwrap();
    assert_eq!(
        told,
        Demand { outcomes: outcomes(&[("admitted", 3), ("sold_out", 4)]), participants: 4 }
    );
}

#[tokio::test]
async fn nodes_add_up() {
    let sale = Sale::of(5).await;
    tell(&sale, "a", &[("admitted", 3), ("busy", 1)], &[1, 2]).await;
    tell(&sale, "b", &[("admitted", 4)], &[2, 3]).await;
    // A process that began anew counts from nothing, under a name of its own.
    tell(&sale, "a2", &[("admitted", 1)], &[1]).await;
    let told = demand(&sale).await.unwrap();
    assert_eq!(
        told,
        Demand { outcomes: outcomes(&[("admitted", 8), ("busy", 1)]), participants: 3 }
    );
}

#[tokio::test]
async fn a_gate_that_was_emptied_is_told_again() {
    let sale = Sale::of(5).await;
    tell(&sale, "a", &[("admitted", 3)], &[1]).await;
    sale.raw::<()>(&["FLUSHDB"]);
    assert_eq!(tell(&sale, "a", &[("admitted", 4)], &[2]).await, Told::NotLoaded);
    assert!(sale.everything().is_empty(), "nothing without an expiry of its own");
    sale.fill(super::sale::EPOCH, super::sale::FENCE).await;
    tell(&sale, "a", &[("admitted", 4)], &[2]).await;
    assert_eq!(demand(&sale).await.unwrap().outcomes.of("admitted"), 4);
}

#[tokio::test]
async fn the_counts_live_as_long_as_the_sale() {
    let sale = Sale::loaded(activity(5)).await;
    tell(&sale, "a", &[("admitted", 1)], &[1]).await;
    for key in [sale.keys.tally(), sale.keys.seen()] {
        assert_eq!(sale.expires_at_ms(&key), sale.expires_at_ms(&sale.keys.sale()), "{key}");
    }
    let later = sale.expiry_ms() + 60_000;
    sale.gate.keep_until(sale.activity.id, super::sale::BUCKET, later).await.unwrap();
    assert_eq!(sale.expires_at_ms(&sale.keys.tally()), later);
}

#[tokio::test]
async fn a_crowd_is_estimated_closely() {
    let sale = Sale::of(5).await;
    let crowd: Vec<i64> = (1..=20_000).collect();
    for page in crowd.chunks(seckill::gate::tally::SHOPPERS_AT_ONCE) {
        tell(&sale, "a", &[("sold_out", 20_000)], page).await;
    }
    let told = demand(&sale).await.unwrap();
    assert!((19_000..=21_000).contains(&told.participants), "{}", told.participants);
}
