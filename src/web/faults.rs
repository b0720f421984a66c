//! What is wrong with a form, told at its fields.

use crate::web::text::Message;

/// Faults by the name of their field. Templates know them as `faults`.
#[derive(Debug, Clone, Default)]
pub struct Faults(Vec<(&'static str, Message)>);

impl Faults {
    /// Adds what is wrong with a field.
    pub fn add(&mut self, field: &'static str, message: impl Into<Message>) {
        self.0.push((field, message.into()));
    }

    /// What is wrong with that field, the first thing.
    #[must_use]
    pub fn of(&self, field: &str) -> Option<&Message> {
        self.0.iter().find(|(name, _)| *name == field).map(|(_, message)| message)
    }

    /// Whether the form is as it should be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &(&'static str, Message)> {
        self.0.iter()
    }
}
