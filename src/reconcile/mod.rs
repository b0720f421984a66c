//! Keeping gate and ledger alike. The ledger is right; the gate is repaired.
//!
//! So far: the [`keeper`], which preheats sales and rebuilds those that the gate has lost; [`releases`] that
//! were missed; the [`dead_letters`]' way into the ledger; and the [`samples`] that make a sale's history. It stands on `back_office`, whose steps it
//! takes by itself.

pub mod dead_letters;
pub mod keeper;
pub mod releases;
pub mod samples;
