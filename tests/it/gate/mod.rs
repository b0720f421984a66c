//! The gate's scripts against a real Redis, and against a cluster of three.
//!
//! Each test has a logical database of its own; those that kill, fill or break a server start one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers as well"
)]

mod adjust;
mod admit;
mod broken;
mod cluster;
mod connection;
mod filling;
mod holding;
mod lock;
mod model;
mod outbox;
mod release;
mod restart;
mod sale;
mod server;
mod ticket;
