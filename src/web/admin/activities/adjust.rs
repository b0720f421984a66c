//! More or fewer units, once for each page that asks for it.

use actix_session::Session;
use actix_web::HttpResponse;

use super::address;
use super::said::Said;
use super::show::{Trouble, trouble};
use super::view::show::Adjusting;
use crate::sale::plan::STOCK_MAX;
use crate::web::Site;
use crate::web::admin::to_the_end;
use crate::web::admin::zone::AdminZone;
use crate::web::error::WebError;
use crate::web::extract::fields::{BadForm, Fields};
use crate::web::extract::form::{Checked, FromFields};
use crate::web::extract::path::ActivityNumber;
use crate::web::page::{Frame, see_other};
use crate::web::session::Admin;
use crate::web::text::key;

/// What is asked for.
#[derive(Debug)]
pub struct AdjustForm {
    /// Names the change.
    change_id: String,
    /// As typed; without a sign.
    units: String,
    /// Whether units are taken away.
    takes: bool,
}

impl FromFields for AdjustForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let change_id = fields.require("change_id", 32)?;
        if change_id.len() != 32 || !change_id.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(BadForm::Missing);
        }
        let units = fields.take("units")?.unwrap_or_default();
        let takes = match fields.require("change", 8)?.as_str() {
            "add" => false,
            "take" => true,
            _ => return Err(BadForm::Missing),
        };
        Ok(Self { change_id, units, takes })
    }
}

impl AdjustForm {
    /// Signed; none for what is no number of units.
    fn by(&self) -> Option<i64> {
        let typed = self.units.trim();
        let digits = !typed.is_empty() && typed.bytes().all(|b| b.is_ascii_digit());
        let units = digits.then(|| typed.parse::<i64>().ok()).flatten();
        let units = units.filter(|units| (1..=STOCK_MAX).contains(units))?;
        Some(if self.takes { -units } else { units })
    }
}

/// Changes the stock and tells the true figure.
pub async fn adjust(
    admin: Admin,
    site: Site,
    session: Session,
    ActivityNumber(id): ActivityNumber,
    zone: AdminZone,
    f: Frame,
    Checked(form): Checked<AdjustForm>,
) -> Result<HttpResponse, WebError> {
    let Some(by) = form.by() else {
        let adjusting = Adjusting {
            units: form.units,
            fault: Some(key("fault-adjust").with("max", STOCK_MAX)),
            ..Adjusting::default()
        };
        return trouble(&site, id, zone, f, Trouble::adjusting(adjusting)).await;
    };
    let (office, actor, change_id) = (site.office.clone(), admin.actor, form.change_id);
    let adjusted = to_the_end(async move { office.adjust(id, by, &change_id, &actor).await });
    match adjusted.await {
        Ok(done) => {
            Said::adjusted(by, done).keep(&session, id);
            Ok(see_other(&address(id)))
        }
        Err(error) => trouble(&site, id, zone, f, Trouble::from(error)?).await,
    }
}
