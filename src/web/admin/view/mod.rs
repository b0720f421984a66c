//! What the console's pages show.

pub mod products;
