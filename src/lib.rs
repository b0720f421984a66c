//! Seckill: a flash-sale server. For a few seconds a crowd far larger than the stock arrives; every unit
//! goes to exactly one shopper, nobody gets two, nothing is lost, everyone gets a true answer at once.
//!
//! A purchase, in ten lines:
//!
//! 1. A browser comes to [`web`]; pages are made from the [`catalog`] in memory.
//! 2. The shopper gets a ticket with a captcha ([`purchase::ticket`], [`captcha`]).
//! 3. The form comes back; one script at the [`gate`] decides ([`purchase::admit`], `lua/admit.lua`).
//! 4. The same script writes the reservation into the outbox, so nobody can be forgotten.
//! 5. The relay empties the outbox into the [`queue`] ([`purchase::relay`]).
//! 6. The recorder writes the queue into the [`ledger`] ([`purchase::record`]).
//! 7. What the ledger refuses goes back to the gate: the gate decides, the ledger is right.
//! 8. The shopper follows the order, pays or cancels ([`purchase::order`], [`purchase::pay`]).
//! 9. Unpaid orders expire; their unit is sellable again ([`purchase::expire`], [`purchase::release`]).
//! 10. Keeper and reconciler see that gate and ledger stay alike ([`reconcile`]), whatever is lost.
//!
//! The words and rules are in [`sale`], what an admin does in [`back_office`], the processes in [`role`].

pub mod sale;

pub mod web;

pub mod gate;

pub mod queue;

pub mod ledger;

pub mod purchase;

pub mod account;
pub mod captcha;
pub mod catalog;
pub mod payment;
pub mod picture;

pub mod back_office;
pub mod reconcile;

pub mod cli;
pub mod config;
pub mod role;
pub mod stack;
pub mod telemetry;
