//! Products: the list, and one with its form.

use askama::Template;

use crate::picture::PictureFile;
use crate::sale::activity::Product;
use crate::sale::money::InvalidMoney;
use crate::sale::product::{ProductFault, ProductField};
use crate::web::extract::product_forms::ProductForm;
use crate::web::faults::Faults;
use crate::web::page::Frame;
use crate::web::pictures::{Look, address};
use crate::web::text::{Message, key};
use crate::{picture::Refusal, sale::product::ProductPlan};

/// `GET /admin/products`, the newest first.
#[derive(Debug, Template)]
#[template(path = "admin/products.html")]
pub struct ProductsPage {
    /// What every page has.
    pub f: Frame,
    /// Those of this page.
    pub products: Vec<ProductRow>,
    /// The part of a name that was looked for.
    pub search: String,
    /// Whether the archived ones are shown, in place of the others.
    pub archived: bool,
    /// The address of the next page, when there is one.
    pub older: Option<String>,
}

/// A product in the list.
#[derive(Debug, Clone)]
pub struct ProductRow {
    /// Its number.
    pub id: i64,
    /// Its name and picture.
    pub look: Look,
    /// Its usual price, minor units.
    pub list_price: Option<i64>,
}

impl From<Product> for ProductRow {
    fn from(product: Product) -> Self {
        Self {
            id: product.id.0,
            look: Look::of(&product),
            list_price: product.list_price.map(|price| price.0),
        }
    }
}

/// A product and its form: `GET /admin/products/{id}` and `/new`, and what did not go through.
#[derive(Debug, Template)]
#[template(path = "admin/product.html")]
pub struct ProductPage {
    /// What every page has.
    pub f: Frame,
    /// The product as it is kept; none while it is being made.
    pub kept: Option<Kept>,
    /// What stands in the fields.
    pub form: ProductForm,
    /// What is wrong with them.
    pub faults: Faults,
    /// What somebody else saved while this form was filled in.
    pub theirs: Vec<Theirs>,
    /// What was done just now.
    pub done: Option<Done>,
}

/// A product as it is kept.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Its number.
    pub id: i64,
    /// Its name and picture.
    pub look: Look,
    /// Whether new sales cannot take it.
    pub archived: bool,
}

impl Kept {
    /// Of a product.
    #[must_use]
    pub fn of(product: &Product) -> Self {
        Self { id: product.id.0, look: Look::of(product), archived: product.archived }
    }
}

/// A field as somebody else saved it.
#[derive(Debug, Clone)]
pub struct Theirs {
    /// The field's name in the form.
    pub field: &'static str,
    /// Its label.
    pub label: Message,
    /// What it holds now; empty when nothing.
    pub value: String,
    /// The address of a picture, where it is one.
    pub picture: Option<String>,
}

impl Theirs {
    /// What a product holds now that differs from a plan.
    #[must_use]
    pub fn beside(plan: &ProductPlan, product: &Product) -> Vec<Self> {
        let now = ProductPlan::of(product);
        let told = |field: ProductField| Self {
            field: field.as_str(),
            label: label(field),
            value: now.value(field),
            picture: match field {
                ProductField::Picture => Look::of(product).small(),
                _ => None,
            },
        };
        now.differing(plan).into_iter().map(told).collect()
    }
}

/// What was done before this page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// It was made.
    Created,
    /// It was saved.
    Saved,
    /// It was archived.
    Archived,
    /// It was taken back.
    Restored,
}

impl Done {
    const ALL: [Self; 4] = [Self::Created, Self::Saved, Self::Archived, Self::Restored];

    /// The word in an address.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Saved => "saved",
            Self::Archived => "archived",
            Self::Restored => "restored",
        }
    }

    /// The deed of a word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|done| done.as_str() == word)
    }

    /// What is said of it.
    #[must_use]
    pub fn text(self) -> Message {
        match self {
            Self::Created => key("product-created"),
            Self::Saved => key("product-saved"),
            Self::Archived => key("product-was-archived"),
            Self::Restored => key("product-was-restored"),
        }
    }
}

impl ProductPage {
    /// Where the form goes.
    #[must_use]
    pub fn address(&self) -> String {
        match &self.kept {
            Some(kept) => format!("/admin/products/{}", kept.id),
            None => "/admin/products/new".to_owned(),
        }
    }

    /// The address of the picture that the form would save.
    #[must_use]
    pub fn picture(&self) -> Option<String> {
        match &self.form.sent_before {
            Some(sent) => Some(address(&sent.small())),
            None => self.kept.as_ref().and_then(|kept| kept.look.small()),
        }
    }

    /// The name under which the form shows that picture again, once it was sent.
    #[must_use]
    pub fn sent_before(&self) -> String {
        self.form.sent_before.as_ref().map(PictureFile::to_string).unwrap_or_default()
    }
}

/// What a field is called.
#[must_use]
pub fn label(field: ProductField) -> Message {
    match field {
        ProductField::Name => key("product-name"),
        ProductField::Description => key("product-description"),
        ProductField::ListPrice => key("product-list-price"),
        ProductField::Picture => key("product-picture"),
    }
}

/// What is said of a rule that was broken.
#[must_use]
pub fn fault(fault: ProductFault) -> Message {
    match fault {
        ProductFault::Name => key("product-fault-name"),
        ProductFault::NameTaken => key("product-fault-name-taken"),
        ProductFault::Description => key("product-fault-description"),
        ProductFault::ListPrice => key("product-fault-price-zero"),
    }
}

/// What is said of a text that is no price.
#[must_use]
pub fn price_fault(invalid: InvalidMoney) -> Message {
    match invalid {
        InvalidMoney::NotAnAmount => key("product-fault-price-form"),
        InvalidMoney::TooPrecise => key("product-fault-price-decimals"),
        InvalidMoney::TooMuch => key("product-fault-price-much"),
    }
}

/// What is said of a picture that is not taken.
#[must_use]
pub fn picture_fault(refusal: Refusal) -> Message {
    match refusal {
        Refusal::Format => key("picture-fault-format"),
        Refusal::Damaged => key("picture-fault-damaged"),
        Refusal::TooLarge => key("picture-fault-large"),
        Refusal::TooHeavy => key("picture-fault-heavy"),
        Refusal::Animated => key("picture-fault-animated"),
    }
}
