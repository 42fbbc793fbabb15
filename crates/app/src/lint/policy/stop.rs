//! Stop criteria: those that can never fire, that always do, and that others leave nothing to.

use super::view::View;
use crate::diag::{Code, Level, Problem};
use crate::facts::Placed;
use crate::profile::Criterion;
use crate::stop::Overtakes;
use crate::value::prose::count;

/// The criteria to inspect: none where the first candidate is the last, which is reported once.
fn criteria<'v>(view: &'v View<'_>) -> &'v [Placed] {
    let more = view.limit().is_some() && view.only_candidate().is_none();
    if more { &view.criteria } else { &[] }
}

/// The problem of a criterion that never fires.
fn dead(view: &View<'_>, code: Code, one: &Placed) -> Option<Problem> {
    impossible(view, code, one).or_else(|| too_late(view, code, one))
}

/// The criteria that fire in some course of scores.
fn living<'v>(view: &'v View<'_>) -> Vec<&'v Placed> {
    criteria(view).iter().filter(|one| dead(view, Code::NeverFires, one).is_none()).collect()
}

/// The criteria that decide in some course of scores.
pub(super) fn deciding<'v>(view: &'v View<'_>) -> Vec<&'v Placed> {
    let living = living(view);
    living.iter().copied().filter(|one| ended_before(view, one, &living).is_none()).collect()
}

pub(super) fn never_fires(view: &View<'_>, code: Code) -> Vec<Problem> {
    criteria(view).iter().filter_map(|one| dead(view, code, one)).collect()
}

/// Criteria that never decide, because another one ends the loop whenever they would.
pub(super) fn overtaken(view: &View<'_>, code: Code) -> Vec<Problem> {
    let living = living(view);
    let found = living.iter().filter_map(|one| Some((one, ended_before(view, one, &living)?)));
    found.map(|(one, (other, overtakes))| by_another(view, code, one, other, &overtakes)).collect()
}

/// The criterion of `others` that ends the loop whenever this one would.
fn ended_before<'a>(view: &View<'_>, one: &Placed, others: &[&'a Placed]) -> Option<(&'a Placed, Overtakes)> {
    let ground = view.ground();
    let others = others.iter().filter(|other| other.alone && other.path != one.path);
    let decide = others.filter_map(|other| {
        let overtakes = other.criterion.overtakes(&one.criterion, &ground)?;
        (overtakes.earlier || other.rank < one.rank).then_some((*other, overtakes))
    });
    decide.min_by_key(|(other, _)| other.rank)
}

fn by_another(view: &View<'_>, code: Code, one: &Placed, other: &Placed, overtakes: &Overtakes) -> Problem {
    let limits = one.criterion.is_limit() && other.criterion.is_limit();
    let problem = if limits && one.criterion.earliest() == other.criterion.earliest() {
        Problem::note(code, &one.span, format!("`{}` says the same as `{}`", one.path, other.path))
    } else {
        let message = format!(
            "`{}` never decides: whenever it would, `{}` has ended the loop already{}",
            one.path,
            other.path,
            and_the_group(one)
        );
        view.doubt(code, &one.span, message)
    };
    problem.help(help(one, other, overtakes)).related(&other.span, "this one ends the loop first")
}

/// A change that would let the criterion decide.
fn help(one: &Placed, other: &Placed, overtakes: &Overtakes) -> String {
    let remove = format!("remove `{}`", one.path);
    let (first, second) = (&other.criterion, &one.criterion);
    if first.is_limit() && second.is_limit() && other.is_plain() {
        return format!("{remove}, or take the other limit away: `{}: null`", first.key());
    }
    match &overtakes.patient {
        Some(setting) => format!("{remove}, or make `{}` more patient: `{setting}`", other.path),
        None => format!("{remove}, or `{}`", other.path),
    }
}

/// The consequence for the list that holds a criterion that never fires.
fn and_the_group(one: &Placed) -> String {
    one.together.as_ref().map(|list| format!(", so the whole of `{list}` never does")).unwrap_or_default()
}

/// A criterion that asks for something impossible.
fn impossible(view: &View<'_>, code: Code, one: &Placed) -> Option<Problem> {
    let reported = one.is_plain() && one.criterion.needs_rollback();
    let doubt = one.criterion.doubt(&view.ground()).filter(|doubt| !doubt.always && !reported)?;
    let message = format!("`{}` can never fire: {}{}", one.path, doubt.why, and_the_group(one));
    Some(view.doubt(code, &one.span, message).help(doubt.help))
}

/// A criterion that could only fire after the limit of candidates has ended the loop.
fn too_late(view: &View<'_>, code: Code, one: &Placed) -> Option<Problem> {
    let (limit, most) = view.limit()?;
    let least = one.criterion.earliest();
    if one.path == limit.path || one.criterion.is_limit() || least < most {
        return None;
    }
    let key = limit.path.trim_start_matches("stop.");
    let counts_corrections = matches!(limit.criterion, Criterion::MaxCorrections(_));
    let (larger, why) = if counts_corrections { (least, "corrections") } else { (least + 1, "candidates") };
    let allowed = if counts_corrections { most.saturating_sub(1) } else { most };
    let message = format!(
        "`{}` can never fire: it needs {}, and `{key}: {allowed}` ends the loop first{}",
        one.path,
        count(least, "candidate"),
        and_the_group(one)
    );
    let mut help = if counts_corrections {
        format!("write `{key}: {larger}` or more: {larger} {why}")
    } else {
        format!("write `{key}: {larger}` or more: the limit is looked at first, so one more must be allowed")
    };
    if let Some(smaller) = one.criterion.fitting(most - 1) {
        help.push_str(&format!(", or {smaller}"));
    }
    help.push_str(", or remove it");
    // If the two come together, the run ends at the same candidate either way, and only the reason differs.
    let problem = view.doubt(code, &one.span, message);
    let problem = if least == most { Problem { level: Level::Note, ..problem } } else { problem };
    Some(problem.help(help).related(&limit.span, "this limit is looked at first"))
}

/// Criteria that fire whatever the scores are.
pub(super) fn always_fires(view: &View<'_>, code: Code) -> Vec<Problem> {
    let alone = deciding(view).into_iter().filter(|one| one.alone);
    alone.filter_map(|one| whatever_is_scored(view, code, one)).collect()
}

fn whatever_is_scored(view: &View<'_>, code: Code, one: &Placed) -> Option<Problem> {
    let doubt = one.criterion.doubt(&view.ground()).filter(|doubt| doubt.always)?;
    let after = count(one.criterion.earliest(), "candidate");
    let message = format!("`{}` ends every run after {after} at the latest: {}", one.path, doubt.why);
    Some(view.doubt(code, &one.span, message).help(doubt.help))
}

/// Oscillations whose window is never full. (One of `stagnation` must be full, so it never fires.)
pub(super) fn long_window(view: &View<'_>, code: Code) -> Vec<Problem> {
    let Some((limit, most)) = view.limit() else { return Vec::new() };
    let seen = most - 1;
    let found = deciding(view).into_iter().filter_map(|one| {
        let Criterion::Oscillation(oscillation) = &one.criterion else { return None };
        let window = u64::try_from(oscillation.window).unwrap_or(u64::MAX);
        let message = format!(
            "the window of `{}` is longer than the run: it has {window} scores, and at most {seen} are known when it is checked",
            one.path
        );
        let help = format!("write `window: {seen}`, which is the same, or allow more candidates");
        let problem = view.doubt(code, &one.span, message).help(help);
        (window > seen).then(|| problem.related(&limit.span, "this limit is looked at first"))
    });
    found.collect()
}
