//! The settings in the record of a run: its request, and what decides about its documents.

use super::{FILES_DIGEST, RunRequest, TEXTS_DIGEST};
use crate::experiment::calibrate::Basis;
use crate::plan::{Plan, Terms};
use crate::report::RunFacts;
use crate::store::StoredRun;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The key for the score from which a document is accepted.
pub const ACCEPT_OVERALL: &str = "accept_overall";
/// The key for the policy part by part.
const BASIS: &str = "basis";
/// The key for the providers that were asked.
pub const PROVIDERS: &str = "providers";
/// The key for the folder of results.
pub const OUT: &str = "out";

/// The digests of what decides about the documents of a run, besides the profile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DecidedBy {
    /// The digest of every file that the profile reaches.
    pub files_digest: String,
    /// The digest of the merged profile and these files, with prompts by their texts; for other policies tried on the run.
    pub texts_digest: String,
    /// The policy part by part, for certificates.
    pub basis: Option<Basis>,
}

/// The settings in a run's record about its profile, and about the request by which it is resumed.
pub fn run_settings(plan: &Plan, request: &RunRequest, decided_by: &DecidedBy) -> Map<String, Value> {
    let mut settings = Map::new();
    settings.insert("terms".to_owned(), json!(Terms::of(plan)));
    let accept = RunFacts::new("", "", &plan.policy).accept_overall;
    settings.insert(ACCEPT_OVERALL.to_owned(), json!(accept));
    request.clone().into_settings(&mut settings);
    settings.insert(FILES_DIGEST.to_owned(), decided_by.files_digest.as_str().into());
    settings.insert(TEXTS_DIGEST.to_owned(), decided_by.texts_digest.as_str().into());
    settings.insert(BASIS.to_owned(), json!(decided_by.basis));
    settings
}

/// The policy that decided about the documents of a run; `None` if its record lacks it.
pub fn basis_of(run: &StoredRun) -> Option<Basis> {
    let basis = Basis::deserialize(run.record.settings.get(BASIS)?).ok()?;
    let providers = run.record.settings.get(PROVIDERS).cloned().unwrap_or_default();
    Some(basis.asking(providers, run.record.plugins.clone()))
}
