//! Budgets of calls that are used up at once, or never.

use super::criteria::Placed;
use super::view::{View, counted, entry_of};
use crate::diag::{Code, Problem, Problems, Span};
use crate::profile::{Criterion, Profile};

/// Compares a budget of calls with the calls that candidates take.
pub(super) fn look(view: &View<'_>, one: &Placed, most: u64, problems: &mut Problems) {
    let Criterion::Budget(budget) = &one.criterion else { return };
    let Some(limit) = budget.calls else { return };
    let span = place(view, one);
    let (fewest, many) = (fewest(view.profile), many(view.profile));
    if fewest > 0 && limit <= fewest && one.alone {
        let message = format!(
            "`{}.calls` ends every run after 1 candidate at the latest: making and judging one takes {}",
            one.path,
            counted(fewest, "call")
        );
        let help = format!("write `calls: {}`, which leaves room for one correction", fewest + 1);
        problems.push(view.doubt(Code::AlwaysFires, &span, message).help(help));
    } else if many > 0 && many.saturating_mul(most) <= limit {
        let all = many.saturating_mul(most);
        let message = format!(
            "`{}.calls` can never fire: {} take {} at most, repeated attempts counted",
            one.path,
            counted(most, "candidate"),
            counted(all, "call")
        );
        let problem: Problem = view.doubt(Code::NeverFires, &span, message);
        let useful = many.saturating_mul(most - 1);
        problems.push(problem.help(format!("write {useful} or fewer, or remove it")));
    }
}

/// Where the number of calls stands.
fn place(view: &View<'_>, one: &Placed) -> Span {
    let calls = view.entry(&["stop", "budget"]).filter(|_| one.is_plain());
    let calls = calls.and_then(|entry| entry_of(&entry.value, "calls"));
    calls.map_or(&one.span, |entry| &entry.key_span).clone()
}

/// The calls that a candidate takes at least when it is made and assessed in full.
fn fewest(profile: &Profile) -> u64 {
    let judges = profile.judges.iter().filter(|judge| judge.is_asked());
    let used = judges.filter(|judge| {
        let sources = profile.dimensions.iter().filter_map(|dimension| dimension.second.as_ref());
        sources.flat_map(|second| &second.sources).any(|source| source.name.value == judge.id.value)
    });
    u64::try_from(profile.stages.len() + used.count()).unwrap_or(u64::MAX)
}

/// The calls that a candidate takes at most: every stage, judge and validator, each made again as often as it may be.
fn many(profile: &Profile) -> u64 {
    let stages = profile.stages.iter().map(|stage| stage.call.attempts_after_first(stage.retries));
    let judges = profile.judges.iter().filter(|judge| judge.is_asked());
    let judges = judges.map(|judge| judge.call.attempts_after_first(judge.on_failure.retry));
    let validators = profile.validators.iter().map(|validator| validator.retries);
    stages.chain(judges).chain(validators).map(|again| u64::from(again) + 1).sum()
}
