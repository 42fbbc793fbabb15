//! Two policies compared in every run.

use super::Places;
use crate::context::Context;
use crate::diag::Problems;
use crate::experiment::Trajectory;
use crate::experiment::prove::{Acceptance, Comparison, Effort, compare};
use crate::failure::Failure;
use crate::profile_comparison::told_apart;
use crate::profiles::SelectedProfile;
use crate::report::{ComparisonReport, Paint, comparison_json, comparison_text};
use crate::streams::Streams;
use crate::trials::TriedProfile;
use serde_json::Value;

/// Two policies with what all their runs show.
pub struct AlikeProof {
    tried: [TriedProfile; 2],
    /// The findings.
    pub comparison: Comparison,
}

/// Tries two policies side by side.
///
/// # Errors
/// When a profile can't be used.
pub fn prove_alike(
    profiles: [&SelectedProfile; 2],
    effort: Effort,
    context: &Context,
    output: &mut Streams,
) -> Result<AlikeProof, Failure> {
    let mut problems = Problems::new();
    let tried = profiles.map(|profile| TriedProfile::load(profile, context, &mut problems));
    output.show(&problems);
    let ([Some(mut first), Some(mut second)], false) = (tried, problems.has_errors()) else {
        return Err(Failure::usage("the two can't be tried side by side"));
    };
    [first.name, second.name] = told_apart(profiles, [first.name, second.name]);
    let comparison = first.as_subject(|one| second.as_subject(|other| compare(&[one, other], effort)));
    Ok(AlikeProof { tried: [first, second], comparison })
}

impl AlikeProof {
    /// The findings for people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let [first, second] = &self.tried;
        comparison_text(self.report([&|line| first.place(line), &|line| second.place(line)]), paint)
    }

    /// The findings for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let [first, second] = &self.tried;
        comparison_json(self.report([&|line| first.place(line), &|line| second.place(line)]))
    }

    fn report<'a>(&'a self, places: [Places<'a>; 2]) -> ComparisonReport<'a> {
        let [first, second] = &self.tried;
        ComparisonReport { names: [&first.name, &second.name], comparison: &self.comparison, places }
    }

    /// The runs that show a difference.
    #[must_use]
    pub fn runs(&self) -> Vec<&Trajectory> {
        let shown = self.comparison.accepts_only.iter().filter_map(|acceptance| match acceptance {
            Acceptance::Not(difference) => Some(difference.as_ref()),
            Acceptance::Only => None,
        });
        self.comparison.difference.iter().chain(shown).map(|difference| &difference.trajectory).collect()
    }
}
