//! What is said of files that ship with loopctl, which whoever checks a profile can't change.

use crate::diag::{Level, Problem, Problems, Span};

/// What is said of a profile that extends a shipped one, as one who can only change the profile needs it: no notes about
/// shipped files, and of warnings where to mend them.
pub(super) fn for_the_child(found: &mut Problems) {
    found.retain(|problem| problem.level > Level::Note || !problem.span.as_ref().is_some_and(is_shipped));
    found.change(|problem| {
        if problem.span.as_ref().is_some_and(is_shipped) {
            let help = problem.help.take().unwrap_or_default();
            problem.help = Some(format!("in your profile (this file ships with loopctl): {help}"));
        }
    });
}

/// Whether a place is in a file that is shipped.
pub(super) fn is_shipped(span: &Span) -> bool {
    span.file().is_shipped()
}

/// Whether all places of a problem are in files that are shipped.
#[must_use]
pub(crate) fn is_about_shipped(problem: &Problem) -> bool {
    let related = problem.related.iter().map(|(span, _)| span);
    problem.span.iter().chain(related).all(is_shipped)
}
