//! Every script on a cluster of three, with buckets; and a node that fails over.

use std::time::Duration;

use seckill::{
    gate::{
        Gate,
        admission::{AdmitRequest, Decision, Refusal, TicketAnswer},
        filling::{Condition, GateTerms, Opened},
        keys::Keys,
        release::{Released, Return},
        underway::{PutBack, SentAgain},
    },
    sale::{
        activity::Activity,
        ids::{Bucket, Epoch, Fence, UserId},
        order_number::{OrderNo, OrderNumbers},
        reservation::EntryState,
    },
};

use super::sale::{
    ANSWER, EPOCH, FENCE, LIFE, NEW_TICKET, TOKEN, activity, entry, now_ms, refused,
};
use super::server::{BOUND, Server, eventually, free_port, gate_at};

const SLOTS: [(u16, u16); 3] = [(0, 5460), (5461, 10922), (10923, 16383)];

struct Cluster {
    /// The primaries, in the order of their slots; after them replicas.
    nodes: Vec<(Server, u16)>,
}

impl Cluster {
    fn start() -> Self {
        let mut cluster = Self { nodes: Vec::new() };
        for (epoch, (first, last)) in (1..).zip(SLOTS) {
            let (node, _) = cluster.add_node();
            // Known from the start which is newer, so that they need not find it out.
            node.ask::<()>(0, &["CLUSTER", "SET-CONFIG-EPOCH", &epoch.to_string()]);
            let (first, last) = (first.to_string(), last.to_string());
            node.ask::<()>(0, &["CLUSTER", "ADDSLOTSRANGE", &first, &last]);
        }
        cluster.introduce();
        cluster
    }

    fn add_node(&mut self) -> &(Server, u16) {
        let bus = free_port();
        let settings = [
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            "2000",
            "--cluster-port",
            &bus.to_string(),
            "--databases",
            "1",
            "--repl-diskless-sync-delay",
            "0",
        ];
        self.nodes.push((Server::start_with(&settings), bus));
        self.nodes.last().unwrap()
    }

    /// Everybody meets the last one.
    fn introduce(&self) {
        let (last, bus) = self.nodes.last().unwrap();
        for (node, _) in &self.nodes {
            let (port, bus) = (last.port().to_string(), bus.to_string());
            node.ask::<()>(0, &["CLUSTER", "MEET", "127.0.0.1", &port, &bus]);
        }
        for (node, _) in &self.nodes {
            eventually("the cluster is whole", || {
                let info: String = node.ask(0, &["CLUSTER", "INFO"]);
                let known = format!("cluster_known_nodes:{}", self.nodes.len());
                info.contains("cluster_state:ok") && info.contains(&known)
            });
        }
    }

    fn addresses(&self) -> String {
        let urls: Vec<String> = self
            .nodes
            .iter()
            .map(|(node, _)| format!("redis://127.0.0.1:{}", node.port()))
            .collect();
        urls.join(", ")
    }

    /// Which primary serves this bucket.
    fn place_of(&self, keys: &Keys) -> usize {
        let slot: u16 = self.nodes[0].0.ask(0, &["CLUSTER", "KEYSLOT", &keys.sale()]);
        SLOTS.iter().position(|(first, last)| (*first..=*last).contains(&slot)).unwrap()
    }
}

struct Split {
    gate: Gate,
    activity: Activity,
    terms: GateTerms,
    numbers: OrderNumbers,
}

impl Split {
    /// Loaded, 12 units in six buckets.
    async fn loaded(cluster: &Cluster) -> Self {
        let split = Self {
            gate: gate_at(&cluster.addresses()).await,
            activity: Activity { bucket_count: 6, ..activity(12) },
            terms: GateTerms { currency: "CNY".into(), outbox_bound: 1000, keep_ms: 86_400_000 },
            numbers: OrderNumbers::new(&[7; 64]),
        };
        for bucket in split.activity.buckets() {
            assert_eq!(split.fill(bucket, EPOCH, FENCE).await, Opened::Opened);
        }
        split
    }

    fn keys(&self, bucket: Bucket) -> Keys {
        Keys::of(self.activity.id, bucket)
    }

    fn keys_of(&self, shopper: UserId) -> Keys {
        self.keys(self.activity.bucket_of(shopper))
    }

    async fn fill(&self, bucket: Bucket, epoch: Epoch, fence: Fence) -> Opened {
        let keys = self.keys(bucket);
        let until = self.terms.expiry_ms(&self.activity);
        self.gate.begin(&keys, epoch, fence, until).await.unwrap();
        self.gate.open(&self.activity, bucket, epoch, fence, &self.terms).await.unwrap()
    }

    async fn buy(&self, shopper: UserId) -> (OrderNo, Decision) {
        let keys = self.keys_of(shopper);
        self.gate.ticket(&keys, shopper, Some(&NEW_TICKET)).await.unwrap();
        let order_no = self.numbers.mint(shopper, self.activity.id, now_ms());
        let (token, answer, request_id) = (TOKEN, ANSWER, "req-1");
        let request = AdmitRequest { shopper, order_no, token, answer, request_id };
        (order_no, self.gate.admit(&keys, &request).await.unwrap())
    }

    /// Units, stock and holders of all buckets together.
    async fn sums(&self) -> (i64, i64, i64) {
        let mut sums = (0, 0, 0);
        for bucket in self.activity.buckets() {
            let look = self.gate.inspect(&self.keys(bucket)).await.unwrap();
            assert_eq!(look.condition, Condition::Loaded);
            assert_eq!(look.stock, look.units - look.holders, "{look:?}");
            sums = (sums.0 + look.units, sums.1 + look.stock, sums.2 + look.holders);
        }
        sums
    }
}

#[tokio::test]
async fn every_script_runs_on_a_cluster() {
    let cluster = Cluster::start();
    let mut sale = Split::loaded(&cluster).await;
    let gate = sale.gate.clone();
    let places: std::collections::BTreeSet<usize> =
        sale.activity.buckets().map(|b| cluster.place_of(&sale.keys(b))).collect();
    assert!(places.len() > 1, "the buckets spread over the nodes");
    assert_eq!(sale.sums().await, (12, 12, 0));

    // ticket, picture, admit
    let mut won = Vec::new();
    for shopper in (1..=60).map(UserId) {
        match sale.buy(shopper).await {
            (number, Decision::Admitted) => won.push((shopper, number)),
            (_, decision) => assert_eq!(decision, refused(Refusal::SoldOut)),
        }
    }
    assert_eq!(won.len(), 12);
    assert_eq!(sale.sums().await, (12, 0, 12));

    // holding, mark, outbox, forget, send again, put back, release, adjust, edit, keep
    for (shopper, number) in &won {
        let keys = sale.keys_of(*shopper);
        gate.mark_recorded(&keys, &[(*shopper, *number)]).await.unwrap();
        let held = gate.holding(&keys, *shopper).await.unwrap().entry.unwrap();
        assert_eq!((held.order_no, held.state), (*number, EntryState::Recorded));
    }
    for bucket in sale.activity.buckets() {
        let keys = sale.keys(bucket);
        let entries = gate.outbox(&keys, 100).await.unwrap();
        assert_eq!(entries.len(), 2);
        gate.forget(&keys, &entries).await.unwrap();
        assert_eq!(gate.underway(&keys).await.unwrap(), 0, "they are recorded already");
        assert_eq!(gate.inspect(&keys).await.unwrap().outbox, 0);
        assert_eq!(gate.adjust(&keys, EPOCH, FENCE, "a", 1, 3).await.unwrap(), 1);
        gate.keep_until(sale.activity.id, bucket, now_ms() + 200_000_000).await.unwrap();
    }
    let (shopper, number) = won[0];
    let keys = sale.keys_of(shopper);
    let again = gate.send_again(&keys, shopper, number, "req-2", 1000).await.unwrap();
    assert_eq!(again, SentAgain::Done);
    gate.forget(&keys, &gate.outbox(&keys, 100).await.unwrap()).await.unwrap();
    assert_eq!(gate.underway_since(&keys, i64::MAX, 10).await.unwrap(), []);
    let back = gate.put_back(&keys, EPOCH, shopper, entry(number, EntryState::Recorded)).await;
    assert_eq!(back.unwrap(), PutBack::Held);
    for how in [Return::Free, Return::Bar] {
        let keys = sale.keys_of(shopper);
        let released = gate.release(&keys, shopper, number, how).await.unwrap();
        let expected = if how == Return::Free { Released::Done } else { Released::Nothing };
        assert_eq!(released, expected);
    }
    assert_eq!(sale.sums().await, (18, 7, 11));
    sale.activity.version += 1;
    for bucket in sale.activity.buckets() {
        let changed = gate.open(&sale.activity, bucket, EPOCH, FENCE, &sale.terms).await.unwrap();
        assert_eq!(changed, Opened::Changed);
    }
    let keys = sale.keys_of(UserId(1000));
    gate.ticket(&keys, UserId(1000), Some(&NEW_TICKET)).await.unwrap();
    let seed = gate.picture_seed(&keys, UserId(1000), TOKEN).await.unwrap();
    assert_eq!(seed.as_deref(), Some("5eed"));

    // stop, begin, restore, open
    let until = sale.terms.expiry_ms(&sale.activity);
    for bucket in sale.activity.buckets() {
        let (keys, epoch) = (sale.keys(bucket), Epoch(2));
        gate.recall(&sale.activity, bucket, "CNY").await.unwrap();
        gate.mark_restoring(&keys, FENCE).await.unwrap();
        gate.begin(&keys, epoch, FENCE, until).await.unwrap();
        let page: Vec<_> = won
            .iter()
            .filter(|(shopper, _)| sale.activity.bucket_of(*shopper) == bucket)
            .map(|(shopper, number)| (*shopper, entry(*number, EntryState::Recorded)))
            .collect();
        gate.restore(&keys, epoch, FENCE, &page).await.unwrap();
        gate.open(&sale.activity, bucket, epoch, FENCE, &sale.terms).await.unwrap();
    }
    assert_eq!(sale.sums().await, (12, 0, 12));

    // locks, and what the doctor asks
    let lock = gate.lock("activity:42", "a", LIFE, Duration::ZERO).await.unwrap().unwrap();
    assert!(gate.renew_lock("activity:42", "a", LIFE).await.unwrap());
    lock.free().await;
    assert_eq!(gate.take_lock("activity:42", "b", LIFE).await.unwrap(), 1);
    gate.ping().await.unwrap();
    let facts = gate.server_facts().await.unwrap();
    assert!(facts.version.starts_with(|c: char| c.is_ascii_digit()), "{facts:?}");
    assert_eq!((facts.maxmemory_policy.as_str(), facts.append_only), ("noeviction", true));
}

#[tokio::test]
async fn a_bucket_whose_node_failed_over_sells_nothing_before_it_is_rebuilt() {
    let mut cluster = Cluster::start();
    let sale = Split::loaded(&cluster).await;
    let shopper = UserId(1);
    let bucket = sale.activity.bucket_of(shopper);
    let keys = sale.keys(bucket);
    let (number, decision) = sale.buy(shopper).await;
    assert_eq!(decision, Decision::Admitted);
    let place = cluster.place_of(&keys);
    let primary: String = cluster.nodes[place].0.ask(0, &["CLUSTER", "MYID"]);
    cluster.add_node();
    cluster.introduce();
    let replica = &cluster.nodes[3].0;
    eventually("it replicates", || {
        // Refused until the node has heard of its primary.
        let _: Result<(), _> = replica.try_ask(0, &["CLUSTER", "REPLICATE", &primary]);
        replica.ask::<String>(0, &["INFO", "replication"]).contains("master_link_status:up")
    });

    cluster.nodes[place].0.kill();
    let replica = &cluster.nodes[3].0;
    eventually("the replica takes over", || {
        replica.ask::<String>(0, &["INFO", "replication"]).contains("role:master")
            && replica.ask::<String>(0, &["CLUSTER", "INFO"]).contains("cluster_state:ok")
    });

    let deadline = tokio::time::Instant::now() + BOUND;
    let look = loop {
        match sale.gate.inspect(&keys).await {
            Ok(look) => break look,
            Err(error) => assert!(tokio::time::Instant::now() < deadline, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(look.condition, Condition::Restarted, "a replica may lag behind");
    let next = (2..1000).map(UserId).find(|s| sale.activity.bucket_of(*s) == bucket).unwrap();
    assert_eq!(sale.buy(next).await.1, refused(Refusal::NotLoaded));

    let (epoch, fence) = (Epoch(2), Fence(2));
    let until = sale.terms.expiry_ms(&sale.activity);
    sale.gate.begin(&keys, epoch, fence, until).await.unwrap();
    let page = [(shopper, entry(number, EntryState::Recorded))];
    sale.gate.restore(&keys, epoch, fence, &page).await.unwrap();
    sale.gate.open(&sale.activity, bucket, epoch, fence, &sale.terms).await.unwrap();
    assert_eq!(sale.buy(next).await.1, Decision::Admitted);
    let held = sale.gate.ticket(&keys, shopper, None).await.unwrap();
    assert_eq!(held, TicketAnswer::Refused(Refusal::AlreadyHeld(number)));
    assert_eq!(sale.sums().await, (12, 10, 2));
}
