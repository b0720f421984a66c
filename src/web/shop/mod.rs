//! What a shopper sees and does: a file for each address, in the order of a purchase.

pub mod activities;
pub mod activity;
pub mod admission;
pub mod captcha;
pub mod language;
pub mod login;
pub mod orders;
pub mod own_account;
pub mod payment;
pub mod purchase;
pub mod register;
pub mod sandbox;
pub mod shown;
pub mod time;
pub mod view;

pub use super::Site;
use super::page::see_other;
