//! The pages as plain data: what a handler fills in, and nothing it has to think about.

pub mod account;
pub mod order;
pub mod outcome;
pub mod own_account;
pub mod purchase;
pub mod sale;

/// What leads on from a page that ended something.
#[derive(Debug, Clone)]
pub struct Link {
    /// An address on this site.
    pub href: String,
    /// What it says.
    pub text: crate::web::text::Message,
}
