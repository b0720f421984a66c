//! `POST /language`: the visitor's own choice.

use actix_web::HttpResponse;

use super::{Site, see_other};
use crate::web::{
    error::WebError,
    extract::{account_forms::LanguageForm, form::Checked},
    language::Language,
};

/// Remembers the choice and leads back.
pub async fn choose(
    site: Site,
    Checked(form): Checked<LanguageForm>,
) -> Result<HttpResponse, WebError> {
    let chosen = Language::from_tag(&form.lang).ok_or(WebError::BadRequest("no such language"))?;
    let mut answer = see_other(form.next.address());
    answer
        .add_cookie(&chosen.cookie(site.site.secure_cookies))
        .map_err(|_| WebError::Fault("the language cookie cannot be written"))?;
    Ok(answer)
}
