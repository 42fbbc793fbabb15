//! A window of scores that is longer than the run.

use super::criteria::Placed;
use super::stop::limit_itself;
use super::view::View;
use crate::diag::{Code, Problems};
use crate::profile::Criterion;

/// Says of an oscillation that its window never comes to be full. (One of `stagnation` must be full, so it never fires.)
pub(super) fn check(view: &View<'_>, one: &Placed, limit: &Placed, most: u64, problems: &mut Problems) {
    let Criterion::Oscillation(oscillation) = &one.criterion else { return };
    let window = u64::try_from(oscillation.window).unwrap_or(u64::MAX);
    let seen = most - 1;
    if window <= seen || limit_itself(&one.criterion) {
        return;
    }
    let message = format!(
        "the window of `{}` is longer than the run: of {window} scores at most {seen} are there when it is looked at",
        one.path
    );
    let problem = view.doubt(Code::LongWindow, &one.span, message);
    let problem =
        problem.help(format!("write `window: {seen}`, which is the same, or allow more candidates"));
    problems.push(problem.related(&limit.span, "this limit is looked at first"));
}
