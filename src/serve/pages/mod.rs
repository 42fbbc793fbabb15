//! What people see. A page is a function of what it shows; handlers fetch that and call it.

mod documents;
mod layout;
mod login;

pub(super) use documents::routes;
pub(super) use layout::{Section, page};
pub(super) use login::login;
