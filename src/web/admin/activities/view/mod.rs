//! What the pages about activities hold.

pub mod form;
pub mod list;
pub mod show;

use crate::sale::stage::Stage;
use crate::web::text::{Message, key};

/// A stage in one word.
#[must_use]
pub fn stage_word(stage: Stage) -> Message {
    match stage {
        Stage::Draft => key("stage-draft"),
        Stage::Upcoming => key("stage-upcoming"),
        Stage::Open => key("stage-open"),
        Stage::Paused => key("stage-paused"),
        Stage::Ended => key("stage-ended"),
        Stage::Settled => key("stage-settled"),
        Stage::Cancelled => key("stage-cancelled"),
    }
}
