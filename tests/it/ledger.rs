//! The ledger by itself, on a real server: its keys, its conditional updates, its transactions.

mod accounts;
mod connections;
mod endings;
mod payments;
mod recording;
mod tables;
mod under_lock;

use std::sync::LazyLock;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use diesel::connection::SimpleConnection as _;
use seckill::ledger::activities::{self, locked};
use seckill::ledger::orders::{self, Actor, By, Counts};
use seckill::ledger::products::{self, NewProduct};
use seckill::ledger::users::{self, Insertion, NewUser};
use seckill::ledger::{Ledger, LedgerOptions};
use seckill::sale::activity::{Activity, Status};
use seckill::sale::actor::Actor as Editor;
use seckill::sale::ids::{ActivityId, Bucket, Epoch, UserId};
use seckill::sale::money::{Cents, Currency};
use seckill::sale::order_number::{OrderNo, OrderNumbers};
use seckill::sale::plan::Plan;
use seckill::sale::reservation::Reservation;
use seckill::sale::shopper::Role;

static NUMBERS: LazyLock<OrderNumbers> = LazyLock::new(|| OrderNumbers::new(&[7; 64]));

/// The address of an empty database of the test's own.
fn fresh_database() -> String {
    crate::harness::servers::database_url()
}

/// A ledger with one published sale, and shoppers.
struct Books {
    ledger: Ledger,
    activity: ActivityId,
    shoppers: Vec<UserId>,
}

/// What a test wants its sale to be.
struct Sale {
    stock: i64,
    shoppers: usize,
    rebuy: bool,
    pay_within_s: i64,
}

impl Default for Sale {
    fn default() -> Self {
        Self { stock: 10, shoppers: 3, rebuy: true, pay_within_s: 900 }
    }
}

async fn migrated() -> Ledger {
    let options = LedgerOptions { pool_size: 16, ..LedgerOptions::new(fresh_database()) };
    let ledger = Ledger::open(options).expect("a usable address");
    ledger.migrate().await.expect("migrates");
    ledger
}

async fn draft(ledger: &Ledger, sale: &Sale) -> ActivityId {
    let product =
        NewProduct { name: "Kettle 🫖".into(), description: "Boils.".into(), list_price: None };
    let product_id =
        products::find_or_create(ledger, product, Editor::command()).await.expect("a product");
    let plan = Plan {
        title: "Kettles at noon".into(),
        price: Cents(1999),
        stock: sale.stock,
        starts_at: Utc::now(),
        ends_at: Utc::now() + TimeDelta::hours(1),
        captcha: true,
        rebuy: sale.rebuy,
        buckets: 1,
        pay_within_s: sale.pay_within_s,
        rate_per_s: 5,
        total_rate_per_s: None,
    };
    activities::plan::insert_draft(ledger, product_id, plan, Editor::command())
        .await
        .expect("a draft")
}

async fn shopper(ledger: &Ledger, name: &str) -> UserId {
    let user = NewUser {
        username: name.into(),
        username_key: name.to_lowercase(),
        password_hash: "none".into(),
        role: Role::Shopper,
    };
    match users::insert(ledger, user).await.expect("an account") {
        Insertion::Created(id) => id,
        Insertion::Taken => panic!("{name} is taken"),
    }
}

impl Books {
    /// A published sale in its first epoch.
    async fn open(sale: Sale) -> Self {
        let ledger = migrated().await;
        let activity = draft(&ledger, &sale).await;
        let fence = locked::take_fence(&ledger, activity).await.expect("a fence");
        locked::set_status(
            &ledger,
            activity,
            &[Status::Draft],
            Status::Scheduled,
            fence,
            Editor::clock(),
        )
        .await
        .expect("published");
        locked::begin_epoch(&ledger, activity, fence, Epoch(0)).await.expect("preheated");
        let mut shoppers = Vec::new();
        for n in 0..sale.shoppers {
            shoppers.push(shopper(&ledger, &format!("shopper {n}")).await);
        }
        Self { ledger, activity, shoppers }
    }

    fn reservation(&self, shopper: usize) -> Reservation {
        let (user_id, activity_id) = (self.shoppers[shopper], self.activity);
        let reserved_at_ms = Utc::now().timestamp_millis();
        Reservation {
            order_no: NUMBERS.mint(user_id, activity_id, reserved_at_ms),
            user_id,
            product_id: seckill::sale::ids::ProductId(1),
            activity_id,
            bucket: Bucket(0),
            epoch: Epoch(1),
            price: Cents(1999),
            currency: Currency::CNY,
            reserved_at_ms,
            request_id: "req-1".into(),
        }
    }

    /// An order of this shopper.
    async fn place(&self, shopper: usize) -> OrderNo {
        let reservation = self.reservation(shopper);
        let order_no = reservation.order_no;
        let fate = orders::settle_one(&self.ledger, reservation, None).await.expect("settles");
        assert_eq!(fate, orders::Fate::Placed);
        order_no
    }

    async fn sale(&self) -> Activity {
        activities::get(&self.ledger, self.activity).await.expect("reads").expect("exists")
    }

    async fn counts(&self) -> Counts {
        orders::counts(&self.ledger, self.activity).await.expect("counts")
    }

    /// Total = remain + orders holding a unit, and nobody is under zero.
    async fn balance(&self) {
        let (sale, counts) = (self.sale().await, self.counts().await);
        assert!(sale.remain_stock >= 0, "{sale:?}");
        assert_eq!(sale.total_stock, sale.remain_stock + counts.holding(), "{sale:?} {counts:?}");
    }

    fn by_shopper(&self, shopper: usize) -> By {
        By { actor: Actor::Shopper(self.shoppers[shopper]), request_id: "req-2".into() }
    }

    /// A statement past all rules of the program.
    async fn force(&self, statement: String) -> Result<(), seckill::ledger::LedgerError> {
        self.ledger.run(move |conn| Ok(conn.batch_execute(&statement)?)).await
    }
}

/// Waits for a condition, with a bound.
async fn until(what: &str, bound: Duration, mut holds: impl AsyncFnMut() -> bool) {
    let end = tokio::time::Instant::now() + bound;
    while !holds().await {
        assert!(tokio::time::Instant::now() < end, "{what} has not come within {bound:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
