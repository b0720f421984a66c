//! The outbox: what was promised stays until it is forgotten, and is read in its order.

use std::collections::HashMap;

use seckill::{gate::outbox::OutboxEntry, sale::ids::UserId};

use super::sale::{Sale, activity};

async fn read(sale: &Sale, count: usize) -> Vec<OutboxEntry> {
    sale.gate.outbox(&sale.keys, count).await.unwrap()
}

fn shoppers(entries: &[OutboxEntry]) -> Vec<i64> {
    entries.iter().map(|e| e.reservation.as_ref().unwrap().user_id.0).collect()
}

async fn of_five() -> Sale {
    let sale = Sale::of(10).await;
    for id in 1..=5 {
        sale.buy(UserId(id)).await;
    }
    sale
}

#[tokio::test]
async fn an_outbox_that_never_was_is_empty() {
    let sale = Sale::unloaded(activity(1)).await;
    assert!(read(&sale, 10).await.is_empty());
    sale.gate.forget(&sale.keys, &[]).await.unwrap();
    let gone = OutboxEntry {
        id: "1-1".into(),
        fields: HashMap::new(),
        reservation: Err("order_no".into()),
    };
    sale.gate.forget(&sale.keys, &[gone]).await.unwrap();
    assert!(sale.everything().is_empty());
}

#[tokio::test]
async fn the_oldest_come_first_and_stay_until_they_are_forgotten() {
    let sale = of_five().await;
    assert_eq!(shoppers(&read(&sale, 3).await), [1, 2, 3]);
    assert_eq!(shoppers(&read(&sale, 100).await), [1, 2, 3, 4, 5], "reading takes nothing away");
    let entries = read(&sale, 100).await;
    // Confirms come in any order.
    sale.gate.forget(&sale.keys, &[entries[3].clone(), entries[0].clone()]).await.unwrap();
    assert_eq!(shoppers(&read(&sale, 100).await), [2, 3, 5]);
    assert_eq!(sale.inspect().await.outbox, 3);
    // Forgotten once more, by who had the lease before.
    sale.gate.forget(&sale.keys, &entries).await.unwrap();
    sale.gate.forget(&sale.keys, &entries).await.unwrap();
    assert!(read(&sale, 100).await.is_empty());
    sale.buy(UserId(6)).await;
    assert_eq!(shoppers(&read(&sale, 100).await), [6]);
}

#[tokio::test]
async fn an_entry_that_cannot_be_read_says_why_and_hides_no_other() {
    let sale = of_five().await;
    let outbox = sale.keys.outbox();
    let good = &["XADD", &outbox, "*"];
    let fields = ["order_no", "user_id", "product_id", "activity_id", "bucket", "epoch"];
    let sound: Vec<(String, String)> = sale
        .raw::<redis::streams::StreamRangeReply>(&["XRANGE", &outbox, "-", "+", "COUNT", "1"])
        .ids
        .remove(0)
        .map
        .into_iter()
        .map(|(field, value)| (field, redis::from_redis_value(value).unwrap()))
        .collect();
    for broken in fields {
        for value in ["", "x", "99999999999999999999"] {
            let mut words: Vec<&str> = good.to_vec();
            for (field, sound) in &sound {
                words
                    .extend([field.as_str(), if field == broken { value } else { sound.as_str() }]);
            }
            let id: String = sale.raw(&words);
            let entry = read(&sale, 100).await.pop().unwrap();
            assert_eq!(
                (&entry.id, entry.reservation.as_ref().unwrap_err().as_str()),
                (&id, broken)
            );
            sale.gate.forget(&sale.keys, &[entry]).await.unwrap();
        }
    }
    sale.raw::<()>(&["XADD", &outbox, "*", "nothing", "known"]);
    let entries = read(&sale, 100).await;
    assert_eq!(shoppers(&entries[..5]), [1, 2, 3, 4, 5]);
    assert!(entries[5].reservation.is_err());
}
