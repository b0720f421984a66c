//! Everything that can go wrong at the edge, and what the visitor is told: what happened, whether
//! anything was taken, where to go next. Never any internals.

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    http::{
        Method, StatusCode,
        header::{ALLOW, LOCATION, RETRY_AFTER},
    },
};
use serde::Serialize;

use super::{
    error_page::{ErrorKind, ErrorPage},
    extract::fields::BadForm,
    frame,
    middleware::request_id::RequestId,
    negotiate::Wanted,
    page::{Frame, respond},
};
use crate::{
    account::AccountError,
    back_office::{BackOfficeError, ProductError},
    payment::ProviderError,
    picture::PictureError,
    purchase::DeskError,
    sale::error::Class,
};

/// Why a request gets another answer than the one it asked for.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The request cannot be understood; the text is for the log.
    #[error("bad request: {0}")]
    BadRequest(&'static str),
    /// The body is no form of ours.
    #[error(transparent)]
    BadForm(#[from] BadForm),
    /// Nobody is signed in.
    #[error("signed out")]
    SignedOut,
    /// The viewer's role does not allow it.
    #[error("not for this role")]
    Forbidden,
    /// The form's token is not this session's.
    #[error("the form's token is not this session's")]
    StaleForm,
    /// No such page; or one that is none of this visitor's business.
    #[error("not found")]
    NotFound,
    /// The address exists, but not with this method.
    #[error("method not allowed")]
    MethodNotAllowed {
        /// The methods that it has.
        allow: &'static str,
    },
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    SlowBody,
    /// The body is larger than the configuration allows.
    #[error("body too large")]
    TooLarge,
    /// The body is no form.
    #[error("the body is not a form")]
    UnsupportedMedia,
    /// The request took longer than the configuration allows.
    #[error("the request took too long")]
    TimedOut,
    /// The catalog is not loaded yet, so nothing may be called unknown.
    #[error("the catalog is not loaded yet")]
    NotReady,
    /// The picture could not be drawn in time.
    #[error("no picture in time")]
    NoPicture,
    /// The back office did not answer, or said no where no form can show it.
    #[error("back office: {0}")]
    Office(#[from] BackOfficeError),
    /// The gallery did not answer, or said no where no form can show it.
    #[error("picture: {0}")]
    Picture(#[from] PictureError),
    /// The payment's provider did not answer.
    #[error("provider: {0}")]
    Provider(ProviderError),
    /// The purchase path did not answer.
    #[error("purchase: {0}")]
    Desk(#[from] DeskError),
    /// The accounts did not answer.
    #[error("account: {0}")]
    Account(#[from] AccountError),
    /// The session was ended in this browser, and the ledger could not be told.
    #[error("signing out: {0}")]
    SignOut(AccountError),
    /// A fault of ours; the text is for the log.
    #[error("fault: {0}")]
    Fault(&'static str),
}

#[derive(Debug, Serialize)]
struct Told {
    outcome: &'static str,
    message: String,
}

/// What went wrong, as JSON.
#[must_use]
pub fn told(status: StatusCode, outcome: &'static str, message: String) -> HttpResponse {
    HttpResponse::build(status).json(Told { outcome, message })
}

impl WebError {
    /// What the failure means for whoever asked.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Desk(error) => error.class(),
            Self::Account(error) | Self::SignOut(error) => error.class(),
            Self::Provider(error) => error.class(),
            Self::Office(error) => error.class(),
            Self::Picture(error) => error.class(),
            Self::NotReady | Self::NoPicture => Class::Retry,
            Self::TimedOut => Class::Unknown,
            Self::Fault(_) => Class::Bug,
            _ => Class::Reject,
        }
    }

    /// A short name, for logs and for the `outcome` of a JSON answer.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::BadRequest(_) | Self::BadForm(_) => "bad_request",
            Self::SignedOut => "signed_out",
            Self::Forbidden => "forbidden",
            Self::StaleForm => "stale_form",
            Self::NotFound
            | Self::Account(AccountError::NotFound)
            | Self::Office(
                BackOfficeError::NotFound(_) | BackOfficeError::Product(ProductError::NotFound(_)),
            ) => "not_found",
            Self::MethodNotAllowed { .. } => "method_not_allowed",
            Self::SlowBody => "slow_body",
            Self::TooLarge => "too_large",
            Self::UnsupportedMedia => "unsupported_media",
            Self::TimedOut => "timed_out",
            Self::NotReady
            | Self::NoPicture
            | Self::Desk(_)
            | Self::Account(_)
            | Self::Picture(_)
            | Self::Provider(_)
            | Self::Office(_) => "unavailable",
            Self::SignOut(_) => "sign_out_unsure",
            Self::Fault(_) => "internal",
        }
    }

    /// What the page says.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            // Wherever a fault of ours shows, it is told in the same words.
            _ if self.class() == Class::Bug => ErrorKind::Internal,
            Self::BadRequest(_) | Self::BadForm(_) => ErrorKind::BadRequest,
            Self::SlowBody => ErrorKind::TooSlow,
            Self::SignedOut => ErrorKind::SignedOut,
            Self::Forbidden => ErrorKind::Forbidden,
            Self::StaleForm => ErrorKind::StaleForm,
            Self::NotFound
            | Self::Account(AccountError::NotFound)
            | Self::Office(
                BackOfficeError::NotFound(_) | BackOfficeError::Product(ProductError::NotFound(_)),
            ) => ErrorKind::NotFound,
            Self::SignOut(_) => ErrorKind::SignOutUnsure,
            Self::MethodNotAllowed { .. } => ErrorKind::MethodNotAllowed,
            Self::TooLarge => ErrorKind::TooLarge,
            Self::UnsupportedMedia => ErrorKind::UnsupportedMedia,
            Self::TimedOut
            | Self::NotReady
            | Self::NoPicture
            | Self::Desk(_)
            | Self::Account(_)
            | Self::Picture(_)
            | Self::Office(_)
            | Self::Provider(_)
            | Self::Fault(_) => ErrorKind::Unavailable,
        }
    }

    /// The whole answer, in the form and language that the client reads.
    #[must_use]
    pub fn answer(&self, req: &HttpRequest) -> HttpResponse {
        let frame = frame::of(req);
        if let Some(login) = self.way_to_login(req, &frame) {
            return HttpResponse::SeeOther().insert_header((LOCATION, login)).finish();
        }
        let mut answer = match Wanted::of(req) {
            Wanted::Json => {
                told(self.status_code(), self.label(), frame.t(self.kind().title()).to_string())
            }
            Wanted::Html => respond(
                self.status_code(),
                &ErrorPage { f: frame, kind: self.kind(), request_id: RequestId::text_of(req) },
            ),
        };
        self.add_headers(&mut answer);
        answer
    }

    /// Who is signed out and only looks is led to sign in and comes back. A form that was sent is not:
    /// it would be lost on the way, so the page says so.
    fn way_to_login(&self, req: &HttpRequest, frame: &Frame) -> Option<String> {
        let looks = matches!(*req.method(), Method::GET | Method::HEAD);
        let led = matches!(self, Self::SignedOut) && looks && !Wanted::of(req).is_json();
        led.then(|| frame.login_address())
    }

    fn add_headers(&self, answer: &mut HttpResponse) {
        use actix_web::http::header::HeaderValue;
        let headers = answer.headers_mut();
        if let Self::MethodNotAllowed { allow } = self {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        if self.kind() == ErrorKind::Unavailable {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("2"));
        }
    }
}

impl ResponseError for WebError {
    fn status_code(&self) -> StatusCode {
        self.kind().status()
    }

    /// The bare answer; [`crate::web::middleware::failure`] puts [`WebError::answer`] in its place.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}
