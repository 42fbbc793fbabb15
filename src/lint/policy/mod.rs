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

use super::ProfileView;
use crate::diag::Problems;
use view::View;

/// Looks at what decides.
pub(super) fn check(subject: ProfileView<'_>, problems: &mut Problems) {
    let view = View::of(subject);
    dimensions::check(&view, problems);
    accept::check(&view, problems);
    gate::check(&view, problems);
    escalate::check(&view, problems);
    stop::check(&view, problems);
    select::check(&view, problems);
    review::check(&view, problems);
}
