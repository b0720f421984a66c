//! Dead letters move from the queue into the ledger, where people see them and decide: to send one again, or
//! to put it away. Both are carried out here, since pages have no connection to the broker. Whatever is done
//! twice, by two workers or after a lost answer, comes to the same.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::ledger::dead_letters::{self, NewDeadLetter};
use crate::ledger::{Ledger, LedgerError};
use crate::queue::{Consumer, Incoming, Lane, PublishError, Publisher, Queue, QueueError};

/// Letters taken at once.
const BATCH: usize = 50;
/// As much of a body as is kept, bytes: far beyond any message of ours (16 KiB at most), far below what a
/// server takes in one statement.
const BODY_MAX: usize = 1024 * 1024;
/// Pause after a failure.
const PAUSE: Duration = Duration::from_secs(2);
/// How often decisions are looked for.
const LOOK: Duration = Duration::from_secs(1);
/// Letters sent again at once; each may have a body of [`BODY_MAX`].
const REPLAYED_AT_ONCE: i64 = 20;

#[derive(Debug, thiserror::Error)]
enum CarryError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Publish(#[from] PublishError),
}

/// The carrier of dead letters.
#[derive(Debug, Clone)]
pub struct Undertaker {
    /// Where they are kept.
    pub ledger: Ledger,
    /// Where they come from.
    pub queue: Queue,
}

impl Undertaker {
    /// Carries until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.carry(&stop).await {
                tracing::warn!(%error, "dead letters wait in their queue");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Carries out what operators decided, until `stop`.
    pub async fn carry_out(&self, stop: CancellationToken) {
        let mut publisher = self.queue.publisher();
        while !stop.is_cancelled() {
            if let Err(error) = self.carry_out_once(&mut publisher, &stop).await {
                tracing::warn!(%error, "decisions about dead letters wait");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    async fn carry_out_once(
        &self,
        publisher: &mut Publisher,
        stop: &CancellationToken,
    ) -> Result<(), CarryError> {
        let discarded = dead_letters::put_away(&self.ledger).await?;
        if discarded > 0 {
            tracing::info!(discarded, "dead letters were put away");
        }
        for (letter, body) in dead_letters::to_replay(&self.ledger, REPLAYED_AT_ONCE).await? {
            if stop.is_cancelled() {
                break;
            }
            let schema = letter.schema_header.as_deref();
            publisher.publish_again(&letter.message_id, schema, &body).await?;
            if dead_letters::mark_replayed(&self.ledger, letter.id).await? {
                tracing::info!(letter = letter.id, "a dead letter was sent again");
            }
        }
        Ok(())
    }

    async fn carry(&self, stop: &CancellationToken) -> Result<(), QueueError> {
        let prefetch = u16::try_from(BATCH).unwrap_or(u16::MAX);
        let mut consumer: Consumer = self.queue.consume(Lane::Dead, prefetch).await?;
        loop {
            let letters = tokio::select! {
                () = stop.cancelled() => break,
                letters = consumer.next_batch(BATCH, Duration::from_millis(20)) => letters?,
            };
            for letter in letters {
                // Kept first; a letter that comes twice is kept once. One that cannot be kept now waits,
                // unacknowledged, without stopping the others.
                match dead_letters::insert(&self.ledger, kept(&letter)).await {
                    Ok(_) => letter.ack().await?,
                    Err(error) => tracing::error!(%error, "a dead letter cannot be kept now"),
                }
            }
        }
        consumer.close().await;
        Ok(())
    }
}

fn kept(letter: &Incoming) -> NewDeadLetter {
    NewDeadLetter {
        message_id: letter.message_id().to_owned(),
        body: letter.body.iter().take(BODY_MAX).copied().collect(),
        schema_header: letter.schema_header(),
        reason: letter.reason(),
    }
}
