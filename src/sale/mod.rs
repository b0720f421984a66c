//! The words and rules of a flash sale, without any I/O.
//!
//! Everything here can be read, called and tested without a server. The modules follow a purchase:
//! an [`activity`] is opened, a shopper asks for [`admission`], holds a [`reservation`], which becomes
//! an [`order`].

pub mod activity;
pub mod actor;
pub mod admission;
pub mod dead_letter;
pub mod demand;
pub mod error;
pub mod ids;
pub mod lag;
pub mod money;
pub mod order;
pub mod order_number;
pub mod payment;
pub mod pipeline;
pub mod plan;
pub mod product;
pub mod pulse;
pub mod reconciliation;
pub mod reservation;
pub mod sample;
pub mod settlement;
pub mod shopper;
pub mod stage;
pub mod zone;
