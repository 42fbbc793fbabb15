//! What people see. A page is a function of what it shows; handlers fetch that and call it.

mod error;
mod layout;
mod login;

pub(super) use error::errors_as_pages;
pub(super) use layout::{Section, page};
pub(super) use login::login;
