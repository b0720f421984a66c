//! Keeping gate and ledger alike. The ledger is right; the gate is repaired.
//!
//! Two of its parts look at single things often: the [`keeper`], which preheats sales and rebuilds those that
//! the gate has lost, and the repetition of [`releases`] that were missed. The reconciler ([`round`]) compares
//! everything once a minute: `load` both sides, `diff` them, `repair`. Beside them the [`dead_letters`]' way into
//! the ledger, and the [`samples`] that make a sale's history. It stands on `back_office`, whose steps it takes by
//! itself.

pub mod dead_letters;
mod diff;
#[cfg(test)]
mod diff_test;
pub mod keeper;
mod load;
pub mod quiet;
pub mod releases;
mod repair;
pub mod round;
pub mod samples;
