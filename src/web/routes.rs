//! Every address of the site, on one screen.

use actix_web::{
    Error, HttpResponse, Resource, Route,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    guard,
    middleware::{Compress, from_fn},
    web::{self, ServiceConfig},
};

use super::{admin, error::WebError, files, middleware::failure, ops, pictures, shop};

/// What needs no session.
pub(super) fn open(to: &mut ServiceConfig) {
    // Only files are compressed: a page holds a secret beside what somebody else may have made it say.
    let files = at("/static/{mark}/{name}", READ).route(read().to(files::file));
    to.service(files.wrap(Compress::default()))
        .service(at("/pictures/{name}", READ).route(read().to(pictures::file)))
        .service(
            at("/payments/{provider}/callback", POST)
                .route(web::post().to(shop::payment::callback)),
        )
        .service(at("/time", READ).route(read().to(shop::time::now)));
}

/// What a visitor does. Whoever adds an address adds it here; the paths are the contract's.
pub(super) fn pages(to: &mut ServiceConfig) {
    to.service(at("/", READ).route(read().to(shop::activities::list)))
        .service(at("/activities/{activity}", READ).route(read().to(shop::activity::show)))
        .service(
            at("/activities/{activity}/purchase", FORM)
                .route(read().to(shop::purchase::form))
                .route(web::post().to(shop::purchase::submit)),
        )
        .service(
            at("/activities/{activity}/captcha/{ticket}", READ)
                .route(read().to(shop::captcha::picture)),
        )
        .service(at("/orders", READ).route(read().to(shop::orders::mine)))
        .service(at("/orders/{order}", READ).route(read().to(shop::orders::show)))
        .service(at("/orders/{order}/pay", POST).route(web::post().to(shop::orders::pay)))
        .service(at("/orders/{order}/cancel", POST).route(web::post().to(shop::orders::cancel)))
        .service(
            at("/sandbox/{payment}", FORM)
                .route(read().to(shop::sandbox::show))
                .route(web::post().to(shop::sandbox::decide)),
        )
        .service(
            at("/login", FORM)
                .route(read().to(shop::login::form))
                .route(web::post().to(shop::login::submit)),
        )
        .service(
            at("/register", FORM)
                .route(read().to(shop::register::form))
                .route(web::post().to(shop::register::submit)),
        )
        .service(
            at("/account", FORM)
                .route(read().to(shop::own_account::show))
                .route(web::post().to(shop::own_account::change_password)),
        )
        .service(
            at("/account/end-sessions", POST)
                .route(web::post().to(shop::own_account::end_sessions)),
        )
        .service(at("/logout", POST).route(web::post().to(shop::login::leave)))
        .service(at("/language", POST).route(web::post().to(shop::language::choose)))
        .configure(console)
        .configure(operations)
        // Whatever is left: no such page, in the same words and languages as every other failure.
        .service(at("/{rest:.*}", READ).route(web::route().to(not_found)));
}

/// What an admin does. Each handler takes `Admin`, which lets nobody else in.
fn console(to: &mut ServiceConfig) {
    to.service(at("/admin", READ).route(read().to(admin::home)))
        .service(at("/admin/activities", READ).route(read().to(admin::activities::list)))
        .service(
            at("/admin/activities/new", FORM)
                .route(read().to(admin::activities::new))
                .route(web::post().to(admin::activities::create)),
        )
        .service(at("/admin/activities/{activity}", READ).route(read().to(admin::activities::show)))
        .service(
            at("/admin/activities/{activity}/edit", FORM)
                .route(read().to(admin::activities::edit))
                .route(web::post().to(admin::activities::save)),
        )
        .service(
            at("/admin/activities/{activity}/preview", READ)
                .route(read().to(admin::activities::preview)),
        )
        .service(
            at("/admin/activities/{activity}/clone", POST)
                .route(web::post().to(admin::activities::copy)),
        )
        .service(
            at("/admin/activities/{activity}/adjust", POST)
                .route(web::post().to(admin::activities::adjust)),
        )
        .service(
            at("/admin/activities/{activity}/{step:schedule|pause|resume|end|cancel}", POST)
                .route(web::post().to(admin::activities::step)),
        )
        .service(at("/admin/products", READ).route(read().to(admin::products::list)))
        .service(
            upload("/admin/products/new")
                .route(read().to(admin::products::blank))
                .route(web::post().to(admin::products::create)),
        )
        .service(
            upload("/admin/products/{product}")
                .route(read().to(admin::products::show))
                .route(web::post().to(admin::products::edit)),
        )
        .service(
            at("/admin/products/{product}/archive", POST)
                .route(web::post().to(admin::products::archive)),
        )
        .service(
            at("/admin/products/{product}/restore", POST)
                .route(web::post().to(admin::products::restore)),
        )
        .configure(figures)
        .configure(accounts)
        // The last: what is no page of the console is told to admins alone.
        .service(at("/admin/{rest:.*}", READ).route(web::route().to(admin::nothing)));
}

/// The console's accounts.
fn accounts(to: &mut ServiceConfig) {
    use admin::accounts::{list, one};
    to.service(
        at("/admin/accounts", FORM).route(read().to(list::show)).route(web::post().to(list::add)),
    )
    .service(at("/admin/accounts/{account}", READ).route(read().to(one::show)))
    .service(at("/admin/accounts/{account}/role", POST).route(web::post().to(one::set_role)))
    .service(
        at("/admin/accounts/{account}/password", POST).route(web::post().to(one::set_password)),
    )
    .service(at("/admin/accounts/{account}/disable", POST).route(web::post().to(one::disable)))
    .service(at("/admin/accounts/{account}/enable", POST).route(web::post().to(one::enable)))
    .service(
        at("/admin/accounts/{account}/end-sessions", POST).route(web::post().to(one::end_sessions)),
    );
}

/// How sales do, and who changed what.
fn figures(to: &mut ServiceConfig) {
    to.service(
        at("/admin/activities/{activity}/dashboard", READ).route(read().to(admin::dashboard::show)),
    )
    .service(
        at("/admin/activities/{activity}/live", GET)
            .route(web::get().to(admin::dashboard::live::events)),
    )
    .service(
        at("/admin/activities/{activity}/orders.csv", GET)
            .route(web::get().to(admin::orders_csv::download)),
    )
    .service(at("/admin/audit", READ).route(read().to(admin::audit::list)));
}

/// What an operator does. Each handler takes `Operator`, which lets admins in too, and nobody else.
fn operations(to: &mut ServiceConfig) {
    use ops::{dead_letters as letters, orders, reconciliations, sales, stuck};
    to.service(at("/ops", READ).route(read().to(ops::home)))
        .service(at("/ops/pipeline", READ).route(read().to(ops::pipeline::show)))
        .service(at("/ops/pipeline/live", GET).route(web::get().to(ops::pipeline::events)))
        .service(at("/ops/orders", READ).route(read().to(orders::list)))
        .service(at("/ops/orders.csv", GET).route(web::get().to(orders::download)))
        .service(at("/ops/orders/{order}", READ).route(read().to(orders::show)))
        .service(at("/ops/orders/{order}/cancel", POST).route(web::post().to(orders::cancel)))
        .service(at("/ops/stuck", READ).route(read().to(stuck::show)))
        .service(at("/ops/stuck/refund", POST).route(web::post().to(stuck::refund)))
        .service(at("/ops/stuck/send-again", POST).route(web::post().to(stuck::send_again)))
        .service(at("/ops/stuck/release", POST).route(web::post().to(stuck::release)))
        .service(at("/ops/stuck/end", POST).route(web::post().to(stuck::end)))
        .service(
            at("/ops/reconciliation", FORM)
                .route(read().to(reconciliations::list))
                .route(web::post().to(reconciliations::ask)),
        )
        .service(at("/ops/reconciliation/{round}", READ).route(read().to(reconciliations::show)))
        .service(at("/ops/dead-letters", READ).route(read().to(letters::list)))
        .service(at("/ops/dead-letters/replay", POST).route(web::post().to(letters::replay_all)))
        .service(at("/ops/dead-letters/{letter}", READ).route(read().to(letters::show)))
        .service(
            at("/ops/dead-letters/{letter}/replay", POST).route(web::post().to(letters::replay)),
        )
        .service(
            at("/ops/dead-letters/{letter}/discard", POST).route(web::post().to(letters::discard)),
        )
        .service(at("/ops/sales", READ).route(read().to(sales::show)))
        // The last: what is no page of theirs is told to operators alone.
        .service(at("/ops/{rest:.*}", READ).route(web::route().to(ops::nothing)));
}

const GET: &str = "GET";
const READ: &str = "GET, HEAD";
const FORM: &str = "GET, HEAD, POST";
const POST: &str = "POST";

/// An address whose every failure is answered by a page of ours, a method that it lacks included.
fn at(
    path: &'static str,
    allow: &'static str,
) -> Resource<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
    >,
> {
    bare(path, allow).wrap(from_fn(failure::answer))
}

/// An address to which a picture may be sent.
fn upload(
    path: &'static str,
) -> Resource<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
    >,
> {
    bare(path, FORM).wrap(from_fn(failure::answer_upload))
}

fn bare(path: &'static str, allow: &'static str) -> Resource {
    web::resource(path).default_service(web::to(move || async move {
        Err::<HttpResponse, _>(WebError::MethodNotAllowed { allow })
    }))
}

/// A way to read an address: HEAD is answered wherever GET is, without the body.
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

async fn not_found() -> Result<HttpResponse, WebError> {
    Err(WebError::NotFound)
}
