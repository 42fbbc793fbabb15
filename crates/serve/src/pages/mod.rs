//! The pages for people. A page is a function of what it shows; handlers fetch that and call it. Each section of pages declares
//! itself, and is listed here.

mod alerts_form;
mod documents;
mod error;
mod layout;
mod login;
mod parts;
mod profile;
mod profiles;
mod run;
mod run_document;
mod runs;
mod section;
mod settings;
mod trends;

pub(super) use error::error_pages;
pub(super) use login::login;
pub(super) use parts::{in_address, outside, paged, pager, score};
pub(super) use profile::profile;
pub(super) use profiles::profiles;
pub(super) use run::{filter_key, run, run_part};
pub(super) use run_document::{document, document_part, marked};
pub(super) use runs::{runs, runs_part};
pub(super) use section::{Section, routes, shows_document};
pub(super) use settings::settings;
pub(super) use trends::trends;

use crate::{admin, desk, tuning};

/// Every section, in the order of the navigation.
const SECTIONS: &[&Section] = &[
    &documents::SECTION,
    &desk::SECTION,
    &crate::runs::SECTION,
    &tuning::SECTION,
    &crate::trends::SECTION,
    &admin::SECTION,
];
