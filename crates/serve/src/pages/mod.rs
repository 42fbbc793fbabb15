//! The pages for people. A page is a function of what it shows; handlers fetch that and call it.

mod alerts_form;
mod documents;
mod error;
mod layout;
mod login;
mod parts;
mod plot;
mod profile;
mod profiles;
mod run;
mod run_document;
mod runs;
mod settings;
mod trends;

pub(super) use documents::routes;
pub(super) use error::error_pages;
pub(super) use layout::{NavSection, page};
pub(super) use login::login;
pub(super) use parts::{in_address, outside, paged, score};
pub(super) use profile::profile;
pub(super) use profiles::profiles;
pub(super) use run::{filter_key, run, run_part};
pub(super) use run_document::{document, document_part, marked};
pub(super) use runs::{runs, runs_part};
pub(super) use settings::settings;
pub(super) use trends::trends;
