//! Stop criteria: those that can never fire, that always do, and that others leave nothing to.

use super::criteria::{Placed, criteria, limit};
use super::view::{View, counted, number};
use super::{always, budget, one_candidate, overtaken, window};
use crate::diag::{Code, Level, Problem, Problems};
use crate::profile::{Criterion, OnRegression};

pub(super) fn check(view: &View<'_>, problems: &mut Problems) {
    let placed = criteria(view);
    let Some((limit, most)) = limit(&placed) else { return };
    let first = placed.iter().filter(|one| one.alone && limit_itself(&one.criterion));
    if let Some(only) = first.filter(|one| one.criterion.earliest() == 1).min_by_key(|one| one.rank) {
        // Nothing else is looked at, and is said once.
        one_candidate::check(view, only, problems);
        return;
    }
    let mut dead: Vec<&str> = Vec::new();
    for one in &placed {
        let found = impossible(view, one).or_else(|| too_late(view, one, limit, most));
        if let Some(problem) = found {
            dead.push(&one.path);
            problems.push(problem);
        }
    }
    for one in &placed {
        if dead.contains(&one.path.as_str()) {
            continue;
        }
        let others = placed.iter().filter(|other| !dead.contains(&other.path.as_str()));
        if let Some(problem) = overtaken::check(view, one, others) {
            problems.push(problem);
            continue;
        }
        always::check(view, one, problems);
        budget::check(view, one, most, problems);
        window::check(view, one, limit, most, problems);
    }
    always::limits(view, &placed, limit, most, problems);
}

/// What follows for the list in which a criterion that never fires stands.
pub(super) fn and_the_group(one: &Placed) -> String {
    one.together.as_ref().map(|list| format!(", so the whole of `{list}` never does")).unwrap_or_default()
}

/// Says of a criterion that asks for what can't be.
fn impossible(view: &View<'_>, one: &Placed) -> Option<Problem> {
    let path = &one.path;
    let never = |why: String| {
        let message = format!("`{path}` can never fire: {why}{}", and_the_group(one));
        view.doubt(Code::NeverFires, &one.span, message)
    };
    match &one.criterion {
        Criterion::Rollbacks(_) if !one.is_plain() && view.policy.on_regression == OnRegression::Keep => {
            let why = "nothing is rolled back while `on_regression` is `keep`".to_owned();
            Some(never(why).help("set `on_regression: rollback`, or remove this criterion"))
        }
        Criterion::Stagnation(stagnation) if stagnation.epsilon <= 1e-9 => Some(
            never(format!("scores never lie closer together than {}", number(stagnation.epsilon)))
                .help("give `epsilon` a size, such as 0.01"),
        ),
        Criterion::Oscillation(oscillation) if oscillation.flips + 2 > oscillation.window => {
            let (window, flips) = (oscillation.window, oscillation.flips);
            let most = window.saturating_sub(2);
            let changes = if most == 1 { "change" } else { "changes" };
            let why =
                format!("among {window} scores there are at most {most} {changes} of direction, not {flips}");
            Some(never(why).help(format!("write `window: {}`, or `flips: {most}`", flips + 2)))
        }
        Criterion::Oscillation(oscillation) => {
            let range = view.overall();
            (oscillation.amplitude > range.width() + 1e-9).then(|| {
                let why = format!(
                    "the overall score goes from {} to {}, so no step is as large as {}",
                    number(range.low),
                    number(range.high),
                    number(oscillation.amplitude)
                );
                never(why).help("write a smaller `amplitude`, such as 0.05")
            })
        }
        _ => None,
    }
}

/// Says of a criterion that the limit of candidates ends the loop before it could fire.
fn too_late(view: &View<'_>, one: &Placed, limit: &Placed, most: u64) -> Option<Problem> {
    let least = one.criterion.earliest();
    if one.path == limit.path || limit_itself(&one.criterion) || least < most {
        return None;
    }
    let key = limit.path.trim_start_matches("stop.");
    let (larger, why) = match limit.criterion {
        Criterion::MaxCorrections(_) => (least, "corrections"),
        _ => (least + 1, "candidates"),
    };
    let allowed = match limit.criterion {
        Criterion::MaxCorrections(corrections) => corrections.0,
        _ => most,
    };
    let message = format!(
        "`{}` can never fire: it needs {}, and `{key}: {allowed}` ends the loop first{}",
        one.path,
        counted(least, "candidate"),
        and_the_group(one)
    );
    let mut help = match limit.criterion {
        Criterion::MaxCorrections(_) => format!("write `{key}: {larger}` or more: {larger} {why}"),
        _ => format!(
            "write `{key}: {larger}` or more: the limit is looked at first, so one more must be allowed"
        ),
    };
    if let Some(smaller) = one.criterion.fitting(most - 1) {
        help.push_str(&format!(", or {smaller}"));
    }
    help.push_str(", or remove it");
    // Where the two come together, the run ends at the same candidate either way, and only the reason is another.
    let problem = view.doubt(Code::NeverFires, &one.span, message);
    let problem = if least == most { Problem { level: Level::Note, ..problem } } else { problem };
    Some(problem.help(help).related(&limit.span, "this limit is looked at first"))
}

pub(super) fn limit_itself(criterion: &Criterion) -> bool {
    matches!(criterion, Criterion::MaxIterations(_) | Criterion::MaxCorrections(_))
}
