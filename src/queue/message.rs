//! A reservation as a message, and back.
//!
//! Body: a JSON object with `order_no`, `user_id`, `product_id`, `activity_id`, `bucket`, `epoch`,
//! `price_cents`, `currency`, `reserved_at_ms` and `request_id`. Ids and amounts are JSON numbers. Fields
//! may be added within a schema and are passed over by who does not know them; anything else raises
//! `x-schema`. `message_id` is the order number.

use lapin::{
    BasicProperties,
    types::{AMQPValue, FieldTable, ShortString},
};
use serde_json::{Map, Value, json};

use crate::sale::{
    ids::{ActivityId, Bucket, Epoch, ProductId, UserId},
    money::Cents,
    order_number::OrderNo,
    reservation::Reservation,
};

/// The schema that is written, and the newest that is read.
pub const SCHEMA: i64 = 1;
/// The header that names it.
pub const SCHEMA_HEADER: &str = "x-schema";
/// The largest body that is read, in bytes; ours have some 300.
pub const MAX_BODY: usize = 16 * 1024;

const MAX_REQUEST_ID: usize = 200;
pub(super) const PERSISTENT: u8 = 2;

/// Why a message cannot be read. It is for the operators then; redelivery would not make it better.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// A body of more than [`MAX_BODY`] bytes.
    #[error("the body has {0} bytes, more than {MAX_BODY}")]
    TooLarge(usize),
    /// No `x-schema`, or one that is not a number from 1 on.
    #[error("the header x-schema is missing or not a schema's number")]
    NoSchema,
    /// Written by a newer version of this program.
    #[error("schema {0} is newer than {SCHEMA}")]
    NewerSchema(i64),
    /// The body is not a JSON object.
    #[error("the body is not a JSON object: {0}")]
    NotJson(String),
    /// A field is missing.
    #[error("the field {0} is missing")]
    MissingField(&'static str),
    /// A field has the wrong type or an impossible value.
    #[error("the field {field} is not {expected}")]
    BadField {
        /// Which one.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// `message_id` is not the order number of the body.
    #[error("message_id is not the order number of the body")]
    OtherMessageId,
}

impl Unreadable {
    /// A short word for metrics.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::TooLarge(_) => "too_large",
            Self::NoSchema => "no_schema",
            Self::NewerSchema(_) => "newer_schema",
            Self::NotJson(_) => "not_json",
            Self::MissingField(_) => "missing_field",
            Self::BadField { .. } => "bad_field",
            Self::OtherMessageId => "other_message_id",
        }
    }
}

/// Body and properties of a reservation's message.
#[must_use]
pub fn encode(reservation: &Reservation) -> (Vec<u8>, BasicProperties) {
    let order_no = reservation.order_no.to_string();
    let body = json!({
        "order_no": order_no,
        "user_id": reservation.user_id.0,
        "product_id": reservation.product_id.0,
        "activity_id": reservation.activity_id.0,
        "bucket": reservation.bucket.0,
        "epoch": reservation.epoch.0,
        "price_cents": reservation.price.0,
        "currency": reservation.currency.code(),
        "reserved_at_ms": reservation.reserved_at_ms,
        "request_id": reservation.request_id,
    });
    let mut headers = FieldTable::default();
    headers.insert(SCHEMA_HEADER.into(), AMQPValue::LongLongInt(SCHEMA));
    let properties = BasicProperties::default()
        .with_content_type("application/json".into())
        .with_delivery_mode(PERSISTENT)
        .with_message_id(ShortString::from(order_no))
        .with_headers(headers);
    (body.to_string().into_bytes(), properties)
}

/// The reservation in a message.
///
/// # Errors
/// [`Unreadable`] for everything that [`encode`] of this or an older version does not write.
pub fn decode(properties: &BasicProperties, body: &[u8]) -> Result<Reservation, Unreadable> {
    if body.len() > MAX_BODY {
        return Err(Unreadable::TooLarge(body.len()));
    }
    match schema(properties) {
        None | Some(..1) => return Err(Unreadable::NoSchema),
        Some(newer) if newer > SCHEMA => return Err(Unreadable::NewerSchema(newer)),
        Some(_) => {}
    }
    let fields = Fields::read(body)?;
    let reservation = fields.reservation()?;
    let order_no = reservation.order_no.to_string();
    match properties.message_id() {
        Some(id) if id.as_str() == order_no => Ok(reservation),
        _ => Err(Unreadable::OtherMessageId),
    }
}

fn schema(properties: &BasicProperties) -> Option<i64> {
    let headers = properties.headers().as_ref()?;
    // Each client library picks the width of an integer by its own rules.
    match *headers.inner().get(SCHEMA_HEADER)? {
        AMQPValue::ShortShortInt(n) => Some(n.into()),
        AMQPValue::ShortShortUInt(n) => Some(n.into()),
        AMQPValue::ShortInt(n) => Some(n.into()),
        AMQPValue::ShortUInt(n) => Some(n.into()),
        AMQPValue::LongInt(n) => Some(n.into()),
        AMQPValue::LongUInt(n) => Some(n.into()),
        AMQPValue::LongLongInt(n) => Some(n),
        _ => None,
    }
}

/// The JSON object of a body. Read by hand, so that an operator is told which field is wrong.
struct Fields(Map<String, Value>);

impl Fields {
    fn read(body: &[u8]) -> Result<Self, Unreadable> {
        serde_json::from_slice(body).map(Self).map_err(|e| Unreadable::NotJson(e.to_string()))
    }

    fn reservation(&self) -> Result<Reservation, Unreadable> {
        Ok(Reservation {
            order_no: self.parsed::<OrderNo>("order_no", "an order number")?,
            user_id: UserId(self.id("user_id")?),
            product_id: ProductId(self.id("product_id")?),
            activity_id: ActivityId(self.id("activity_id")?),
            bucket: Bucket(self.bucket()?),
            epoch: Epoch(self.id("epoch")?),
            price: Cents(self.price()?),
            currency: self.parsed("currency", "a currency like CNY")?,
            reserved_at_ms: self.number("reserved_at_ms", "a time", 0..=i64::MAX)?,
            request_id: self.request_id()?,
        })
    }

    fn id(&self, field: &'static str) -> Result<i64, Unreadable> {
        self.number(field, "a whole number from 1 on", 1..=i64::MAX)
    }

    fn bucket(&self) -> Result<u16, Unreadable> {
        let expected = "a bucket's number";
        let number = self.number("bucket", expected, 0..=u16::MAX.into())?;
        u16::try_from(number).map_err(|_| Unreadable::BadField { field: "bucket", expected })
    }

    fn price(&self) -> Result<i64, Unreadable> {
        self.number("price_cents", "a price in whole minor units", 0..=Cents::MAX.0)
    }

    fn request_id(&self) -> Result<String, Unreadable> {
        let (field, expected) = ("request_id", "a text of at most 200 bytes");
        let text = self.text(field, expected)?;
        if text.len() > MAX_REQUEST_ID {
            return Err(Unreadable::BadField { field, expected });
        }
        Ok(text.to_owned())
    }

    fn number(
        &self,
        field: &'static str,
        expected: &'static str,
        valid: std::ops::RangeInclusive<i64>,
    ) -> Result<i64, Unreadable> {
        self.get(field)?
            .as_i64()
            .filter(|n| valid.contains(n))
            .ok_or(Unreadable::BadField { field, expected })
    }

    fn parsed<T: std::str::FromStr>(
        &self,
        field: &'static str,
        expected: &'static str,
    ) -> Result<T, Unreadable> {
        let text = self.text(field, expected)?;
        text.parse().map_err(|_| Unreadable::BadField { field, expected })
    }

    fn text(&self, field: &'static str, expected: &'static str) -> Result<&str, Unreadable> {
        self.get(field)?.as_str().ok_or(Unreadable::BadField { field, expected })
    }

    fn get(&self, field: &'static str) -> Result<&Value, Unreadable> {
        self.0.get(field).ok_or(Unreadable::MissingField(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sale::money::Currency;

    fn reservation() -> Reservation {
        Reservation {
            order_no: "01HF7YAT00E3R38E1NCBS0D1ZG".parse().unwrap(),
            user_id: UserId(i64::MAX),
            product_id: ProductId(3),
            activity_id: ActivityId(42),
            bucket: Bucket(7),
            epoch: Epoch(2),
            price: Cents(1999),
            currency: Currency::CNY,
            reserved_at_ms: 1_700_000_000_123,
            request_id: "0123-\"quoted\"-请求-🙂".to_owned(),
        }
    }

    /// The encoded message with one field replaced, or taken out.
    fn altered(field: &str, value: Option<Value>) -> Result<Reservation, Unreadable> {
        let (body, properties) = encode(&reservation());
        let mut fields: Map<String, Value> = serde_json::from_slice(&body).unwrap();
        match value {
            Some(value) => fields.insert(field.to_owned(), value),
            None => fields.remove(field),
        };
        decode(&properties, Value::Object(fields).to_string().as_bytes())
    }

    #[test]
    fn a_reservation_survives_being_written_and_read() {
        let (body, properties) = encode(&reservation());
        assert_eq!(decode(&properties, &body), Ok(reservation()));
    }

    #[test]
    fn the_message_is_that_of_the_contract() {
        let (body, properties) = encode(&reservation());
        let expected = json!({
            "order_no": "01HF7YAT00E3R38E1NCBS0D1ZG", "user_id": i64::MAX, "product_id": 3,
            "activity_id": 42, "bucket": 7, "epoch": 2, "price_cents": 1999, "currency": "CNY",
            "reserved_at_ms": 1_700_000_000_123_i64, "request_id": "0123-\"quoted\"-请求-🙂",
        });
        assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), expected);
        let message_id = properties.message_id().as_ref().map(ShortString::as_str);
        assert_eq!(message_id, Some("01HF7YAT00E3R38E1NCBS0D1ZG"));
        assert_eq!(*properties.delivery_mode(), Some(PERSISTENT));
        assert_eq!(schema(&properties), Some(1));
    }

    #[test]
    fn a_field_that_is_missing_or_wrong_is_named() {
        let fields = [
            ("order_no", vec![json!(1), json!("x"), json!("01hf7yat00e3r38e1ncbs0d1zg")]),
            ("user_id", vec![json!("1"), json!(0), json!(-1), json!(1.5), json!(u64::MAX)]),
            ("product_id", vec![json!(null), json!(0)]),
            ("activity_id", vec![json!([]), json!(0)]),
            ("bucket", vec![json!(-1), json!(65_536)]),
            ("epoch", vec![json!(0), json!("1")]),
            ("price_cents", vec![json!(-1), json!(19.99), json!(10_000_000_000_i64)]),
            ("currency", vec![json!("cny"), json!(156)]),
            ("reserved_at_ms", vec![json!(-1), json!("now")]),
            ("request_id", vec![json!(1), json!("x".repeat(201))]),
        ];
        for (name, wrong) in fields {
            assert_eq!(altered(name, None), Err(Unreadable::MissingField(name)));
            for value in wrong {
                match altered(name, Some(value.clone())) {
                    Err(Unreadable::BadField { field, .. }) => assert_eq!(field, name),
                    other => panic!("{name} = {value}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn a_field_that_we_do_not_know_is_passed_over() {
        assert_eq!(altered("campaign", Some(json!("spring"))), Ok(reservation()));
    }

    #[test]
    fn a_body_that_is_no_object_is_unreadable() {
        let (_, properties) = encode(&reservation());
        for body in [&b""[..], b"{", b"null", b"[]", b"\xff\xfe", b"{} {}"] {
            let label = decode(&properties, body).map_err(|e| e.label());
            assert_eq!(label, Err("not_json"), "{body:?}");
        }
        let huge = vec![b' '; MAX_BODY + 1];
        assert_eq!(decode(&properties, &huge), Err(Unreadable::TooLarge(MAX_BODY + 1)));
    }

    #[test]
    fn only_our_schema_is_read() {
        let (body, properties) = encode(&reservation());
        let with = |value: AMQPValue| {
            let mut headers = FieldTable::default();
            headers.insert(SCHEMA_HEADER.into(), value);
            decode(&properties.clone().with_headers(headers), &body)
        };
        assert_eq!(with(AMQPValue::ShortShortUInt(1)), Ok(reservation()));
        assert_eq!(with(AMQPValue::LongInt(2)), Err(Unreadable::NewerSchema(2)));
        for odd in [AMQPValue::LongInt(0), AMQPValue::LongString("1".into()), AMQPValue::Void] {
            assert_eq!(with(odd), Err(Unreadable::NoSchema));
        }
        assert_eq!(decode(&BasicProperties::default(), &body), Err(Unreadable::NoSchema));
    }

    #[test]
    fn the_message_id_must_be_the_number_of_the_body() {
        let (body, properties) = encode(&reservation());
        let other = properties.with_message_id("01HF7YAT00E3R38E1NCBS0D1ZH".into());
        assert_eq!(decode(&other, &body), Err(Unreadable::OtherMessageId));
    }
}
