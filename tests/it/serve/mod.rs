//! The service, as its callers see it: over HTTP.

mod browser;
mod desk;
mod jobs;
mod running;
