//! A sent form with a file: as much is checked as of one without, see [`super::form`].
//!
//! The token is the form's first field. Until it is known to be this session's, nothing that comes after
//! it is read, let alone kept.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::{
    FromRequest, HttpMessage as _, HttpRequest,
    dev::Payload,
    error::PayloadError,
    web::{self, Bytes},
};
use futures_util::{Stream, StreamExt as _};
use tokio::time::timeout;

use super::{
    fields::{BadForm, Fields},
    form::{FromFields, announced_length, is_own},
    path::TOKEN_MAX,
};
use crate::{
    config,
    web::{WebState, error::WebError, middleware::body::Shared},
};

/// All fields but the file, and what stands around them, bytes: ten thousand characters fit.
const TEXT_MAX: usize = 64 * 1024;
/// No form of ours has as many fields.
const PARTS_MAX: usize = 32;
/// More than the bound is read to its end, and thrown away, up to so many times the bound: a browser that
/// is cut off while it sends shows its user a broken connection, and not our answer.
const READ_ON: usize = 8;

/// A form that came whole, in time and within the bounds, well formed, from a page of this session.
#[derive(Debug)]
pub struct Uploaded<T> {
    /// Its fields.
    pub form: T,
    /// Its file, if one was chosen.
    pub file: Option<Bytes>,
}

impl<T: FromFields + 'static> FromRequest for Uploaded<T> {
    type Error = WebError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, WebError>>>>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (req, body) = (req.clone(), Shared::new(payload.take()));
        Box::pin(async move {
            if !req.content_type().eq_ignore_ascii_case("multipart/form-data") {
                return Err(WebError::UnsupportedMedia);
            }
            let state = req.app_data::<web::Data<WebState>>();
            let site = &state.ok_or(WebError::Fault("no state"))?.site;
            let within = config::ms(site.upload_timeout_ms);
            let reading = read(&req, body, site.picture_limit);
            let (mut fields, file) =
                timeout(within, reading).await.map_err(|_| WebError::SlowBody)??;
            Ok(Self { form: T::from_fields(&mut fields)?, file })
        })
    }
}

type Parts = (Fields, Option<Bytes>);

/// The form; what is refused is read on for a while.
async fn read(req: &HttpRequest, body: Shared, file_max: usize) -> Result<Parts, WebError> {
    let most = file_max + TEXT_MAX;
    let parts = if announced_length(req).is_some_and(|length| length > most) {
        Err(WebError::TooLarge)
    } else {
        let bounded = Bounded { body: body.clone(), left: most };
        parts(req, Multipart::new(req.headers(), bounded), file_max).await
    };
    if parts.is_err() {
        let mut rest = Bounded { body, left: most.saturating_mul(READ_ON) };
        while let Some(Ok(_)) = rest.next().await {}
    }
    parts
}

async fn parts(req: &HttpRequest, mut form: Multipart, file_max: usize) -> Result<Parts, WebError> {
    let mut first = next(&mut form).await?.ok_or(WebError::StaleForm)?;
    if first.name() != Some("csrf_token") {
        return Err(WebError::StaleForm);
    }
    let token = content(&mut first, TOKEN_MAX).await?;
    is_own(req, &String::from_utf8_lossy(&token))?;
    drop(first);
    let (mut fields, mut file) = (Vec::new(), None);
    let mut left = TEXT_MAX;
    while let Some(mut part) = next(&mut form).await? {
        let name = part.name().unwrap_or_default().to_owned();
        let file_name = part.content_disposition().and_then(|said| said.get_filename());
        match file_name.map(str::is_empty) {
            None => {
                let value = content(&mut part, left).await?;
                left = left.saturating_sub(name.len() + value.len());
                let value = String::from_utf8(value.into()).map_err(|_| BadForm::NotText)?;
                fields.push((name, value));
            }
            Some(_) if file.is_some() => return Err(BadForm::Twice.into()),
            Some(nameless) => {
                let content = content(&mut part, file_max).await?;
                // So a browser sends a field in which no file was chosen.
                file = Some(content).filter(|content| !(nameless && content.is_empty()));
            }
        }
        if fields.len() > PARTS_MAX {
            return Err(BadForm::TooLong.into());
        }
    }
    let mut fields = Fields::of(fields);
    // It came already.
    if fields.take("csrf_token")?.is_some() {
        Err(BadForm::Twice.into())
    } else {
        Ok((fields, file))
    }
}

async fn next(form: &mut Multipart) -> Result<Option<Field>, WebError> {
    form.next().await.transpose().map_err(|error| refused(&error))
}

async fn content(part: &mut Field, most: usize) -> Result<Bytes, WebError> {
    let read = part.bytes(most).await.map_err(|_| WebError::TooLarge)?;
    read.map_err(|error| refused(&error))
}

const fn refused(error: &MultipartError) -> WebError {
    match error {
        MultipartError::Payload(PayloadError::Overflow) => WebError::TooLarge,
        MultipartError::Payload(_) | MultipartError::Incomplete => {
            WebError::BadRequest("the body broke off")
        }
        _ => WebError::BadRequest("not a well-formed multipart form"),
    }
}

/// A body of at most so many bytes.
struct Bounded {
    body: Shared,
    left: usize,
}

impl Stream for Bounded {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.body).poll_next(cx);
        let Poll::Ready(Some(Ok(chunk))) = &polled else { return polled };
        match self.left.checked_sub(chunk.len()) {
            Some(left) => {
                self.left = left;
                polled
            }
            None => Poll::Ready(Some(Err(PayloadError::Overflow))),
        }
    }
}
