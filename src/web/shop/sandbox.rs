//! `/sandbox/{payment}`: the page of the sandbox, the provider that takes no money. Here somebody plays the
//! shopper at their bank, and the bank that tells the shop: once, twice, late, or never.

use actix_web::{HttpResponse, http::StatusCode, web};
use askama::Template;

use super::{Site, see_other};
use crate::{
    payment::sandbox::{Decision, Telling},
    sale::payment::PaymentNo,
    web::{
        error::WebError,
        extract::{
            fields::{BadForm, Fields},
            form::{Checked, FromFields},
        },
        page::{Frame, respond},
        price::Price,
    },
};

/// The page.
#[derive(Debug, Template)]
#[template(path = "shop/sandbox.html")]
pub struct SandboxPage {
    /// What every page has.
    pub f: Frame,
    /// Which payment.
    pub payment_no: String,
    /// What is to be paid.
    pub price: Price,
    /// Whether it is still to be decided.
    pub open: bool,
    /// The shop's page to go back to.
    pub return_to: String,
}

/// What was chosen.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    decision: Decision,
    telling: Telling,
}

impl FromFields for Choice {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let decision = match fields.require("decision", 16)?.as_str() {
            "pay" => Decision::Pay,
            "decline" => Decision::Decline,
            _ => return Err(BadForm::Missing),
        };
        let telling = fields.take("telling")?;
        let telling = telling.as_deref().map_or(Some(Telling::Once), Telling::named);
        Ok(Self { decision, telling: telling.ok_or(BadForm::Missing)? })
    }
}

/// Shows the payment.
pub async fn show(
    site: Site,
    f: Frame,
    payment_no: web::Path<String>,
) -> Result<HttpResponse, WebError> {
    let payment_no = number(&payment_no)?;
    let entry = site.sandbox.find(payment_no).await.map_err(WebError::Provider)?;
    let entry = entry.ok_or(WebError::NotFound)?;
    let page = SandboxPage {
        f,
        payment_no: payment_no.to_string(),
        price: Price::new(entry.amount.0, entry.currency.code()),
        open: entry.status == "open",
        return_to: entry.return_to,
    };
    Ok(respond(StatusCode::OK, &page))
}

/// Pays or declines, and leads back to the shop.
pub async fn decide(
    site: Site,
    payment_no: web::Path<String>,
    Checked(choice): Checked<Choice>,
) -> Result<HttpResponse, WebError> {
    let payment_no = number(&payment_no)?;
    let sandbox = &site.sandbox;
    let entry = sandbox.find(payment_no).await.map_err(WebError::Provider)?;
    let entry = entry.ok_or(WebError::NotFound)?;
    let decided = sandbox.decide(payment_no, choice.decision, choice.telling).await;
    decided.map_err(WebError::Provider)?;
    Ok(see_other(&entry.return_to))
}

fn number(text: &str) -> Result<PaymentNo, WebError> {
    text.parse().map_err(|_| WebError::NotFound)
}
