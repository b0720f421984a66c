//! The trust boundary: what a handler gets has been checked.

pub mod account_forms;
pub mod fields;
pub mod form;
pub mod next;
pub mod ops_forms;
pub mod path;
pub mod product_forms;
pub mod purchase_form;
pub mod query;
pub mod upload;
