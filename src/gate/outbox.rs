//! The outbox: what was promised to shoppers and is not yet safe in the queue.

use std::collections::HashMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use redis::streams::{StreamId, StreamRangeReply};

use super::conn::Gate;
use super::error::GateError;
use super::keys::Keys;
use super::scripts::RELAYED;
use crate::sale::ids::{ActivityId, Bucket, Epoch, ProductId, UserId};
use crate::sale::money::Cents;
use crate::sale::pipeline::OutboxFigures;
use crate::sale::reservation::Reservation;

/// Outboxes looked at together.
const AT_ONCE: usize = 16;

/// Entries forgotten in one call.
const PAGE: usize = 500;

/// One entry of an outbox stream.
#[derive(Debug, Clone)]
pub struct OutboxEntry {
    /// The stream's id of it.
    pub id: String,
    /// Its fields as they stand in the stream.
    pub fields: HashMap<String, String>,
    /// What it promises, or the field that cannot be read.
    pub reservation: Result<Reservation, String>,
}

impl Gate {
    /// The oldest entries, at most `count`. Entries leave by [`Gate::forget`] only, so reading from
    /// the start always gives what is still to be published, also after a change of hands.
    pub async fn outbox(&self, keys: &Keys, count: usize) -> Result<Vec<OutboxEntry>, GateError> {
        self.outbox_after(keys, None, count).await
    }

    /// The next entries after the one of this id, at most `count`.
    pub async fn outbox_after(
        &self,
        keys: &Keys,
        after: Option<&str>,
        count: usize,
    ) -> Result<Vec<OutboxEntry>, GateError> {
        let from = after.map_or("-".to_owned(), |id| format!("({id}"));
        let mut cmd = redis::cmd("XRANGE");
        cmd.arg(keys.outbox()).arg(from).arg("+").arg("COUNT").arg(count);
        let reply: StreamRangeReply = self.command(&cmd).await?;
        Ok(reply.ids.into_iter().map(read).collect())
    }

    /// What waits in these outboxes, at this time, ms since the epoch.
    pub async fn outboxes(&self, all: Vec<Keys>, now_ms: i64) -> Result<OutboxFigures, GateError> {
        let mut looks = stream::iter(all)
            .map(|keys| async move {
                Ok::<_, GateError>((self.waiting(&keys).await?, self.on_the_way(&keys).await?))
            })
            .buffer_unordered(AT_ONCE);
        let mut figures = OutboxFigures::default();
        let age = |since_ms: Option<i64>| since_ms.map(|since| now_ms.saturating_sub(since).max(0));
        while let Some(((entries, since_ms), (underway, left_ms))) = looks.try_next().await? {
            figures.entries = figures.entries.saturating_add(entries);
            figures.fullest = figures.fullest.max(entries);
            figures.oldest_ms = figures.oldest_ms.max(age(since_ms));
            figures.underway = figures.underway.saturating_add(underway);
            figures.underway_oldest_ms = figures.underway_oldest_ms.max(age(left_ms));
        }
        Ok(figures)
    }

    /// How many entries wait, and since when the first does.
    async fn waiting(&self, keys: &Keys) -> Result<(i64, Option<i64>), GateError> {
        let entries: i64 = self.command(redis::cmd("XLEN").arg(keys.outbox())).await?;
        if entries == 0 {
            return Ok((0, None));
        }
        let mut first = redis::cmd("XRANGE");
        first.arg(keys.outbox()).arg("-").arg("+").arg("COUNT").arg(1);
        let first: StreamRangeReply = self.command(&first).await?;
        // An id begins with the time at which it was given.
        let since_ms = first.ids.first().and_then(|entry| entry.id.split('-').next()?.parse().ok());
        Ok((entries, since_ms))
    }

    /// How many are between outbox and ledger, and since when the first was reserved.
    async fn on_the_way(&self, keys: &Keys) -> Result<(i64, Option<i64>), GateError> {
        let underway = self.underway(keys).await?;
        if underway == 0 {
            return Ok((0, None));
        }
        let first = self.underway_since(keys, i64::MAX, 1).await?;
        Ok((underway, first.first().map(|first| first.reserved_at_ms)))
    }

    /// The entries that were made between two times (ms since the epoch by Redis' clock, both included), the
    /// oldest first, at most `count`.
    pub async fn outbox_between(
        &self,
        keys: &Keys,
        (from_ms, until_ms): (i64, i64),
        count: usize,
    ) -> Result<Vec<OutboxEntry>, GateError> {
        let mut cmd = redis::cmd("XRANGE");
        // An id begins with the time at which it was made.
        cmd.arg(keys.outbox()).arg(from_ms.max(0)).arg(until_ms.max(0)).arg("COUNT").arg(count);
        let reply: StreamRangeReply = self.command(&cmd).await?;
        Ok(reply.ids.into_iter().map(read).collect())
    }

    /// Removes entries that are safe in the queue; what they promise is under way from now on, until it is
    /// recorded or given back.
    pub async fn forget(&self, keys: &Keys, entries: &[OutboxEntry]) -> Result<(), GateError> {
        for page in entries.chunks(PAGE) {
            let _noted: i64 = self
                .run(&RELAYED, |script| {
                    script.key(keys.users()).key(keys.outbox()).key(keys.underway());
                    for entry in page {
                        script.arg(&entry.id);
                        match &entry.reservation {
                            Ok(promised) => script
                                .arg(promised.user_id.0)
                                .arg(promised.order_no.to_string())
                                .arg(promised.reserved_at_ms),
                            Err(_) => script.arg("").arg("").arg(""),
                        };
                    }
                    script
                })
                .await?;
        }
        Ok(())
    }

    /// Removes the outbox of a settled sale: it is empty, and nobody is admitted any more.
    pub async fn close_outbox(&self, keys: &Keys) -> Result<(), GateError> {
        let mut cmd = redis::cmd("UNLINK");
        let _removed: i64 = self.command(cmd.arg(keys.outbox()).arg(keys.underway())).await?;
        Ok(())
    }
}

fn read(entry: StreamId) -> OutboxEntry {
    let fields: HashMap<String, String> = entry
        .map
        .into_iter()
        .filter_map(|(name, value)| redis::from_redis_value(value).ok().map(|text| (name, text)))
        .collect();
    let reservation = reservation(&fields);
    OutboxEntry { id: entry.id, fields, reservation }
}

fn reservation(fields: &HashMap<String, String>) -> Result<Reservation, String> {
    fn field<T: std::str::FromStr>(
        fields: &HashMap<String, String>,
        name: &str,
    ) -> Result<T, String> {
        fields.get(name).and_then(|text| text.parse().ok()).ok_or_else(|| name.to_owned())
    }
    Ok(Reservation {
        order_no: field(fields, "order_no")?,
        user_id: UserId(field(fields, "user_id")?),
        product_id: ProductId(field(fields, "product_id")?),
        activity_id: ActivityId(field(fields, "activity_id")?),
        bucket: Bucket(field(fields, "bucket")?),
        epoch: Epoch(field(fields, "epoch")?),
        price: Cents(field(fields, "price_cents")?),
        currency: field(fields, "currency")?,
        reserved_at_ms: field(fields, "reserved_at_ms")?,
        request_id: field(fields, "request_id")?,
    })
}
