//! Numbers in addresses. What names nothing has no page.

use std::{
    future::{Ready, ready},
    str::FromStr,
    sync::Arc,
};

use actix_web::{FromRequest, HttpRequest, dev::Payload, web};

use crate::{
    catalog::{Catalog, Listing},
    sale::{
        ids::{ActivityId, ProductId, UserId},
        order_number::OrderNo,
    },
    web::{WebState, error::WebError},
};

/// The sale that an address names: one that was published.
#[derive(Debug, Clone)]
pub struct OnSale(pub Arc<Listing>);

impl FromRequest for OnSale {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let find = |id: ActivityId| catalog(req)?.snapshot().get(id).ok_or(WebError::NotFound);
        ready(segment(req, "activity").and_then(find).map(Self))
    }
}

/// The number of an activity in an address of the console, drafts included; whether there is one, the back
/// office says.
#[derive(Debug, Clone, Copy)]
pub struct ActivityNumber(pub ActivityId);

impl FromRequest for ActivityNumber {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(req, "activity").map(Self))
    }
}

/// A step of an activity's life, as an address names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Publishes a draft.
    Schedule,
    /// Stops a sale for the moment.
    Pause,
    /// Lets it go on.
    Resume,
    /// Closes its window now.
    End,
    /// Withdraws it before its first order.
    Cancel,
}

impl FromStr for Step {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "schedule" => Self::Schedule,
            "pause" => Self::Pause,
            "resume" => Self::Resume,
            "end" => Self::End,
            "cancel" => Self::Cancel,
            _ => return Err(()),
        })
    }
}

/// A step of the activity that an address names, as [`ActivityNumber`] does.
#[derive(Debug, Clone, Copy)]
pub struct StepOf {
    /// Which activity.
    pub activity: ActivityId,
    /// Which step.
    pub step: Step,
}

impl FromRequest for StepOf {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let step = |activity| segment(req, "step").map(|step| Self { activity, step });
        ready(segment(req, "activity").and_then(step))
    }
}

/// The order that an address names; whose it is, the desk says.
#[derive(Debug, Clone, Copy)]
pub struct Named(pub OrderNo);

impl FromRequest for Named {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(req, "order").and_then(|number| catalog(req).map(|_| Self(number))))
    }
}

/// The product that an address names; whether there is one, the back office says.
#[derive(Debug, Clone, Copy)]
pub struct OfProduct(pub ProductId);

impl FromRequest for OfProduct {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(req, "product").map(Self))
    }
}

/// The account that an address names; whether there is one, the accounts say.
#[derive(Debug, Clone, Copy)]
pub struct OfAccount(pub UserId);

impl FromRequest for OfAccount {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(req, "account").map(Self))
    }
}

/// The dead letter that an address names; whether there is one, the back office says.
#[derive(Debug, Clone, Copy)]
pub struct OfLetter(pub i64);

impl FromRequest for OfLetter {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let number = segment(req, "letter")
            .and_then(|number: i64| if number > 0 { Ok(number) } else { Err(WebError::NotFound) });
        ready(number.map(Self))
    }
}

/// The comparison of gate and ledger that an address names; whether there is one, the back office says.
#[derive(Debug, Clone, Copy)]
pub struct OfRound(pub i64);

impl FromRequest for OfRound {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let number = segment(req, "round")
            .and_then(|number: i64| if number > 0 { Ok(number) } else { Err(WebError::NotFound) });
        ready(number.map(Self))
    }
}

/// The catalog, once it is loaded: before that, nothing may be called unknown.
fn catalog(req: &HttpRequest) -> Result<&Catalog, WebError> {
    let state = req.app_data::<web::Data<WebState>>().ok_or(WebError::Fault("no state"))?;
    if state.catalog.is_loaded() { Ok(&state.catalog) } else { Err(WebError::NotReady) }
}

/// The token of a ticket in an address: what no ticket can be called is asked of nobody.
#[derive(Debug, Clone)]
pub struct TicketToken(pub String);

/// No token of ours is as long.
pub(super) const TOKEN_MAX: usize = 128;

impl FromStr for TicketToken {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let fits = (1..=TOKEN_MAX).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        fits.then(|| Self(text.to_owned())).ok_or(())
    }
}

impl FromRequest for TicketToken {
    type Error = WebError;
    type Future = Ready<Result<Self, WebError>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(segment(req, "ticket"))
    }
}

fn segment<T: FromStr>(req: &HttpRequest, name: &str) -> Result<T, WebError> {
    req.match_info().get(name).and_then(|text| text.parse().ok()).ok_or(WebError::NotFound)
}
