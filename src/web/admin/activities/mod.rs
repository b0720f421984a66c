//! `/admin/activities`: the list, the form, one activity and the steps of its life.

mod adjust;
mod edit;
mod list;
mod new;
mod preview;
mod said;
mod seen;
mod show;
mod steps;
mod typed;
pub mod view;
mod warnings;

pub use adjust::adjust;
pub use edit::{edit, save};
pub use list::list;
pub use new::{create, new};
pub use preview::preview;
pub use show::show;
pub use steps::{copy, step};

use crate::sale::ids::ActivityId;

fn address(id: ActivityId) -> String {
    format!("/admin/activities/{id}")
}
