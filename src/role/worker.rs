//! The worker: relay, recorder, keeper, the sweep of unpaid orders, the repetition of missed releases,
//! refunds, the carrier of dead letters, the history's samples.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::RoleError;
use super::places::{Places, identity, queue};
use crate::catalog::Catalog;
use crate::config::{Config, ms};
use crate::purchase::expire::Sweep;
use crate::purchase::pulse::Meter;
use crate::purchase::record::{Recorder, RecorderTerms};
use crate::purchase::refund::Refunds;
use crate::purchase::relay::{Relay, RelayTerms};
use crate::queue::Queue;
use crate::reconcile::dead_letters::Undertaker;
use crate::reconcile::keeper::Keeper;
use crate::reconcile::releases::Releases;
use crate::reconcile::samples::{Sampler, Taken};

/// A worker that is ready to run.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) queue: Queue,
    /// What its recorders do.
    pub(super) meter: Meter,
    relay: Relay,
    recorder: Recorder,
    consumers: usize,
    keeper: Keeper,
    sweep: Sweep,
    releases: Releases,
    refunds: Refunds,
    undertaker: Undertaker,
    sampler: Sampler,
}

impl Worker {
    pub(super) fn build(
        config: &Config,
        places: &Places,
        catalog: &Catalog,
    ) -> Result<Self, RoleError> {
        let queue = queue(config, "worker")?;
        let Places { gate, ledger } = places.clone();
        let (catalog, meter) = (catalog.clone(), Meter::default());
        Ok(Self {
            relay: Relay {
                gate: gate.clone(),
                queue: queue.clone(),
                catalog: catalog.clone(),
                terms: RelayTerms {
                    batch: config.relay.batch,
                    idle: ms(config.relay.idle_ms),
                    lease: ms(config.relay.lease_ms),
                    pause_above: config.relay.pause_above,
                    owner: identity(),
                },
            },
            recorder: Recorder {
                gate: gate.clone(),
                ledger: ledger.clone(),
                queue: queue.clone(),
                meter: meter.clone(),
                terms: RecorderTerms {
                    prefetch: config.recorder.prefetch,
                    batch: config.recorder.batch,
                    linger: ms(config.recorder.linger_ms),
                    step_back_after: Duration::from_secs(config.recorder.step_back_after_s),
                },
            },
            consumers: config.recorder.consumers,
            keeper: places.keeper(config, &catalog, &queue),
            sampler: Sampler {
                office: places.back_office(config),
                catalog: catalog.clone(),
                taken: Taken::default(),
            },
            releases: Releases {
                gate: gate.clone(),
                ledger: ledger.clone(),
                catalog: catalog.clone(),
            },
            sweep: Sweep {
                gate,
                ledger: ledger.clone(),
                catalog,
                collector: places.collector(config),
                patience_ms: config.payment.patience_s.saturating_mul(1000),
            },
            refunds: Refunds(places.collector(config)),
            undertaker: Undertaker { ledger, queue: queue.clone() },
            queue,
            meter,
        })
    }

    /// Works until `stop`, then finishes what is in hand.
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut tasks = JoinSet::new();
        for _ in 0..self.consumers {
            let (recorder, stop) = (self.recorder.clone(), stop.clone());
            tasks.spawn(async move { recorder.run(stop).await });
        }
        let Self { relay, keeper, sweep, releases, refunds, undertaker, sampler, queue, .. } = self;
        let own = || stop.clone();
        let told = own();
        tasks.spawn(async move { relay.run(told).await });
        let told = own();
        tasks.spawn(async move { keeper.run(told).await });
        let told = own();
        tasks.spawn(async move { sweep.run(told).await });
        let told = own();
        tasks.spawn(async move { releases.run(told).await });
        let told = own();
        tasks.spawn(async move { refunds.run(told).await });
        let told = own();
        let decided = (undertaker.clone(), own());
        tasks.spawn(async move { undertaker.run(told).await });
        tasks.spawn(async move { decided.0.carry_out(decided.1).await });
        let told = own();
        tasks.spawn(async move { sampler.run(told).await });
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                // A panic is a fault of ours. The rest goes on; what this task held is taken over by
                // another process, or by this one after a restart.
                tracing::error!(%error, "a part of the worker ended");
            }
        }
        queue.close().await;
    }
}
