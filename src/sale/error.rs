//! What a failure means for the caller, whatever place it came from.

/// The class of a failure decides what happens next: try again, refuse, settle later, or alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The step was not carried out and may go through later.
    Retry,
    /// The step was refused for good; asking again gives the same answer.
    Reject,
    /// The step may or may not have been carried out; only asking again under the same name tells.
    Unknown,
    /// The two sides disagree on what they say to each other: a fault of ours.
    Bug,
}
