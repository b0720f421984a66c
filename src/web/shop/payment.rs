//! `/payments/{provider}/callback`: what a payment's provider tells by itself. It is believed for its
//! signature; there is no session. 2xx tells the provider that it need not come again.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};

use super::Site;
use crate::{
    payment::notice::SIGNATURE,
    purchase::collect::NoticeError,
    sale::error::Class,
    web::{
        error::{WebError, told},
        extract::form::Raw,
        middleware::request_id::RequestId,
    },
};

/// Takes a notice.
pub async fn callback(
    site: Site,
    req: HttpRequest,
    provider: web::Path<String>,
    RequestId(request_id): RequestId,
    Raw(body): Raw,
) -> Result<HttpResponse, WebError> {
    let collector = site.desk.collector();
    if *provider != collector.provider.name() {
        return Err(WebError::NotFound);
    }
    let signature = req.headers().get(SIGNATURE).and_then(|value| value.to_str().ok());
    let signature = signature.unwrap_or_default();
    let answer = |status, outcome, message: &str| told(status, outcome, message.to_owned());
    Ok(match collector.take_notice(signature, &body, &request_id).await {
        Ok(_) => answer(StatusCode::OK, "taken", "the notice was taken"),
        Err(NoticeError::Forged(why)) => {
            tracing::warn!(%why, request_id, "a notice was not believed");
            metrics::counter!("seckill_payment_notices_refused_total").increment(1);
            answer(StatusCode::UNAUTHORIZED, "not_believed", "the signature does not fit")
        }
        Err(NoticeError::NotFound) => {
            answer(StatusCode::NOT_FOUND, "not_found", "there is no such payment")
        }
        Err(NoticeError::Ledger(error)) => {
            tracing::warn!(%error, request_id, "a notice has to come again");
            let status = match error.class() {
                Class::Bug => StatusCode::INTERNAL_SERVER_ERROR,
                _ => StatusCode::SERVICE_UNAVAILABLE,
            };
            answer(status, "unavailable", "come again")
        }
    })
}
