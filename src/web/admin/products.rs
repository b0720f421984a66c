//! `/admin/products` and below: what is sold, and its pictures.

use actix_web::{HttpResponse, http::StatusCode, web::Bytes};
use url::form_urlencoded::Serializer;

use super::view::products::{
    Done, Kept, ProductPage, ProductRow, ProductsPage, Theirs, fault, picture_fault, price_fault,
};
use crate::{
    back_office::{BackOfficeError, ProductError, products::Search},
    picture::{PictureError, PictureFile},
    sale::{activity::Product, ids::ProductId, money::Cents, product::ProductPlan},
    web::{
        Site,
        error::WebError,
        extract::{
            form::{Checked, NoFields},
            path::OfProduct,
            product_forms::ProductForm,
            query::Query,
            upload::Uploaded,
        },
        faults::Faults,
        page::{Frame, respond, see_other},
        session::Admin,
    },
};

/// Products on one page of the list.
const SHOWN: i64 = 30;
/// The longest text to look for, bytes.
const SEARCH_MAX: usize = 800;

/// The list.
pub async fn list(
    _: Admin,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let search = query.take("q")?.unwrap_or_default().trim().to_owned();
    if search.len() > SEARCH_MAX {
        return Err(WebError::BadRequest("a search that is too long"));
    }
    let archived = query.take("archived")?.is_some();
    let before = query.take("before")?.map(|text| text.parse::<ProductId>()).transpose();
    let before = before.map_err(|_| WebError::BadRequest("before is no number"))?;
    let asked = Search { text: search.clone(), archived, before, limit: SHOWN + 1 };
    // One more than is shown tells whether there are older ones.
    let mut products = site.office.products(asked).await?;
    let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let more = products.len() > shown;
    products.truncate(shown);
    let last = products.last().filter(|_| more).map(|product| product.id);
    let older = last.map(|id| older(id, &search, archived));
    let products = products.into_iter().map(ProductRow::from).collect();
    Ok(respond(StatusCode::OK, &ProductsPage { f, products, search, archived, older }))
}

fn older(before: ProductId, search: &str, archived: bool) -> String {
    let mut query = Serializer::new(String::new());
    if !search.is_empty() {
        query.append_pair("q", search);
    }
    if archived {
        query.append_pair("archived", "yes");
    }
    format!("/admin/products?{}", query.append_pair("before", &before.to_string()).finish())
}

/// An empty form.
pub async fn blank(_: Admin, f: Frame) -> HttpResponse {
    respond(StatusCode::OK, &page(f, None, ProductForm::default()))
}

/// Makes a product.
pub async fn create(
    admin: Admin,
    site: Site,
    f: Frame,
    Uploaded { form, file }: Uploaded<ProductForm>,
) -> Result<HttpResponse, WebError> {
    let mut page = page(f, None, form);
    let plan = plan(&site, &mut page, None, file).await?;
    let made = match plan {
        Some(plan) => site.office.make_product(plan, &admin.actor).await,
        None => return Ok(refused(&page)),
    };
    match made {
        Ok(id) => Ok(on_to(id, Done::Created)),
        Err(BackOfficeError::Product(ProductError::Faults(faults))) => {
            tell(&mut page.faults, faults.into_iter().map(|it| (it.field().as_str(), fault(it))));
            Ok(refused(&page))
        }
        Err(error) => Err(error.into()),
    }
}

/// A product with its form.
pub async fn show(
    _: Admin,
    OfProduct(id): OfProduct,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let product = site.office.product(id).await?;
    let mut page = page(f, Some(&product), filled(&product));
    page.done = query.take("done")?.as_deref().and_then(Done::named);
    Ok(respond(StatusCode::OK, &page))
}

/// Saves a product.
pub async fn edit(
    admin: Admin,
    OfProduct(id): OfProduct,
    site: Site,
    f: Frame,
    Uploaded { form, file }: Uploaded<ProductForm>,
) -> Result<HttpResponse, WebError> {
    let product = site.office.product(id).await?;
    let mut page = page(f, Some(&product), form);
    let Some(plan) = plan(&site, &mut page, product.picture.as_ref(), file).await? else {
        return Ok(refused(&page));
    };
    let seen = page.form.version;
    match site.office.edit_product(id, seen, plan.clone(), &admin.actor).await {
        Ok(()) => Ok(on_to(id, Done::Saved)),
        Err(BackOfficeError::Product(ProductError::Faults(faults))) => {
            tell(&mut page.faults, faults.into_iter().map(|it| (it.field().as_str(), fault(it))));
            Ok(refused(&page))
        }
        Err(BackOfficeError::Product(ProductError::Changed(now))) => {
            let theirs = Theirs::beside(&plan.tidied(), &now);
            // Both meant the same.
            let agreed = theirs.is_empty();
            Ok(if agreed { on_to(id, Done::Saved) } else { overtaken(page, theirs, &now) })
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes a product out of what new sales may offer.
pub async fn archive(
    admin: Admin,
    OfProduct(id): OfProduct,
    site: Site,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    site.office.archive_product(id, true, &admin.actor).await?;
    Ok(on_to(id, Done::Archived))
}

/// Takes it back.
pub async fn restore(
    admin: Admin,
    OfProduct(id): OfProduct,
    site: Site,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    site.office.archive_product(id, false, &admin.actor).await?;
    Ok(on_to(id, Done::Restored))
}

/// What the form plans; none when a field cannot be read, which the page then tells.
async fn plan(
    site: &Site,
    page: &mut ProductPage,
    present: Option<&String>,
    file: Option<Bytes>,
) -> Result<Option<ProductPlan>, WebError> {
    let (list_price, unreadable) = match page.form.list_price.as_str() {
        "" => (None, None),
        typed => match Cents::parse_amount(typed) {
            Ok(price) => (Some(price), None),
            Err(invalid) => (None, Some(price_fault(invalid))),
        },
    };
    let mut plan = ProductPlan {
        name: page.form.name.clone(),
        description: page.form.description.clone(),
        list_price,
        picture: None,
    };
    let broken = plan.clone().tidied().faults();
    tell(&mut page.faults, broken.into_iter().map(|it| (it.field().as_str(), fault(it))));
    tell(&mut page.faults, unreadable.map(|message| ("list_price", message)));
    page.form.sent_before = sent(site, page, file).await?;
    plan.picture = match &page.form.sent_before {
        Some(sent) => Some(sent.to_string()),
        None if page.form.remove_picture => None,
        None => present.cloned(),
    };
    Ok(page.faults.is_empty().then_some(plan))
}

/// The picture that was sent, now or with an earlier try.
async fn sent(
    site: &Site,
    page: &mut ProductPage,
    file: Option<Bytes>,
) -> Result<Option<PictureFile>, WebError> {
    let Some(file) = file else {
        let Some(before) = page.form.sent_before.take() else { return Ok(None) };
        // Whoever wrote that name: there has to be such a picture.
        return Ok(site.gallery.read(&before).await?.map(|_| before));
    };
    match site.gallery.add(file).await {
        Ok(picture) => Ok(Some(picture)),
        Err(PictureError::Refused(refusal)) => {
            page.faults.add("picture", picture_fault(refusal));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn tell(
    faults: &mut Faults,
    told: impl IntoIterator<Item = (&'static str, crate::web::text::Message)>,
) {
    for (field, message) in told {
        faults.add(field, message);
    }
}

fn page(f: Frame, product: Option<&Product>, form: ProductForm) -> ProductPage {
    ProductPage {
        f,
        kept: product.map(Kept::of),
        form,
        faults: Faults::default(),
        theirs: Vec::new(),
        done: None,
    }
}

fn filled(product: &Product) -> ProductForm {
    ProductForm {
        name: product.name.clone(),
        description: product.description.clone(),
        list_price: product.list_price.map(Cents::to_amount).unwrap_or_default(),
        version: product.version,
        sent_before: None,
        remove_picture: false,
    }
}

fn refused(page: &ProductPage) -> HttpResponse {
    respond(StatusCode::UNPROCESSABLE_ENTITY, page)
}

/// What somebody else saved, beside what stands in the fields. Sent once more, the fields are saved.
fn overtaken(page: ProductPage, theirs: Vec<Theirs>, now: &Product) -> HttpResponse {
    let form = ProductForm { version: now.version, ..page.form };
    let page = ProductPage { form, kept: Some(Kept::of(now)), theirs, ..page };
    respond(StatusCode::CONFLICT, &page)
}

fn on_to(id: ProductId, done: Done) -> HttpResponse {
    see_other(&format!("/admin/products/{id}?done={}", done.as_str()))
}
