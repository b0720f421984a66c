//! Place 2: the gate. Redis and its scripts decide who gets a unit.
//!
//! Everything that decides a purchase happens in one script (`lua/admit.lua`). The gate's stock is a
//! place-holder for the length of the sale; when it differs from the ledger, the ledger is right.
//! One rule holds in every script: `stock = units − holders`.

pub mod admission;
pub mod announcements;
mod conn;
pub mod error;
pub mod filling;
pub mod keys;
pub mod lock;
pub mod outbox;
mod pulse;
pub mod release;
mod scripts;
pub mod tally;
pub mod underway;
mod vitals;

pub use conn::{Gate, GateOptions, ServerFacts};
pub use error::GateError;
pub use pulse::Pulses;
