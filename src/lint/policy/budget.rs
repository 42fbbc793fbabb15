//! Budgets of calls that are used up at once, or never.

use super::criteria::Placed;
use super::view::{View, counted, entry_of};
use crate::diag::{Code, Problem, Problems, Span};
use crate::profile::{Criterion, Profile};

/// Compares a budget of calls with the calls that candidates take.
pub(super) fn check(view: &View<'_>, one: &Placed, most: u64, problems: &mut Problems) {
    let Criterion::Budget(budget) = &one.criterion else { return };
    let Some(limit) = budget.calls else { return };
    let span = place(view, one);
    let fewest = fewest(view.profile);
    let (once, each) = stages(view);
    let many = each.saturating_add(panel(view.profile));
    let all = once.saturating_add(many.saturating_mul(most));
    if fewest > 0 && limit <= fewest && one.alone {
        let message = format!(
            "`{}.calls` ends every run after 1 candidate at the latest: making and judging one takes {}",
            one.path,
            counted(fewest, "call")
        );
        let help = format!("write `calls: {}`, which leaves room for one correction", fewest + 1);
        problems.push(view.doubt(Code::AlwaysFires, &span, message).help(help));
    } else if all > 0 && all <= limit {
        let message = format!(
            "`{}.calls` can never fire: {} take {} at most, repeated attempts counted",
            one.path,
            counted(most, "candidate"),
            counted(all, "call")
        );
        let problem: Problem = view.doubt(Code::NeverFires, &span, message);
        let useful = once.saturating_add(many.saturating_mul(most - 1));
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

/// The calls at most of the stages that are asked for candidate 0 only, and of those that every candidate asks.
fn stages(view: &View<'_>) -> (u64, u64) {
    let again = view.subject.plan.pipeline.asked_again();
    let (mut once, mut each) = (0_u64, 0_u64);
    for (at, stage) in view.profile.stages.iter().enumerate() {
        let sum = if again.contains(&at) { &mut each } else { &mut once };
        let most = u64::from(stage.call.attempts_after_first(stage.retries)).saturating_add(1);
        *sum = sum.saturating_add(most);
    }
    (once, each)
}

/// The calls of judges and validators for a candidate at most, each made again as often as it may be.
fn panel(profile: &Profile) -> u64 {
    let judges = profile.judges.iter().filter(|judge| judge.is_asked());
    let judges = judges.map(|judge| judge.call.attempts_after_first(judge.on_failure.retry));
    let validators = profile.validators.iter().map(|validator| validator.retries);
    judges.chain(validators).map(|again| u64::from(again) + 1).sum()
}
