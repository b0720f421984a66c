//! `/pictures/{name}`: a product's picture, for everybody; and what pages show of a product.

use actix_web::{HttpResponse, http::header::CACHE_CONTROL, web};

use super::{Site, error::WebError};
use crate::{picture::PictureFile, sale::activity::Product};

/// A file never changes: its name is made from its content.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A file of the gallery.
pub async fn file(site: Site, name: web::Path<String>) -> Result<HttpResponse, WebError> {
    let file: PictureFile = name.parse().map_err(|_| WebError::NotFound)?;
    let content = site.gallery.read(&file).await?.ok_or(WebError::NotFound)?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, FOR_EVER))
        .content_type(file.kind().content_type())
        .body(content))
}

/// What shows a product: its picture, or a drawn one that stands for it.
#[derive(Debug, Clone)]
pub struct Look {
    /// Which of the drawn pictures.
    pub tile: i64,
    /// The product's name, for those who do not see the picture.
    pub name: String,
    file: Option<PictureFile>,
}

impl Look {
    /// Of a product.
    #[must_use]
    pub fn of(product: &Product) -> Self {
        let file = product.picture.as_ref().and_then(|name| name.parse().ok());
        Self { file, ..Self::drawn(product.id.0, &product.name) }
    }

    /// Of a product without a picture of its own.
    #[must_use]
    pub fn drawn(product_id: i64, name: &str) -> Self {
        Self { tile: product_id.rem_euclid(6), name: name.to_owned(), file: None }
    }

    /// The address of the picture for the product's page.
    #[must_use]
    pub fn large(&self) -> Option<String> {
        self.file.as_ref().map(address)
    }

    /// The address of the picture for lists.
    #[must_use]
    pub fn small(&self) -> Option<String> {
        self.file.as_ref().map(|file| address(&file.small()))
    }
}

/// Where a picture is served.
#[must_use]
pub fn address(file: &PictureFile) -> String {
    format!("/pictures/{file}")
}
