//! What operators see and do.

pub mod pipeline;
