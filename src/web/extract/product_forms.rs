//! The form about a product.

use super::{
    fields::{BadForm, Fields},
    form::FromFields,
};
use crate::picture::PictureFile;

/// A product as it was typed. A field that is left out counts as left empty: the page then says what is
/// missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProductForm {
    /// As typed.
    pub name: String,
    /// As typed.
    pub description: String,
    /// As typed.
    pub list_price: String,
    /// The version that the form was made from; 0 for a new product.
    pub version: i64,
    /// A picture that was sent and taken with an earlier try of this form.
    pub sent_before: Option<PictureFile>,
    /// Whether the present picture is to go.
    pub remove_picture: bool,
}

impl FromFields for ProductForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let mut text = |name| fields.take(name).map(Option::unwrap_or_default);
        let (version, sent_before) = (text("version")?, text("sent_before")?);
        Ok(Self {
            name: text("name")?,
            description: text("description")?,
            list_price: text("list_price")?,
            // Nobody types these.
            version: version.parse().unwrap_or_default(),
            sent_before: sent_before.parse().ok(),
            remove_picture: text("remove_picture")? == "yes",
        })
    }
}
