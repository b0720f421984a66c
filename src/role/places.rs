//! The places as the configuration names them, and what is built on them.

use std::{sync::Arc, time::Duration};

use super::RoleError;
use crate::account::{Accounts, Cost};
use crate::back_office::{BackOffice, Terms};
use crate::catalog::Catalog;
use crate::config::{Config, Needs, ms};
use crate::gate::filling::GateTerms;
use crate::gate::{Gate, GateOptions};
use crate::ledger::{Ledger, LedgerOptions};
use crate::payment::sandbox::Sandbox;
use crate::picture::Gallery;
use crate::purchase::collect::Collector;
use crate::purchase::{Desk, Tally};
use crate::queue::{Queue, QueueOptions};
use crate::reconcile::keeper::{Differing, Keeper};
use crate::sale::order_number::OrderNumbers;

/// Gate and ledger, which every role has.
#[derive(Debug, Clone)]
pub struct Places {
    /// Redis.
    pub gate: Gate,
    /// MySQL.
    pub ledger: Ledger,
}

impl Places {
    /// Gets ready to ask gate and ledger.
    pub async fn open(config: &Config) -> Result<Self, RoleError> {
        config.require(Needs { gate: true, ledger: true, ..Needs::default() })?;
        Ok(Self { gate: gate(config).await?, ledger: ledger(config)? })
    }

    /// The back office on these places.
    #[must_use]
    pub fn back_office(&self, config: &Config) -> BackOffice {
        let terms = Terms {
            gate: GateTerms {
                currency: config.sale.currency.to_string(),
                outbox_bound: config.sale.outbox_bound,
                keep_ms: config.sale.keep_hours.saturating_mul(3_600_000),
            },
            preheat_before_ms: config.sale.preheat_before_s.saturating_mul(1000),
            lock_life: ms(config.keeper.lock_ms),
            lock_wait: Duration::from_secs(3),
            owner: identity(),
        };
        BackOffice::new(self.gate.clone(), self.ledger.clone(), terms)
    }

    /// The keeper on these places.
    #[must_use]
    pub fn keeper(&self, config: &Config, catalog: &Catalog, queue: &Queue) -> Keeper {
        Keeper {
            office: self.back_office(config),
            catalog: catalog.clone(),
            queue: queue.clone(),
            every: ms(config.keeper.every_ms),
            drain: ms(config.keeper.drain_ms),
            differing: Differing::default(),
        }
    }

    /// The catalog on these places.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        Catalog::new(self.ledger.clone(), self.gate.clone())
    }

    /// The counts of this process.
    #[must_use]
    pub fn tally(&self, catalog: Catalog) -> Tally {
        Tally::new(self.gate.clone(), catalog, identity())
    }

    /// The desk on these places.
    #[must_use]
    pub fn desk(&self, config: &Config, catalog: Catalog, tally: Tally) -> Desk {
        let numbers = Arc::new(OrderNumbers::new(config.site.secret_key.reveal().as_bytes()));
        let life = Duration::from_secs(config.sale.ticket_life_s);
        let collector = self.collector(config);
        let (gate, ledger) = (self.gate.clone(), self.ledger.clone());
        Desk::new(gate, ledger, catalog, numbers, life, collector, tally)
    }

    /// The sandbox, whose books are in the same ledger.
    #[must_use]
    pub fn sandbox(&self, config: &Config) -> Sandbox {
        Sandbox::new(self.ledger.clone(), config.site.secret_key.reveal().as_bytes())
    }

    /// Whoever settles payments.
    #[must_use]
    pub fn collector(&self, config: &Config) -> Collector {
        Collector {
            ledger: self.ledger.clone(),
            provider: Arc::new(self.sandbox(config)),
            bound: ms(config.payment.answer_timeout_ms),
        }
    }
}

/// Gets ready to ask the gate alone.
pub(crate) async fn gate(config: &Config) -> Result<Gate, RoleError> {
    config.require(Needs { gate: true, ..Needs::default() })?;
    let options = GateOptions {
        url: config.gate.url.reveal().to_owned(),
        call_timeout: ms(config.gate.call_timeout_ms),
        connect_timeout: ms(config.gate.connect_timeout_ms),
    };
    Ok(Gate::connect(&options).await?)
}

/// Gets ready to ask the ledger alone.
pub(crate) fn ledger(config: &Config) -> Result<Ledger, RoleError> {
    config.require(Needs { ledger: true, ..Needs::default() })?;
    let c = &config.ledger;
    Ok(Ledger::open(LedgerOptions {
        url: c.url.reveal().to_owned(),
        pool_size: c.pool_size,
        checkout_timeout: ms(c.checkout_timeout_ms),
        statement_timeout: ms(c.statement_timeout_ms),
        lock_timeout: Duration::from_secs(c.lock_timeout_s),
        call_timeout: ms(c.call_timeout_ms),
    })?)
}

/// The accounts in this ledger, with the configured cost of a password.
pub(crate) fn accounts(config: &Config, ledger: Ledger) -> Result<Accounts, RoleError> {
    let cost = Cost {
        memory_kib: config.account.argon2_memory_kib,
        passes: config.account.argon2_passes,
        at_once: config.account.argon2_at_once,
    };
    Accounts::new(ledger, cost).map_err(|error| RoleError::Other(format!("account: {error}")))
}

/// The pictures of products, in the configured folder.
pub(crate) fn gallery(config: &Config) -> Result<Gallery, RoleError> {
    let folder = config.site.pictures_dir();
    Gallery::open(folder.clone()).map_err(|error| {
        let folder = folder.display();
        RoleError::Other(format!(
            "pictures cannot be kept in {folder} (SECKILL__SITE__PICTURES_DIR): {error}"
        ))
    })
}

/// Gets ready to speak with the broker.
pub(crate) fn queue(config: &Config, role: &str) -> Result<Queue, RoleError> {
    config.require(Needs { queue: true, ..Needs::default() })?;
    let c = &config.queue;
    Ok(Queue::new(QueueOptions {
        prefix: c.prefix.clone(),
        connection_name: format!("seckill {role} {}", identity()),
        connect_timeout: ms(c.connect_timeout_ms),
        confirm_timeout: ms(c.confirm_timeout_ms),
        heartbeat: Duration::from_secs(u64::from(c.heartbeat_s)),
        ..QueueOptions::new(c.url.reveal())
    })?)
}

/// Names this process among all that may hold a lock: unlike the pid alone it is never used again.
#[must_use]
pub fn identity() -> String {
    use std::sync::OnceLock;
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY.get_or_init(|| format!("{}-{:08x}", std::process::id(), rand::random::<u32>())).clone()
}
