//! `holding.lua`: what the order page is told, and when a missing entry proves something.

use seckill::{gate::admission::Holding, sale::ids::Epoch};

use super::sale::{ALICE, BOB, EPOCH, FENCE, Sale, activity};

async fn holding(sale: &Sale) -> Holding {
    sale.gate.holding(&sale.keys, ALICE).await.unwrap()
}

#[tokio::test]
async fn a_holder_is_known_and_anybody_else_is_known_not_to_be_one() {
    let sale = Sale::of(5).await;
    let nobody = Holding { epoch: Some(EPOCH), restoring: false, entry: None };
    assert_eq!(holding(&sale).await, nobody);
    let number = sale.buy(ALICE).await;
    assert_eq!(holding(&sale).await.entry.unwrap().order_no, number);
    assert_eq!(sale.gate.holding(&sale.keys, BOB).await.unwrap(), nobody);
}

#[tokio::test]
async fn while_the_gate_is_filled_a_missing_entry_proves_nothing() {
    let sale = Sale::unloaded(activity(5)).await;
    let filling = |epoch| Holding { epoch, restoring: true, entry: None };
    assert_eq!(holding(&sale).await, filling(None));
    sale.begin(EPOCH, FENCE).await;
    assert_eq!(holding(&sale).await, filling(Some(EPOCH)), "the holders may be yet to come");
    sale.open(EPOCH, FENCE).await;
    assert!(!holding(&sale).await.restoring);
    sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
    assert_eq!(holding(&sale).await, filling(Some(EPOCH)));
    sale.begin(Epoch(2), FENCE).await;
    assert_eq!(holding(&sale).await, filling(Some(Epoch(2))));
}

#[tokio::test]
async fn when_a_key_is_gone_or_the_server_another_a_missing_entry_proves_nothing() {
    let sale = Sale::of(5).await;
    sale.raw::<()>(&["DEL", &sale.keys.sale()]);
    assert!(holding(&sale).await.restoring);
    let sale = Sale::of(5).await;
    sale.raw::<()>(&["DEL", &sale.keys.users()]);
    assert!(holding(&sale).await.restoring);
    let sale = Sale::of(5).await;
    sale.raw::<()>(&["HSET", &sale.keys.users(), "epoch", "2"]);
    assert!(holding(&sale).await.restoring);
    let sale = Sale::of(5).await;
    sale.raw::<()>(&["HSET", &sale.keys.sale(), "run_id", &"0".repeat(40)]);
    assert!(holding(&sale).await.restoring);
}

#[tokio::test]
async fn an_entry_is_told_whatever_state_the_gate_is_in() {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
    let held = holding(&sale).await;
    assert!(held.restoring && held.names(number), "{held:?}");
    sale.raw::<()>(&["DEL", &sale.keys.sale()]);
    assert!(holding(&sale).await.names(number));
}
