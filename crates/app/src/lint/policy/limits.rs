//! Limits of candidates and calls: those that leave no correction, and those that no run reaches.

use super::stop::deciding;
use super::view::{View, number};
use crate::diag::{Code, Problem, Span};
use crate::facts::{Parts, Placed, entry_of};
use crate::profile::{Baseline, Criterion, Profile};
use crate::stop::{Constant, keys_about_corrections};
use crate::value::EPSILON;
use crate::value::prose::{count, first_listed, list, names};

/// Keys that have no effect without a correction, besides those of `stop`.
const ABOUT_CORRECTIONS: [&[&str]; 10] = [
    &["gate", "on_correction"],
    &["on_regression"],
    &["generate_once"],
    &["select", "order"],
    &["select", "ties"],
    &["select", "return"],
    &["feedback", "history"],
    &["feedback", "max_bytes"],
    &["feedback", "previous_output"],
    &["feedback", "lock"],
];

/// The settings of the profile itself that its limit leaves without effect, because it allows no correction.
pub(super) fn one_candidate(view: &View<'_>, code: Code) -> Vec<Problem> {
    let Some(limit) = view.only_candidate() else { return Vec::new() };
    // The group that holds the limit does something.
    let own = |path: &str| limit.path.starts_with(&format!("{path}["));
    let stop = keys_about_corrections().map(|key| vec!["stop", key]);
    let others = ABOUT_CORRECTIONS.iter().map(|path| path.to_vec());
    let paths: Vec<Vec<&str>> = stop.chain(others).filter(|path| view.says(path)).collect();
    let idle: Vec<String> = paths.iter().map(|path| path.join(".")).filter(|path| !own(path)).collect();
    let Some(first) = idle.first().cloned() else { return Vec::new() };
    let all = if idle.len() > 4 { first_listed(&idle, 4) } else { list(&names(&idle), "and") };
    let key = limit.path.trim_start_matches("stop.");
    let message = format!(
        "`{key}: {}` allows no correction, so {all} {} nothing",
        written(view, limit),
        if idle.len() == 1 { "does" } else { "do" }
    );
    let one_more = if matches!(limit.criterion, Criterion::MaxCorrections(_)) { 1 } else { 2 };
    // A user who tries a limit with a flag knows what it leaves out.
    let mut problem = if limit.span.file().is_argument() {
        Problem::note(code, &limit.span, message)
    } else {
        Problem::warning(code, &limit.span, message)
    };
    problem = problem.help(format!("write `{key}: {one_more}` for one correction, or remove these settings"));
    if let Some(path) = paths.iter().find(|path| path.join(".") == first) {
        problem = problem.related(view.key(path), "does nothing here");
    }
    vec![problem]
}

/// The text of the profile at the key of a limit, as written.
fn written(view: &View<'_>, limit: &Placed) -> String {
    let as_written = || view.value(&limit.path.split('.').collect::<Vec<_>>()).text().to_owned();
    let counts = limit.criterion.constants().into_iter().find_map(|constant| match constant {
        Constant::Count(most) => Some(most),
        Constant::Gain(_)
        | Constant::Falls(_)
        | Constant::Elapsed(_)
        | Constant::Cost(_)
        | Constant::Tokens(_)
        | Constant::Calls(_)
        | Constant::Unknown => None,
    });
    counts.filter(|_| !limit.is_plain()).map_or_else(as_written, |most| most.to_string())
}

/// A limit of candidates that scores can't rise for as long as it allows.
pub(super) fn never_reached(view: &View<'_>, code: Code) -> Vec<Problem> {
    let Some((limit, most)) = view.limit().filter(|_| view.only_candidate().is_none()) else {
        return Vec::new();
    };
    let width = view.overall().width();
    let earliest = view.criteria.iter().filter(|one| one.alone).filter_map(|one| {
        let Criterion::MinImprovement(improvement) = &one.criterion else { return None };
        // With patience, a fall makes room for a gain on the candidate before, again and again.
        let bounded = improvement.baseline == Baseline::Best || improvement.patience == 1;
        if !bounded || improvement.delta < 1e-6 || improvement.delta > width + EPSILON {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most a million, never negative"
        )]
        let gains = (width / (improvement.delta - 1e-9) + 1e-6).floor() as u64;
        let patience = u64::try_from(improvement.patience).ok()?;
        Some((one, (gains + 1).checked_mul(patience)? + 1, improvement.delta))
    });
    let Some((one, last, delta)) =
        earliest.min_by_key(|(_, last, _)| *last).filter(|(_, last, _)| *last < most)
    else {
        return Vec::new();
    };
    let message = format!(
        "`{}` is never reached: `{}` asks for gains of {}, and after {} there is no room for another",
        limit.path,
        one.path,
        number(delta),
        count(last - 1, "candidate")
    );
    let key = limit.path.trim_start_matches("stop.");
    let enough = if key == "max_corrections" { last - 1 } else { last };
    let problem = view.doubt(code, &limit.span, message);
    let problem = problem.help(format!("write `{key}: {enough}`, or a smaller `delta`"));
    vec![problem.related(&one.span, "this one ends the loop first")]
}

/// A budget of calls, and the calls that candidates take.
struct Calls<'v> {
    one: &'v Placed,
    limit: u64,
    /// For a candidate at least, when it is made and assessed in full.
    fewest: u64,
    /// For all candidates but the last at most.
    before_last: u64,
    /// For all candidates at most.
    all: u64,
}

impl Calls<'_> {
    fn are_for_one(&self) -> bool {
        self.fewest > 0 && self.limit <= self.fewest && self.one.alone
    }
}

fn budgets<'v>(view: &'v View<'_>) -> Vec<Calls<'v>> {
    let Some((_, most)) = view.limit() else { return Vec::new() };
    let parts = Parts::of(view.subject.plan);
    let (all, again) = (parts.first().most, parts.later().most);
    let validators: u64 =
        view.profile.validators.iter().map(|validator| u64::from(validator.retries) + 1).sum();
    let many = again.saturating_add(parts.judges().most).saturating_add(validators);
    // Some stages are asked for candidate 0 only.
    let calls = |candidates: u64| all.saturating_sub(again).saturating_add(many.saturating_mul(candidates));
    let of = |one: &'v Placed| {
        let Criterion::Budget(budget) = &one.criterion else { return None };
        Some(Calls {
            one,
            limit: budget.calls?,
            fewest: fewest(view.profile),
            before_last: calls(most - 1),
            all: calls(most),
        })
    };
    deciding(view).into_iter().filter_map(of).collect()
}

/// Budgets of calls that are used up at once.
pub(super) fn budget_for_one(view: &View<'_>, code: Code) -> Vec<Problem> {
    let found = budgets(view).into_iter().filter(Calls::are_for_one).map(|Calls { one, fewest, .. }| {
        let message = format!(
            "`{}.calls` ends every run after 1 candidate at the latest: making and judging one takes {}",
            one.path,
            count(fewest, "call")
        );
        let help = format!("write `calls: {}`, which leaves room for one correction", fewest + 1);
        view.doubt(code, &place(view, one), message).help(help)
    });
    found.collect()
}

/// Budgets of calls that are never used up.
pub(super) fn budget_without_end(view: &View<'_>, code: Code) -> Vec<Problem> {
    let most = view.limit().map_or(0, |(_, most)| most);
    let unused = |calls: &Calls<'_>| !calls.are_for_one() && calls.all > 0 && calls.all <= calls.limit;
    let found = budgets(view).into_iter().filter(unused).map(|Calls { one, all, before_last, .. }| {
        let message = format!(
            "`{}.calls` can never fire: {} take {} at most, repeated attempts counted",
            one.path,
            count(most, "candidate"),
            count(all, "call")
        );
        let problem = view.doubt(code, &place(view, one), message);
        problem.help(format!("write {before_last} or fewer, or remove it"))
    });
    found.collect()
}

/// The position of the number of calls.
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
