//! Rules, rubrics, patterns, prompts, examples and judges that do not do what they say (LC6).

mod cases;
mod demands;
mod examples;
mod expression;
mod fields;
mod judges;
mod language;
mod named;
mod patterns;
mod project;
mod prompts;
mod providers;
mod rules;
mod schema;
mod validators;

use super::Subject;
use crate::diag::{Problems, SourceFile};
use project::Project;
use std::sync::Arc;

pub use providers::lint_provider;

pub(super) use cases::of_rules;

/// Looks at what the policy decides about.
pub(super) fn look(subject: Subject<'_>, problems: &mut Problems) {
    let project = Project::read(subject);
    fields::look(&project, problems);
    demands::look(&project, problems);
    patterns::look(&project, problems);
    named::look(&project, problems);
    rules::look(&project, problems);
    prompts::look(&project, problems);
    judges::look(&project, problems);
    examples::look(&project, problems);
    validators::look(&project, problems);
}

/// Looks at the cases of a profile.
pub(super) fn of_profile_cases(subject: Subject<'_>, file: &Arc<SourceFile>, problems: &mut Problems) {
    cases::of_profile(&Project::read(subject), file, problems);
}
