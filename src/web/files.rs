//! `/static/{mark}/{name}`: style sheet, scripts, icon.

use actix_web::{HttpResponse, http::header::CACHE_CONTROL, web};

use super::{assets, error::WebError};

/// A file that is built into the binary.
pub async fn file(path: web::Path<(String, String)>) -> Result<HttpResponse, WebError> {
    let (mark, name) = path.into_inner();
    let asset = assets::find(&name).ok_or(WebError::NotFound)?;
    Ok(HttpResponse::Ok()
        .content_type(asset.content_type)
        .insert_header((CACHE_CONTROL, assets::cache_control(&mark)))
        .body(asset.body))
}
