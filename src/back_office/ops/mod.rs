//! What an operator asks and does: where an order is, what is stuck, what could not be recorded, how the
//! books stand. Each answer costs the same however many orders there are.

mod dead_letters;
mod on_its_way;
mod orders;
pub mod pipeline;
mod reconciliations;
mod sales;
mod stuck;
mod unstick;

pub use crate::ledger::dead_letters::{DeadLetter, Decision};
pub use crate::ledger::orders::search::Search as OrderSearch;
pub use crate::ledger::orders::{Due, Event};
pub use crate::ledger::payments::OpenRefund;
pub use crate::ledger::reconciliations::Round;
pub use on_its_way::OnItsWay;
pub use orders::{AtGate, InOutbox, OrderPath};
pub use sales::{Counted, SaleSheet};
pub use stuck::{COUNTED, Compared, Held, Named, Place, Stuck, Waiting};
pub use unstick::{Freed, Resent};
