//! `adjust.lua`: more units, or fewer of those that are free, once per change.

use seckill::{
    gate::{
        admission::{Refusal, TicketAnswer},
        filling::{FillingError, FillingRefused},
        keys::Keys,
        release::Return,
    },
    sale::ids::{Epoch, Fence, UserId},
};

use super::sale::{ALICE, BOB, EPOCH, FENCE, Sale};

async fn adjust(sale: &Sale, id: &str, by: i64, ledger_total: i64) -> i64 {
    try_adjust(sale, EPOCH, FENCE, id, by, ledger_total).await.unwrap()
}

async fn try_adjust(
    sale: &Sale,
    epoch: Epoch,
    fence: Fence,
    id: &str,
    by: i64,
    ledger_total: i64,
) -> Result<i64, FillingRefused> {
    match sale.gate.adjust(&sale.keys, epoch, fence, id, by, ledger_total).await {
        Ok(changed) => Ok(changed),
        Err(FillingError::Refused(refused)) => Err(refused),
        Err(FillingError::Gate(error)) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_raise_whose_answer_was_lost_raises_once() {
    let sale = Sale::of(5).await;
    sale.buy(ALICE).await;
    for _ in 0..3 {
        assert_eq!(adjust(&sale, "raise-1", 10, 15).await, 10);
        let look = sale.inspect().await;
        assert_eq!((look.units, look.stock, look.holders), (15, 14, 1));
        sale.check_rule();
    }
    assert_eq!(adjust(&sale, "raise-2", 1, 16).await, 1);
    assert_eq!(sale.inspect().await.units, 16);
}

#[tokio::test]
async fn a_raise_never_lifts_the_units_above_the_ledgers_total() {
    let sale = Sale::of(5).await;
    assert_eq!(adjust(&sale, "a", 10, 8).await, 3);
    assert_eq!(adjust(&sale, "b", 10, 8).await, 0);
    // Already above it: a raise does not take away either.
    assert_eq!(adjust(&sale, "c", 10, 6).await, 0);
    assert_eq!(sale.inspect().await.units, 8);
    sale.check_rule();
}

#[tokio::test]
async fn a_raise_opens_a_sold_out_sale_again() {
    let sale = Sale::of(1).await;
    sale.buy(ALICE).await;
    assert_eq!(sale.ticket(BOB).await, TicketAnswer::Refused(Refusal::SoldOut));
    adjust(&sale, "a", 1, 2).await;
    sale.buy(BOB).await;
    sale.check_rule();
}

#[tokio::test]
async fn fewer_takes_what_is_free_and_never_what_is_held() {
    let sale = Sale::of(5).await;
    sale.buy(ALICE).await;
    sale.buy(BOB).await;
    for _ in 0..2 {
        assert_eq!(adjust(&sale, "a", -2, 5).await, -2);
        assert_eq!(sale.stock(), Some(1));
    }
    for _ in 0..2 {
        assert_eq!(adjust(&sale, "b", -10, 5).await, -1, "one was free");
        assert_eq!(sale.stock(), Some(0));
        sale.check_rule();
    }
    let look = sale.inspect().await;
    assert_eq!((look.units, look.holders), (2, 2));
}

#[tokio::test]
async fn fewer_of_a_sold_out_sale_changes_by_nothing() {
    let sale = Sale::of(1).await;
    sale.buy(ALICE).await;
    assert_eq!(adjust(&sale, "a", -1, 1).await, 0);
    assert_eq!(adjust(&sale, "a", -1, 1).await, 0);
    assert_eq!(adjust(&sale, "b", 0, 1).await, 0);
    assert_eq!(sale.inspect().await.units, 1);
    sale.check_rule();
}

#[tokio::test]
async fn fewer_of_an_oversold_sale_changes_by_nothing() {
    let sale = Sale::of(1).await;
    sale.raw::<()>(&["SET", &sale.keys.stock(), "2", "KEEPTTL"]);
    sale.buy(ALICE).await;
    sale.buy(BOB).await;
    assert_eq!(adjust(&sale, "a", -1, 1).await, 0);
    assert_eq!(sale.inspect().await.units, 1);
    assert_eq!(sale.stock(), Some(-1));
    sale.check_rule();
}

#[tokio::test]
async fn what_is_free_is_counted_from_the_holders_not_from_a_stock_key_that_lies() {
    for lie in ["0", "3", "50"] {
        let sale = Sale::of(5).await;
        sale.buy(ALICE).await;
        sale.buy(BOB).await;
        sale.raw::<()>(&["SET", &sale.keys.stock(), lie, "KEEPTTL"]);
        assert_eq!(adjust(&sale, "a", -10, 5).await, -3, "the stock key said {lie}");
        assert_eq!(sale.inspect().await.units, 2);
        sale.check_rule();
    }
}

#[tokio::test]
async fn what_a_barred_shopper_gave_back_is_free() {
    let sale = Sale::of(2).await;
    let number = sale.buy(ALICE).await;
    sale.gate.release(&sale.keys, ALICE, number, Return::Bar).await.unwrap();
    assert_eq!(adjust(&sale, "a", -2, 2).await, -2);
    assert_eq!(sale.stock(), Some(0));
    sale.check_rule();
}

#[tokio::test]
async fn a_lower_fence_another_epoch_or_a_sale_that_is_not_loaded_is_refused() {
    let sale = Sale::of(5).await;
    adjust(&sale, "a", 1, 6).await;
    assert_eq!(try_adjust(&sale, EPOCH, Fence(2), "b", 1, 7).await, Ok(1));
    let before = sale.everything();
    let refusals = [
        (EPOCH, Fence(1), FillingRefused::Fenced),
        (Epoch(0), Fence(9), FillingRefused::NotLoaded),
        (Epoch(2), Fence(9), FillingRefused::NotLoaded),
    ];
    for (epoch, fence, refused) in refusals {
        // The same change as before is no exception.
        for id in ["b", "c"] {
            assert_eq!(try_adjust(&sale, epoch, fence, id, 1, 9).await, Err(refused));
        }
    }
    assert_eq!(before, sale.everything());

    sale.gate.mark_restoring(&sale.keys, Fence(2)).await.unwrap();
    let refused = Err(FillingRefused::NotLoaded);
    assert_eq!(try_adjust(&sale, EPOCH, Fence(2), "c", 1, 9).await, refused);
    for gone in [Keys::sale, Keys::stock, Keys::users] {
        let sale = Sale::of(5).await;
        sale.raw::<()>(&["DEL", &gone(&sale.keys)]);
        let before = sale.everything();
        assert_eq!(try_adjust(&sale, EPOCH, FENCE, "c", -1, 9).await, refused);
        assert_eq!(before, sale.everything());
    }
}

#[tokio::test]
async fn a_gate_that_may_have_come_back_with_older_data_gives_nothing_up() {
    let sale = Sale::of(5).await;
    sale.raw::<()>(&["HSET", &sale.keys.sale(), "run_id", &"0".repeat(40)]);
    let before = sale.everything();
    let answer = try_adjust(&sale, EPOCH, FENCE, "a", -5, 5).await;
    assert_eq!(answer, Err(FillingRefused::NotLoaded), "what looks free may be held");
    assert_eq!(before, sale.everything());
}

#[tokio::test]
async fn the_stock_keeps_its_expiry() {
    let sale = Sale::of(5).await;
    let ends = sale.expires_at_ms(&sale.keys.stock());
    adjust(&sale, "a", 5, 10).await;
    adjust(&sale, "b", -7, 10).await;
    assert_eq!(sale.expires_at_ms(&sale.keys.stock()), ends);
    for id in 1..=3 {
        sale.buy(UserId(id)).await;
    }
    assert_eq!(sale.stock(), Some(0));
    sale.check_rule();
}
