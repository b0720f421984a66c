//! `/admin/audit`: who changed what from what to what, and when; the newest first.

pub mod search;
pub mod view;

use actix_web::{HttpResponse, http::StatusCode};

use crate::web::{
    Site,
    error::WebError,
    extract::query::Query,
    page::{Frame, respond},
    session::Admin,
};

use search::Search;
use view::{AuditPage, Entry};

/// Rows on a page.
const SHOWN: i64 = 50;

/// The list.
pub async fn list(
    _: Admin,
    site: Site,
    Query(mut query): Query,
    f: Frame,
) -> Result<HttpResponse, WebError> {
    let search = Search::of(&mut query)?;
    let (filter, faults) = search.filter();
    // What is not understood is not searched for, and said so.
    let mut rows = if faults.is_empty() {
        // One more than is shown tells whether there are older ones.
        site.office.audit(filter, search.before, SHOWN + 1).await?
    } else {
        Vec::new()
    };
    let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let more = rows.len() > shown;
    rows.truncate(shown);
    let older = rows.last().filter(|_| more).map(|row| search.older_than(row.id));
    let newest = search.before.map(|_| search.address());
    let status = if faults.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let entries = rows.into_iter().map(|row| Entry::of(row, &search, &f)).collect();
    Ok(respond(status, &AuditPage { f, search, faults, entries, older, newest }))
}
