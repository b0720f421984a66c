//! The web role: the pages.

use std::{net::TcpListener, num::NonZeroUsize, time::Duration};

use actix_web::dev::Server;
use tokio_util::sync::CancellationToken;

use super::RoleError;
use super::places::{self, Places};
use crate::account::Accounts;
use crate::back_office::live::Dashboards;
use crate::captcha::cache::PictureCache;
use crate::captcha::pool::{Pool, PoolSettings};
use crate::catalog::Catalog;
use crate::config::{Config, Needs};
use crate::purchase::Tally;
use crate::web::{self, WebState};

/// Pictures kept for showing them again, bytes.
const SHOWN_BYTES: u64 = 64 * 1024 * 1024;

/// Builds the site on `listener`. What goes on without end there, ends with `stop`.
pub(super) fn build(
    config: &Config,
    places: &Places,
    catalog: &Catalog,
    accounts: Accounts,
    tally: Tally,
    listener: TcpListener,
    stop: CancellationToken,
) -> Result<Server, RoleError> {
    config.require(Needs { secret_key: true, ..Needs::default() })?;
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
