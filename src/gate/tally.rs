//! What web nodes counted of a sale: how requests were answered, and who asked. All of it in the keys of the
//! sale's first bucket.

use super::conn::Gate;
use super::error::GateError;
use super::keys::Keys;
use super::scripts::TALLY;
use crate::sale::demand::{Demand, Outcomes};
use crate::sale::ids::{ActivityId, Bucket, UserId};

/// Shoppers told in one call, well below what a script's `unpack` can hold.
pub const SHOPPERS_AT_ONCE: usize = 1000;

/// Whether the gate took a node's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// It did.
    Told,
    /// It does not hold the sale now.
    NotLoaded,
}

impl Gate {
    /// Tells a node's totals since it began, and at most [`SHOPPERS_AT_ONCE`] shoppers who asked. `node`
    /// names the process among all that ever were.
    pub async fn tell_tally(
        &self,
        activity: ActivityId,
        node: &str,
        totals: &Outcomes,
        shoppers: &[UserId],
    ) -> Result<Told, GateError> {
        let keys = Keys::of(activity, Bucket(0));
        let reply: String = self
            .run(&TALLY, |script| {
                script.key(keys.tally()).key(keys.seen()).key(keys.sale()).arg(node);
                script.arg(totals.iter().count());
                for (outcome, total) in totals.iter() {
                    script.arg(outcome).arg(total);
                }
                for shopper in shoppers {
                    script.arg(shopper.0);
                }
                script
            })
            .await?;
        match reply.as_str() {
            "told" => Ok(Told::Told),
            "not_loaded" => Ok(Told::NotLoaded),
            word => Err(GateError::unreadable(word)),
        }
    }

    /// What all nodes told. `None`: nothing, or the gate has lost it.
    pub async fn demand(&self, activity: ActivityId) -> Result<Option<Demand>, GateError> {
        let keys = Keys::of(activity, Bucket(0));
        // A dozen fields for each process that served the sale: small enough to be read as a whole.
        let fields: Vec<(String, i64)> =
            self.command(redis::cmd("HGETALL").arg(keys.tally())).await?;
        if fields.is_empty() {
            return Ok(None);
        }
        let counted = fields.iter().filter_map(|(field, total)| {
            let (_node, outcome) = field.rsplit_once(' ')?;
            Some((outcome, *total))
        });
        let outcomes = counted.collect();
        let participants = self.command(redis::cmd("PFCOUNT").arg(keys.seen())).await?;
        Ok(Some(Demand { outcomes, participants }))
    }
}
