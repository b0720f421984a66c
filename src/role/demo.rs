//! Something to try: accounts, and an open, an upcoming and an ended sale. Added once; a later run adds
//! only a sale that has meanwhile run out.

use chrono::{DateTime, TimeDelta, Utc};

use super::RoleError;
use super::places::{Places, accounts};
use crate::account::{AccountError, FieldError};
use crate::back_office::NamedProduct;
use crate::config::Config;
use crate::sale::activity::Phase;
use crate::sale::actor::Actor;
use crate::sale::money::Cents;
use crate::sale::plan::Plan;
use crate::sale::shopper::Role;

const PASSWORD: &str = "flash-sale-demo";

const LOGINS: [(&str, Role); 4] = [
    ("alice", Role::Shopper),
    ("xiaoming", Role::Shopper),
    ("operator", Role::Operator),
    ("admin", Role::Admin),
];

struct DemoSale {
    product: &'static str,
    description: &'static str,
    title: &'static str,
    list_price: i64,
    price: i64,
    stock: i64,
    phase: Phase,
}

const SALES: [DemoSale; 3] = [
    DemoSale {
        product: "山雾 手冲咖啡壶 · Mist Pour-over Kettle",
        description: "0.9 litre gooseneck kettle, brushed steel, holds 94 °C for an hour.\n\
                      0.9 升鹅颈壶,拉丝不锈钢,94 °C 保温一小时。",
        title: "早鸟专场 Early birds",
        list_price: 39_900,
        price: 9_900,
        stock: 50,
        phase: Phase::Open,
    },
    DemoSale {
        product: "Aurora Headphones 极光降噪耳机",
        description: "Over-ear, noise cancelling, 40 hours on one charge.\n头戴式主动降噪,一次充电 40 小时。",
        title: "Two minutes of noise 静音两分钟",
        list_price: 129_900,
        price: 29_900,
        stock: 20,
        phase: Phase::Upcoming,
    },
    DemoSale {
        product: "竹影 台灯 Bamboo Desk Lamp",
        description: "Warm to cold light, dims to 1 %.\n冷暖可调,最低 1% 亮度。",
        title: "昨夜灯火 Last night's lights",
        list_price: 19_900,
        price: 4_900,
        stock: 30,
        phase: Phase::Ended,
    },
];

/// Adds what is missing.
pub(super) async fn add(config: &Config, places: &Places) -> Result<(), RoleError> {
    add_accounts(config, places).await?;
    add_sales(config, places).await
}

/// Tells how to sign in.
pub(super) fn print_logins() {
    println!("demo logins, all with the password {PASSWORD:?}:");
    for (name, role) in LOGINS {
        println!("  {name:<10} {role}");
    }
}

async fn add_accounts(config: &Config, places: &Places) -> Result<(), RoleError> {
    let failed = |error: AccountError| RoleError::Other(format!("demo account: {error}"));
    let accounts = accounts(config, places.ledger.clone())?;
    for (name, role) in LOGINS {
        match accounts.add(Actor::command(), name, PASSWORD, role).await {
            Ok(_) => {}
            Err(AccountError::Invalid(errors)) if errors == [FieldError::UsernameTaken] => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

async fn add_sales(config: &Config, places: &Places) -> Result<(), RoleError> {
    let office = places.back_office(config);
    let now = Utc::now();
    let existing = office.activities(None, 1000).await?;
    for sale in SALES {
        let there = existing.iter().any(|activity| {
            activity.title == sale.title && activity.phase(now.timestamp_millis()) == sale.phase
        });
        if there {
            continue;
        }
        let (starts_at, ends_at) = window(sale.phase, now);
        let id = office
            .draft_of(
                NamedProduct {
                    name: sale.product.to_owned(),
                    description: sale.description.to_owned(),
                    list_price: Some(Cents(sale.list_price)),
                },
                Plan {
                    title: sale.title.to_owned(),
                    price: Cents(sale.price),
                    stock: sale.stock,
                    starts_at,
                    ends_at,
                    captcha: true,
                    rebuy: true,
                    buckets: 1,
                    pay_within_s: 900,
                    rate_per_s: 5,
                    total_rate_per_s: None,
                },
                &Actor::command(),
            )
            .await?;
        office.schedule(id, None, &Actor::command()).await?;
    }
    Ok(())
}

fn window(phase: Phase, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    match phase {
        Phase::Upcoming => (now + TimeDelta::minutes(2), now + TimeDelta::hours(2)),
        Phase::Ended => (now - TimeDelta::hours(14), now - TimeDelta::hours(12)),
        _ => (now, now + TimeDelta::days(7)),
    }
}
