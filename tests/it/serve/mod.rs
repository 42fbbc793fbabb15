//! The service, as its callers see it: over HTTP.

mod attacks;
mod jobs;
mod metrics;
mod running;
