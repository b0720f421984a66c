//! The ops port: `/livez`, `/readyz`, `/metrics`. Never on the site's port.

use std::{
    collections::BTreeMap,
    future::Future,
    net::TcpListener,
    pin::Pin,
    sync::{Arc, OnceLock},
    time::Duration,
};

use actix_web::{App, HttpResponse, HttpServer, dev::Server, http::header, web};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use metrics_util::MetricKindMask;

/// How long one check of a dependency may take.
const CHECK_BOUND: Duration = Duration::from_secs(3);

/// A gauge that nobody sets any more goes after this time: the stock of a sale that is over is no news.
const FORGOTTEN: Duration = Duration::from_secs(300);

/// Bounds of the histograms, seconds.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];

type CheckFuture = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// Asks whether one dependency can be used.
#[derive(Clone)]
pub struct Check {
    name: &'static str,
    ask: Arc<dyn Fn() -> CheckFuture + Send + Sync>,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Check {
    /// A check called `name`; `ask` tells what is wrong.
    pub fn new<F, A>(name: &'static str, ask: A) -> Self
    where
        A: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self { name, ask: Arc::new(move || Box::pin(ask())) }
    }

    async fn result(&self) -> Result<(), String> {
        tokio::time::timeout(CHECK_BOUND, (self.ask)())
            .await
            .unwrap_or_else(|_| Err(format!("no answer within {CHECK_BOUND:?}")))
    }
}

/// What the ops port serves.
#[derive(Clone, Debug)]
pub struct OpsServer {
    metrics: PrometheusHandle,
    checks: Vec<Check>,
}

impl OpsServer {
    /// Starts collecting metrics; all roles of a process share them.
    ///
    /// # Errors
    /// When they cannot be collected.
    pub fn new(checks: Vec<Check>) -> Result<Self, String> {
        static COLLECTED: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();
        let collected = COLLECTED.get_or_init(|| {
            let builder = PrometheusBuilder::new().set_buckets(&BUCKETS);
            let builder = builder.map(|b| b.idle_timeout(MetricKindMask::GAUGE, Some(FORGOTTEN)));
            builder.and_then(PrometheusBuilder::install_recorder).map_err(|error| error.to_string())
        });
        Ok(Self { metrics: collected.clone()?, checks })
    }

    /// Serves on this socket.
    ///
    /// # Errors
    /// When the socket cannot be used.
    pub fn serve(self, listener: TcpListener) -> std::io::Result<Server> {
        let server = HttpServer::new(move || {
            App::new()
                .app_data(web::Data::new(self.clone()))
                .route("/livez", web::get().to(livez))
                .route("/readyz", web::get().to(readyz))
                .route("/metrics", web::get().to(metrics_page))
        });
        Ok(server.workers(1).disable_signals().shutdown_timeout(1).listen(listener)?.run())
    }
}

async fn livez() -> HttpResponse {
    HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "text/plain")).body("ok\n")
}

async fn readyz(ops: web::Data<OpsServer>) -> HttpResponse {
    let results = futures_util::future::join_all(
        ops.checks.iter().map(|check| async { (check.name, check.result().await) }),
    )
    .await;
    let ready = results.iter().all(|(_, result)| result.is_ok());
    let report: BTreeMap<&str, String> = results
        .into_iter()
        .map(|(name, result)| (name, result.err().unwrap_or_else(|| "ok".to_owned())))
        .collect();
    let mut answer = if ready { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    answer.json(report)
}

async fn metrics_page(ops: web::Data<OpsServer>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/plain; version=0.0.4"))
        .body(ops.metrics.render())
}
