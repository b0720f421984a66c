//! Pictures of products: what somebody sends is read, checked and drawn anew, so that what is served is a
//! picture and nothing else.
//!
//! [`prepare`] makes two pictures of what was sent, a large one for the product's page and a small one for
//! lists. A [`Gallery`] keeps them in a folder under names made from their content, so a file never
//! changes and may be kept by browsers for ever. Nothing is taken out again: the audit names old pictures.

mod gallery;
mod header;
mod name;
mod orientation;
mod prepare;
#[cfg(test)]
mod prepare_test;

use std::io;

use crate::sale::error::Class;

pub use gallery::Gallery;
pub use header::{PIXELS_MAX, SIDE_MAX, WEBP_PIXELS_MAX};
pub use name::{Kind, PictureFile};
pub use prepare::{Prepared, prepare};

/// Why what was sent is not taken as a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// By its content it is none of the formats that are read, whatever its name says.
    #[error("not a PNG, JPEG or WebP picture")]
    Format,
    /// It ends too early, or is not what its header promises.
    #[error("the picture is damaged")]
    Damaged,
    /// A side is longer, or there are more pixels, than is decoded.
    #[error("too many pixels: at most 8000 on a side and 40 million in all, 16 million of WebP")]
    TooLarge,
    /// Within the bounds of its size, but in a form that takes too much memory.
    #[error("decoding takes too much memory")]
    TooHeavy,
    /// A JPEG of which the decoder would keep more in memory than one that is read from top to bottom, or
    /// that it would go through too often.
    #[error(
        "a progressive JPEG: at most 100 MB in memory (about 16 million pixels in colour) and 100 scans"
    )]
    Progressive,
    /// It moves.
    #[error("an animated picture")]
    Animated,
}

/// Why a picture could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// What was sent is not taken.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The folder cannot be read or written.
    #[error("pictures folder: {0}")]
    Folder(#[from] io::Error),
    /// The process is about to end.
    #[error("no picture is made any more")]
    Stopped,
}

impl PictureError {
    /// What it means for the caller.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Refused(_) => Class::Reject,
            Self::Folder(_) | Self::Stopped => Class::Retry,
        }
    }

    /// A short word for metrics.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Refused(_) => "picture_refused",
            Self::Folder(_) => "pictures_folder",
            Self::Stopped => "stopped",
        }
    }
}
