//! Gates, acceptance, stop criteria, selection and review that do not do what they say (LC5).
//!
//! The reports are exact: "can never fire" holds for every course that scores can take (`tests/it/policy_lints.rs`
//! tries it with the functions that decide in a run). A setting that the profile itself makes is a warning; one
//! inherited from a parent is a note, because the parent is fine and a child need not repeat it.

mod accept;
mod dimensions;
mod escalate;
mod gate;
mod limits;
mod review;
mod select;
mod stop;
mod view;

use super::ProfileView;
use crate::diag::{Code, Problem, Problems};
use view::View;

/// Finds the doubts of one kind.
type Lint = fn(&View<'_>, Code) -> Vec<Problem>;

/// Every lint of the deciding settings, each with the code of its findings.
const LINTS: [(Code, Lint); 27] = [
    (Code::ConstantScore, dimensions::constant_score),
    (Code::MeasuredForNothing, dimensions::measured_for_nothing),
    (Code::AcceptsEverything, accept::accepts_everything),
    (Code::InertBound, accept::always_holds),
    (Code::NeverAccepted, accept::out_of_reach),
    (Code::InertBound, accept::implied),
    (Code::PerfectScore, accept::perfect),
    (Code::CriticalAccepted, accept::ignores_critical),
    (Code::GateAlwaysMissed, gate::always_missed),
    (Code::GateNeverMissed, gate::never_missed),
    (Code::GateAboveAcceptance, gate::above_acceptance),
    (Code::GateRollback, gate::rolls_back_nothing),
    (Code::NeverDisagrees, escalate::never_disagrees),
    (Code::NobodyDecides, escalate::nobody_decides),
    (Code::OneCandidate, limits::one_candidate),
    (Code::NeverFires, stop::never_fires),
    (Code::Overtaken, stop::overtaken),
    (Code::AlwaysFires, stop::always_fires),
    (Code::AlwaysFires, limits::budget_for_one),
    (Code::NeverFires, limits::budget_without_end),
    (Code::LongWindow, stop::long_window),
    (Code::Overtaken, limits::never_reached),
    (Code::InertSelectKey, select::idle_keys),
    (Code::ReturnsRolledBack, select::returns_left_behind),
    (Code::InertSelectKey, select::returns_last),
    (Code::ReviewNever, review::never),
    (Code::ReviewAlways, review::always),
];

/// Checks the deciding settings.
pub(super) fn check(subject: ProfileView<'_>, problems: &mut Problems) {
    let view = View::of(subject);
    for (code, lint) in LINTS {
        lint(&view, code).into_iter().for_each(|problem| problems.push(problem));
    }
}
