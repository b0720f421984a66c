//! The web role: the pages.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::{num::NonZeroUsize, time::Duration};

use actix_web::dev::Server;

use super::RoleError;
use super::places::{Places, accounts};
use crate::captcha::cache::PictureCache;
use crate::captcha::pool::{Pool, PoolSettings};
use crate::catalog::Catalog;
use crate::config::{Config, Needs};
use crate::payment::{clerk::Clerk, sandbox};
use crate::web::{self, WebState};

/// Pictures kept for showing them again, bytes.
const SHOWN_BYTES: u64 = 64 * 1024 * 1024;

/// Builds the site on `listener`.
pub(super) fn build(
    config: &Config,
    places: &Places,
    catalog: &Catalog,
    listener: TcpListener,
) -> Result<Server, RoleError> {
    config.require(Needs { secret_key: true, ..Needs::default() })?;
    let accounts = accounts(config, places.ledger.clone())?;
    let pictures = Pool::start(PoolSettings {
        size: NonZeroUsize::new(config.captcha.pool).unwrap_or(NonZeroUsize::MIN),
        threads: NonZeroUsize::MIN,
        wait: Duration::from_secs(2),
    })?;
    let state = WebState {
        catalog: catalog.clone(),
        desk: places.desk(config, catalog.clone()),
        accounts,
        sandbox: places.sandbox(config),
        office: places.back_office(config),
        pictures,
        shown: PictureCache::new(SHOWN_BYTES),
        site: config.site.clone(),
        currency: config.sale.currency,
    };
    Ok(web::serve(listener, state)?)
}

/// The sandbox's clerk, who brings its notices to the site as a provider would from outside.
pub(super) fn clerk(
    config: &Config,
    places: &Places,
    site: SocketAddr,
) -> Result<Clerk, RoleError> {
    // Whoever listens everywhere is found on the loopback address too.
    let host = match site.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let host = SocketAddr::new(host, site.port());
    let address = format!("http://{host}/payments/{}/callback", sandbox::NAME);
    Clerk::new(places.sandbox(config), address).map_err(RoleError::Other)
}
