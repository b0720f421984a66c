//! The integration tests: one binary, one module a subject, all against real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking, in its helpers as well"
)]

mod browser;
mod crowd;
mod faults;
mod gate;
mod harness;
mod ledger;
mod queue;
mod reconcile;
mod site;
mod stack;
mod steering;
