//! The web role: the pages.

use std::{net::TcpListener, num::NonZeroUsize, time::Duration};

use actix_web::dev::Server;

use super::RoleError;
use super::places::{self, Places, accounts};
use crate::captcha::cache::PictureCache;
use crate::captcha::pool::{Pool, PoolSettings};
use crate::catalog::Catalog;
use crate::config::{Config, Needs};
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
    let gallery = places::gallery(config)?;
    let state = WebState {
        catalog: catalog.clone(),
        desk: places.desk(config, catalog.clone()),
        accounts,
        office: places.back_office(config),
        pictures,
        gallery,
        shown: PictureCache::new(SHOWN_BYTES),
        site: config.site.clone(),
        currency: config.sale.currency,
    };
    Ok(web::serve(listener, state)?)
}
