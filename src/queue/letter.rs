//! Reading a dead letter: what it was, and why nobody could record it.

use lapin::types::AMQPValue;

use super::consumer::Incoming;
use super::dead_letter::REASON_HEADER;
use super::message::SCHEMA_HEADER;

impl Incoming {
    /// The message's own id; empty when it has none.
    #[must_use]
    pub fn message_id(&self) -> &str {
        self.properties.message_id().as_ref().map_or("", |id| id.as_str())
    }

    /// The header that names the body's schema, as text.
    #[must_use]
    pub fn schema_header(&self) -> Option<String> {
        self.header(SCHEMA_HEADER)
    }

    /// Why it is a dead letter.
    #[must_use]
    pub fn reason(&self) -> String {
        self.header(REASON_HEADER).unwrap_or_else(|| "no reason was given".to_owned())
    }

    fn header(&self, name: &str) -> Option<String> {
        let headers = self.properties.headers().as_ref()?;
        Some(match headers.inner().get(name)? {
            AMQPValue::LongString(text) => text.to_string(),
            AMQPValue::ShortString(text) => text.to_string(),
            AMQPValue::LongLongInt(n) => n.to_string(),
            AMQPValue::LongInt(n) => n.to_string(),
            AMQPValue::LongUInt(n) => n.to_string(),
            AMQPValue::ShortInt(n) => n.to_string(),
            AMQPValue::ShortUInt(n) => n.to_string(),
            AMQPValue::ShortShortInt(n) => n.to_string(),
            AMQPValue::ShortShortUInt(n) => n.to_string(),
            other => format!("{other:?}"),
        })
    }
}
