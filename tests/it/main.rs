//! The tests against real servers, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on fails by panicking"
)]

mod harness;
mod queue;
