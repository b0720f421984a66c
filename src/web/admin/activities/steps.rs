//! The steps of an activity's life, each a POST on the version that the admin saw.

use actix_session::Session;
use actix_web::HttpResponse;

use super::address;
use super::said::Said;
use super::show::{Trouble, trouble};
use crate::sale::activity::Status;
use crate::sale::ids::ActivityId;
use crate::web::Site;
use crate::web::admin::to_the_end;
use crate::web::admin::zone::AdminZone;
use crate::web::error::WebError;
use crate::web::extract::fields::{BadForm, Fields};
use crate::web::extract::form::{Checked, FromFields, NoFields};
use crate::web::extract::path::{ActivityNumber, Step, StepOf};
use crate::web::page::{Frame, see_other};
use crate::web::session::Admin;
use crate::web::text::{Message, key};

/// What a step is asked for on.
#[derive(Debug)]
pub struct StepForm {
    /// The version that the admin saw.
    version: i64,
    /// What the page said of the window beside the button.
    knowing: Knowing,
}

/// What an admin knew of the window of a draft when they published it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Knowing {
    Ahead,
    StartIsPast,
    IsOver,
}

impl FromFields for StepForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let version = fields.require("version", 20)?.parse().map_err(|_| BadForm::Missing)?;
        let knowing = match fields.take("knowing")?.as_deref() {
            Some("over") => Knowing::IsOver,
            Some("past") => Knowing::StartIsPast,
            _ => Knowing::Ahead,
        };
        Ok(Self { version, knowing })
    }
}

/// Takes a step.
pub async fn step(
    admin: Admin,
    site: Site,
    session: Session,
    StepOf { activity: id, step }: StepOf,
    zone: AdminZone,
    f: Frame,
    Checked(form): Checked<StepForm>,
) -> Result<HttpResponse, WebError> {
    if step == Step::Schedule
        && let Some(words) = unknown_of_window(&site, id, form.knowing, f.now_ms).await?
    {
        return trouble(&site, id, zone, f, Trouble::unless_meant(words)).await;
    }
    // A sale is stopped in an emergency: no change of somebody else's may be in the way of that.
    let seen = (step != Step::Pause).then_some(form.version);
    let (office, actor) = (site.office.clone(), admin.actor);
    let done = to_the_end(async move {
        match step {
            Step::Schedule => office.schedule(id, seen, &actor).await,
            Step::Pause => office.pause(id, seen, &actor).await,
            Step::Resume => office.resume(id, seen, &actor).await,
            Step::End => office.end(id, seen, &actor).await,
            Step::Cancel => office.withdraw(id, seen, &actor).await,
        }
    });
    match done.await {
        Ok(()) => {
            said(step).keep(&session, id);
            Ok(see_other(&address(id)))
        }
        Err(error) => trouble(&site, id, zone, f, Trouble::from(error)?).await,
    }
}

/// What the admin did not know of the draft's window: time went on since the page was made.
async fn unknown_of_window(
    site: &Site,
    id: ActivityId,
    knowing: Knowing,
    now_ms: i64,
) -> Result<Option<Message>, WebError> {
    let activity = site.office.preview(id).await?;
    if activity.status != Status::Draft {
        // The back office says what is wrong.
        return Ok(None);
    }
    Ok(if activity.closes_ms() <= now_ms && knowing < Knowing::IsOver {
        Some(key("trouble-window-over"))
    } else if activity.opens_ms() <= now_ms && knowing < Knowing::StartIsPast {
        Some(key("trouble-start-past"))
    } else {
        None
    })
}

const fn said(step: Step) -> Said {
    match step {
        Step::Schedule => Said::Scheduled,
        Step::Pause => Said::Paused,
        Step::Resume => Said::Resumed,
        Step::End => Said::Ended,
        Step::Cancel => Said::Cancelled,
    }
}

/// Makes a draft after an activity and leads to it.
pub async fn copy(
    admin: Admin,
    site: Site,
    session: Session,
    ActivityNumber(id): ActivityNumber,
    zone: AdminZone,
    f: Frame,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    match site.office.clone_of(id, zone.zone, &admin.actor).await {
        Ok(copy) => {
            Said::Copied(id.0).keep(&session, copy);
            Ok(see_other(&address(copy)))
        }
        Err(error) => trouble(&site, id, zone, f, Trouble::from(error)?).await,
    }
}
