//! Policies that are tried.

use crate::context::Context;
use crate::diag::Problems;
use crate::experiment::prove::Subject;
use crate::facts::{Origin, place_of_line, range_of};
use crate::failure::Failure;
use crate::policy::ScriptCriteria;
use crate::profile::{Loaded, LoopPolicy};
use crate::profiles::SelectedProfile;

/// The policy of a profile, whose prompts, schemas and providers need not exist.
pub struct TriedProfile {
    /// The name that tells it from the others.
    pub name: String,
    /// The profile.
    pub loaded: Loaded,
    /// Its compiled script criteria.
    pub scripts: ScriptCriteria,
}

impl TriedProfile {
    /// Loads a profile. Problems are pushed, which may be errors.
    pub(crate) fn load(
        profile: &SelectedProfile,
        context: &Context,
        problems: &mut Problems,
    ) -> Option<Self> {
        let loaded = profile.load(context, &context.library(), &[], problems)?;
        let scripts = ScriptCriteria::compile(&loaded.profile.policy.stop, &loaded.library, problems);
        Some(TriedProfile { name: loaded.profile.name.clone(), loaded, scripts })
    }

    /// Its rules.
    pub fn policy(&self) -> &LoopPolicy {
        &self.loaded.profile.policy
    }

    /// Returns what `with` makes of the policy as the subject of a proof.
    pub(crate) fn as_subject<R>(&self, with: impl FnOnce(Subject<'_>) -> R) -> R {
        let profile = &self.loaded.profile;
        let range = |name: &str| {
            let dimension = profile.dimensions.iter().find(|dimension| dimension.name == name);
            dimension.map_or((0.0, 1.0), |dimension| {
                let range = range_of(dimension, profile.candidate);
                (range.low, range.high)
            })
        };
        with(Subject { policy: self.policy(), scripts: &self.scripts, range: &range })
    }

    /// The position of a line of its decisions.
    pub(crate) fn place(&self, line: &str) -> Option<Origin> {
        place_of_line(&self.loaded.merged, line)
    }
}

/// A profile whose overall score is taken from a recorded dimension, if one is named.
///
/// # Errors
/// When that is not a name of a dimension.
pub(crate) fn overall_from(
    dimension: Option<&str>,
    profile: &SelectedProfile,
) -> Result<SelectedProfile, Failure> {
    let mut profile = profile.clone();
    let Some(dimension) = dimension else { return Ok(profile) };
    if dimension.is_empty() || dimension.contains(['.', '=', '*']) {
        return Err(Failure::usage(format!("`--overall-from {dimension}` is not a name of a dimension")));
    }
    let quoted = serde_json::Value::from(dimension);
    let settings = [format!("assess.{dimension}=given"), format!("overall.from={quoted}")];
    profile.spec.settings.extend(settings);
    Ok(profile)
}
