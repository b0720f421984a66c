//! The web role: the pages.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::{num::NonZeroUsize, time::Duration};

use actix_web::dev::Server;
use tokio_util::sync::CancellationToken;

use super::RoleError;
use super::places::{self, Places};
use crate::account::Accounts;
use crate::back_office::live::Dashboards;
use crate::back_office::ops::pipeline::Pipelines;
use crate::captcha::cache::PictureCache;
use crate::captcha::pool::{Pool, PoolSettings};
use crate::catalog::Catalog;
use crate::config::{Config, Needs};
use crate::payment::{clerk::Clerk, sandbox};
use crate::purchase::Tally;
use crate::sale::pipeline::Bounds;
use crate::web::{self, WebState};

/// Pictures kept for showing them again, bytes.
const SHOWN_BYTES: u64 = 64 * 1024 * 1024;

/// What the site has a part of that goes on beside it.
pub(super) struct WebParts {
    pub(super) accounts: Accounts,
    pub(super) tally: Tally,
    /// Ends what would go on for as long as somebody watches.
    pub(super) stop: CancellationToken,
}

/// Who takes the money, in words.
pub(crate) const fn provider() -> &'static str {
    "payments go to the sandbox: no money is taken"
}

/// Builds the site on `listener`. What goes on without end there, ends with `stop`.
pub(super) fn build(
    config: &Config,
    places: &Places,
    catalog: &Catalog,
    parts: WebParts,
    listener: TcpListener,
) -> Result<Server, RoleError> {
    config.require(Needs { secret_key: true, ..Needs::default() })?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "{}", provider());
    }
    let WebParts { accounts, tally, stop } = parts;
    let pictures = Pool::start(PoolSettings {
        size: NonZeroUsize::new(config.captcha.pool).unwrap_or(NonZeroUsize::MIN),
        threads: NonZeroUsize::MIN,
        wait: Duration::from_secs(2),
    })?;
    let office = places.back_office(config);
    let gallery = places::gallery(config)?;
    let state = WebState {
        catalog: catalog.clone(),
        desk: places.desk(config, catalog.clone(), tally),
        accounts,
        sandbox: places.sandbox(config),
        pipelines: Pipelines::new(office.clone(), catalog.clone(), bounds(config), stop.clone()),
        dashboards: Dashboards::new(office.clone(), stop.clone()),
        office,
        pictures,
        gallery,
        shown: PictureCache::new(SHOWN_BYTES),
        site: config.site.clone(),
        currency: config.sale.currency,
        stop,
    };
    Ok(web::serve(listener, state)?)
}

/// From where on the path is in trouble, by the same settings that its steps go by.
fn bounds(config: &Config) -> Bounds {
    Bounds {
        outbox: config.sale.outbox_bound,
        queue: config.relay.pause_above.into(),
        ..Bounds::default()
    }
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
