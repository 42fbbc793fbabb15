//! The service, as its callers see it: over HTTP.

mod attacks;
mod browser;
mod desk;
mod jobs;
mod metrics;
mod running;
