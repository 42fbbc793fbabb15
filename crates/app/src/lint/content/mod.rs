//! Rules, rubrics, patterns, prompts, examples and judges that do not do what they say (LC6).

mod cases;
mod demands;
mod examples;
mod expression;
mod fields;
mod judges;
mod language;
mod lost_rules;
mod named;
pub(super) mod patterns;
mod project;
mod prompts;
mod providers;
mod rules;
mod schema;
mod validators;
mod vocabulary;

use super::ProfileView;
use crate::diag::{Problems, SourceFile};
use project::Project;
use std::sync::Arc;

pub(super) use providers::{key_to_named_port, lint_provider, lint_provider_settings};

pub(super) use cases::of_rules;

/// Checks the content that the policy decides about.
pub(super) fn check(subject: ProfileView<'_>, problems: &mut Problems) {
    let project = Project::read(subject);
    fields::check(&project, problems);
    demands::check(&project, problems);
    patterns::check(&project, problems);
    named::check(&project, problems);
    rules::check(&project, problems);
    lost_rules::check(&project, problems);
    prompts::check(&project, problems);
    judges::check(&project, problems);
    examples::check(&project, problems);
    validators::check(&project, problems);
    vocabulary::check(&project, problems);
}

/// Checks the cases of a profile.
pub(super) fn of_profile_cases(subject: ProfileView<'_>, file: &Arc<SourceFile>, problems: &mut Problems) {
    cases::of_profile(&Project::read(subject), file, problems);
}
