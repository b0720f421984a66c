//! The edge: what a browser sees and sends.
//!
//! A request comes in through `middleware` (id, time, headers, session), is matched in [`routes`], is
//! checked by `extract` and reaches a thin handler in `shop`, `admin` or `ops`, which asks [`crate::catalog`],
//! [`crate::purchase`], [`crate::account`] or [`crate::back_office`] and puts the answer into a page. Whatever fails on the way
//! becomes a page of [`error`].

pub mod admin;
pub mod assets;
pub mod chart;
pub mod error;
pub mod error_page;
pub mod extract;
pub mod faults;
pub mod figures;
pub mod files;
pub mod frame;
pub mod language;
pub mod live;
pub mod middleware;
pub mod moment;
pub mod negotiate;
pub mod ops;
pub mod orders_csv;
pub mod page;
pub mod pictures;
pub mod price;
pub mod routes;
pub mod session;
pub mod shop;
pub mod text;

#[cfg(test)]
mod catalogue_test;
#[cfg(test)]
mod preview_test;

use std::{net::TcpListener, time::Duration};

use actix_web::{
    App, Error, HttpServer,
    body::MessageBody,
    dev::{Server, ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web,
};

use tokio_util::sync::CancellationToken;

use crate::{
    account::Accounts,
    back_office::{BackOffice, live::Dashboards, ops::pipeline::Pipelines},
    captcha::{cache::PictureCache, pool::Pool},
    catalog::Catalog,
    config,
    payment::sandbox::Sandbox,
    picture::Gallery,
    purchase::Desk,
    sale::money::Currency,
};

/// What the handlers work with. One for all threads.
#[derive(Debug)]
pub struct WebState {
    /// The sales, in memory.
    pub catalog: Catalog,
    /// Where units are asked for, orders shown, paid and cancelled.
    pub desk: Desk,
    /// Who may sign in.
    pub accounts: Accounts,
    /// The provider that takes no money.
    pub sandbox: Sandbox,
    /// What admins do.
    pub office: BackOffice,
    /// The path that operators watch.
    pub pipelines: Pipelines,
    /// The sales that admins watch.
    pub dashboards: Dashboards,
    /// Pictures of products.
    pub gallery: Gallery,
    /// Pictures drawn ahead.
    pub pictures: Pool,
    /// Pictures that were given out.
    pub shown: PictureCache,
    /// The site's settings.
    pub site: config::Site,
    /// Of all prices.
    pub currency: Currency,
    /// Cancelled when the node is to stop: whatever goes on without end, ends then.
    pub stop: CancellationToken,
}

/// What every handler works with.
pub type Site = web::Data<WebState>;

/// The site as an actix application, the same in production and in tests.
pub fn app(
    state: web::Data<WebState>,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    let site = &state.site;
    let session = session::middleware(site.secret_key.reveal(), site.secure_cookies);
    let careful = middleware::headers::careful(site.secure_cookies);
    App::new()
        .app_data(state)
        .configure(routes::open)
        .service(web::scope("").configure(routes::pages).wrap(session))
        // The last one is the outermost.
        .wrap(from_fn(middleware::body::keep))
        .wrap(careful)
        .wrap(from_fn(middleware::access::measure))
        .wrap(from_fn(middleware::request_id::name))
}

/// Serves the site on `listener` until the returned server is stopped by its handle. A graceful stop
/// waits for what is in hand, as long as the configuration says. Signals are the caller's business.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve(listener: TcpListener, state: WebState) -> std::io::Result<Server> {
    let site = state.site.clone();
    let state = web::Data::new(state);
    let mut server = HttpServer::new(move || app(state.clone()))
        .client_request_timeout(config::ms(site.client_timeout_ms))
        .client_disconnect_timeout(Duration::from_secs(1))
        .keep_alive(Duration::from_secs(30))
        .shutdown_timeout(site.shutdown_timeout_s)
        .disable_signals();
    if site.workers > 0 {
        server = server.workers(site.workers);
    }
    Ok(server.listen(listener)?.run())
}
