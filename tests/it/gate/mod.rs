//! The gate's scripts against a real Redis, and against a cluster of three.
//!
//! Each test has a logical database of its own; those that kill, fill or break a server start one.

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
mod precedence;
mod pulse;
mod rate_of_all;
mod release;
mod restart;
mod sale;
mod server;
mod tally;
mod ticket;
mod underway;
