//! Doubts about a profile that is correct but may not be what was meant: a stop rule that never fires, a rule for a
//! field that no schema has, a judge that would see the answer.
//!
//! [`lint`] inspects a compiled profile and pushes its findings, each with a code of its own ([`crate::diag::Code`],
//! LC5 and LC6). It calls no one, reads only files that the profile reaches, and never keeps a profile from being used.

mod certificate;
mod classification;
mod content;
mod endings;
mod names;
pub(crate) mod nodes;
mod plugins;
mod policy;
mod rubric;
mod schema_words;
mod shipped;
mod single;

use crate::diag::Problems;
use crate::plan::Plan;
use crate::profile::{Environment, Loaded};
use crate::provider::Providers;

pub use certificate::{AGAIN, MOST_CERTIFICATE_BYTES, left_open, lint_certificate, read_certificate, void};
pub use endings::lint_endings;
use plugins::lint_named_providers;
pub use plugins::{lint_prices, lint_providers};
pub use shipped::is_about_shipped;
use shipped::{for_the_child, is_shipped};
pub use single::{FileKind, check_file, files_of};

/// A profile that compiles, as written and as it will be run.
#[derive(Debug, Clone, Copy)]
pub struct ProfileView<'a> {
    /// The merged settings, each with its place.
    pub loaded: &'a Loaded,
    /// The plan that was compiled from them.
    pub plan: &'a Plan,
}

/// Pushes everything that is wrong or doubtful about a loaded profile, the files that it reaches, and the providers of
/// this machine that it names: the problems that `loopctl check` reports.
pub fn check_loaded(
    loaded: &Loaded,
    providers: &Providers,
    environment: Environment<'_>,
    problems: &mut Problems,
) {
    check_plan(loaded, problems);
    lint_providers(loaded, providers, environment, problems);
}

/// Like [`check_loaded`], for a profile whose author may not know what this machine has: providers are looked up by
/// their names alone, and whether a key is set is not reported.
pub fn check_foreign(loaded: &Loaded, providers: &Providers, problems: &mut Problems) {
    check_plan(loaded, problems);
    lint_named_providers(loaded, providers, problems);
}

fn check_plan(loaded: &Loaded, problems: &mut Problems) {
    let Some(plan) = Plan::check(loaded, problems) else { return };
    let mut found = Problems::new();
    lint(ProfileView { loaded, plan: &plan }, &mut found);
    if !is_shipped(&loaded.merged.span) {
        for_the_child(&mut found);
    }
    problems.extend(found);
}

/// Pushes everything that is doubtful about a profile.
pub fn lint(subject: ProfileView<'_>, problems: &mut Problems) {
    policy::check(subject, problems);
    content::check(subject, problems);
}
