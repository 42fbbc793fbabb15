//! Requests that verbs and the service make of the library, as data.

mod run_identity;
mod run_request;
mod run_settings;

pub use run_identity::{FILES_DIGEST, RunIdentity, TEXTS_DIGEST};
pub use run_request::{
    BatchRequest, CallsVia, ProfileSpec, RecordedPath, RecordingRequest, ResultFormat, RunRequest,
};
pub use run_settings::{ACCEPT_OVERALL, DecidedBy, OUT, PROVIDERS, basis_of, run_settings};
