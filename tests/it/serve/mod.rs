//! The service, as its callers see it: over HTTP.

mod jobs;
mod running;
