//! What happens around each handler, from the outside in: the request gets its id, its time is measured,
//! its answer gets the headers of a careful site, and whatever fails becomes a page.

pub mod access;
pub mod body;
pub mod failure;
pub mod headers;
pub mod request_id;
