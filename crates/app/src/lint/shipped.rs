//! Problems about files that ship with loopctl, which the author of a profile can't change.

use crate::diag::{Level, Problem, Problems, Span};

/// Adapts the problems of a profile that extends a shipped one for an author who can only change the profile: no notes
/// about shipped files, and for warnings the place to mend them.
pub(super) fn for_the_child(found: &mut Problems) {
    found.retain(|problem| problem.level > Level::Note || !problem.span.as_ref().is_some_and(is_shipped));
    found.change(|problem| {
        if problem.span.as_ref().is_some_and(is_shipped) {
            let help = problem.help.take().unwrap_or_default();
            problem.help = Some(format!("in your profile (this file ships with loopctl): {help}"));
        }
    });
}

/// Returns whether a span is in a shipped file.
pub(super) fn is_shipped(span: &Span) -> bool {
    span.file().is_shipped()
}

/// Returns whether all spans of a problem are in shipped files.
#[must_use]
pub fn is_about_shipped(problem: &Problem) -> bool {
    let related = problem.related.iter().map(|(span, _)| span);
    problem.span.iter().chain(related).all(is_shipped)
}
