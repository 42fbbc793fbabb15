//! The service, as its callers see it: over HTTP.

mod attacks;
mod bounds;
pub(crate) mod browser;
pub(crate) mod desk;
mod hostile_files;
mod in_a_browser;
mod jobs;
mod keeping;
mod metrics;
mod openapi;
mod pages;
mod passwords;
pub(crate) mod running;
mod sections;
