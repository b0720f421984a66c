//! The page for everything that went wrong: what happened, whether anything was taken, where to
//! go next. It never shows internals.

use actix_web::http::StatusCode;
use askama::Template;

use super::page::Frame;
use super::text::{Message, key};

/// Any page that cannot be shown.
#[derive(Debug, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    /// What every page has.
    pub f: Frame,
    /// What went wrong.
    pub kind: ErrorKind,
    /// The number by which staff find the request again.
    pub request_id: Option<String>,
}

/// What went wrong, as a shopper can understand it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Something is missing or not as it should be.
    BadRequest,
    /// Only for those who are signed in.
    SignedOut,
    /// The viewer's role does not allow it.
    Forbidden,
    /// A form whose token does not belong to this session: it stood open too long.
    StaleForm,
    /// No such page, or not for this viewer to know.
    NotFound,
    /// The address does not take this method.
    MethodNotAllowed,
    /// What it was about has changed.
    Conflict,
    /// The form did not arrive in time.
    TooSlow,
    /// More than is taken here.
    TooLarge,
    /// A format that is not read here.
    UnsupportedMedia,
    /// Too many requests from this visitor.
    TooMany,
    /// A fault of ours.
    Internal,
    /// A server that is needed does not answer.
    Unavailable,
    /// Signed out here, and nobody can say whether everywhere.
    SignOutUnsure,
}

impl ErrorKind {
    /// The kind that tells most truly what a status says.
    #[must_use]
    pub fn of(status: StatusCode) -> Self {
        match status.as_u16() {
            401 => Self::SignedOut,
            403 => Self::Forbidden,
            404 | 410 => Self::NotFound,
            405 => Self::MethodNotAllowed,
            409 => Self::Conflict,
            408 => Self::TooSlow,
            413 | 414 | 431 => Self::TooLarge,
            406 | 415 => Self::UnsupportedMedia,
            429 => Self::TooMany,
            502..=504 => Self::Unavailable,
            400..=499 => Self::BadRequest,
            _ => Self::Internal,
        }
    }

    /// The status that is sent.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::StaleForm => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable | Self::SignOutUnsure => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The headline; also the `message` of a JSON answer.
    #[must_use]
    pub fn title(self) -> Message {
        match self {
            Self::BadRequest => key("error-bad-request"),
            Self::SignedOut => key("error-signed-out"),
            Self::Forbidden => key("error-forbidden"),
            Self::StaleForm => key("error-stale-form"),
            Self::NotFound => key("error-not-found"),
            Self::MethodNotAllowed => key("error-method-not-allowed"),
            Self::Conflict => key("error-conflict"),
            Self::TooSlow => key("error-too-slow"),
            Self::TooLarge => key("error-too-large"),
            Self::UnsupportedMedia => key("error-unsupported-media"),
            Self::TooMany => key("error-too-many"),
            Self::Internal => key("error-internal"),
            Self::Unavailable => key("error-unavailable"),
            Self::SignOutUnsure => key("error-sign-out"),
        }
    }

    /// What happened, and what to do.
    #[must_use]
    pub fn what(self) -> Message {
        match self {
            Self::BadRequest => key("error-bad-request-what"),
            Self::SignedOut => key("error-signed-out-what"),
            Self::Forbidden => key("error-forbidden-what"),
            Self::StaleForm => key("error-stale-form-what"),
            Self::NotFound => key("error-not-found-what"),
            Self::MethodNotAllowed => key("error-method-not-allowed-what"),
            Self::Conflict => key("error-conflict-what"),
            Self::TooSlow => key("error-too-slow-what"),
            Self::TooLarge => key("error-too-large-what"),
            Self::UnsupportedMedia => key("error-unsupported-media-what"),
            Self::TooMany => key("error-too-many-what"),
            Self::Internal => key("error-internal-what"),
            Self::Unavailable => key("error-unavailable-what"),
            Self::SignOutUnsure => key("error-sign-out-what"),
        }
    }

    /// Whether anything was taken. A fault of ours cannot rule out that the request was carried
    /// out, and says so.
    #[must_use]
    pub fn taken(self) -> Message {
        match self {
            Self::Internal | Self::Unavailable => key("error-taken-unsure"),
            Self::SignOutUnsure => key("error-taken-sign-out"),
            _ => key("error-taken-nothing"),
        }
    }

    /// Whether the way on is the page that the address belongs to.
    #[must_use]
    pub fn has_page(self) -> bool {
        self == Self::MethodNotAllowed
    }

    /// Whether signing in is the way on.
    #[must_use]
    pub fn is_signed_out(self) -> bool {
        matches!(self, Self::SignedOut | Self::SignOutUnsure)
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorKind, StatusCode};

    #[test]
    fn every_kind_is_the_kind_of_its_status() {
        for code in [400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 500, 503] {
            let status = StatusCode::from_u16(code).unwrap();
            assert_eq!(ErrorKind::of(status).status(), status);
        }
        assert_eq!(ErrorKind::of(StatusCode::IM_A_TEAPOT), ErrorKind::BadRequest);
        assert_eq!(ErrorKind::of(StatusCode::BAD_GATEWAY), ErrorKind::Unavailable);
    }
}
