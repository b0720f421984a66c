//! Seckill in this process, built by the same functions as in production.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use seckill::back_office::{BackOffice, Balance, NamedProduct};
use seckill::config::Config;
use seckill::gate::Gate;
use seckill::ledger::Ledger;
use seckill::ledger::users::{self, Insertion, NewUser};
use seckill::role::serve::Sockets;
use seckill::role::{self, Roles};
use seckill::sale::actor::Actor;
use seckill::sale::ids::{ActivityId, UserId};
use seckill::sale::money::Cents;
use seckill::sale::reconciliation::Report;
use seckill::sale::shopper::Role;
use seckill::stack::Kind;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::proxy::Proxy;
use super::sale::Sale;
use super::servers::Places;
use super::shopper::Shopper;
use super::{SOON, eventually};

/// The password of every shopper of the tests.
pub(crate) const PASSWORD: &str = "correct horse";

const SECRET_KEY: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdeffedcba9876543210";

/// The roles that stand on one side of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Pages.
    Web,
    /// The path behind the gate, and processes with all roles.
    Worker,
}

/// What a test wants its Seckill to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// Start no worker.
    pub(crate) no_worker: bool,
    /// Start no site.
    pub(crate) no_web: bool,
    /// Another Redis than the shared one.
    pub(crate) redis_url: Option<String>,
    /// Another broker than the shared one.
    pub(crate) amqp_url: Option<String>,
    /// Between the roles of a side and a server stands a [`Proxy`]; the test itself goes past it.
    pub(crate) behind: Vec<(Side, Kind)>,
    /// Variables of the environment.
    pub(crate) settings: Vec<(&'static str, String)>,
    /// The books of this test are out of balance on purpose.
    pub(crate) unbalanced: bool,
}

impl Plan {
    #[allow(clippy::needless_pass_by_value, reason = "a call reads better without a reference")]
    pub(crate) fn set(mut self, key: &'static str, value: impl ToString) -> Self {
        self.settings.push((key, value.to_string()));
        self
    }

    pub(crate) fn behind(mut self, side: Side, kind: Kind) -> Self {
        self.behind.push((side, kind));
        self
    }
}

/// A role that runs in this process.
#[derive(Debug)]
struct Running {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// Seckill with a ledger, gate and queues of its own.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) places: Places,
    pub(crate) config: Config,
    pub(crate) gate: Gate,
    pub(crate) ledger: Ledger,
    pub(crate) office: BackOffice,
    pub(crate) http: reqwest::Client,
    variables: HashMap<String, String>,
    proxies: Vec<(Side, Kind, Proxy)>,
    /// Where a process serves the site, when none of this one does.
    site: Option<String>,
    web: Option<Running>,
    worker: Option<Running>,
    reconciler: Option<Running>,
    names: AtomicU32,
    unbalanced: bool,
    /// Where the pictures of products are; goes with the test.
    pub(crate) pictures: tempfile::TempDir,
}

impl App {
    /// All roles, with the usual settings.
    pub(crate) async fn start() -> Self {
        Self::start_with(Plan::default()).await
    }

    pub(crate) async fn start_with(plan: Plan) -> Self {
        let places = Places::fresh().await;
        let pictures = tempfile::tempdir().unwrap();
        let mut variables = variables(&places, &plan);
        variables
            .entry("SECKILL__SITE__PICTURES_DIR".to_owned())
            .or_insert_with(|| pictures.path().to_str().unwrap().to_owned());
        let config = Config::from_variables(variables.clone()).unwrap();
        let opened = role::Places::open(&config).await.unwrap();
        opened.ledger.migrate().await.unwrap();
        let office = opened.back_office(&config);
        let mut app = Self {
            places,
            config,
            gate: opened.gate,
            ledger: opened.ledger,
            office,
            http: client(),
            proxies: proxies(&plan, &variables).await,
            variables,
            site: None,
            web: None,
            worker: None,
            reconciler: None,
            names: AtomicU32::new(1),
            unbalanced: plan.unbalanced,
            pictures,
        };
        if !plan.no_worker {
            app.start_worker().await;
        }
        if !plan.no_web {
            app.start_web().await;
        }
        app
    }

    pub(crate) async fn start_worker(&mut self) {
        assert!(self.worker.is_none(), "the worker runs");
        self.worker = Some(run(&self.config_of(Side::Worker), Roles::Worker).await);
    }

    pub(crate) async fn stop_worker(&mut self) {
        self.worker.take().expect("the worker runs").stop().await;
    }

    pub(crate) async fn start_reconciler(&mut self) {
        assert!(self.reconciler.is_none(), "the reconciler runs");
        self.reconciler = Some(run(&self.config_of(Side::Worker), Roles::Reconcile).await);
    }

    /// One round of a reconciler.
    pub(crate) async fn reconcile(&self, dry_run: bool) -> Report {
        role::reconcile_once(&self.config, dry_run, &CancellationToken::new()).await.unwrap()
    }

    pub(crate) async fn start_web(&mut self) {
        assert!(self.web.is_none(), "the site runs");
        self.web = Some(run(&self.config_of(Side::Web), Roles::Web).await);
    }

    pub(crate) async fn stop_web(&mut self) {
        self.web.take().expect("the site runs").stop().await;
    }

    /// The address of the site without a path.
    pub(crate) fn url(&self) -> String {
        self.site_url().expect("the site runs")
    }

    fn site_url(&self) -> Option<String> {
        let here = self.web.as_ref().map(|web| format!("http://{}", web.address));
        here.or_else(|| self.site.clone())
    }

    /// From now on shoppers who sign in do so at this site, which a process serves.
    pub(crate) fn is_served_at(&mut self, url: &str) {
        self.site = Some(url.to_owned());
    }

    /// The environment of a process that goes past the proxies.
    pub(crate) fn environment(&self) -> HashMap<String, String> {
        self.variables.clone()
    }

    /// The environment of a process that joins on this side.
    pub(crate) fn environment_of(&self, side: Side) -> HashMap<String, String> {
        let mut variables = self.variables.clone();
        for (_, kind, proxy) in self.proxies.iter().filter(|(of, ..)| *of == side) {
            let address = variables.get_mut(address_of(*kind)).unwrap();
            *address = proxy.url(address);
        }
        variables
    }

    fn config_of(&self, side: Side) -> Config {
        Config::from_variables(self.environment_of(side)).unwrap()
    }

    /// The proxy that the plan put there.
    pub(crate) fn proxy(&self, side: Side, kind: Kind) -> &Proxy {
        let found = self.proxies.iter().find(|(s, k, _)| (*s, *k) == (side, kind));
        &found.expect("a proxy of the plan").2
    }

    /// Publishes a sale, waits until pages know it, and gives its id.
    pub(crate) async fn sale(&self, sale: Sale) -> ActivityId {
        let id = self.draft(sale).await;
        self.office.schedule(id, None, &Actor::command()).await.unwrap();
        if let Some(url) = self.site_url() {
            let path = format!("{url}/activities/{id}");
            eventually("the page of a new sale", SOON, || async {
                self.http.get(&path).send().await.ok().filter(|r| r.status() == 200).map(drop)
            })
            .await;
        }
        id
    }

    pub(crate) async fn draft(&self, sale: Sale) -> ActivityId {
        let product = NamedProduct {
            name: sale.product,
            description: "Boils water.".into(),
            list_price: Some(Cents(sale.price * 3)),
        };
        let terms = seckill::sale::plan::Plan {
            title: sale.title,
            price: Cents(sale.price),
            stock: sale.stock,
            starts_at: sale.starts_at,
            ends_at: sale.ends_at,
            captcha: sale.captcha,
            rebuy: sale.rebuy,
            buckets: 1,
            pay_within_s: sale.pay_within_s,
            rate_per_s: sale.rate,
            total_rate_per_s: None,
        };
        self.office.draft_of(product, terms, &Actor::command()).await.unwrap()
    }

    /// A new shopper, signed in.
    pub(crate) async fn shopper(&self) -> Shopper {
        let (id, name) = self.account(Role::Shopper).await;
        Shopper::sign_in(self, id, &name).await
    }

    /// New shoppers, signed in, some at a time.
    pub(crate) async fn shoppers(&self, count: usize) -> Vec<Shopper> {
        use futures_util::StreamExt as _;
        futures_util::stream::iter(0..count)
            .map(|_| self.shopper())
            .buffer_unordered(16)
            .collect()
            .await
    }

    /// An account that can sign in with [`PASSWORD`].
    pub(crate) async fn account(&self, role: Role) -> (UserId, String) {
        let name = format!("shopper{}", self.names.fetch_add(1, Ordering::Relaxed));
        let new = NewUser {
            username: name.clone(),
            username_key: name.clone(),
            password_hash: cheap_hash(),
            role,
        };
        match users::insert(&self.ledger, new).await.unwrap() {
            Insertion::Created(id) => (id, name),
            Insertion::Taken => panic!("the name {name} is taken"),
        }
    }

    pub(crate) async fn balance(&self, id: ActivityId) -> Balance {
        self.office.balance(id).await.unwrap()
    }

    /// Waits until the balance is as `is` says.
    pub(crate) async fn balanced(
        &self,
        what: &str,
        id: ActivityId,
        is: impl Fn(&Balance) -> bool,
    ) -> Balance {
        eventually(what, SOON, || async { Some(self.balance(id).await).filter(&is) }).await
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(async {
                    if !self.unbalanced {
                        super::books::check(self).await;
                    }
                    for running in [self.web.take(), self.worker.take(), self.reconciler.take()]
                        .into_iter()
                        .flatten()
                    {
                        running.stop().await;
                    }
                });
            });
        }
        self.places.drop_database();
    }
}

impl App {
    pub(super) fn has_worker(&self) -> bool {
        self.worker.is_some()
    }
}

/// A hash of [`PASSWORD`] that costs next to nothing.
fn cheap_hash() -> String {
    use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, Version};
    static HASH: LazyLock<String> = LazyLock::new(|| {
        let params = Params::new(8, 1, 1, None).unwrap();
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon2.hash_password(PASSWORD.as_bytes()).unwrap().to_string()
    });
    HASH.clone()
}

async fn run(config: &Config, roles: Roles) -> Running {
    let stop = CancellationToken::new();
    let sockets = Sockets::take(config, roles).unwrap();
    let (tell, told) = tokio::sync::oneshot::channel();
    let (config, own_stop) = (config.clone(), stop.clone());
    let task = tokio::spawn(async move {
        let ready = |address| tell.send(address).unwrap();
        role::serve(&config, roles, sockets, own_stop, ready).await.expect("the role runs");
    });
    Running { address: told.await.expect("the role gets ready"), stop, task }
}

impl Running {
    async fn stop(self) {
        self.stop.cancel();
        self.task.await.expect("the role ends in peace");
    }
}

fn variables(places: &Places, plan: &Plan) -> HashMap<String, String> {
    let amqp_url = plan.amqp_url.as_ref().unwrap_or(&places.amqp_url);
    let redis_url = plan.redis_url.as_ref().unwrap_or(&places.redis_url);
    let defaults = [
        ("DATABASE_URL", places.database_url.as_str()),
        ("REDIS_URL", redis_url),
        ("AMQP_URL", amqp_url),
        ("SECKILL_SECRET_KEY", SECRET_KEY),
        ("SECKILL_BIND", "127.0.0.1:0"),
        ("SECKILL_OPS_BIND", "127.0.0.1:0"),
        ("SECKILL__QUEUE__PREFIX", &places.prefix),
        ("SECKILL__SITE__WORKERS", "2"),
        ("SECKILL__SITE__SHUTDOWN_TIMEOUT_S", "5"),
        ("SECKILL__KEEPER__EVERY_MS", "100"),
        ("SECKILL__KEEPER__DRAIN_MS", "3000"),
        ("SECKILL__RECONCILE__EVERY_S", "1"),
        ("SECKILL__RECONCILE__APART_MS", "300"),
        ("SECKILL__RECONCILE__WAITING_S", "60"),
        ("SECKILL__RELAY__LEASE_MS", "1500"),
        ("SECKILL__RELAY__IDLE_MS", "10"),
        ("SECKILL__CAPTCHA__POOL", "32"),
    ];
    let settings = plan.settings.iter().map(|(key, value)| (*key, value.as_str()));
    defaults
        .into_iter()
        .chain(settings)
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// The variable that says where a server is.
const fn address_of(kind: Kind) -> &'static str {
    match kind {
        Kind::MariaDb => "DATABASE_URL",
        Kind::Redis => "REDIS_URL",
        Kind::RabbitMq => "AMQP_URL",
    }
}

async fn proxies(plan: &Plan, variables: &HashMap<String, String>) -> Vec<(Side, Kind, Proxy)> {
    let mut proxies = Vec::new();
    for (side, kind) in &plan.behind {
        let target = url::Url::parse(&variables[address_of(*kind)]).unwrap();
        let target = (target.host_str().unwrap().to_owned(), target.port().unwrap());
        proxies.push((*side, *kind, Proxy::start(target).await));
    }
    proxies
}

/// Follows no redirect and keeps no cookie: the tests look at both.
fn client() -> reqwest::Client {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(60))
        .build()
        .unwrap()
}
