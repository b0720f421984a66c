//! What has left the outbox is known until it is recorded or given back; and what was lost finds its way.

use seckill::{
    gate::{
        filling::Opened,
        release::{Released, Return},
        underway::{PutBack, SentAgain},
    },
    sale::{
        ids::{Epoch, UserId},
        order_number::OrderNo,
        reservation::EntryState::{Barred, Recorded, Reserved},
    },
};

use super::sale::{EPOCH, FENCE, Sale, activity, entry};
use super::server::Server;

const ALICE: UserId = UserId(1);
const BOB: UserId = UserId(2);
const WHILE_MS: i64 = 60_000;

/// Empties the outbox as the relay does.
async fn relay(sale: &Sale) {
    let entries = sale.gate.outbox(&sale.keys, 100).await.unwrap();
    sale.gate.forget(&sale.keys, &entries).await.unwrap();
}

async fn underway(sale: &Sale) -> Vec<(UserId, OrderNo)> {
    let found = sale.gate.underway_since(&sale.keys, i64::MAX, 100).await.unwrap();
    assert_eq!(sale.gate.underway(&sale.keys).await.unwrap(), i64::try_from(found.len()).unwrap());
    found.into_iter().map(|one| (one.shopper, one.order_no)).collect()
}

async fn again(sale: &Sale, shopper: UserId, number: OrderNo) -> SentAgain {
    sale.gate.send_again(&sale.keys, shopper, number, "req-2", WHILE_MS).await.unwrap()
}

#[tokio::test]
async fn what_left_the_outbox_is_under_way_until_it_is_recorded() {
    let sale = Sale::of(5).await;
    let (first, second) = (sale.buy(ALICE).await, sale.buy(BOB).await);
    assert_eq!(underway(&sale).await, [], "it waits in the outbox");
    relay(&sale).await;
    assert_eq!(underway(&sale).await, [(ALICE, first), (BOB, second)], "the oldest first");
    assert_eq!(
        sale.expires_at_ms(&sale.keys.underway()),
        sale.expires_at_ms(&sale.keys.users()),
        "it goes when the holders' entries go"
    );
    sale.gate.mark_recorded(&sale.keys, &[(ALICE, first)]).await.unwrap();
    assert_eq!(underway(&sale).await, [(BOB, second)]);
    sale.gate.release(&sale.keys, BOB, second, Return::Free).await.unwrap();
    assert_eq!(underway(&sale).await, [], "refused by the ledger, it is not on its way either");
}

#[tokio::test]
async fn what_was_recorded_before_the_broker_confirmed_it_is_not_under_way() {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    sale.gate.mark_recorded(&sale.keys, &[(ALICE, number)]).await.unwrap();
    relay(&sale).await;
    assert_eq!(underway(&sale).await, []);
}

#[tokio::test]
async fn only_what_is_as_old_as_asked_for_is_listed() {
    let sale = Sale::of(5).await;
    let before = sale.now_ms() - 1;
    let number = sale.buy(ALICE).await;
    relay(&sale).await;
    assert_eq!(sale.gate.underway_since(&sale.keys, before, 10).await.unwrap(), []);
    let found = sale.gate.underway_since(&sale.keys, sale.now_ms(), 10).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].reserved_at_ms, sale.entry(ALICE).await.unwrap().reserved_at_ms);
    assert_eq!(found[0].order_no, number);
}

#[tokio::test]
async fn a_new_filling_begins_with_nothing_under_way() {
    let sale = Sale::of(5).await;
    sale.buy(ALICE).await;
    relay(&sale).await;
    sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
    sale.begin(Epoch(2), FENCE).await;
    assert_eq!(underway(&sale).await, []);
}

#[tokio::test]
async fn a_lost_reservation_is_sent_again_with_its_number_price_and_time_but_only_now_and_then() {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    let promised = sale.gate.outbox(&sale.keys, 1).await.unwrap()[0].reservation.clone().unwrap();
    relay(&sale).await;
    assert_eq!(again(&sale, ALICE, number).await, SentAgain::Done);
    let mut repeated =
        sale.gate.outbox(&sale.keys, 10).await.unwrap()[0].reservation.clone().unwrap();
    assert_eq!(repeated.request_id, "req-2");
    repeated.request_id.clone_from(&promised.request_id);
    assert_eq!(repeated, promised);
    assert_eq!(again(&sale, ALICE, number).await, SentAgain::Lately);
    assert_eq!(sale.gate.outbox(&sale.keys, 10).await.unwrap().len(), 1);
    assert!(sale.ttl_ms(&sale.keys.again(ALICE)) > 0);
    sale.check_rule();
}

#[tokio::test]
async fn what_a_shopper_does_not_hold_is_not_sent() {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    relay(&sale).await;
    let before = sale.everything();
    assert_eq!(again(&sale, ALICE, sale.number(ALICE)).await, SentAgain::Nothing);
    assert_eq!(again(&sale, BOB, number).await, SentAgain::Nothing);
    assert_eq!(sale.everything(), before);
    sale.gate.release(&sale.keys, ALICE, number, Return::Bar).await.unwrap();
    assert_eq!(again(&sale, ALICE, number).await, SentAgain::Nothing, "barred, they hold none");
    sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
    assert_eq!(again(&sale, ALICE, number).await, SentAgain::NotLoaded);
    assert!(sale.gate.outbox(&sale.keys, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_order_that_the_gate_forgot_gets_its_entry_back_and_its_unit_is_not_for_sale() {
    let sale = Sale::of(2).await;
    let number = sale.buy(ALICE).await;
    sale.raw::<()>(&["HDEL", &sale.keys.users(), "1"]);
    let back = entry(number, Recorded);
    let put = sale.gate.put_back(&sale.keys, EPOCH, ALICE, back).await.unwrap();
    assert_eq!(put, PutBack::Done);
    assert_eq!(sale.entry(ALICE).await, Some(back));
    sale.check_rule();
    assert_eq!(sale.stock(), Some(1));
    let put = sale.gate.put_back(&sale.keys, EPOCH, ALICE, entry(sale.number(ALICE), Reserved));
    assert_eq!(put.await.unwrap(), PutBack::Held);
    assert_eq!(sale.entry(ALICE).await, Some(back), "an entry that is there stays");
    assert_eq!(
        sale.gate.release(&sale.keys, ALICE, number, Return::Free).await.unwrap(),
        Released::Done
    );
    assert_eq!(sale.stock(), Some(2));
}

#[tokio::test]
async fn a_barred_shopper_put_back_holds_no_unit() {
    let sale = Sale::of(2).await;
    let barred = entry(sale.number(ALICE), Barred);
    sale.gate.put_back(&sale.keys, EPOCH, ALICE, barred).await.unwrap();
    sale.check_rule();
    assert_eq!(sale.stock(), Some(2));
}

#[tokio::test]
async fn nothing_is_put_back_into_a_gate_that_does_not_hold_the_sale_whole() {
    let sale = Sale::of(2).await;
    let back = entry(sale.number(ALICE), Recorded);
    let put = async |epoch| sale.gate.put_back(&sale.keys, epoch, ALICE, back).await.unwrap();
    assert_eq!(put(Epoch(2)).await, PutBack::NotLoaded);
    sale.raw::<()>(&["HSET", &sale.keys.sale(), "run_id", "of-another-server"]);
    assert_eq!(put(EPOCH).await, PutBack::NotLoaded);
    sale.begin(Epoch(2), FENCE).await;
    assert_eq!(put(Epoch(2)).await, PutBack::NotLoaded, "while it is filled");
    assert_eq!(sale.open(Epoch(2), FENCE).await, Opened::Opened);
    assert_eq!(put(Epoch(2)).await, PutBack::Done);
}

#[tokio::test]
async fn a_full_redis_lets_the_outbox_be_emptied() {
    let server = Server::start();
    let sale = Sale::at(&server, 0, activity(5)).await;
    sale.fill(EPOCH, FENCE).await;
    let number = sale.buy(ALICE).await;
    sale.raw::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
    relay(&sale).await;
    assert!(sale.gate.outbox(&sale.keys, 10).await.unwrap().is_empty());
    assert_eq!(underway(&sale).await, [(ALICE, number)]);
}

#[tokio::test]
async fn every_entry_of_a_bucket_comes_in_pages() {
    let sale = Sale::of(2000).await;
    let mut page = Vec::new();
    for id in 1..=1500 {
        page.push((UserId(id), entry(sale.number(UserId(id)), Recorded)));
    }
    sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
    sale.begin(Epoch(2), FENCE).await;
    sale.gate.restore(&sale.keys, Epoch(2), FENCE, &page).await.unwrap();
    let (mut cursor, mut found) = (0, std::collections::BTreeMap::new());
    loop {
        let page = sale.gate.entries(&sale.keys, cursor, 100).await.unwrap();
        found.extend(page.entries);
        assert_eq!(page.unreadable, []);
        cursor = page.next;
        if cursor == 0 {
            break;
        }
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), page);
}

#[tokio::test]
async fn what_is_under_way_goes_back_into_the_outbox_before_a_new_filling() {
    let mut sale = Sale::of(5).await;
    let (alice, bob) = (sale.buy(ALICE).await, sale.buy(BOB).await);
    let promised = sale.gate.outbox(&sale.keys, 1).await.unwrap()[0].reservation.clone().unwrap();
    relay(&sale).await;
    // Recorded, but its mark was not heard of the set: it is not sent again.
    let recorded = sale.entry(BOB).await.unwrap().to_string().replace("reserved", "recorded");
    sale.raw::<()>(&["HSET", &sale.keys.users(), "2", &recorded]);
    sale.activity.version += 1;
    let recalled = sale.gate.recall(&sale.activity, super::sale::BUCKET, "CNY").await.unwrap();
    assert_eq!((recalled, underway(&sale).await), (1, Vec::new()));
    let entries = sale.gate.outbox(&sale.keys, 10).await.unwrap();
    let mut again = entries[0].reservation.clone().unwrap();
    again.request_id.clone_from(&promised.request_id);
    assert_eq!((entries.len(), again), (1, promised));
    assert_eq!(sale.gate.recall(&sale.activity, super::sale::BUCKET, "CNY").await.unwrap(), 0);
    assert_ne!(alice, bob);
}
