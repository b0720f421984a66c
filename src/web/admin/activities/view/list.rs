//! The list of activities.

use askama::Template;

use super::stage_word;
use crate::sale::stage::Stage;
use crate::sale::zone::Zone;
use crate::web::moment::Moment;
use crate::web::page::Frame;
use crate::web::text::Message;

/// `GET /admin/activities`.
#[derive(Debug, Template)]
#[template(path = "admin/activities/list.html")]
pub struct ListPage {
    /// What every page has.
    pub f: Frame,
    /// The zone of all times on the page.
    pub zone: Zone,
    /// Whether the browser is to tell its zone.
    pub asks_zone: bool,
    /// The stage that is shown alone.
    pub stage: Option<Stage>,
    /// What was searched for.
    pub text: String,
    /// The newest first.
    pub rows: Vec<Row>,
    /// Where the list goes on.
    pub more: Option<String>,
}

/// One activity on the list.
#[derive(Debug)]
pub struct Row {
    /// Its number.
    pub id: i64,
    /// Its headline.
    pub title: String,
    /// The product's name.
    pub product: String,
    /// Where it stands.
    pub stage: Stage,
    /// Whole minor units.
    pub price: i64,
    /// Units that no order holds.
    pub remain: i64,
    /// All units.
    pub total: i64,
    /// The first moment.
    pub starts: Moment,
    /// The first moment after.
    pub ends: Moment,
    /// What an admin should know at once.
    pub warning: Option<Message>,
}

impl Row {
    /// Whether its terms can change.
    #[must_use]
    pub fn is_editable(&self) -> bool {
        matches!(self.stage, Stage::Draft | Stage::Upcoming | Stage::Open | Stage::Paused)
    }

    /// Whether there is anything to watch or to count.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.stage != Stage::Draft
    }
}

impl ListPage {
    /// The list with another stage, or all.
    #[must_use]
    pub fn address(&self, stage: Option<Stage>) -> String {
        list_address(stage, &self.text, None)
    }

    /// All stages, in the order of a life.
    #[must_use]
    pub fn stages(&self) -> [Stage; 7] {
        Stage::ALL
    }

    /// A stage in one word.
    #[must_use]
    pub fn word(&self, stage: &Stage) -> Message {
        stage_word(*stage)
    }
}

/// The address of a list.
#[must_use]
pub fn list_address(stage: Option<Stage>, text: &str, before: Option<i64>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    if let Some(stage) = stage {
        query.append_pair("state", stage.as_str());
    }
    if !text.is_empty() {
        query.append_pair("q", text);
    }
    if let Some(before) = before {
        query.append_pair("before", &before.to_string());
    }
    let query = query.finish();
    if query.is_empty() {
        "/admin/activities".to_owned()
    } else {
        format!("/admin/activities?{query}")
    }
}
