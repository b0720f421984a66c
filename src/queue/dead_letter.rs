//! What becomes of a message that nobody can read: the same message, with the reason in a header.

use lapin::{
    BasicProperties,
    types::{AMQPValue, FieldTable},
};

use super::message::{PERSISTENT, SCHEMA_HEADER};

/// The header that says why a message is a dead letter.
pub const REASON_HEADER: &str = "x-reason";

/// Set when the original's headers were too large to be kept.
const DROPPED_HEADER: &str = "x-headers-dropped";
/// Headers up to this size, as JSON, leave room in a frame for what is added.
const MAX_HEADERS: usize = 32 * 1024;
const MAX_REASON: usize = 500;

/// The properties of a dead letter: the original's, with the reason.
///
/// Left out is what could keep the broker from taking the message or from keeping it: an expiry, another
/// user's name, a priority, a return address.
pub(super) fn properties(original: &BasicProperties, reason: &str) -> BasicProperties {
    let mut kept = BasicProperties::default()
        .with_delivery_mode(PERSISTENT)
        .with_headers(headers(original.headers().as_ref(), reason));
    if let Some(value) = original.message_id() {
        kept = kept.with_message_id(value.clone());
    }
    if let Some(value) = original.correlation_id() {
        kept = kept.with_correlation_id(value.clone());
    }
    if let Some(value) = original.content_type() {
        kept = kept.with_content_type(value.clone());
    }
    if let Some(value) = original.content_encoding() {
        kept = kept.with_content_encoding(value.clone());
    }
    if let Some(value) = original.timestamp() {
        kept = kept.with_timestamp(*value);
    }
    if let Some(value) = original.kind() {
        kept = kept.with_type(value.clone());
    }
    if let Some(value) = original.app_id() {
        kept = kept.with_app_id(value.clone());
    }
    kept
}

/// The properties of a dead letter that goes its way again. A schema that is a number is written as ours
/// are; whatever else it was stays a text, which names none.
pub(super) fn properties_again(message_id: &str, schema: Option<&str>) -> BasicProperties {
    let mut properties = BasicProperties::default()
        .with_content_type("application/json".into())
        .with_delivery_mode(PERSISTENT);
    if !message_id.is_empty() {
        properties = properties.with_message_id(message_id.into());
    }
    let Some(schema) = schema else { return properties };
    let value = match schema.parse() {
        Ok(number) => AMQPValue::LongLongInt(number),
        Err(_) => AMQPValue::LongString(schema.into()),
    };
    let mut headers = FieldTable::default();
    headers.insert(SCHEMA_HEADER.into(), value);
    properties.with_headers(headers)
}

fn headers(original: Option<&FieldTable>, reason: &str) -> FieldTable {
    let mut headers = FieldTable::default();
    if let Some(original) = original {
        let fits = serde_json::to_vec(original).is_ok_and(|text| text.len() <= MAX_HEADERS);
        for (name, value) in original.inner() {
            // Keys for further queues: the broker would follow them, or refuse the message for them.
            let keys = matches!(name.as_str(), "CC" | "BCC");
            if !keys && (fits || name.as_str() == SCHEMA_HEADER) {
                headers.insert(name.clone(), value.clone());
            }
        }
        if !fits {
            headers.insert(DROPPED_HEADER.into(), AMQPValue::Boolean(true));
        }
    }
    let reason: String = reason.chars().take(MAX_REASON).collect();
    headers.insert(REASON_HEADER.into(), AMQPValue::LongString(reason.into()));
    headers
}

#[cfg(test)]
mod tests {
    use lapin::types::ShortString;

    use super::*;

    fn with_header(name: &str, value: AMQPValue) -> BasicProperties {
        let mut headers = FieldTable::default();
        headers.insert(SCHEMA_HEADER.into(), AMQPValue::LongInt(9));
        headers.insert(name.into(), value);
        BasicProperties::default().with_headers(headers)
    }

    fn has(properties: &BasicProperties, name: &str) -> bool {
        properties.headers().as_ref().is_some_and(|headers| headers.contains_key(name))
    }

    #[test]
    fn the_original_is_kept_and_the_reason_added() {
        let original = with_header("x-own", AMQPValue::Boolean(true))
            .with_message_id("abc".into())
            .with_content_type("text/plain".into())
            .with_expiration("1".into())
            .with_user_id("someone".into());
        let dead = properties(&original, "not JSON");
        assert_eq!(dead.message_id(), original.message_id());
        assert_eq!(dead.content_type(), original.content_type());
        assert_eq!(*dead.expiration(), None);
        assert_eq!(*dead.user_id(), None);
        assert!(has(&dead, "x-own") && has(&dead, SCHEMA_HEADER));
        let headers = dead.headers().clone().unwrap();
        let reason = AMQPValue::LongString("not JSON".into());
        assert_eq!(headers.inner().get(REASON_HEADER), Some(&reason));
    }

    #[test]
    fn what_goes_its_way_again_is_what_it_was() {
        let again = properties_again("abc", Some("1"));
        assert_eq!(again.message_id().as_ref().map(ShortString::as_str), Some("abc"));
        let schema = |properties: &BasicProperties| {
            properties
                .headers()
                .as_ref()
                .and_then(|headers| headers.inner().get(SCHEMA_HEADER).cloned())
        };
        assert_eq!(schema(&again), Some(AMQPValue::LongLongInt(1)));
        assert!(!has(&again, REASON_HEADER));
        let odd = properties_again("", Some("one"));
        assert_eq!(*odd.message_id(), None);
        assert_eq!(schema(&odd), Some(AMQPValue::LongString("one".into())));
        assert_eq!(schema(&properties_again("abc", None)), None);
    }

    #[test]
    fn what_could_keep_the_broker_from_taking_it_is_left_out() {
        let dead = properties(&with_header("CC", AMQPValue::Boolean(true)), "why");
        assert!(!has(&dead, "CC") && has(&dead, SCHEMA_HEADER));
        let huge = AMQPValue::LongString("x".repeat(100_000).into());
        let dead = properties(&with_header("x-huge", huge), &"é".repeat(10_000));
        assert!(!has(&dead, "x-huge") && has(&dead, SCHEMA_HEADER) && has(&dead, DROPPED_HEADER));
        assert!(has(&properties(&BasicProperties::default(), "why"), REASON_HEADER));
    }
}
