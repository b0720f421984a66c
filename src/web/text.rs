//! The words of a page. Every text comes from the catalogue in `templates/locales`.
//!
//! A key is written in one of two ways only, so that a test (and grep) finds them all:
//! `t("some-key")` in a template, `key("some-key")` in Rust.

use std::collections::HashMap;
use std::fmt;

use fluent_templates::fluent_bundle::FluentValue;
use fluent_templates::static_loader;

use super::language::Language;

static_loader! {
    static CATALOGUE = {
        locales: "./templates/locales",
        fallback_language: "en",
        // Names never travel through the catalogue (pages put them into <bdi>), so that
        // numbers need no invisible marks around them.
        customise: |bundle| bundle.set_use_isolating(false),
    };
}

/// The mark around a key that has no text, or lacks an argument; a test looks for it.
pub const MISSING: char = '⟦';

/// A text before its language is known: a key and what is to be filled in.
#[derive(Debug, Clone)]
pub struct Message {
    key: &'static str,
    arguments: HashMap<&'static str, FluentValue<'static>>,
}

/// Names a text of the catalogue.
#[must_use]
pub fn key(key: &'static str) -> Message {
    Message { key, arguments: HashMap::new() }
}

impl Message {
    /// Fills in one argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Argument) -> Self {
        self.arguments.insert(name, value.fluent());
        self
    }

    /// The text in a language.
    #[must_use]
    pub fn in_language(self, language: Language) -> Text {
        Text { language, message: self }
    }
}

impl From<&'static str> for Message {
    fn from(text: &'static str) -> Self {
        key(text)
    }
}

// Templates pass what they hold by reference, sometimes twice over.
impl From<&&Message> for Message {
    fn from(message: &&Message) -> Self {
        (*message).clone()
    }
}

impl From<&Message> for Message {
    fn from(message: &Message) -> Self {
        message.clone()
    }
}

/// A text in its language; displaying it looks it up.
#[derive(Debug, Clone)]
pub struct Text {
    language: Language,
    message: Message,
}

impl Text {
    /// Fills in one argument.
    #[must_use]
    pub fn with(self, name: &'static str, value: impl Argument) -> Self {
        Self { message: self.message.with(name, value), ..self }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { key, arguments } = &self.message;
        let arguments = (!arguments.is_empty()).then_some(arguments);
        match CATALOGUE.lookup_single_language(self.language.identifier(), key, arguments) {
            Ok(text) => f.write_str(&text),
            Err(error) => {
                tracing::error!(key, %error, "text missing from the catalogue");
                write!(f, "{MISSING}{key}⟧")
            }
        }
    }
}

/// What can be filled into a text.
pub trait Argument {
    /// The value as the catalogue takes it.
    fn fluent(&self) -> FluentValue<'static>;
}

impl Argument for i64 {
    fn fluent(&self) -> FluentValue<'static> {
        FluentValue::from(*self)
    }
}

impl Argument for u32 {
    fn fluent(&self) -> FluentValue<'static> {
        FluentValue::from(*self)
    }
}

impl Argument for str {
    fn fluent(&self) -> FluentValue<'static> {
        FluentValue::from(self.to_owned())
    }
}

impl Argument for String {
    fn fluent(&self) -> FluentValue<'static> {
        FluentValue::from(self.clone())
    }
}

impl Argument for Text {
    fn fluent(&self) -> FluentValue<'static> {
        FluentValue::from(self.to_string())
    }
}

impl<T: Argument + ?Sized> Argument for &T {
    fn fluent(&self) -> FluentValue<'static> {
        T::fluent(self)
    }
}
