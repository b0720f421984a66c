//! Thousands of random steps against the gate and against a plain model of it. After each step both
//! gave the same answer, hold the same, and `stock = units − holders`.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use seckill::{
    gate::{
        admission::{Decision, Refusal, TicketAnswer},
        filling::{Condition, Opened},
        release::{Released, Return},
        underway::{PutBack, SentAgain},
    },
    sale::{
        activity::Status,
        ids::{Epoch, Fence, UserId},
        money::Cents,
        order_number::OrderNo,
        reservation::EntryState::{self, Barred, Recorded, Reserved},
    },
};

use super::sale::{ANSWER, BUCKET, Sale, TOKEN, entry, refused};

const SHOPPERS: i64 = 12;
const STEPS: usize = 1500;

/// The gate in plain words.
struct Model {
    units: i64,
    /// What the ledger has; a fault may give the gate more.
    total: i64,
    entries: BTreeMap<UserId, (OrderNo, EntryState, Cents)>,
    /// Live tickets and the price that each shows.
    tickets: BTreeMap<UserId, Cents>,
    price: Cents,
    paused: bool,
    last_change: Option<(String, i64)>,
    /// The oldest first.
    outbox: Vec<(UserId, OrderNo)>,
    underway: BTreeSet<(UserId, OrderNo)>,
    epoch: i64,
}

impl Model {
    fn holders(&self) -> i64 {
        let held = self.entries.values().filter(|(_, state, _)| *state != Barred).count();
        i64::try_from(held).unwrap()
    }

    fn stock(&self) -> i64 {
        self.units - self.holders()
    }

    /// Why this shopper finds nothing to buy.
    fn nothing_to_buy(&self, shopper: UserId) -> Option<Refusal> {
        match self.entries.get(&shopper) {
            Some((_, Barred, _)) => Some(Refusal::Barred),
            Some((number, ..)) => Some(Refusal::AlreadyHeld(*number)),
            None if self.paused => Some(Refusal::Paused),
            None if self.stock() <= 0 => Some(Refusal::SoldOut),
            None => None,
        }
    }

    fn admit(&mut self, shopper: UserId, number: OrderNo, right: bool) -> Decision {
        match self.nothing_to_buy(shopper) {
            Some(Refusal::AlreadyHeld(held)) if held == number => return Decision::Admitted,
            Some(refusal) => return refused(refusal),
            None => {}
        }
        let Some(price) = self.tickets.remove(&shopper) else {
            return refused(Refusal::TicketInvalid);
        };
        if !right {
            return refused(Refusal::CaptchaWrong);
        }
        self.entries.insert(shopper, (number, Reserved, price));
        self.outbox.push((shopper, number));
        Decision::Admitted
    }

    fn release(&mut self, shopper: UserId, number: OrderNo, how: Return) -> Released {
        self.underway.remove(&(shopper, number));
        match self.entries.get_mut(&shopper) {
            Some((held, state, _)) if *held == number && *state != Barred => {
                if how == Return::Bar {
                    *state = Barred;
                } else {
                    self.entries.remove(&shopper);
                }
            }
            _ => return Released::Nothing,
        }
        if let Return::Surplus { ledger_total } = how
            && self.units > ledger_total
        {
            self.units -= 1;
        }
        Released::Done
    }

    /// The first of the outbox are safe in the queue.
    fn relay(&mut self, count: usize) {
        for (shopper, number) in self.outbox.drain(..count.min(self.outbox.len())) {
            let held = self.entries.get(&shopper);
            if held.is_some_and(|(held, state, _)| *held == number && *state == Reserved) {
                self.underway.insert((shopper, number));
            }
        }
    }

    fn send_again(&mut self, shopper: UserId, number: OrderNo) -> SentAgain {
        match self.entries.get(&shopper) {
            Some((held, state, _)) if *held == number && *state != Barred => {
                self.outbox.push((shopper, number));
                SentAgain::Done
            }
            _ => SentAgain::Nothing,
        }
    }

    fn put_back(&mut self, shopper: UserId, number: OrderNo, state: EntryState) -> PutBack {
        if self.entries.contains_key(&shopper) {
            return PutBack::Held;
        }
        self.entries.insert(shopper, (number, state, Cents(1999)));
        PutBack::Done
    }

    fn adjust(&mut self, id: &str, by: i64) -> i64 {
        if let Some((last, changed)) = &self.last_change
            && last == id
        {
            return *changed;
        }
        let changed = if by > 0 {
            by.min(self.total - self.units).max(0)
        } else {
            by.max(-self.stock().max(0))
        };
        self.units += changed;
        self.last_change = Some((id.to_owned(), changed));
        changed
    }
}

/// Both sides, and the chance that drives them.
struct Pair {
    sale: Sale,
    model: Model,
    chance: StdRng,
    /// Every number that a shopper ever had, for late and repeated messages.
    numbers: BTreeMap<UserId, Vec<OrderNo>>,
    changes: u32,
}

impl Pair {
    async fn new(seed: u64) -> Self {
        let sale = Sale::of(5).await;
        let model = Model {
            units: 5,
            total: 5,
            entries: BTreeMap::new(),
            tickets: BTreeMap::new(),
            price: sale.activity.price,
            paused: false,
            last_change: None,
            outbox: Vec::new(),
            underway: BTreeSet::new(),
            epoch: 1,
        };
        let chance = StdRng::seed_from_u64(seed);
        Self { sale, model, chance, numbers: BTreeMap::new(), changes: 0 }
    }

    fn shopper(&mut self) -> UserId {
        UserId(self.chance.random_range(1..=SHOPPERS))
    }

    /// The last number, an old one or a new one.
    fn number(&mut self, shopper: UserId) -> OrderNo {
        let known = self.numbers.entry(shopper).or_default();
        let pick = self.chance.random_range(0..10);
        match known.last() {
            Some(last) if pick < 6 => *last,
            Some(_) if pick < 8 => known[self.chance.random_range(0..known.len())],
            _ => self.sale.number(shopper),
        }
    }

    async fn step(&mut self) {
        match self.chance.random_range(0..100) {
            0..24 => self.ticket().await,
            24..50 => self.admit().await,
            50..64 => self.release().await,
            64..68 => self.relay().await,
            68..72 => self.send_again().await,
            72..76 => self.put_back().await,
            76..82 => self.mark().await,
            82..90 => self.adjust().await,
            90..95 => self.edit().await,
            95..98 => self.give_too_much(),
            _ => self.rebuild().await,
        }
        self.compare().await;
    }

    async fn ticket(&mut self) {
        let shopper = self.shopper();
        let answer = self.sale.ticket(shopper).await;
        if let Some(refusal) = self.model.nothing_to_buy(shopper) {
            assert_eq!(answer, TicketAnswer::Refused(refusal));
            return;
        }
        let price = *self.model.tickets.entry(shopper).or_insert(self.model.price);
        let TicketAnswer::Live(ticket) = answer else { panic!("{answer:?}") };
        assert_eq!(ticket.price, price);
    }

    async fn admit(&mut self) {
        let shopper = self.shopper();
        let number = self.number(shopper);
        let right = self.chance.random_ratio(4, 5);
        let answer = if right { ANSWER } else { "wrong" };
        let expected = self.model.admit(shopper, number, right);
        assert_eq!(self.sale.admit(shopper, number, TOKEN, answer).await, expected);
        self.numbers.entry(shopper).or_default().push(number);
    }

    async fn release(&mut self) {
        let shopper = self.shopper();
        let number = self.number(shopper);
        let how = match self.chance.random_range(0..10) {
            0..6 => Return::Free,
            6..8 => Return::Bar,
            _ => Return::Surplus { ledger_total: self.model.total },
        };
        let expected = self.model.release(shopper, number, how);
        let answer = self.sale.gate.release(&self.sale.keys, shopper, number, how).await;
        assert_eq!(answer.unwrap(), expected);
    }

    async fn mark(&mut self) {
        let mut page = Vec::new();
        for _ in 0..3 {
            let shopper = self.shopper();
            let number = self.number(shopper);
            page.push((shopper, number));
            if let Some((held, state @ Reserved, _)) = self.model.entries.get_mut(&shopper)
                && *held == number
            {
                *state = Recorded;
            }
        }
        self.model.underway.retain(|gone| !page.contains(gone));
        self.sale.gate.mark_recorded(&self.sale.keys, &page).await.unwrap();
    }

    async fn relay(&mut self) {
        let count = self.chance.random_range(1..=3);
        self.model.relay(count);
        let (gate, keys) = (&self.sale.gate, &self.sale.keys);
        let entries = gate.outbox(keys, count).await.unwrap();
        gate.forget(keys, &entries).await.unwrap();
    }

    async fn send_again(&mut self) {
        let shopper = self.shopper();
        let number = self.number(shopper);
        let expected = self.model.send_again(shopper, number);
        let (gate, keys) = (&self.sale.gate, &self.sale.keys);
        self.sale.raw::<()>(&["DEL", &keys.again(shopper)]);
        let sent = gate.send_again(keys, shopper, number, "req-2", 60_000).await.unwrap();
        assert_eq!(sent, expected);
    }

    async fn put_back(&mut self) {
        let shopper = self.shopper();
        let number = self.number(shopper);
        let state = if self.chance.random_ratio(3, 4) { Recorded } else { Barred };
        let expected = self.model.put_back(shopper, number, state);
        let epoch = Epoch(self.model.epoch);
        let (gate, keys) = (&self.sale.gate, &self.sale.keys);
        let put = gate.put_back(keys, epoch, shopper, entry(number, state)).await.unwrap();
        assert_eq!(put, expected);
    }

    async fn adjust(&mut self) {
        // Sometimes the last change is asked again.
        self.changes += u32::from(self.chance.random_ratio(3, 4));
        let id = format!("change-{}", self.changes);
        let by = self.chance.random_range(-4..=3);
        let new = self.model.last_change.as_ref().is_none_or(|(last, _)| *last != id);
        if new && by > 0 {
            self.model.total += by;
        }
        let expected = self.model.adjust(&id, by);
        if new && by <= 0 {
            self.model.total = (self.model.total + expected).max(0);
        }
        let (epoch, total) = (Epoch(self.model.epoch), self.model.total);
        let answer = self.sale.gate.adjust(&self.sale.keys, epoch, Fence(1), &id, by, total).await;
        assert_eq!(answer.unwrap(), expected, "{id} by {by}");
    }

    async fn edit(&mut self) {
        let newer = self.chance.random_ratio(3, 4);
        let price = Cents(self.chance.random_range(1..5000));
        let paused = self.chance.random_ratio(1, 3);
        let mut edited = self.sale.activity.clone();
        edited.price = price;
        edited.status = if paused { Status::Paused } else { Status::Scheduled };
        if newer {
            edited.version += 1;
            self.sale.activity = edited.clone();
            (self.model.price, self.model.paused) = (price, paused);
        }
        let epoch = Epoch(self.model.epoch);
        let terms = &self.sale.terms;
        let answer = self.sale.gate.open(&edited, BUCKET, epoch, Fence(1), terms).await;
        let expected = if newer { Opened::Changed } else { Opened::Unchanged };
        assert_eq!(answer.unwrap(), expected);
    }

    /// A fault: the gate is given a unit that the ledger does not have.
    fn give_too_much(&mut self) {
        self.sale.raw::<()>(&["HINCRBY", &self.sale.keys.sale(), "units", "1"]);
        self.sale.raw::<()>(&["INCR", &self.sale.keys.stock()]);
        self.model.units += 1;
    }

    /// From the ledger, which lost sight of some reservations.
    async fn rebuild(&mut self) {
        let chance = &mut self.chance;
        self.model.entries.retain(|_, (_, state, _)| *state != Reserved || chance.random());
        self.model.epoch += 1;
        self.model.underway.clear();
        self.model.units = self.model.total;
        self.model.last_change = None;
        self.sale.activity.total_stock = self.model.total;
        let page: Vec<_> = self
            .model
            .entries
            .iter()
            .map(|(shopper, (number, state, price))| {
                (
                    *shopper,
                    seckill::sale::reservation::Entry { price: *price, ..entry(*number, *state) },
                )
            })
            .collect();
        let (sale, epoch, fence) = (&self.sale, Epoch(self.model.epoch), Fence(1));
        sale.gate.mark_restoring(&sale.keys, fence).await.unwrap();
        sale.begin(epoch, fence).await;
        for page in page.chunks(4) {
            sale.gate.restore(&sale.keys, epoch, fence, page).await.unwrap();
        }
        assert_eq!(sale.open(epoch, fence).await, Opened::Opened);
    }

    async fn compare(&self) {
        self.sale.check_rule();
        let look = self.sale.inspect().await;
        assert_eq!(look.condition, Condition::Loaded);
        assert_eq!(
            (look.epoch.0, look.units, look.stock, look.holders, look.outbox),
            (
                self.model.epoch,
                self.model.units,
                self.model.stock(),
                self.model.holders(),
                i64::try_from(self.model.outbox.len()).unwrap(),
            )
        );
        let (gate, keys) = (&self.sale.gate, &self.sale.keys);
        let underway = gate.underway_since(keys, i64::MAX, 1000).await.unwrap();
        let underway = underway.into_iter().map(|found| (found.shopper, found.order_no));
        assert_eq!(underway.collect::<BTreeSet<_>>(), self.model.underway);
        for shopper in (1..=SHOPPERS).map(UserId) {
            let entry = self.sale.entry(shopper).await.map(|e| (e.order_no, e.state, e.price));
            assert_eq!(entry.as_ref(), self.model.entries.get(&shopper), "{shopper}");
        }
    }
}

async fn walk(seed: u64) {
    let mut pair = Pair::new(seed).await;
    for _ in 0..STEPS {
        pair.step().await;
    }
}

#[tokio::test]
async fn after_any_steps_gate_and_model_agree_one() {
    walk(1).await;
}

#[tokio::test]
async fn after_any_steps_gate_and_model_agree_two() {
    walk(2).await;
}

#[tokio::test]
async fn after_any_steps_gate_and_model_agree_three() {
    walk(3).await;
}
