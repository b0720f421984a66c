//! `seckill activity …`: the same rules as the console.

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};

use super::output::out;
use crate::back_office::{BackOffice, Balance, NamedProduct, state_word};
use crate::config::Config;
use crate::role::{Places, RoleError};
use crate::sale::activity::Activity;
use crate::sale::actor::Actor;
use crate::sale::error::Class;
use crate::sale::ids::ActivityId;
use crate::sale::money::Cents;
use crate::sale::plan::Plan;

/// How many activities `list` shows.
const LISTED: i64 = 200;

#[derive(Debug, Subcommand)]
pub(super) enum ActivityCommand {
    /// Makes a draft, and its product when there is none of that name; prints the activity's id alone.
    Create(Box<Create>),
    /// The newest activities.
    List,
    /// One activity and its balance.
    Show {
        /// Which activity.
        id: ActivityId,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Publishes a draft.
    Schedule {
        /// Which activity.
        id: ActivityId,
    },
    /// Stops a sale for the moment.
    Pause {
        /// Which activity.
        id: ActivityId,
    },
    /// Lets a paused sale go on.
    Resume {
        /// Which activity.
        id: ActivityId,
    },
    /// Closes a sale's window now.
    End {
        /// Which activity.
        id: ActivityId,
    },
    /// Withdraws an activity, only before its first order.
    Cancel {
        /// Which activity.
        id: ActivityId,
    },
    /// Adds units, or takes units that are free.
    Adjust {
        /// Which activity.
        id: ActivityId,
        /// `+N` or `-N`.
        #[arg(long, allow_hyphen_values = true, value_parser = parse_change, value_name = "+N|-N")]
        stock: i64,
        /// Names the change, so that it can be sent again when its answer was lost.
        #[arg(long, value_name = "ID")]
        change_id: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(super) struct Create {
    /// The product's name.
    #[arg(long)]
    product: String,
    /// The product's description, used when it is made now.
    #[arg(long, default_value = "")]
    description: String,
    /// The product's usual price, used when it is made now.
    #[arg(long, value_parser = Cents::parse_amount)]
    list_price: Option<Cents>,
    /// The sale's headline.
    #[arg(long)]
    title: String,
    /// What one unit costs, like 19.99.
    #[arg(long, value_parser = Cents::parse_amount)]
    price: Cents,
    /// Units to sell.
    #[arg(long)]
    stock: i64,
    /// The first moment of the window, like 2030-01-02T03:04:05Z, or `now`.
    #[arg(long, value_parser = parse_time)]
    starts_at: DateTime<Utc>,
    /// The first moment after it.
    #[arg(long, value_parser = parse_time)]
    ends_at: DateTime<Utc>,
    /// Ask for no captcha.
    #[arg(long)]
    no_captcha: bool,
    /// A shopper who cancelled may not buy again.
    #[arg(long)]
    no_rebuy: bool,
    /// Parts of the stock at the gate.
    #[arg(long, default_value_t = 1)]
    buckets: u16,
    /// Seconds from the recording of an order to its deadline.
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    pay_within: i64,
    /// Purchase requests that one shopper may make a second.
    #[arg(long, value_name = "N", default_value_t = 5)]
    rate: i64,
    /// Attempts of all shoppers together a second; without it there is no bound.
    #[arg(long, value_name = "N")]
    total_rate: Option<i64>,
}

fn parse_time(text: &str) -> Result<DateTime<Utc>, String> {
    if text == "now" {
        return Ok(Utc::now());
    }
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.with_timezone(&Utc))
        .map_err(|_| "write a time like 2030-01-02T03:04:05Z, or now".to_owned())
}

fn parse_change(text: &str) -> Result<i64, String> {
    let signed = text.starts_with(['+', '-']);
    match text.parse::<i64>() {
        Ok(change) if signed && change != 0 => Ok(change),
        _ => Err("write a change like +10 or -10".to_owned()),
    }
}

pub(super) async fn run(config: &Config, command: ActivityCommand) -> Result<(), RoleError> {
    let office = Places::open(config).await?.back_office(config);
    let by = Actor::command();
    match command {
        ActivityCommand::Create(create) => {
            let (product, plan) = planned(*create);
            out!("{}", office.draft_of(product, plan, &by).await?);
        }
        ActivityCommand::List => list(&office).await?,
        ActivityCommand::Show { id, json } => show(&office, id, json).await?,
        ActivityCommand::Schedule { id } => office.schedule(id, None, &by).await?,
        ActivityCommand::Pause { id } => office.pause(id, None, &by).await?,
        ActivityCommand::Resume { id } => office.resume(id, None, &by).await?,
        ActivityCommand::End { id } => office.end(id, None, &by).await?,
        ActivityCommand::Cancel { id } => office.withdraw(id, None, &by).await?,
        ActivityCommand::Adjust { id, stock, change_id } => {
            let change_id = change_id.unwrap_or_else(|| format!("{:032x}", rand::random::<u128>()));
            let adjusted = office.adjust(id, stock, &change_id, &by).await.map_err(|error| {
                if error.class() == Class::Reject {
                    return RoleError::from(error);
                }
                let again =
                    format!("ask again with --change-id {change_id}, so that it counts once");
                RoleError::Other(format!("{error}\n{again}"))
            })?;
            out!("changed by {:+}, total {}", adjusted.changed, adjusted.total);
        }
    }
    Ok(())
}

fn planned(create: Create) -> (NamedProduct, Plan) {
    let product = NamedProduct {
        name: create.product,
        description: create.description,
        list_price: create.list_price,
    };
    let plan = Plan {
        title: create.title,
        price: create.price,
        stock: create.stock,
        starts_at: create.starts_at,
        ends_at: create.ends_at,
        captcha: !create.no_captcha,
        rebuy: !create.no_rebuy,
        buckets: create.buckets,
        pay_within_s: create.pay_within,
        rate_per_s: create.rate,
        total_rate_per_s: create.total_rate,
    };
    (product, plan)
}

async fn list(office: &BackOffice) -> Result<(), RoleError> {
    out!("{:>6}  {:<10} {:>9} {:>9}  {:<20} title", "id", "state", "remain", "total", "starts at");
    for activity in office.activities(None, LISTED).await? {
        let Activity { id, remain_stock, total_stock, title, .. } = &activity;
        let starts_at = activity.starts_at.format("%Y-%m-%dT%H:%M:%SZ");
        let state = state_word(&activity);
        out!("{id:>6}  {state:<10} {remain_stock:>9} {total_stock:>9}  {starts_at:<20} {title}");
    }
    Ok(())
}

async fn show(office: &BackOffice, id: ActivityId, json: bool) -> Result<(), RoleError> {
    let balance = office.balance(id).await?;
    if json {
        let text = serde_json::to_string(&balance)
            .map_err(|error| RoleError::Other(format!("cannot write JSON: {error}")))?;
        out!("{text}");
        return Ok(());
    }
    let activity = office.read(id).await?;
    let Balance { state, total_stock, remain_stock, gate_stock, reserved, orders, .. } = balance;
    let at_gate = |figure: Option<i64>| figure.map_or("-".to_owned(), |n| n.to_string());
    out!("activity {id}: {} ({})", activity.title, activity.product.name);
    out!("  state     {state}");
    out!("  window    {} to {}", activity.starts_at.to_rfc3339(), activity.ends_at.to_rfc3339());
    out!("  ledger    total {total_stock}, remain {remain_stock}");
    out!("  gate      stock {}, reserved {}", at_gate(gate_stock), at_gate(reserved));
    out!(
        "  orders    pending {}, paid {}, cancelled {}, rejected {}, lost {}",
        orders.pending_payment,
        orders.paid,
        orders.cancelled,
        orders.rejected,
        orders.lost
    );
    Ok(())
}
