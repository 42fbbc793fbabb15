//! Gates, acceptance, stop criteria, selection and review that do not do what they say (LC5).
//!
//! What is said here is exact: "can never fire" holds of every course that scores can take (`tests/it/policy_lints.rs`
//! tries it with the functions that decide in a run). A setting that the profile itself makes is a warning; one that it
//! has from a parent is a note, because the parent is fine and a child need not repeat it.

mod accept;
mod always;
mod budget;
mod course;
mod criteria;
mod dimensions;
mod escalate;
mod gate;
mod one_candidate;
mod overtaken;
mod range;
mod review;
mod select;
mod stop;
mod view;
mod window;

use super::Subject;
use crate::diag::Problems;
use view::View;

/// Looks at what decides.
pub(super) fn look(subject: Subject<'_>, problems: &mut Problems) {
    let view = View::of(subject);
    dimensions::look(&view, problems);
    accept::look(&view, problems);
    gate::look(&view, problems);
    escalate::look(&view, problems);
    stop::look(&view, problems);
    select::look(&view, problems);
    review::look(&view, problems);
}
