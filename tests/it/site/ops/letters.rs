//! Dead letters: seen, sent again, put away; carried out by the worker.

use seckill::gate::keys::Keys;
use seckill::queue::{BasicProperties, Queue, QueueOptions, message};
use seckill::sale::ids::Bucket;

use super::*;

fn queue(app: &App) -> Queue {
    let prefix = app.places.prefix.clone();
    Queue::new(QueueOptions { prefix, ..QueueOptions::new(app.config.queue.url.reveal()) }).unwrap()
}

async fn state_becomes(app: &App, id: &str, expected: &str) {
    let query = format!(
        "SELECT CONCAT_WS(' ', status, tries) AS text FROM dead_letters WHERE message_id = '{id}'"
    );
    let what = format!("the letter {id} is {expected}");
    eventually(&what, SOON, || async {
        rows(app, &query).into_iter().find(|state| state == expected).map(drop)
    })
    .await;
}

fn letter(app: &App, message_id: &str) -> String {
    let query = format!(
        "SELECT CAST(id AS CHAR) AS text FROM dead_letters WHERE message_id = '{message_id}'"
    );
    format!("/ops/dead-letters/{}", row(app, &query))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_and_newer_schemas_are_seen_sent_again_and_put_away() {
    let app = App::start().await;
    let operator = operator(&app).await;
    let queue = queue(&app);
    let mut publisher = queue.publisher();
    let hostile = "<script>alert(1)</script>\u{202e}".as_bytes();
    publisher.publish_again("poison", Some("1"), hostile).await.unwrap();
    publisher.publish_again("newer", Some("9"), b"{\"later\":true}").await.unwrap();
    publisher.publish_again("bytes", None, &[0xff, 0xfe, 0x00]).await.unwrap();
    for id in ["poison", "newer", "bytes"] {
        state_becomes(&app, id, "waiting 0").await;
    }
    let overview = page(&operator, "/ops/dead-letters").await;
    assert!(overview.contains("schema 9 is newer than 1"), "{overview}");
    let text = page(&operator, &letter(&app, "poison")).await;
    assert!(text.contains("&#60;script&#62;alert(1)") && text.contains("\\u{202e}"), "{text}");
    assert!(!text.contains("<script>alert"));
    assert!(page(&operator, &letter(&app, "bytes")).await.contains("ff fe 00"));

    // Sent again it fails again, and waits again.
    let newer = letter(&app, "newer");
    assert_eq!(post(&operator, &format!("{newer}/replay"), &[]).await.status, 303);
    state_becomes(&app, "newer", "waiting 1").await;
    let poison = letter(&app, "poison");
    assert_eq!(post(&operator, &format!("{poison}/discard"), &[]).await.status, 422);
    let why = [("reason", "nobody's <b>")];
    assert_eq!(post(&operator, &format!("{poison}/discard"), &why).await.status, 303);
    state_becomes(&app, "poison", "discarded 0").await;
    for step in ["discard", "replay"] {
        assert_eq!(post(&operator, &format!("{poison}/{step}"), &why).await.status, 409);
    }
    let text = page(&operator, &poison).await;
    assert!(text.contains("nobody&#39;s &#60;b&#62;"), "{text}");

    // All that wait, up to the one that was seen.
    let newest = row(&app, "SELECT CAST(MAX(id) AS CHAR) AS text FROM dead_letters");
    let answer = post(&operator, "/ops/dead-letters/replay", &[("last", &newest)]).await;
    assert_eq!(answer.location.as_deref(), Some("/ops/dead-letters?replayed=2"));
    state_becomes(&app, "newer", "waiting 2").await;
    state_becomes(&app, "bytes", "waiting 1").await;
    let audit =
        rows(&app, "SELECT action AS text FROM audit_log WHERE action LIKE 'dead%' ORDER BY id");
    assert_eq!(audit, ["dead_letter.replay", "dead_letter.discard", "dead_letter.replay"]);
    for bad in ["state=x", "before=x"] {
        assert_eq!(operator.browser.get(&format!("/ops/dead-letters?{bad}")).await.status, 400);
    }
    assert_eq!(operator.browser.get("/ops/dead-letters/999999").await.status, 404);
    queue.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_buried_reservation_becomes_an_order_when_it_is_sent_again() {
    let mut app = App::start().await;
    let sale = app.sale(Sale::of(2)).await;
    let (operator, shopper) = (operator(&app).await, app.shopper().await);
    app.balanced("open", sale, |b| b.gate_stock == Some(2)).await;
    app.stop_worker().await;
    let order = shopper.must_buy(sale).await;
    let keys = Keys::of(sale, Bucket(0));
    let entry = app.gate.outbox(&keys, 1).await.unwrap().remove(0);
    app.gate.forget(&keys, std::slice::from_ref(&entry)).await.unwrap();
    let (body, properties) = message::encode(&entry.reservation.unwrap());
    let queue = queue(&app);
    let properties: BasicProperties = properties;
    queue.publisher().publish_dead(&body, &properties, "a fault of ours").await.unwrap();
    app.start_worker().await;
    state_becomes(&app, &order, "waiting 0").await;
    assert_eq!(shopper.order(&order).await.state(), "reserved");
    let path = letter(&app, &order);
    let text = page(&operator, &path).await;
    assert!(text.contains("a fault of ours") && text.contains("&#34;order_no&#34;"), "{text}");
    assert_eq!(post(&operator, &format!("{path}/replay"), &[]).await.status, 303);
    shopper.order_becomes(&order, "pending_payment").await;
    state_becomes(&app, &order, "replayed 1").await;
    queue.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_arrives_although_the_queue_of_dead_letters_was_deleted() {
    let app = App::start().await;
    let queue = queue(&app);
    queue.publisher().publish_again("before", Some("9"), b"{}").await.unwrap();
    state_becomes(&app, "before", "waiting 0").await;
    let url = app.config.queue.url.reveal().to_owned();
    let outside = lapin::Connection::connect(&url, lapin::ConnectionProperties::default());
    let outside = outside.await.unwrap();
    let channel = outside.create_channel().await.unwrap();
    let dead = queue.topology().name(seckill::queue::Lane::Dead).to_owned();
    channel.queue_delete(dead.into(), lapin::options::QueueDeleteOptions::default()).await.unwrap();
    queue.publisher().publish_again("after", Some("9"), b"{}").await.unwrap();
    state_becomes(&app, "after", "waiting 0").await;
    queue.close().await;
}
