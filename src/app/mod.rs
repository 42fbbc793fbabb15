//! The application: requests that verbs and the service make of the library, as data.

mod run_identity;
mod run_request;

pub(crate) use run_identity::{FILES_DIGEST, RunIdentity, TEXTS_DIGEST};
pub(crate) use run_request::{
    BatchRequest, CallsVia, ProfileSpec, RecordedPath, RecordingRequest, ResultFormat, RunRequest,
};
