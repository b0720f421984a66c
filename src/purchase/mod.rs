//! The steps between the places, one file a step, in the order in which a purchase takes them.
//!
//! A purchase, in six steps:
//!
//! 1. [`ticket`]: the shopper is given a ticket, which holds the price that is shown.
//! 2. [`admit`]: one script decides; who is admitted has a reservation at the gate and in its outbox.
//! 3. [`relay`]: the outbox is emptied into the queue, entry by entry as the broker confirms it.
//! 4. [`record`]: the queue is written into the ledger; what the ledger refuses is released.
//! 5. [`order`], [`pay`], [`cancel`]: the shopper follows the order, pays or gives it up; [`collect`] takes
//!    what the payment's provider tells.
//! 6. [`expire`]: unpaid orders end at their deadline; [`release`] brings the unit back to the gate,
//!    [`refund`] the money that came too late.
//!
//! Beside the path, [`tally`] counts how shoppers were answered, and [`pulse`] tells how the
//! process does.

pub mod admit;
pub mod cancel;
pub mod collect;
mod desk;
pub mod expire;
pub mod order;
pub mod pay;
pub mod pulse;
pub mod record;
pub mod refund;
pub mod relay;
pub mod release;
mod settle;
pub mod tally;
pub mod ticket;

pub use desk::{Desk, DeskError};
pub use tally::Tally;
