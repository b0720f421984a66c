//! A sent form, and everything that is checked before a handler sees it.

use std::{future::Future, pin::Pin};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    dev::Payload,
    http::header::CONTENT_LENGTH,
    web::{self, BytesMut},
};
use futures_util::StreamExt;
use tokio::time::timeout;

use super::fields::{BadForm, Fields};
use crate::{
    config,
    web::{WebState, error::WebError, session::Visit},
};

/// What a handler wants to know from a form.
pub trait FromFields: Sized {
    /// Takes its fields; others are left aside.
    ///
    /// # Errors
    /// [`BadForm`] when a field cannot have come from a form of ours.
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm>;
}

/// A form that came whole, in time and within the bound, well formed, from a page of this session.
#[derive(Debug)]
pub struct Checked<T>(pub T);

impl<T: FromFields + 'static> FromRequest for Checked<T> {
    type Error = WebError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, WebError>>>>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (req, payload) = (req.clone(), payload.take());
        Box::pin(async move {
            let mut fields = Fields::parse(&read(&req, payload).await?)?;
            check_token(&req, &mut fields)?;
            Ok(Self(T::from_fields(&mut fields)?))
        })
    }
}

/// Nothing but the token.
#[derive(Debug)]
pub struct NoFields;

impl FromFields for NoFields {
    fn from_fields(_: &mut Fields) -> Result<Self, BadForm> {
        Ok(Self)
    }
}

/// A body as it is, whole, in time and within the bound. Only for what is believed for another reason than
/// a session.
#[derive(Debug)]
pub struct Raw(pub BytesMut);

impl FromRequest for Raw {
    type Error = WebError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, WebError>>>>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (req, payload) = (req.clone(), payload.take());
        Box::pin(async move { bounded(&req, payload).await.map(Self) })
    }
}

async fn read(req: &HttpRequest, payload: Payload) -> Result<BytesMut, WebError> {
    if !req.content_type().eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(WebError::UnsupportedMedia);
    }
    bounded(req, payload).await
}

async fn bounded(req: &HttpRequest, payload: Payload) -> Result<BytesMut, WebError> {
    let state = req.app_data::<web::Data<WebState>>().ok_or(WebError::Fault("no state"))?;
    let limit = state.site.body_limit;
    if announced_length(req).is_some_and(|length| length > limit) {
        return Err(WebError::TooLarge);
    }
    let within = config::ms(state.site.client_timeout_ms);
    timeout(within, collect(payload, limit)).await.map_err(|_| WebError::SlowBody)?
}

pub(super) fn announced_length(req: &HttpRequest) -> Option<usize> {
    req.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn collect(mut payload: Payload, limit: usize) -> Result<BytesMut, WebError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| WebError::BadRequest("the body broke off"))?;
        if body.len() + chunk.len() > limit {
            return Err(WebError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn check_token(req: &HttpRequest, fields: &mut Fields) -> Result<(), WebError> {
    is_own(req, &fields.take("csrf_token")?.unwrap_or_default())
}

/// Whether a token is this session's.
pub(super) fn is_own(req: &HttpRequest, token: &str) -> Result<(), WebError> {
    let own = Visit::known(req).is_some_and(|visit| visit.has_token(token));
    if own { Ok(()) } else { Err(WebError::StaleForm) }
}

#[cfg(test)]
mod tests {
    use actix_web::{error::PayloadError, web::Bytes};
    use futures_util::stream;

    use super::*;

    fn body(chunks: Vec<Result<Bytes, PayloadError>>) -> Payload {
        Payload::Stream { payload: Box::pin(stream::iter(chunks)) }
    }

    #[tokio::test]
    async fn a_body_is_read_to_its_end_and_not_beyond_the_bound() {
        let chunks = || vec![Ok(Bytes::from_static(b"a=1")), Ok(Bytes::from_static(b"&b=2"))];
        assert_eq!(collect(body(chunks()), 7).await.expect("whole"), &b"a=1&b=2"[..]);
        assert!(matches!(collect(body(chunks()), 6).await, Err(WebError::TooLarge)));
        assert!(collect(body(Vec::new()), 6).await.expect("empty").is_empty());
        assert!(collect(Payload::None, 6).await.expect("none").is_empty());
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_no_form() {
        let chunks = vec![Ok(Bytes::from_static(b"a=1")), Err(PayloadError::Incomplete(None))];
        assert!(matches!(collect(body(chunks), 100).await, Err(WebError::BadRequest(_))));
    }
}
