//! The session: a cookie that only this site can read, with what the edge knows of a visitor.
//!
//! Nobody else touches the cookie's content: it is read by [`Visit::of`] and [`Shopper`], begun by the
//! first page, renewed by [`sign_in`] and ended by [`sign_out`].

use std::future::{Ready, ready};

use actix_session::{
    Session, SessionExt, SessionMiddleware,
    config::{CookieContentSecurity, PersistentSession},
    storage::CookieSessionStore,
};
use actix_web::{
    FromRequest, HttpRequest,
    cookie::{Key, SameSite, time::Duration},
    dev::Payload,
    web,
};
use chrono::Utc;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha512;
use subtle::ConstantTimeEq;

use super::{WebState, error::WebError, middleware::request_id::RequestId};
use crate::{
    account::{Account, SESSION_LIFE, SessionId},
    sale::{actor::Actor, ids::UserId, shopper::Role},
};

const COOKIE: &str = "seckill";
const KEY: &str = "visit";

/// What the cookie holds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Visit {
    /// Stands in each form of this session; a POST without it does nothing.
    pub csrf_token: String,
    /// Who signed in, if anybody did.
    pub account: Option<SignedIn>,
}

/// An account as the session knows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SignedIn {
    /// Its number.
    pub id: UserId,
    /// Its name, as typed at the registration.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The session is ended everywhere by this; one without it is none of ours any more.
    #[serde(default)]
    pub session_id: Option<SessionId>,
    /// All sessions of the account are ended by raising its epoch.
    pub epoch: i64,
    /// When this session signed in, ms since the epoch.
    pub since_ms: i64,
}

impl SignedIn {
    /// Whether the sign-in has run out. The cookie alone would be good for ever to whoever copied it.
    fn is_over(&self) -> bool {
        let age_ms = Utc::now().timestamp_millis().saturating_sub(self.since_ms);
        u128::try_from(age_ms).is_ok_and(|age_ms| age_ms >= SESSION_LIFE.as_millis())
    }

    /// Whether it was ended before its time. This node knows that by itself; nobody is asked.
    fn was_ended(&self, req: &HttpRequest) -> bool {
        let site = req.app_data::<web::Data<WebState>>();
        let allowed = site.zip(self.session_id).is_some_and(|(site, session)| {
            site.accounts.endings().allow(session, self.id, self.epoch)
        });
        !allowed
    }

    /// Whoever this is, as the audit names them.
    #[must_use]
    pub fn actor(&self, req: &HttpRequest) -> Actor {
        let request_id = RequestId::text_of(req).unwrap_or_default();
        Actor::account(self.id, self.name.clone(), request_id)
    }
}

impl Visit {
    /// This request's visit; begun where there is none, or where the sign-in is over.
    #[must_use]
    pub fn of(req: &HttpRequest) -> Self {
        Self::known(req).unwrap_or_else(|| Self::begin(&req.get_session(), None))
    }

    /// This request's visit, if its cookie holds one that still counts.
    #[must_use]
    pub fn known(req: &HttpRequest) -> Option<Self> {
        let visit = req.get_session().get::<Self>(KEY).ok().flatten()?;
        let over = |account: &SignedIn| account.is_over() || account.was_ended(req);
        (!visit.account.as_ref().is_some_and(over)).then_some(visit)
    }

    /// Whether this visit is an admin's, and still counts: for an answer that goes on and on, which has to
    /// ask again and again.
    #[must_use]
    pub fn is_still_admin(&self, req: &HttpRequest) -> bool {
        self.is_still(req, |role| role == Role::Admin)
    }

    /// The same of an operator, or of an admin, who may do all that an operator may.
    #[must_use]
    pub fn is_still_operator(&self, req: &HttpRequest) -> bool {
        self.is_still(req, Role::may_operate)
    }

    /// Whether this visit is of somebody whose role may do something, and still counts.
    #[must_use]
    pub fn is_still(&self, req: &HttpRequest, may: impl Fn(Role) -> bool) -> bool {
        self.account.as_ref().is_some_and(|account| {
            may(account.role) && !account.is_over() && !account.was_ended(req)
        })
    }

    /// Whether `token` is this session's; takes as long for a near miss as for any other.
    #[must_use]
    pub fn has_token(&self, token: &str) -> bool {
        self.csrf_token.as_bytes().ct_eq(token.as_bytes()).into()
    }

    /// A new visit with a new token, in place of whatever the session held.
    fn begin(session: &Session, account: Option<SignedIn>) -> Self {
        let visit = Self { csrf_token: random_token(), account };
        session.renew();
        if let Err(error) = session.insert(KEY, &visit) {
            tracing::error!(%error, "session could not be written");
        }
        visit
    }
}

/// Signs the account in: another session, another token, so that neither a planted cookie nor a form
/// from before serves afterwards.
pub fn sign_in(session: &Session, account: Account) {
    let signed_in = SignedIn {
        id: account.id,
        name: account.username,
        role: account.role,
        session_id: Some(SessionId::random()),
        epoch: account.epoch,
        since_ms: Utc::now().timestamp_millis(),
    };
    Visit::begin(session, Some(signed_in));
}

/// Signs this browser out. Whoever copied the cookie still has it, so [`Accounts`] has to know as well.
///
/// [`Accounts`]: crate::account::Accounts
pub fn sign_out(session: &Session) {
    Visit::begin(session, None);
}

/// Whoever is signed in. As an extractor it stops everybody else.
#[derive(Debug, Clone)]
pub struct Shopper {
    /// Their number.
    pub id: UserId,
}

impl FromRequest for Shopper {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let account = Visit::known(req).and_then(|visit| visit.account);
        ready(account.map(|account| Self { id: account.id }).ok_or(WebError::SignedOut))
    }
}

/// Whoever is signed in, to see and change what is their own.
#[derive(Debug, Clone)]
pub struct Owner {
    /// Their number.
    pub id: UserId,
    /// For the audit.
    pub actor: Actor,
}

impl FromRequest for Owner {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let account = Visit::known(req).and_then(|visit| visit.account);
        let owner = |account: SignedIn| Self { id: account.id, actor: account.actor(req) };
        ready(account.map(owner).ok_or(WebError::SignedOut))
    }
}

/// The session of whoever is signed in, to be ended; `None` while signed out.
#[derive(Debug, Clone, Copy)]
pub struct OwnSession(pub Option<SessionId>);

impl FromRequest for OwnSession {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let account = Visit::known(req).and_then(|visit| visit.account);
        ready(Ok(Self(account.and_then(|account| account.session_id))))
    }
}

/// An admin who is signed in. As an extractor it sends others to the login or away.
#[derive(Debug, Clone)]
pub struct Admin {
    /// For the audit.
    pub actor: Actor,
}

impl FromRequest for Admin {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(staff(req, |role| role == Role::Admin).map(|actor| Self { actor }))
    }
}

/// An operator or admin who is signed in. As an extractor it sends others to the login or away.
#[derive(Debug, Clone)]
pub struct Operator {
    /// For the audit.
    pub actor: Actor,
}

impl FromRequest for Operator {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(staff(req, Role::may_operate).map(|actor| Self { actor }))
    }
}

/// Whoever is signed in, if their role lets them.
fn staff(req: &HttpRequest, may: impl Fn(Role) -> bool) -> Result<Actor, WebError> {
    let state = req.app_data::<web::Data<WebState>>().ok_or(WebError::Fault("no state"))?;
    match Visit::known(req).and_then(|visit| visit.account) {
        None => Err(WebError::SignedOut),
        Some(account) if !may(account.role) => Err(WebError::Forbidden),
        Some(_) if !state.accounts.endings().are_fresh() => Err(WebError::NotReady),
        Some(account) => Ok(account.actor(req)),
    }
}

/// The middleware that reads and writes the cookie. `secure`: the site is served over TLS.
pub(super) fn middleware(secret: &str, secure: bool) -> SessionMiddleware<CookieSessionStore> {
    SessionMiddleware::builder(CookieSessionStore::default(), cookie_key(secret.as_bytes()))
        .cookie_name(COOKIE.to_owned())
        .cookie_content_security(CookieContentSecurity::Private)
        .cookie_http_only(true)
        .cookie_same_site(SameSite::Lax)
        .cookie_secure(secure)
        .session_lifecycle(PersistentSession::default().session_ttl(life()))
        .build()
}

/// A sign-in's life as the cookie's library counts it.
fn life() -> Duration {
    Duration::try_from(SESSION_LIFE).unwrap_or(Duration::MAX)
}

/// The cookie's own key, derived so that no other use of the secret can serve to forge a session.
fn cookie_key(secret: &[u8]) -> Key {
    match Hmac::<Sha512>::new_from_slice(secret) {
        Ok(mac) => {
            Key::from(&mac.chain_update(b"seckill session cookie v1").finalize().into_bytes())
        }
        // HMAC takes a key of any length; the error type is there for other algorithms.
        Err(_) => unreachable!("HMAC accepts every key length"),
    }
}

/// 128 bits of chance, in hexadecimal digits.
fn random_token() -> String {
    format!("{:032x}", rand::random::<u128>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit() -> Visit {
        Visit { csrf_token: random_token(), account: None }
    }

    #[test]
    fn only_the_sessions_own_token_passes() {
        let visit = visit();
        assert!(visit.has_token(&visit.csrf_token.clone()));
        assert!(!visit.has_token(""));
        assert!(!visit.has_token(&random_token()));
        assert!(!visit.has_token(&visit.csrf_token[1..]));
        assert!(!visit.has_token(&format!("{} ", visit.csrf_token)));
    }

    #[test]
    fn a_sign_in_ends_by_itself() {
        let now_ms = Utc::now().timestamp_millis();
        let since = |since_ms| SignedIn {
            id: UserId(1),
            name: "Ann".into(),
            role: Role::Shopper,
            session_id: None,
            epoch: 1,
            since_ms,
        };
        assert!(!since(now_ms).is_over());
        assert!(since(now_ms - 12 * 3_600_000).is_over());
        assert!(since(i64::MIN).is_over());
        assert!(!since(i64::MAX).is_over());
    }

    #[test]
    fn a_cookie_of_an_older_release_names_no_session() {
        let old = r#"{"id":1,"name":"Ann","role":"shopper","epoch":1,"since_ms":1}"#;
        let read: SignedIn = serde_json::from_str(old).expect("readable");
        assert_eq!(read.session_id, None);
        let id = Some(SessionId::random());
        let text = serde_json::to_string(&SignedIn { session_id: id, ..read }).expect("writable");
        let read: SignedIn = serde_json::from_str(&text).expect("readable");
        assert_eq!(read.session_id, id);
    }

    #[test]
    fn each_secret_has_its_own_cookie_key() {
        let key = |byte| cookie_key(&[byte; 64]).master().to_vec();
        assert_eq!(key(1), key(1));
        assert_ne!(key(1), key(2));
        assert_ne!(key(1), [1; 64]);
    }
}
