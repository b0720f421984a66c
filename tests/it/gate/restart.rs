//! A Redis that was restarted: with its data, with older data, with none.

use std::time::Duration;

use seckill::{
    gate::{
        Gate,
        admission::{Decision, Refusal, TicketAnswer},
        filling::{Condition, FillingError, FillingRefused},
    },
    sale::{
        ids::{Epoch, Fence},
        reservation::{Entry, EntryState},
    },
};

use super::sale::{ALICE, BOB, BUCKET, EPOCH, FENCE, Sale, activity, entry, refused};
use super::server::{BOUND, Server};

/// The connection mends itself: the first calls after a restart may fail.
async fn mended(gate: &Gate) {
    let deadline = tokio::time::Instant::now() + BOUND;
    while let Err(error) = gate.ping().await {
        assert!(tokio::time::Instant::now() < deadline, "never mended: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn rebuilt(sale: &Sale, page: &[(seckill::sale::ids::UserId, Entry)]) {
    let fence = Fence(2);
    sale.begin(Epoch(2), fence).await;
    sale.gate.restore(&sale.keys, Epoch(2), fence, page).await.unwrap();
    sale.open(Epoch(2), fence).await;
    sale.check_rule();
}

#[tokio::test]
async fn a_restart_with_all_its_data_sells_nothing_before_the_sale_is_rebuilt() {
    let mut server = Server::start_with(&["--appendfsync", "always"]);
    let sale = Sale::at(&server, 0, activity(5)).await;
    sale.fill(EPOCH, FENCE).await;
    let alices = sale.buy(ALICE).await;
    sale.ticket(BOB).await;

    server.kill();
    server.start_again();
    mended(&sale.gate).await;
    let sale = Sale::at(&server, 0, sale.activity.clone()).await;

    assert_eq!(sale.inspect().await.condition, Condition::Restarted);
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::NotLoaded));
    assert!(sale.has_ticket(BOB), "the ticket is not spent");
    assert_eq!((sale.stock(), sale.inspect().await.outbox), (Some(4), 1));
    let again = sale.gate.open(&sale.activity, BUCKET, EPOCH, FENCE, &sale.terms).await;
    assert!(
        matches!(again, Err(FillingError::Refused(FillingRefused::Restarted))),
        "configuring does not make it whole: {again:?}"
    );
    // A holder is a holder.
    assert_eq!(sale.post(ALICE, alices).await, Decision::Admitted);

    rebuilt(&sale, &[(ALICE, entry(alices, EntryState::Recorded))]).await;
    assert_eq!(sale.inspect().await.condition, Condition::Loaded);
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, Decision::Admitted);
    assert_eq!(sale.stock(), Some(3));
}

#[tokio::test]
async fn a_restart_in_the_middle_of_a_filling_makes_it_begin_again() {
    let mut server = Server::start_with(&["--appendfsync", "always"]);
    let sale = Sale::at(&server, 0, activity(5)).await;
    sale.begin(EPOCH, FENCE).await;
    server.kill();
    server.start_again();
    mended(&sale.gate).await;
    let restored = sale.gate.restore(&sale.keys, EPOCH, FENCE, &[]).await;
    assert!(matches!(restored, Err(FillingError::Refused(FillingRefused::Restarted))));
    let opened = sale.gate.open(&sale.activity, BUCKET, EPOCH, FENCE, &sale.terms).await;
    assert!(matches!(opened, Err(FillingError::Refused(FillingRefused::Restarted))));
    sale.fill(EPOCH, FENCE).await;
}

#[tokio::test]
async fn a_restart_with_older_data_sells_nothing_twice() {
    // Only what SAVE wrote survives: the last moments are lost.
    let mut server = Server::start_with(&["--appendonly", "no"]);
    let sale = Sale::at(&server, 0, activity(2)).await;
    sale.fill(EPOCH, FENCE).await;
    let alices = sale.buy(ALICE).await;
    sale.ticket(BOB).await;
    sale.raw::<()>(&["SAVE"]);
    let bobs = sale.buy(BOB).await;
    assert_eq!(sale.stock(), Some(0));

    server.kill();
    server.start_again();
    mended(&sale.gate).await;
    let sale = Sale::at(&server, 0, sale.activity.clone()).await;

    assert_eq!(sale.stock(), Some(1), "Redis believes that a unit is free");
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::NotLoaded));
    let bob = sale.gate.holding(&sale.keys, BOB).await.unwrap();
    assert!(bob.restoring && bob.entry.is_none(), "his missing entry proves nothing");
    let fewer = sale.gate.adjust(&sale.keys, EPOCH, FENCE, "a", -2, 2).await;
    assert!(matches!(fewer, Err(FillingError::Refused(FillingRefused::NotLoaded))), "{fewer:?}");

    // Both orders reached the ledger.
    let page =
        [(ALICE, entry(alices, EntryState::Recorded)), (BOB, entry(bobs, EntryState::Recorded))];
    rebuilt(&sale, &page).await;
    assert_eq!(sale.stock(), Some(0));
    assert_eq!(sale.ticket(BOB).await, TicketAnswer::Refused(Refusal::AlreadyHeld(bobs)));
}

#[tokio::test]
async fn a_restart_with_nothing_is_not_loaded() {
    let mut server = Server::start_with(&["--appendonly", "no"]);
    let sale = Sale::at(&server, 0, activity(2)).await;
    sale.fill(EPOCH, FENCE).await;
    let alices = sale.buy(ALICE).await;
    server.kill();
    server.start_again();
    mended(&sale.gate).await;
    assert_eq!(sale.inspect().await.condition, Condition::Missing);
    assert_eq!(sale.post(ALICE, alices).await, refused(Refusal::NotLoaded));
    rebuilt(&Sale::at(&server, 0, sale.activity.clone()).await, &[]).await;
}

#[tokio::test]
async fn scripts_that_redis_has_forgotten_are_sent_again() {
    let server = Server::start();
    let sale = Sale::at(&server, 0, activity(5)).await;
    for id in [1, 2] {
        sale.raw::<()>(&["SCRIPT", "FLUSH"]);
        sale.fill(Epoch(id), FENCE).await;
        sale.raw::<()>(&["SCRIPT", "FLUSH"]);
        sale.ticket(ALICE).await;
        sale.raw::<()>(&["SCRIPT", "FLUSH"]);
        assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, Decision::Admitted);
        assert_eq!(sale.stock(), Some(4));
    }
}
