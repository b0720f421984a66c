//! Who does something that is kept: for the audit and for the history of orders.

use super::ids::UserId;

/// Whoever changes something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The account, if it is one.
    pub id: Option<UserId>,
    /// The account's name at that time, or what acts by itself: `clock`, `command`.
    pub name: String,
    /// The request that asked for it; finds its lines in the logs.
    pub request_id: String,
}

impl Actor {
    /// Somebody who is signed in.
    #[must_use]
    pub const fn account(id: UserId, name: String, request_id: String) -> Self {
        Self { id: Some(id), name, request_id }
    }

    /// What happens because its time has come, or because somebody has to finish it.
    #[must_use]
    pub fn clock() -> Self {
        Self { id: None, name: "clock".to_owned(), request_id: String::new() }
    }

    /// Whoever may run commands on a node.
    #[must_use]
    pub fn command() -> Self {
        Self { id: None, name: "command".to_owned(), request_id: String::new() }
    }
}
