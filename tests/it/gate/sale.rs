//! A sale at the gate, as a test sees it: through the gate's own interface, and past it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use redis::{Connection, FromRedisValue};
use seckill::{
    gate::{
        Gate,
        admission::{AdmitRequest, Decision, NewTicket, Refusal, TicketAnswer},
        filling::{GateTerms, Inspection, Opened},
        keys::Keys,
    },
    sale::{
        activity::{Activity, Product, Status},
        ids::{ActivityId, Bucket, Epoch, Fence, ProductId, UserId},
        money::Cents,
        order_number::{OrderNo, OrderNumbers},
        reservation::{Entry, EntryState},
    },
};

use super::server::{Server, gate_at};

pub const EPOCH: Epoch = Epoch(1);
pub const FENCE: Fence = Fence(1);
pub const BUCKET: Bucket = Bucket(0);
pub const ALICE: UserId = UserId(1001);
pub const BOB: UserId = UserId(1002);
pub const TOKEN: &str = "3f7a";
pub const ANSWER: &str = "k7hm";
/// Longer than a test.
pub const LIFE: Duration = Duration::from_secs(60);

pub struct Sale {
    pub gate: Gate,
    pub keys: Keys,
    pub activity: Activity,
    pub terms: GateTerms,
    url: String,
    raw: Mutex<Connection>,
    server: Option<Arc<Server>>,
    numbers: OrderNumbers,
}

impl Sale {
    /// Loaded and open, with that many units.
    pub async fn of(units: i64) -> Self {
        Self::loaded(activity(units)).await
    }

    pub async fn loaded(activity: Activity) -> Self {
        let sale = Self::unloaded(activity).await;
        sale.fill(EPOCH, FENCE).await;
        sale
    }

    /// The gate has never heard of it.
    pub async fn unloaded(activity: Activity) -> Self {
        let server = Server::shared();
        let mut sale = Self::at(&server, server.database(), activity).await;
        sale.server = Some(server);
        sale
    }

    /// Unloaded, at a server of the test's own.
    pub async fn at(server: &Server, database: u32, activity: Activity) -> Self {
        let url = server.url(database);
        Self {
            gate: gate_at(&url).await,
            keys: Keys::of(activity.id, BUCKET),
            activity,
            terms: GateTerms {
                currency: "CNY".into(),
                outbox_bound: 1_000_000,
                keep_ms: 86_400_000,
            },
            raw: Mutex::new(redis::Client::open(url.as_str()).unwrap().get_connection().unwrap()),
            url,
            server: None,
            numbers: OrderNumbers::new(&[7; 64]),
        }
    }

    /// More ways to the same gate, as other nodes have them.
    pub async fn connections(&self, count: usize) -> Vec<Gate> {
        let mut connections = Vec::new();
        for _ in 0..count {
            connections.push(gate_at(&self.url).await);
        }
        connections
    }

    pub async fn fill(&self, epoch: Epoch, fence: Fence) {
        self.begin(epoch, fence).await;
        assert_eq!(self.open(epoch, fence).await, Opened::Opened);
    }

    pub async fn begin(&self, epoch: Epoch, fence: Fence) {
        self.gate.begin(&self.keys, epoch, fence, self.expiry_ms()).await.unwrap();
    }

    pub async fn open(&self, epoch: Epoch, fence: Fence) -> Opened {
        self.gate.open(&self.activity, BUCKET, epoch, fence, &self.terms).await.unwrap()
    }

    /// Changes the activity as an edit does, and tells the gate.
    pub async fn edit(&mut self, change: impl FnOnce(&mut Activity)) -> Opened {
        change(&mut self.activity);
        self.activity.version += 1;
        self.open(EPOCH, FENCE).await
    }

    pub fn expiry_ms(&self) -> i64 {
        self.terms.expiry_ms(&self.activity)
    }

    pub fn number(&self, shopper: UserId) -> OrderNo {
        self.numbers.mint(shopper, self.activity.id, now_ms())
    }

    /// Makes sure that the shopper has a ticket, of [`TOKEN`] and [`ANSWER`].
    pub async fn ticket(&self, shopper: UserId) -> TicketAnswer {
        self.gate.ticket(&self.keys, shopper, Some(&NEW_TICKET)).await.unwrap()
    }

    pub fn has_ticket(&self, shopper: UserId) -> bool {
        self.raw::<i64>(&["EXISTS", &self.keys.ticket(shopper)]) == 1
    }

    pub async fn admit(
        &self,
        shopper: UserId,
        order_no: OrderNo,
        token: &str,
        answer: &str,
    ) -> Decision {
        self.gate.admit(&self.keys, &request(shopper, order_no, token, answer)).await.unwrap()
    }

    /// With the right token and answer, whether or not there is a ticket.
    pub async fn post(&self, shopper: UserId, order_no: OrderNo) -> Decision {
        self.admit(shopper, order_no, TOKEN, ANSWER).await
    }

    /// The whole way, which must end well.
    pub async fn buy(&self, shopper: UserId) -> OrderNo {
        let number = self.number(shopper);
        let ticket = self.ticket(shopper).await;
        assert!(matches!(ticket, TicketAnswer::Live(_)), "{ticket:?}");
        assert_eq!(self.post(shopper, number).await, Decision::Admitted);
        number
    }

    pub async fn entry(&self, shopper: UserId) -> Option<Entry> {
        self.gate.holding(&self.keys, shopper).await.unwrap().entry
    }

    pub async fn inspect(&self) -> Inspection {
        self.gate.inspect(&self.keys).await.unwrap()
    }

    /// The stock key as it is; `None`: there is none.
    pub fn stock(&self) -> Option<i64> {
        self.raw(&["GET", &self.keys.stock()])
    }

    pub fn sale_field(&self, field: &str) -> Option<String> {
        self.raw(&["HGET", &self.keys.sale(), field])
    }

    /// Every key and what it holds, apart from how long it lives: to prove that nothing was written.
    pub fn everything(&self) -> BTreeMap<String, Vec<u8>> {
        let mut keys: Vec<String> = self.raw(&["KEYS", "*"]);
        keys.sort();
        keys.into_iter().map(|key| (key.clone(), self.raw(&["DUMP", &key]))).collect()
    }

    /// `stock = units − holders`, counted anew and apart from the scripts.
    pub fn check_rule(&self) {
        let entries: BTreeMap<String, String> = self.raw(&["HGETALL", &self.keys.users()]);
        let holders = entries
            .iter()
            .filter(|(field, _)| *field != "epoch")
            .filter(|(_, entry)| entry.parse::<Entry>().unwrap().state != EntryState::Barred)
            .count();
        let units: i64 = self.raw(&["HGET", &self.keys.sale(), "units"]);
        assert_eq!(self.stock(), Some(units - i64::try_from(holders).unwrap()), "{entries:?}");
        for key in [self.keys.sale(), self.keys.stock(), self.keys.users()] {
            assert!(self.ttl_ms(&key) > 0, "{key} never expires");
        }
    }

    /// As PTTL: -1 without expiry, -2 when the key is missing.
    pub fn ttl_ms(&self, key: &str) -> i64 {
        self.raw(&["PTTL", key])
    }

    pub fn expires_at_ms(&self, key: &str) -> i64 {
        self.raw(&["PEXPIRETIME", key])
    }

    /// Redis' own clock.
    pub fn now_ms(&self) -> i64 {
        let (seconds, micros): (i64, i64) = self.raw(&["TIME"]);
        seconds * 1000 + micros / 1000
    }

    /// A command past the gate.
    pub fn raw<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let (name, rest) = words.split_first().unwrap();
        redis::cmd(name)
            .arg(rest)
            .query(&mut self.connection())
            .unwrap_or_else(|e| panic!("{words:?}: {e}"))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.raw.lock().unwrap()
    }
}

pub const NEW_TICKET: NewTicket<'static> =
    NewTicket { token: TOKEN, answer: ANSWER, seed: "5eed", life: LIFE };

pub fn request<'a>(
    shopper: UserId,
    order_no: OrderNo,
    token: &'a str,
    answer: &'a str,
) -> AdmitRequest<'a> {
    AdmitRequest { shopper, order_no, token, answer, request_id: "req-1" }
}

pub fn refused(refusal: Refusal) -> Decision {
    Decision::Refused(refusal)
}

/// Open since a minute, for an hour, with a rate that no test meets unless it wants to.
pub fn activity(total_stock: i64) -> Activity {
    Activity {
        id: ActivityId(42),
        product: Product {
            id: ProductId(7),
            name: "Kettle".into(),
            description: String::new(),
            list_price: None,
            picture: None,
            archived: false,
            version: 1,
        },
        title: "Kettles at noon".into(),
        price: Cents(1999),
        total_stock,
        remain_stock: total_stock,
        status: Status::Scheduled,
        starts_at: minutes_from_now(-1),
        ends_at: minutes_from_now(60),
        version: 1,
        gate_epoch: EPOCH,
        captcha: true,
        rebuy: true,
        bucket_count: 1,
        pay_within_s: 900,
        rate_per_s: 1_000_000,
        total_rate_per_s: None,
    }
}

pub fn minutes_from_now(minutes: i64) -> DateTime<Utc> {
    Utc::now() + TimeDelta::minutes(minutes)
}

pub fn now_ms() -> i64 {
    Utc::now().timestamp_millis()
}

/// An entry as the ledger's orders give it to a rebuild.
pub fn entry(order_no: OrderNo, state: EntryState) -> Entry {
    Entry { order_no, state, price: Cents(1999), reserved_at_ms: 1_700_000_000_000 }
}
