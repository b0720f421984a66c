//! Seckill in real headless Chromium, as a person uses it.
//!
//! Each test has a browser of its own. With `SECKILL_SCREENSHOTS=DIR` the pages that are looked at are
//! also written there as pictures.

mod accounts;
mod again;
mod chromium;
mod clock;
mod console;
mod dashboard;
mod operator;
mod person;
mod pipeline;
mod plain;
mod purchase;
mod tidy;
mod window;

use window::{Setting, Window};
