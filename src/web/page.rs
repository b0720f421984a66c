//! The frame that every page shares, and how a page becomes a response.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ContentType, LOCATION};
use askama::Template;
use url::form_urlencoded::byte_serialize;

use super::assets;
use super::language::Language;
use super::moment::{Left, Moment, duration};
use super::price::Price;
use super::text::{Message, Text};
pub use crate::sale::shopper::Role;

/// What a browser may load for our pages: our own scripts, styles and pictures, and nothing else.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; \
    script-src 'self'; \
    style-src 'self'; \
    img-src 'self'; \
    connect-src 'self'; \
    form-action 'self'; \
    base-uri 'none'; \
    frame-ancestors 'none'";

/// Who is looking at the page.
#[derive(Debug, Clone)]
pub struct Viewer {
    /// As it was chosen; any script.
    pub name: String,
    /// What the viewer may do here.
    pub role: Role,
}

/// What every page needs beside its own subject. Templates know it as `f`.
#[derive(Debug, Clone)]
pub struct Frame {
    /// What the page speaks.
    pub language: Language,
    /// The session's token, for each form.
    pub csrf_token: String,
    /// None while signed out.
    pub viewer: Option<Viewer>,
    /// Path and query of this page on this site, to come back to after the language was changed.
    pub path: String,
    /// The server's clock, milliseconds since the epoch.
    pub now_ms: i64,
    /// The shop's currency, an ISO 4217 code.
    pub currency: String,
}

impl Frame {
    /// A text of the catalogue; see [`super::text`].
    #[must_use]
    pub fn t(&self, message: impl Into<Message>) -> Text {
        message.into().in_language(self.language)
    }

    /// An amount in the shop's currency; whole minor units.
    #[must_use]
    pub fn price(&self, minor: &i64) -> Price {
        Price::new(*minor, &self.currency)
    }

    /// A time in the page's language; milliseconds since the epoch.
    #[must_use]
    pub fn moment(&self, ms: &i64) -> Moment {
        Moment::new(*ms, self.language)
    }

    /// The same to the second.
    #[must_use]
    pub fn exact(&self, ms: &i64) -> Moment {
        Moment::exact(*ms, self.language)
    }

    /// What is left from the page's now until then; milliseconds since the epoch.
    #[must_use]
    pub fn left(&self, then_ms: &i64) -> Left {
        Left::between(self.now_ms, *then_ms)
    }

    /// A length of time in words.
    #[must_use]
    pub fn duration(&self, seconds: &i64) -> Text {
        duration(*seconds, self.language)
    }

    /// Where signing in starts; it leads back to this page.
    #[must_use]
    pub fn login_address(&self) -> String {
        if self.path == "/" || self.path.starts_with("/login") || self.path.starts_with("/register")
        {
            return "/login".into();
        }
        let next: String = byte_serialize(self.path.as_bytes()).collect();
        format!("/login?next={next}")
    }

    /// Whether this is the page to sign in on, which needs no way there.
    #[must_use]
    pub fn is_login(&self) -> bool {
        self.path == "/login" || self.path.starts_with("/login?")
    }

    /// Whether this page is the one at that address, or belongs to it.
    #[must_use]
    pub fn is_under(&self, address: &str) -> bool {
        let path = self.path.split('?').next().unwrap_or_default();
        path.strip_prefix(address).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether the viewer configures sales.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.viewer.as_ref().is_some_and(|viewer| viewer.role == Role::Admin)
    }

    /// Whether the viewer watches orders and the path.
    #[must_use]
    pub fn is_operator(&self) -> bool {
        self.viewer.as_ref().is_some_and(|viewer| viewer.role.may_operate())
    }

    /// The address of a file of ours.
    #[must_use]
    pub fn asset(&self, name: &str) -> String {
        assets::address(name)
    }

    /// How long a page without scripts waits before it asks again, in whole seconds: until just
    /// after then, but never longer than half a minute.
    #[must_use]
    pub fn refresh_after(&self, then_ms: &i64) -> i64 {
        (then_ms.saturating_sub(self.now_ms) / 1000 + 1).clamp(1, 30)
    }
}

/// On to another page of this site, to be read by GET.
#[must_use]
pub fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, address)).finish()
}

/// Renders a page. Never stored by a browser or a proxy: it may name its viewer.
pub fn respond(status: StatusCode, page: &impl Template) -> HttpResponse {
    match page.render() {
        Ok(body) => HttpResponse::build(status)
            .insert_header(ContentType::html())
            .insert_header((CACHE_CONTROL, "no-store"))
            .body(body),
        Err(error) => {
            tracing::error!(%error, "page could not be rendered");
            HttpResponse::InternalServerError()
                .insert_header(ContentType::plaintext())
                .insert_header((CACHE_CONTROL, "no-store"))
                .body("500")
        }
    }
}
