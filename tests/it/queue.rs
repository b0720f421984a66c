//! The queue against a real broker: what is confirmed is there, what is not is known, and nothing hangs.

use std::{
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use lapin::{
    Channel, Connection, ConnectionProperties,
    options::{
        BasicGetOptions, BasicPublishOptions, ExchangeDeleteOptions, QueueDeclareOptions,
        QueueDeleteOptions,
    },
    types::{AMQPValue, FieldTable},
};
use seckill::{
    queue::{
        BasicProperties, Consumer, Incoming, Lane, PublishError, Queue, QueueError, QueueOptions,
        acknowledge_all, message,
    },
    sale::{
        error::Class,
        ids::{ActivityId, Bucket, Epoch, ProductId, UserId},
        money::{Cents, Currency},
        order_number::OrderNumbers,
        reservation::Reservation,
    },
};
use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    net::TcpListener,
    time::{sleep, timeout},
};

use crate::harness::{proxy::Proxy, servers::amqp_url};

/// A queue under names of its own, and a plain channel to look and tamper from outside.
struct Bench {
    options: QueueOptions,
    queue: Queue,
    outside: Channel,
    connection: Connection,
}

impl Bench {
    async fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut options = QueueOptions::new(amqp_url());
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        options.prefix = format!("test-{}-{number}", std::process::id());
        let connection =
            Connection::connect(&options.url, ConnectionProperties::default()).await.unwrap();
        let outside = connection.create_channel().await.unwrap();
        let queue = Queue::new(options.clone()).unwrap();
        Self { options, queue, outside, connection }
    }

    /// The same names, reached through a proxy.
    async fn behind_proxy(&self, change: impl FnOnce(&mut QueueOptions)) -> (Proxy, Queue) {
        let url = url::Url::parse(&self.options.url).unwrap();
        let target = (url.host_str().unwrap().to_owned(), url.port().unwrap_or(5672));
        let proxy = Proxy::start(target).await;
        let mut options = self.options.clone();
        options.url = proxy.url(&options.url);
        change(&mut options);
        (proxy, Queue::new(options).unwrap())
    }

    fn name(&self, lane: Lane) -> &str {
        self.queue.topology().name(lane)
    }

    async fn delete_queue(&self, lane: Lane) {
        let options = QueueDeleteOptions::default();
        self.outside.queue_delete(self.name(lane).into(), options).await.unwrap();
    }

    async fn publish_foreign(&self, body: &[u8], properties: BasicProperties) {
        let name = self.name(Lane::Orders);
        let options = BasicPublishOptions::default();
        let sent = self.outside.basic_publish(name.into(), name.into(), options, body, properties);
        sent.await.unwrap().await.unwrap();
    }

    async fn publish(&self, reservations: &[Reservation]) {
        for result in self.queue.publisher().publish_all(reservations).await {
            result.unwrap();
        }
    }

    async fn until_depth(&self, lane: Lane, expected: u32) {
        let by = Instant::now() + Duration::from_secs(10);
        loop {
            let depth = self.queue.depth(lane).await.unwrap();
            if depth == expected {
                return;
            }
            assert!(Instant::now() < by, "{lane:?} holds {depth}, not {expected}");
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Leaves nothing behind in the broker.
    async fn done(self) {
        self.queue.close().await;
        for lane in Lane::ALL {
            self.delete_queue(lane).await;
            let options = ExchangeDeleteOptions::default();
            self.outside.exchange_delete(self.name(lane).into(), options).await.unwrap();
        }
    }
}

fn reservations(count: i64) -> Vec<Reservation> {
    let numbers = OrderNumbers::new(&[7; 64]);
    let one = |n| Reservation {
        order_no: numbers.mint(UserId(n), ActivityId(42), 1_700_000_000_000),
        user_id: UserId(n),
        product_id: ProductId(3),
        activity_id: ActivityId(42),
        bucket: Bucket(0),
        epoch: Epoch(1),
        price: Cents(1999),
        currency: Currency::CNY,
        reserved_at_ms: 1_700_000_000_123,
        request_id: format!("请求-{n}-🙂"),
    };
    (1..=count).map(one).collect()
}

const LINGER: Duration = Duration::from_millis(300);

/// The next batch, which must come.
async fn batch(consumer: &mut Consumer, max: usize) -> Vec<Incoming> {
    let batch = consumer.next_batch(max, LINGER);
    // Longer than a consumer listens before it is opened anew.
    timeout(Duration::from_secs(20), batch).await.expect("no message came").unwrap()
}

/// Takes and acknowledges until this many have come.
async fn drain(consumer: &mut Consumer, count: usize) -> Vec<Reservation> {
    let mut all = Vec::new();
    while all.len() < count {
        let batch = batch(consumer, 100).await;
        for result in acknowledge_all(&batch).await {
            result.unwrap();
        }
        all.extend(batch.iter().map(|message| message.reservation().unwrap()));
    }
    all
}

async fn nothing_comes(consumer: &mut Consumer) {
    let wait = timeout(Duration::from_millis(500), consumer.next_batch(1, LINGER)).await;
    assert!(wait.is_err(), "a message came: {wait:?}");
}

fn labels(results: &[Result<(), PublishError>]) -> HashSet<&'static str> {
    results.iter().map(|r| r.as_ref().map_or_else(PublishError::label, |()| "ok")).collect()
}

#[tokio::test]
async fn what_is_confirmed_arrives_as_it_was() {
    let bench = Bench::new().await;
    let sent = reservations(250);
    bench.publish(&sent).await;
    bench.until_depth(Lane::Orders, 250).await;
    let mut consumer = bench.queue.consume(Lane::Orders, 100).await.unwrap();
    assert_eq!(drain(&mut consumer, 250).await, sent);
    nothing_comes(&mut consumer).await;
    bench.done().await;
}

#[tokio::test]
async fn the_message_on_the_wire_is_that_of_the_contract() {
    let bench = Bench::new().await;
    let sent = reservations(1);
    bench.publish(&sent).await;
    let name = bench.name(Lane::Orders).into();
    let options = BasicGetOptions { no_ack: true };
    let got = bench.outside.basic_get(name, options).await.unwrap().unwrap();
    let order_no = sent[0].order_no.to_string();
    let body: Value = serde_json::from_slice(&got.delivery.data).unwrap();
    let expected = json!({
        "order_no": order_no, "user_id": 1, "product_id": 3, "activity_id": 42, "bucket": 0,
        "epoch": 1, "price_cents": 1999, "currency": "CNY", "reserved_at_ms": 1_700_000_000_123_i64,
        "request_id": "请求-1-🙂",
    });
    assert_eq!(body, expected);
    let properties = &got.delivery.properties;
    assert_eq!(properties.message_id().as_ref().unwrap().as_str(), order_no);
    assert_eq!(*properties.delivery_mode(), Some(2));
    assert_eq!(properties.content_type().as_ref().unwrap().as_str(), "application/json");
    let headers = properties.headers().as_ref().unwrap();
    assert_eq!(headers.inner().get("x-schema"), Some(&AMQPValue::LongLongInt(1)));
    assert_eq!(got.delivery.exchange.as_str(), bench.name(Lane::Orders));
    bench.done().await;
}

#[tokio::test]
async fn both_queues_are_durable_quorum_queues() {
    let bench = Bench::new().await;
    bench.queue.check().await.unwrap();
    // Whoever asks for another kind is told that it differs.
    for lane in Lane::ALL {
        let channel = bench.connection.create_channel().await.unwrap();
        let durable = QueueDeclareOptions { durable: true, ..Default::default() };
        let classic =
            channel.queue_declare(bench.name(lane).into(), durable, FieldTable::default());
        let refused = classic.await.unwrap_err().to_string();
        assert!(refused.contains("quorum"), "{refused}");
    }
    bench.done().await;
}

#[tokio::test]
async fn the_broker_tells_its_version() {
    let bench = Bench::new().await;
    let version = bench.queue.server_version().await.unwrap();
    let numbers: Vec<u32> = version.split('.').filter_map(|n| n.parse().ok()).collect();
    assert!(numbers.len() == 3 && numbers[0] >= 3, "{version}");
    bench.queue.check().await.unwrap();
    bench.done().await;
}

#[tokio::test]
async fn a_message_may_come_back_any_number_of_times() {
    let bench = Bench::new().await;
    let sent = reservations(1);
    bench.publish(&sent).await;
    let mut consumer = bench.queue.consume(Lane::Orders, 10).await.unwrap();
    for round in 0..50 {
        let batch = batch(&mut consumer, 1).await;
        assert_eq!(batch[0].redelivered, round > 0);
        batch[0].requeue().await.unwrap();
    }
    assert_eq!(drain(&mut consumer, 1).await, sent);
    bench.done().await;
}

#[tokio::test]
async fn without_its_queue_a_message_is_unroutable_and_the_next_try_works() {
    let bench = Bench::new().await;
    let mut publisher = bench.queue.publisher();
    let sent = reservations(40);
    assert_eq!(labels(&publisher.publish_all(&sent[..20]).await), HashSet::from(["ok"]));
    bench.delete_queue(Lane::Orders).await;
    let results = publisher.publish_all(&sent).await;
    assert_eq!(results.len(), 40);
    assert_eq!(labels(&results), HashSet::from(["unroutable"]));
    assert_eq!(labels(&publisher.publish_all(&sent).await), HashSet::from(["ok"]));
    let mut consumer = bench.queue.consume(Lane::Orders, 100).await.unwrap();
    assert_eq!(drain(&mut consumer, 40).await, sent);
    bench.done().await;
}

#[tokio::test]
async fn without_its_exchange_a_message_is_lost_for_us_and_the_next_try_works() {
    let bench = Bench::new().await;
    let mut publisher = bench.queue.publisher();
    assert!(publisher.publish_all(&[]).await.is_empty());
    assert_eq!(publisher.queue_depth(Lane::Orders).await.unwrap(), 0);
    let exchange = bench.name(Lane::Orders).into();
    bench.outside.exchange_delete(exchange, ExchangeDeleteOptions::default()).await.unwrap();
    let results = publisher.publish_all(&reservations(3)).await;
    assert_eq!(labels(&results), HashSet::from(["lost"]));
    assert!(results.iter().all(|r| r.as_ref().unwrap_err().class() == Class::Unknown));
    assert_eq!(labels(&publisher.publish_all(&reservations(3)).await), HashSet::from(["ok"]));
    bench.until_depth(Lane::Orders, 3).await;
    assert_eq!(publisher.queue_depth(Lane::Orders).await.unwrap(), 3);
    bench.done().await;
}

#[tokio::test]
async fn a_swallowed_confirm_is_noticed_in_time_and_the_next_try_works() {
    let bench = Bench::new().await;
    let short = Duration::from_millis(700);
    let (proxy, queue) = bench.behind_proxy(|o| o.confirm_timeout = short).await;
    let mut publisher = queue.publisher();
    let sent = reservations(20);
    assert_eq!(labels(&publisher.publish_all(&sent[..1]).await), HashSet::from(["ok"]));

    proxy.swallow_to_client(true);
    let began = Instant::now();
    let results = publisher.publish_all(&sent).await;
    assert!(began.elapsed() < short * 3, "{:?}", began.elapsed());
    assert_eq!(labels(&results), HashSet::from(["unconfirmed"]));
    assert!(results.iter().all(|r| r.as_ref().unwrap_err().class() == Class::Unknown));

    proxy.swallow_to_client(false);
    assert_eq!(labels(&publisher.publish_all(&sent).await), HashSet::from(["ok"]));
    // The broker had all of them: the messages are there twice, which is the ledger's to see through.
    bench.until_depth(Lane::Orders, 41).await;
    bench.done().await;
}

#[tokio::test]
async fn a_broker_that_falls_silent_holds_nobody() {
    let bench = Bench::new().await;
    let (proxy, queue) = bench
        .behind_proxy(|o| {
            o.confirm_timeout = Duration::from_millis(300);
            o.reply_timeout = Duration::from_millis(300);
            o.connect_timeout = Duration::from_millis(500);
        })
        .await;
    // Declaring a quorum queue for the first time may take its time.
    bench.queue.check().await.unwrap();
    let mut publisher = queue.publisher();
    assert_eq!(labels(&publisher.publish_all(&reservations(1)).await), HashSet::from(["ok"]));

    proxy.swallow_to_client(true);
    proxy.swallow_to_server(true);
    for expected in ["unconfirmed", "not_sent", "not_sent"] {
        let began = Instant::now();
        let results = publisher.publish_all(&reservations(2)).await;
        assert_eq!(labels(&results), HashSet::from([expected]));
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    }
    assert!(queue.depth(Lane::Orders).await.is_err());
    assert!(queue.consume(Lane::Orders, 1).await.is_err());

    proxy.swallow_to_client(false);
    proxy.swallow_to_server(false);
    assert_eq!(labels(&publisher.publish_all(&reservations(2)).await), HashSet::from(["ok"]));
    bench.done().await;
}

#[tokio::test]
async fn a_broker_that_never_says_hello_is_left_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut options = QueueOptions::new(format!("amqp://{}", listener.local_addr().unwrap()));
    options.connect_timeout = Duration::from_millis(400);
    let queue = Queue::new(options).unwrap();
    let began = Instant::now();
    let error = queue.check().await.unwrap_err();
    assert!(matches!(error, QueueError::TimedOut { .. }), "{error}");
    assert_eq!(error.class(), Class::Retry);
    assert!(began.elapsed() < Duration::from_secs(2));
    // Our side is closed as well: no socket and no thread stay behind.
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut said = Vec::new();
    let end = timeout(Duration::from_secs(5), socket.read_to_end(&mut said)).await;
    assert!(end.is_ok(), "the connection stayed open");
}

#[tokio::test]
async fn a_broker_that_is_away_is_an_error_and_is_found_again() {
    let bench = Bench::new().await;
    let (proxy, queue) = bench.behind_proxy(|_| {}).await;
    proxy.refuse(true);
    let mut publisher = queue.publisher();
    let results = publisher.publish_all(&reservations(2)).await;
    assert_eq!(labels(&results), HashSet::from(["not_sent"]));
    assert!(results.iter().all(|r| r.as_ref().unwrap_err().class() == Class::Retry));
    proxy.refuse(false);
    assert_eq!(labels(&publisher.publish_all(&reservations(2)).await), HashSet::from(["ok"]));
    bench.until_depth(Lane::Orders, 2).await;
    bench.done().await;
}

#[tokio::test]
async fn a_connection_cut_in_mid_batch_loses_nothing_that_was_confirmed() {
    let bench = Bench::new().await;
    let (proxy, queue) = bench.behind_proxy(|_| {}).await;
    let mut publisher = queue.publisher();
    assert_eq!(labels(&publisher.publish_all(&reservations(1)).await), HashSet::from(["ok"]));
    let sent = reservations(5000);
    let start = proxy.passed_to_server();
    let cut = async {
        // Somewhere in the first third of the batch.
        while proxy.passed_to_server() < start + 500_000 {
            tokio::task::yield_now().await;
        }
        proxy.cut();
    };
    let (results, ()) = tokio::join!(publisher.publish_all(&sent), cut);
    assert_eq!(results.len(), sent.len());
    assert!(labels(&results).contains("lost"), "{:?}", labels(&results));

    let confirmed =
        |(one, result): (&Reservation, &Result<_, _>)| result.is_ok().then_some(one.order_no);
    let confirmed: HashSet<_> = sent.iter().zip(&results).filter_map(confirmed).collect();
    let again: Vec<_> = sent.iter().filter(|r| !confirmed.contains(&r.order_no)).cloned().collect();
    assert_eq!(labels(&publisher.publish_all(&again).await), HashSet::from(["ok"]));

    let mut consumer = bench.queue.consume(Lane::Orders, 1000).await.unwrap();
    let mut missing: HashSet<_> = sent.iter().map(|r| r.order_no).collect();
    while !missing.is_empty() {
        let batch = batch(&mut consumer, 500).await;
        for result in acknowledge_all(&batch).await {
            result.unwrap();
        }
        for message in &batch {
            missing.remove(&message.reservation().unwrap().order_no);
        }
    }
    bench.done().await;
}

#[tokio::test]
async fn one_new_connection_serves_all_who_lost_theirs() {
    let bench = Bench::new().await;
    let (proxy, queue) = bench.behind_proxy(|_| {}).await;
    queue.check().await.unwrap();
    let before = proxy.connections();
    proxy.cut();
    let publish = |n: i64| {
        let mut publisher = queue.publisher();
        async move {
            let by = Instant::now() + Duration::from_secs(10);
            while publisher.publish_all(&reservations(n)).await.iter().any(Result::is_err) {
                assert!(Instant::now() < by);
            }
        }
    };
    futures_util::future::join_all((1..=8).map(publish)).await;
    assert_eq!(proxy.connections(), before + 1);
    bench.done().await;
}

#[tokio::test]
async fn prefetch_and_batch_size_are_kept() {
    let bench = Bench::new().await;
    bench.publish(&reservations(10)).await;
    let mut consumer = bench.queue.consume(Lane::Orders, 4).await.unwrap();
    let first = batch(&mut consumer, 3).await;
    assert_eq!(first.len(), 3);
    let second = batch(&mut consumer, 10).await;
    assert_eq!(second.len(), 1, "four may be out");
    nothing_comes(&mut consumer).await;
    bench.until_depth(Lane::Orders, 6).await;
    first[0].ack().await.unwrap();
    assert_eq!(batch(&mut consumer, 10).await.len(), 1);
    for message in first[1..].iter().chain(&second) {
        message.ack().await.unwrap();
    }
    assert_eq!(batch(&mut consumer, 10).await.len(), 3);
    consumer.close().await;
    bench.until_depth(Lane::Orders, 6).await;
    bench.done().await;
}

#[tokio::test]
async fn a_batch_waits_for_company_but_not_for_long() {
    let bench = Bench::new().await;
    let mut consumer = bench.queue.consume(Lane::Orders, 10).await.unwrap();
    let late = async {
        sleep(Duration::from_millis(300)).await;
        bench.publish(&reservations(1)).await;
    };
    let began = Instant::now();
    let (got, ()) = tokio::join!(batch(&mut consumer, 5), late);
    assert_eq!(got.len(), 1);
    assert!(began.elapsed() >= LINGER && began.elapsed() < Duration::from_secs(5));
    bench.done().await;
}

#[tokio::test]
async fn each_message_is_acknowledged_alone_and_the_others_come_again() {
    let bench = Bench::new().await;
    let sent = reservations(5);
    bench.publish(&sent).await;
    let mut consumer = bench.queue.consume(Lane::Orders, 10).await.unwrap();
    let got = batch(&mut consumer, 5).await;
    assert_eq!(got.len(), 5);
    assert!(got.iter().all(|message| !message.redelivered));
    got[3].ack().await.unwrap();
    got[1].ack().await.unwrap();
    assert!(matches!(got[1].ack().await, Err(QueueError::DeliveryGone)), "acknowledged twice");
    consumer.close().await;
    assert!(got[0].ack().await.is_err(), "acknowledged after the close");
    bench.until_depth(Lane::Orders, 3).await;

    let mut consumer = bench.queue.consume(Lane::Orders, 10).await.unwrap();
    let again = batch(&mut consumer, 3).await;
    assert!(again.iter().all(|message| message.redelivered));
    let users: HashSet<_> = again.iter().map(|m| m.reservation().unwrap().user_id.0).collect();
    assert_eq!(users, HashSet::from([1, 3, 5]));
    bench.done().await;
}

#[tokio::test]
async fn an_abandoned_wait_loses_nothing() {
    let bench = Bench::new().await;
    bench.publish(&reservations(2)).await;
    let mut consumer = bench.queue.consume(Lane::Orders, 10).await.unwrap();
    let for_long = consumer.next_batch(10, Duration::from_secs(60));
    assert!(timeout(Duration::from_secs(1), for_long).await.is_err());
    assert_eq!(batch(&mut consumer, 1).await.len(), 1);
    let second = batch(&mut consumer, 1).await;
    assert_eq!(second[0].reservation().unwrap().user_id, UserId(2));
    assert!(!second[0].redelivered);
    bench.done().await;
}

#[tokio::test]
async fn a_consumer_whose_queue_is_deleted_says_so_and_the_next_one_works() {
    let bench = Bench::new().await;
    let mut consumer = bench.queue.consume(Lane::Orders, 10).await.unwrap();
    bench.delete_queue(Lane::Orders).await;
    for _ in 0..2 {
        let end = timeout(Duration::from_secs(10), consumer.next_batch(1, LINGER)).await;
        assert!(matches!(end, Ok(Err(QueueError::ConsumerEnded))), "{end:?}");
    }
    let mut consumer = bench.queue.consume(Lane::Orders, 10).await.unwrap();
    let sent = reservations(1);
    bench.publish(&sent).await;
    assert_eq!(drain(&mut consumer, 1).await, sent);
    bench.done().await;
}

#[tokio::test]
async fn a_consumer_that_is_not_told_of_the_deletion_finds_the_queue_that_was_made_again() {
    let bench = Bench::new().await;
    let (proxy, queue) = bench.behind_proxy(|_| {}).await;
    let mut consumer = queue.consume(Lane::Orders, 10).await.unwrap();
    let before = reservations(2);
    bench.publish(&before[..1]).await;
    assert_eq!(drain(&mut consumer, 1).await, before[..1]);
    proxy.swallow_to_client(true);
    let by = Instant::now() + Duration::from_secs(10);
    bench.delete_queue(Lane::Orders).await;
    // More than a heartbeat, which has 8 bytes: the end of the consumer.
    while proxy.lost_to_client() <= 16 {
        assert!(Instant::now() < by, "the broker told nothing");
        sleep(Duration::from_millis(20)).await;
    }
    proxy.swallow_to_client(false);
    bench.publish(&before[1..]).await;
    assert_eq!(drain(&mut consumer, 1).await, before[1..]);
    bench.done().await;
}

#[tokio::test]
async fn a_quiet_consumer_keeps_what_is_in_hand_and_somebody_always_listens() {
    let bench = Bench::new().await;
    bench.publish(&reservations(1)).await;
    let mut consumer = bench.queue.consume(Lane::Orders, 10).await.unwrap();
    let in_hand = batch(&mut consumer, 1).await;
    let quiet = timeout(Duration::from_secs(12), consumer.next_batch(1, LINGER)).await;
    assert!(quiet.is_err(), "{quiet:?}");
    in_hand[0].ack().await.expect("the channel that brought it is still there");
    drop(in_hand);
    let look = async {
        let until = Instant::now() + Duration::from_secs(12);
        while Instant::now() < until {
            let only_look = QueueDeclareOptions { passive: true, ..Default::default() };
            let name = bench.name(Lane::Orders).into();
            let queue = bench.outside.queue_declare(name, only_look, FieldTable::default()).await;
            assert!(queue.unwrap().consumer_count() > 0, "nobody listens");
            sleep(Duration::from_millis(1)).await;
        }
        bench.publish(&reservations(1)).await;
    };
    let (got, ()) = tokio::join!(consumer.next_batch(1, LINGER), look);
    assert!(!got.unwrap()[0].redelivered);
    consumer.close().await;
    bench.done().await;
}

#[tokio::test]
async fn a_consumer_whose_connection_is_cut_says_so_and_the_next_one_gets_the_messages() {
    let bench = Bench::new().await;
    let sent = reservations(3);
    bench.publish(&sent).await;
    let (proxy, queue) = bench.behind_proxy(|_| {}).await;
    let mut consumer = queue.consume(Lane::Orders, 10).await.unwrap();
    let got = batch(&mut consumer, 3).await;
    proxy.cut();
    let end = timeout(Duration::from_secs(10), consumer.next_batch(1, LINGER)).await;
    assert!(matches!(end, Ok(Err(ref error)) if error.class() == Class::Retry), "{end:?}");
    assert!(got[0].ack().await.is_err());
    let mut consumer = queue.consume(Lane::Orders, 10).await.unwrap();
    assert_eq!(drain(&mut consumer, 3).await, sent);
    bench.done().await;
}

#[tokio::test]
async fn a_consumer_of_a_silent_broker_is_freed_by_the_heartbeat() {
    let bench = Bench::new().await;
    let (proxy, queue) = bench.behind_proxy(|o| o.heartbeat = Duration::from_secs(1)).await;
    let mut consumer = queue.consume(Lane::Orders, 10).await.unwrap();
    // Longer than the heartbeat: a quiet queue is no reason to give up.
    let quiet = timeout(Duration::from_secs(4), consumer.next_batch(1, LINGER)).await;
    assert!(quiet.is_err(), "{quiet:?}");
    proxy.swallow_to_client(true);
    let end = timeout(Duration::from_secs(10), consumer.next_batch(1, LINGER)).await;
    assert!(matches!(end, Ok(Err(_))), "{end:?}");
    bench.done().await;
}

/// Messages that nobody can read, by the word for it.
fn unreadable() -> HashMap<&'static str, (Vec<u8>, BasicProperties)> {
    let (body, properties) = message::encode(&reservations(1)[0]);
    let schema = |n: i32| {
        let mut headers = FieldTable::default();
        headers.insert("x-schema".into(), AMQPValue::LongInt(n));
        headers.insert("x-trace".into(), AMQPValue::LongString("kept".into()));
        properties.clone().with_headers(headers)
    };
    let with = |field: &str, value: Option<Value>| {
        let mut fields: serde_json::Map<_, _> = serde_json::from_slice(&body).unwrap();
        match value {
            Some(value) => fields.insert(field.to_owned(), value),
            None => fields.remove(field),
        };
        Value::Object(fields).to_string().into_bytes()
    };
    let other_id = properties.clone().with_message_id("01HF7YAT00E3R38E1NCBS0D1ZG".into());
    HashMap::from([
        ("not_json", (b"\xff\x00 no JSON".to_vec(), schema(1))),
        ("missing_field", (with("epoch", None), schema(1))),
        ("bad_field", (with("user_id", Some(json!("1"))), schema(1))),
        ("newer_schema", (body.clone(), schema(2))),
        ("no_schema", (body.clone(), BasicProperties::default())),
        ("other_message_id", (body.clone(), other_id)),
        ("too_large", (vec![b' '; message::MAX_BODY + 1], schema(1))),
    ])
}

#[tokio::test]
async fn an_unreadable_message_is_kept_with_its_reason_and_the_others_go_on() {
    let bench = Bench::new().await;
    let unreadable = unreadable();
    bench.queue.check().await.unwrap();
    for (body, properties) in unreadable.values() {
        bench.publish_foreign(body, properties.clone()).await;
    }
    let sent = reservations(2);
    bench.publish(&sent).await;

    let mut consumer = bench.queue.consume(Lane::Orders, 100).await.unwrap();
    let mut publisher = bench.queue.publisher();
    let (mut read, mut seen) = (Vec::new(), HashSet::new());
    while read.len() + seen.len() < unreadable.len() + 2 {
        for message in batch(&mut consumer, 100).await {
            match message.reservation() {
                Ok(reservation) => read.push(reservation),
                Err(reason) => {
                    let (body, _) = &unreadable[reason.label()];
                    assert_eq!(message.body, *body, "{reason}");
                    seen.insert(reason.label());
                    let reason = reason.to_string();
                    publisher
                        .publish_dead(&message.body, &message.properties, &reason)
                        .await
                        .unwrap();
                }
            }
            message.ack().await.unwrap();
        }
    }
    assert_eq!(read, sent);
    assert_eq!(seen, unreadable.keys().copied().collect());

    let mut dead = bench.queue.consume(Lane::Dead, 100).await.unwrap();
    let letters = batch(&mut dead, unreadable.len()).await;
    assert_eq!(letters.len(), unreadable.len());
    for letter in &letters {
        let reason = letter.reservation().unwrap_err();
        let (body, original) = &unreadable[reason.label()];
        assert_eq!(letter.body, *body);
        assert_eq!(letter.properties.message_id(), original.message_id());
        assert_eq!(letter.properties.content_type(), original.content_type());
        let headers = letter.properties.headers().clone().unwrap();
        let told = AMQPValue::LongString(reason.to_string().into());
        assert_eq!(headers.inner().get("x-reason"), Some(&told));
        for (name, value) in original.headers().iter().flatten() {
            assert_eq!(headers.inner().get(name.as_str()), Some(value));
        }
        letter.ack().await.unwrap();
    }
    bench.done().await;
}

#[tokio::test]
async fn dead_letters_are_kept_though_their_queue_or_exchange_was_deleted() {
    let bench = Bench::new().await;
    let mut publisher = bench.queue.publisher();
    let none = BasicProperties::default();
    publisher.publish_dead(b"1", &none, "why").await.unwrap();
    bench.delete_queue(Lane::Dead).await;
    publisher.publish_dead(b"2", &none, "why").await.unwrap();
    let exchange = bench.name(Lane::Dead).into();
    bench.outside.exchange_delete(exchange, ExchangeDeleteOptions::default()).await.unwrap();
    publisher.publish_dead(b"3", &none, "why").await.unwrap();
    // What an expiry or another user's name would do to a message, it does not do to a dead letter.
    let hostile = none.with_expiration("0".into()).with_user_id("nobody".into());
    publisher.publish_dead(b"4", &hostile, "why").await.unwrap();
    let mut dead = bench.queue.consume(Lane::Dead, 10).await.unwrap();
    let letters = batch(&mut dead, 3).await;
    let bodies: Vec<_> = letters.iter().map(|letter| letter.body.as_slice()).collect();
    assert_eq!(bodies, [b"2", b"3", b"4"]);
    bench.done().await;
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_at_once() {
    let error = Queue::new(QueueOptions::new("http://127.0.0.1")).unwrap_err();
    assert_eq!((error.class(), error.label()), (Class::Bug, "settings"));
    let mut options = QueueOptions::new(amqp_url());
    options.prefix = String::new();
    assert!(Queue::new(options).is_err());
}

#[tokio::test]
async fn wrong_credentials_are_told_as_such() {
    let mut url = url::Url::parse(&amqp_url()).unwrap();
    url.set_username("nobody").unwrap();
    url.set_password(Some("wrong")).unwrap();
    let error = Queue::new(QueueOptions::new(url)).unwrap().check().await.unwrap_err();
    assert_eq!(error.label(), "access_refused", "{error}");
    assert!(!error.to_string().contains("wrong"));
}
