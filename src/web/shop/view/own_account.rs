//! One's own account.

use askama::Template;

use crate::web::faults::Faults;
use crate::web::page::Frame;
use crate::web::text::Message;

/// `GET` and `POST /account`.
#[derive(Debug, Template)]
#[template(path = "shop/account.html")]
pub struct OwnAccountPage {
    /// What every page has.
    pub f: Frame,
    /// The shortest password, in characters.
    pub password_min: u32,
    /// What is wrong with the form; a password is never shown again.
    pub faults: Faults,
    /// What has just been done, or could not be.
    pub notice: Option<Message>,
    /// Whether the notice is good news.
    pub done: bool,
}
