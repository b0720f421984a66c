//! The connection: one server or a cluster, told apart by the number of addresses.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use redis::{
    Client, Cmd, FromRedisValue, Pipeline, RedisFuture, RedisResult, ScriptInvocation, Value,
    aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig},
    cluster::ClusterClientBuilder,
    cluster_async::ClusterConnection,
    cluster_routing::{RoutingInfo, SingleNodeRoutingInfo},
};

use super::error::GateError;
use super::scripts::GateScript;

/// Where the gate is and how long it may take.
#[derive(Debug, Clone)]
pub struct GateOptions {
    /// One `redis://` or `rediss://` address, or several, comma-separated, of a cluster.
    pub url: String,
    /// The bound of one call, waiting for a connection included.
    pub call_timeout: Duration,
    /// The bound of making a connection.
    pub connect_timeout: Duration,
}

#[derive(Clone)]
enum Conn {
    One(Box<ConnectionManager>),
    Cluster(ClusterConnection),
}

impl ConnectionLike for Conn {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::One(conn) => conn.req_packed_command(cmd),
            Self::Cluster(conn) => conn.req_packed_command(cmd),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::One(conn) => conn.req_packed_commands(pipeline, offset, count),
            Self::Cluster(conn) => conn.req_packed_commands(pipeline, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::One(conn) => conn.get_db(),
            Self::Cluster(conn) => conn.get_db(),
        }
    }
}

/// The gate. Cheap to clone; all clones share one multiplexed connection, which mends itself.
#[derive(Clone)]
pub struct Gate {
    line: Arc<ArcSwap<Line>>,
    /// For whoever listens, which takes a connection of its own.
    listener: Client,
    call_timeout: Duration,
}

/// A connection, and when it was heard last.
struct Line {
    conn: Conn,
    /// How to begin another; a cluster's connection finds its nodes again by itself.
    anew: Option<(Client, ConnectionManagerConfig)>,
    heard: Mutex<Option<Instant>>,
}

impl Line {
    fn one(client: Client, config: ConnectionManagerConfig) -> Result<Self, GateError> {
        let manager = ConnectionManager::new_lazy_with_config(client.clone(), config.clone())?;
        let (conn, heard) = (Conn::One(Box::new(manager)), Mutex::default());
        Ok(Self { conn, anew: Some((client, config)), heard })
    }

    fn hear(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is_silent_since(&self, time: Instant) -> bool {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(|heard| heard < time)
    }
}

/// What `doctor` wants to know of a Redis.
#[derive(Debug, Clone)]
pub struct ServerFacts {
    /// As `7.0.15`.
    pub version: String,
    /// Must be `noeviction`: an evicted key is a lost unit.
    pub maxmemory_policy: String,
    /// Must be on: a restart must find the sale.
    pub append_only: bool,
    /// Redis' clock, ms since the epoch.
    pub now_ms: i64,
}

impl Gate {
    /// Prepares the connection; a single server is connected on the first call, so that a role can
    /// start before its gate does.
    ///
    /// # Errors
    /// [`GateError::Address`] when the address cannot be read; for a cluster also when no node answers.
    pub async fn connect(options: &GateOptions) -> Result<Self, GateError> {
        let addresses: Vec<&str> =
            options.url.split(',').map(str::trim).filter(|a| !a.is_empty()).collect();
        let Some(first) = addresses.first() else {
            return Err(GateError::Address("empty".into()));
        };
        let listener = Client::open(*first)?;
        let line = match addresses.as_slice() {
            [address] => {
                let config = ConnectionManagerConfig::new()
                    .set_connection_timeout(Some(options.connect_timeout))
                    .set_response_timeout(Some(options.call_timeout))
                    .set_number_of_retries(2)
                    .set_min_delay(Duration::from_millis(50))
                    .set_max_delay(Duration::from_millis(500));
                let client = Client::open(*address)?;
                Line::one(client, config)?
            }
            nodes => {
                let client = ClusterClientBuilder::new(nodes.iter().copied())
                    .connection_timeout(options.connect_timeout)
                    .response_timeout(options.call_timeout)
                    .retries(3)
                    .build()?;
                let conn = client.get_async_connection().await.map_err(GateError::unreached)?;
                Line { conn: Conn::Cluster(conn), anew: None, heard: Mutex::default() }
            }
        };
        let line = Arc::new(ArcSwap::from_pointee(line));
        Ok(Self { line, listener, call_timeout: options.call_timeout })
    }

    pub(super) const fn listener(&self) -> &Client {
        &self.listener
    }

    pub(super) const fn call_timeout(&self) -> Duration {
        self.call_timeout
    }

    /// Runs a script; `fill` gives its keys and arguments.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        script: &'static GateScript,
        fill: impl for<'a> FnOnce(
            &'a mut ScriptInvocation<'static>,
        ) -> &'a mut ScriptInvocation<'static>,
    ) -> Result<T, GateError> {
        let mut invocation = script.script.prepare_invoke();
        fill(&mut invocation);
        let started = Instant::now();
        let answer = self.bounded(async |mut conn| invocation.invoke_async(&mut conn).await).await;
        metrics::histogram!("seckill_gate_call_duration_seconds", "script" => script.name)
            .record(started.elapsed().as_secs_f64());
        answer
    }

    /// Sends a plain command.
    pub(super) async fn command<T: FromRedisValue>(&self, cmd: &Cmd) -> Result<T, GateError> {
        self.bounded(async |mut conn| cmd.query_async(&mut conn).await).await
    }

    /// Sends a command that the client would ask every node of a cluster.
    pub(super) async fn ask_one_node<T: FromRedisValue>(&self, cmd: &Cmd) -> Result<T, GateError> {
        let any = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
        let ask = async |conn| match conn {
            Conn::Cluster(mut nodes) => nodes.route_command(cmd.clone(), any).await,
            Conn::One(mut server) => cmd.query_async(&mut *server).await,
        };
        let answer = self.bounded(ask).await?;
        T::from_redis_value(answer).map_err(GateError::unreadable)
    }

    async fn bounded<T, F: Future<Output = RedisResult<T>>>(
        &self,
        call: impl FnOnce(Conn) -> F,
    ) -> Result<T, GateError> {
        let line = self.line.load_full();
        let begun = Instant::now();
        // The client's own bound starts when the command is sent; this one also covers the wait for a
        // connection.
        let answer = match tokio::time::timeout(self.call_timeout, call(line.conn.clone())).await {
            Ok(answer) => answer.map_err(GateError::from),
            Err(_) => Err(GateError::NoAnswer(format!("nothing within {:?}", self.call_timeout))),
        };
        match &answer {
            Err(GateError::NoAnswer(_) | GateError::Unavailable(_)) => {
                self.give_up_if_dead(&line, begun);
            }
            _ => line.hear(),
        }
        answer
    }

    /// A connection on which nobody heard anything for as long as a call may take is dead, even if no one
    /// has closed it: the other machine may have vanished. Left alone, every call would wait on it until
    /// the system gives it up, which takes minutes.
    fn give_up_if_dead(&self, line: &Arc<Line>, since: Instant) {
        let Some((client, config)) = &line.anew else { return };
        if since.elapsed() < self.call_timeout || !line.is_silent_since(since) {
            return;
        }
        if let Ok(fresh) = Line::one(client.clone(), config.clone()) {
            // Only by the first who finds out.
            let found = self.line.compare_and_swap(line, Arc::new(fresh));
            if Arc::ptr_eq(&found, line) {
                tracing::warn!("the gate has fallen silent; connecting anew");
            }
        }
    }

    /// Whether the gate answers.
    pub async fn ping(&self) -> Result<(), GateError> {
        self.command(&redis::cmd("PING")).await
    }

    /// Facts on the server for `doctor`; on a cluster, of one of its nodes.
    pub async fn server_facts(&self) -> Result<ServerFacts, GateError> {
        let info: String = self.ask_one_node(redis::cmd("INFO").arg("server")).await?;
        let version = info
            .lines()
            .find_map(|line| line.strip_prefix("redis_version:"))
            .unwrap_or("unknown")
            .trim()
            .to_owned();
        let (seconds, micros): (i64, i64) = self.command(&redis::cmd("TIME")).await?;
        Ok(ServerFacts {
            version,
            maxmemory_policy: self.config_value("maxmemory-policy").await?,
            append_only: self.config_value("appendonly").await? == "yes",
            now_ms: seconds * 1000 + micros / 1000,
        })
    }

    async fn config_value(&self, name: &str) -> Result<String, GateError> {
        let pair: Vec<String> = self.command(redis::cmd("CONFIG").arg("GET").arg(name)).await?;
        Ok(pair.into_iter().nth(1).unwrap_or_default())
    }
}
