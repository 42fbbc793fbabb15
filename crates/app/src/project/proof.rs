//! Checks that planned files do what they are for, before they are written.

use super::change::Refusal;
use super::draft::Draft;
use crate::diag::Problems;
use crate::experiment::scenario::{Choice, Suite, SuiteKind, TestTarget, Verdict};
use crate::profile::Files;

/// The owner of the cases to run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of<'a> {
    Profile(&'a str),
    Rules(&'a str),
    Vocabulary(&'a str),
}

/// Runs the cases that have `part` in their name, as the files would be.
///
/// # Errors
/// The first case that fails, or the errors of the files.
pub(super) fn cases_pass(draft: &Draft, of: Of<'_>, part: &str) -> Result<(), Refusal> {
    all_pass(&played(draft, of, part)?)
}

/// The results of the cases that have `part` in their name.
///
/// # Errors
/// The errors of the files.
pub(super) fn played(draft: &Draft, of: Of<'_>, part: &str) -> Result<Suite, Refusal> {
    let (folder, kind, name) = match of {
        Of::Profile(name) => ("profiles", SuiteKind::Profile, name),
        Of::Rules(name) => ("rules", SuiteKind::Rules, name),
        Of::Vocabulary(name) => ("rules/vocabularies", SuiteKind::Vocabulary, name),
    };
    let path = format!("{folder}/{name}.test.yaml");
    let library = draft.library();
    let Some(file) = library.read(&path)? else {
        return Err(Refusal::new(format!("there is no `{path}`")));
    };
    let choice = Choice { filter: Some(part), ..Choice::default() };
    let mut problems = Problems::new();
    let target = TestTarget { kind, name: name.to_owned(), file, library };
    match target.test(choice, &mut problems) {
        Some(suite) if !problems.has_errors() => Ok(suite),
        _ => Err(Refusal::new(format!("`{path}` can't be used as it would be"))
            .help("put this right first; nothing was written")
            .with(problems)),
    }
}

fn all_pass(suite: &Suite) -> Result<(), Refusal> {
    let failed = suite.results.iter().find_map(|result| match &result.verdict {
        Verdict::Failed(differences) => Some((result, differences.first())),
        _ => None,
    });
    let Some((result, difference)) = failed else { return Ok(()) };
    let why = difference.map_or_else(String::new, |difference| {
        format!(": {} would be {}, not {}", difference.path, difference.found, difference.expected)
    });
    Err(Refusal::new(format!("the case `{}` of `{}` would fail{why}", result.name, suite.file))
        .help("what the project has already speaks against it; nothing was written"))
}
