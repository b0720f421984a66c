//! Dead letters move from the queue into the ledger, where people see them.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::ledger::dead_letters::{self, NewDeadLetter};
use crate::ledger::{Ledger, LedgerError};
use crate::queue::{Consumer, Incoming, Lane, Queue, QueueError};

/// Letters taken at once.
const BATCH: usize = 50;
/// Pause after a failure.
const PAUSE: Duration = Duration::from_secs(2);

/// The carrier of dead letters.
#[derive(Debug, Clone)]
pub struct Undertaker {
    /// Where they are kept.
    pub ledger: Ledger,
    /// Where they come from.
    pub queue: Queue,
}

#[derive(Debug, thiserror::Error)]
enum CarryError {
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
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

    async fn carry(&self, stop: &CancellationToken) -> Result<(), CarryError> {
        let prefetch = u16::try_from(BATCH).unwrap_or(u16::MAX);
        let mut consumer: Consumer = self.queue.consume(Lane::Dead, prefetch).await?;
        loop {
            let letters = tokio::select! {
                () = stop.cancelled() => break,
                letters = consumer.next_batch(BATCH, Duration::from_millis(20)) => letters?,
            };
            for letter in letters {
                // Kept first; a letter that comes twice is kept once.
                dead_letters::insert(&self.ledger, kept(&letter)).await?;
                letter.ack().await?;
            }
        }
        consumer.close().await;
        Ok(())
    }
}

fn kept(letter: &Incoming) -> NewDeadLetter {
    NewDeadLetter {
        message_id: letter.message_id().to_owned(),
        body: letter.body.clone(),
        schema_header: letter.schema_header(),
        reason: letter.reason(),
    }
}
