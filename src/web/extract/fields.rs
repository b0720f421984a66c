//! The fields of a sent form, read strictly: what is not well formed is refused, not mended.

/// Names and values of a form, in the order in which they came.
#[derive(Debug, Default)]
pub struct Fields(Vec<(String, String)>);

/// Why a body is no form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadForm {
    /// A `%` without two hexadecimal digits behind it.
    #[error("broken percent-encoding in the form")]
    Encoding,
    /// Bytes that are no text.
    #[error("the form is not UTF-8")]
    NotText,
    /// A field that may be there once came twice.
    #[error("a field came twice")]
    Twice,
    /// A field that must be there was not.
    #[error("a field is missing")]
    Missing,
    /// A value that no form of ours sends.
    #[error("a field is too long")]
    TooLong,
}

impl Fields {
    /// Reads a body of the type `application/x-www-form-urlencoded`.
    ///
    /// # Errors
    /// [`BadForm`] for broken percent-encoding and for bytes that are no UTF-8.
    pub fn parse(body: &[u8]) -> Result<Self, BadForm> {
        let pairs = body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
        pairs.map(pair).collect::<Result<_, _>>().map(Self)
    }

    /// Fields that were read already.
    pub(super) const fn of(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// The value of a field that may be left out.
    ///
    /// # Errors
    /// [`BadForm::Twice`] when it is there more than once: which one counts would be a guess.
    pub fn take(&mut self, name: &str) -> Result<Option<String>, BadForm> {
        let mut found = self.0.extract_if(.., |(field, _)| field == name).map(|(_, value)| value);
        let first = found.next();
        if found.next().is_some() { Err(BadForm::Twice) } else { Ok(first) }
    }

    /// The value of a field that must be there, at most `max` bytes long.
    ///
    /// # Errors
    /// [`BadForm`] when it is missing, too long or there more than once.
    pub fn require(&mut self, name: &str, max: usize) -> Result<String, BadForm> {
        let value = self.take(name)?.ok_or(BadForm::Missing)?;
        if value.len() > max { Err(BadForm::TooLong) } else { Ok(value) }
    }
}

fn pair(bytes: &[u8]) -> Result<(String, String), BadForm> {
    let mut halves = bytes.splitn(2, |byte| *byte == b'=');
    let name = halves.next().unwrap_or_default();
    let value = halves.next().unwrap_or_default();
    Ok((decode(name)?, decode(value)?))
}

fn decode(text: &[u8]) -> Result<String, BadForm> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => hex(bytes.next())? * 16 + hex(bytes.next())?,
            plain => *plain,
        });
    }
    String::from_utf8(decoded).map_err(|_| BadForm::NotText)
}

fn hex(digit: Option<&u8>) -> Result<u8, BadForm> {
    match digit {
        Some(d @ b'0'..=b'9') => Ok(d - b'0'),
        Some(d @ b'a'..=b'f') => Ok(d - b'a' + 10),
        Some(d @ b'A'..=b'F') => Ok(d - b'A' + 10),
        _ => Err(BadForm::Encoding),
    }
}

#[cfg(test)]
mod tests {
    use super::{BadForm, Fields};

    fn value(body: &[u8], name: &str) -> Result<Option<String>, BadForm> {
        Fields::parse(body)?.take(name)
    }

    #[test]
    fn fields_arrive_as_typed() {
        assert_eq!(value(b"a=1&b=2", "b"), Ok(Some("2".into())));
        assert_eq!(value(b"a=x+y%2B%3d%26", "a"), Ok(Some("x y+=&".into())));
        assert_eq!(value(b"a=1=2", "a"), Ok(Some("1=2".into())));
        assert_eq!(value(b"a=%F0%9F%8E%81%E2%80%8F", "a"), Ok(Some("🎁\u{200f}".into())));
        assert_eq!(value("a=订单".as_bytes(), "a"), Ok(Some("订单".into())));
        assert_eq!(value(b"%61=1", "a"), Ok(Some("1".into())));
        assert_eq!(value(b"a", "a"), Ok(Some(String::new())));
        assert_eq!(value(b"a=", "a"), Ok(Some(String::new())));
        assert_eq!(value(b"a=%00", "a"), Ok(Some("\0".into())));
        assert_eq!(value(b"&&b=1&", "a"), Ok(None));
        assert_eq!(value(b"", "a"), Ok(None));
        assert_eq!(value(b"=x", ""), Ok(Some("x".into())));
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for broken in
            [&b"a=%"[..], b"a=%4", b"a=%zz", b"a=%4g", b"%=1", b"a=%%41", b"a=%+1", b"a=%-1"]
        {
            assert_eq!(Fields::parse(broken).err(), Some(BadForm::Encoding), "{broken:?}");
        }
        for bytes in
            [&b"a=\xff"[..], b"a=%ff", b"a=%C3", b"\xc0\x80=1", b"a=%ED%A0%80", b"a=%F0%9F%8E"]
        {
            assert_eq!(Fields::parse(bytes).err(), Some(BadForm::NotText), "{bytes:?}");
        }
    }

    #[test]
    fn a_field_counts_once() {
        assert_eq!(value(b"a=1&a=1", "a"), Err(BadForm::Twice));
        assert_eq!(value(b"a=1&%61=2", "a"), Err(BadForm::Twice));
        assert_eq!(value(b"a=1&A=2&b=3&b=4", "a"), Ok(Some("1".into())));
    }

    #[test]
    fn a_required_field_is_there_and_short() {
        let require =
            |body: &[u8]| Fields::parse(body).and_then(|mut fields| fields.require("a", 3));
        assert_eq!(require(b"a=123"), Ok("123".into()));
        assert_eq!(require(b"a=1234"), Err(BadForm::TooLong));
        assert_eq!(require(b"b=1"), Err(BadForm::Missing));
    }

    #[test]
    fn no_input_panics() {
        for byte in 0..=u8::MAX {
            for body in
                [vec![byte], vec![b'%', byte], vec![b'%', b'4', byte], vec![b'a', b'=', byte, byte]]
            {
                let _ = Fields::parse(&body);
            }
        }
    }
}
