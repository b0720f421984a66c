//! The edge: what a browser sees and sends.

pub mod assets;
pub mod error_page;
pub mod language;
pub mod moment;
pub mod page;
pub mod price;
pub mod shop;
pub mod text;

#[cfg(test)]
mod catalogue_test;
#[cfg(test)]
mod preview_test;
