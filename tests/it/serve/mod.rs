//! The service, as its callers see it: over HTTP.

mod browser;
mod desk;
mod in_a_browser;
mod jobs;
mod pages;
mod running;
