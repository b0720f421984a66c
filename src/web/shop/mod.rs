//! What a shopper sees.

pub mod view;
