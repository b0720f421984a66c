//! Products in the console, in every state.

use super::pages::{Pages, page};
use super::samples::frame;
use crate::picture::{Kind, PictureFile, Refusal};
use crate::sale::activity::Product;
use crate::sale::ids::ProductId;
use crate::sale::money::{Cents, InvalidMoney};
use crate::sale::product::{ProductFault, ProductPlan};
use crate::web::admin::view::products::{
    Done, Kept, ProductPage, ProductRow, ProductsPage, Theirs, fault, picture_fault, price_fault,
};
use crate::web::extract::product_forms::ProductForm;
use crate::web::faults::Faults;
use crate::web::language::Language;

fn product(id: i64, archived: bool) -> Product {
    Product {
        id: ProductId(id),
        name: format!("Kettle <{id}> 壶"),
        description: "Line one\nline two".into(),
        list_price: (id % 2 == 1).then_some(Cents(5999)),
        picture: (id % 3 == 1).then(|| PictureFile::of(b"kettle", Kind::Jpeg).to_string()),
        archived,
        version: 3,
    }
}

pub fn all(language: Language) -> Pages {
    let mut pages = lists(language);
    pages.extend(forms(language));
    pages
}

fn lists(language: Language) -> Pages {
    let list = |count, search: &str, archived| ProductsPage {
        f: frame(language, true, "/admin/products"),
        products: (1..=count).map(|id| ProductRow::from(product(id, archived))).collect(),
        search: search.into(),
        archived,
        older: (count > 3).then(|| "/admin/products?before=1".into()),
    };
    vec![
        page("products", &list(4, "", false)),
        page("products-archived", &list(2, "ket", true)),
        page("products-none", &list(0, "", false)),
        page("products-none-archived", &list(0, "", true)),
        page("products-none-found", &list(0, "\"x", false)),
    ]
}

fn forms(language: Language) -> Pages {
    let view = |kept: Option<&Product>| ProductPage {
        f: frame(language, true, "/admin/products/1"),
        kept: kept.map(Kept::of),
        form: ProductForm { name: "Kettle \"2\"".into(), ..ProductForm::default() },
        faults: Faults::default(),
        theirs: Vec::new(),
        done: None,
    };
    let kept = product(1, false);
    let mut pages = vec![
        page("product-new", &view(None)),
        page("product", &view(Some(&kept))),
        page("product-drawn", &view(Some(&product(2, false)))),
        page("product-archived", &view(Some(&product(1, true)))),
    ];
    for done in [Done::Created, Done::Saved, Done::Archived, Done::Restored] {
        let shown = ProductPage { done: Some(done), ..view(Some(&kept)) };
        pages.push(page(format!("product-{done:?}"), &shown));
    }
    let mut overtaken = view(Some(&kept));
    overtaken.theirs = Theirs::beside(&ProductPlan::default(), &kept);
    pages.push(page("product-overtaken", &overtaken));
    let mut refused = view(None);
    refused.form.sent_before = Some(PictureFile::of(b"kettle", Kind::Png));
    pages.push(page("product-sent-before", &refused));
    for message in [
        fault(ProductFault::Name),
        fault(ProductFault::NameTaken),
        fault(ProductFault::Description),
        fault(ProductFault::ListPrice),
        price_fault(InvalidMoney::NotAnAmount),
        price_fault(InvalidMoney::TooPrecise),
        price_fault(InvalidMoney::TooMuch),
        picture_fault(Refusal::Format),
        picture_fault(Refusal::Damaged),
        picture_fault(Refusal::TooLarge),
        picture_fault(Refusal::TooHeavy),
        picture_fault(Refusal::Animated),
    ] {
        let mut faulty = view(None);
        for field in ["name", "description", "list_price", "picture"] {
            faulty.faults.add(field, message.clone());
        }
        pages.push(page("product-faulty", &faulty));
    }
    pages
}
