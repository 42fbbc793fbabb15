//! Acceptance that everything passes, that nothing can, or that has lines which decide nothing.

use super::view::{View, number};
use crate::diag::{Code, Problem, Span};
use crate::profile::{Dimension, IssueKind, Measure, OnEscalate, Overall, SelectKey, Target, Threshold};
use crate::value::prose::{list, names};
use crate::value::{Disposition, Score, Severity};

/// Scores that differ by less are equal.
const EPSILON: f64 = 1e-9;

/// A line about a score: the bound, the score that it is about, and its position.
struct Line<'a> {
    target: &'a Target,
    bound: f64,
    span: &'a Span,
}

/// The lines about scores; none where nothing of `accept` can fail, which is reported once.
fn lines<'a>(view: &View<'a>) -> Vec<Line<'a>> {
    let accept = &view.policy.accept;
    let all = accept.thresholds.iter().map(|threshold| Line {
        target: &threshold.target,
        bound: threshold.bound.get(),
        span: view.key(&["accept", threshold.target.name()]),
    });
    let all: Vec<Line<'_>> = all.collect();
    if accept.issue_limits.is_empty() && !all.iter().any(|line| line.decides(view)) {
        Vec::new()
    } else {
        all
    }
}

impl Line<'_> {
    /// Returns whether a candidate can fail it.
    fn decides(&self, view: &View<'_>) -> bool {
        self.bound > view.target(self.target).low + EPSILON
    }
}

/// The problem of each line that can fail for which there is one.
fn of_lines(view: &View<'_>, said: impl Fn(&Line<'_>) -> Option<Problem>) -> Vec<Problem> {
    lines(view).iter().filter(|line| line.decides(view)).filter_map(said).collect()
}

/// No line can fail.
pub(super) fn accepts_everything(view: &View<'_>, code: Code) -> Vec<Problem> {
    if !lines(view).is_empty() || !view.policy.accept.issue_limits.is_empty() {
        return Vec::new();
    }
    let message = "every candidate is accepted, so none is ever corrected: no line of `accept` can fail";
    let highest: Vec<String> = view
        .policy
        .accept
        .thresholds
        .iter()
        .map(|Threshold { target, .. }| {
            format!("`{}` is never below {}", target.name(), number(view.target(target).low))
        })
        .collect();
    let floors: Vec<&str> = view
        .profile
        .dimensions
        .iter()
        .filter(|dimension| floored(view, &dimension.name))
        .map(|dimension| dimension.name.as_str())
        .collect();
    let because = match floors.as_slice() {
        [] => String::new(),
        [one] => format!(", because of the `floor` of `{one}`"),
        _ => format!(", because of the `floor`s of `{}`", floors.join("` and `")),
    };
    let help = format!("{}{because}; write a higher bound, such as `overall: 0.95`", highest.join(", "));
    vec![Problem::warning(code, view.key(&["accept"]), message).help(help)]
}

/// Lines that always hold, beside others.
pub(super) fn always_holds(view: &View<'_>, code: Code) -> Vec<Problem> {
    let lines = lines(view);
    lines.iter().filter(|line| !line.decides(view)).map(|line| holds(view, code, line)).collect()
}

fn holds(view: &View<'_>, code: Code, line: &Line<'_>) -> Problem {
    let Line { target, bound, span } = *line;
    let (name, low) = (target.name(), number(view.target(target).low));
    let message = format!("the line `{name}: {}` of `accept` always holds", number(bound));
    let help = match target {
        _ if bound <= EPSILON => format!("remove it (`{name}: null`), or write a bound above 0"),
        Target::Dimension(dimension) if floored(view, dimension) => {
            format!(
                "`{name}` never falls below its `floor` {low}: lower the floor, or write a bound above it"
            )
        }
        _ => format!("`{name}` is never below {low}: write a bound above that, or remove the line"),
    };
    let cause = view.measure(name);
    view.doubt_of(code, span, &[cause], message).help(help)
}

fn floored(view: &View<'_>, name: &str) -> bool {
    let dimension = view.profile.dimensions.iter().find(|dimension| dimension.name == name);
    dimension.is_some_and(|d| matches!(&d.measure, Measure::Rules { floor, .. } if floor.get() > 0.0))
}

/// Returns whether nothing measures a dimension in a run: its score is handed over from outside.
pub(super) fn is_only_given(dimension: &Dimension) -> bool {
    matches!(dimension.measure, Measure::Given) && dimension.second.is_none()
}

/// Bounds that no run can reach.
pub(super) fn out_of_reach(view: &View<'_>, code: Code) -> Vec<Problem> {
    of_lines(view, |line| unreachable(view, code, line))
}

fn unreachable(view: &View<'_>, code: Code, line: &Line<'_>) -> Option<Problem> {
    let Line { target, bound, span } = *line;
    if view.profile.stages.is_empty() {
        return None;
    }
    let given = |name: &str| view.profile.dimensions.iter().any(|d| d.name == name && is_only_given(d));
    let measured = |name: &str| if given(name) { 0.0 } else { view.dimension(name).high };
    let (most, which) = match (target, &view.policy.overall) {
        (Target::Dimension(name), _) | (Target::Overall, Overall::From(name)) => {
            (measured(name), vec![name.as_str()])
        }
        (Target::Overall, Overall::Weighted(weights)) => (
            weights.iter().map(|(name, weight)| weight * measured(name)).sum(),
            weights.iter().map(|(name, _)| name.as_str()).collect(),
        ),
    };
    if bound <= most + EPSILON {
        return None;
    }
    let name = target.name();
    let missing = list(&names(which.into_iter().filter(|name| given(name))), "and");
    let message = format!(
        "no run can be accepted: `{name}` must reach {} and is {} at most, because nothing measures {missing}",
        number(bound),
        number(most)
    );
    let help = format!(
        "nothing measures {missing}: give it a measure under `assess`, or take it out of `overall` and `accept`; `given` scores \
         come from outside (`loopctl score --given`) and count 0 in a run"
    );
    let causes: Vec<&Span> = view.policy.overall.dimensions().map(|name| view.measure(name)).collect();
    Some(view.doubt_of(code, span, &causes, message).help(help))
}

/// Lines that others make hold.
pub(super) fn implied(view: &View<'_>, code: Code) -> Vec<Problem> {
    of_lines(
        view,
        |line| if unreachable(view, code, line).is_some() { None } else { follows(view, code, line) },
    )
}

fn follows(view: &View<'_>, code: Code, line: &Line<'_>) -> Option<Problem> {
    let Line { target, bound, span } = *line;
    let Overall::Weighted(weights) = &view.policy.overall else { return None };
    let line = |target: &Target| view.policy.accept.bound(target).map(Score::get);
    let (by, least) = match target {
        Target::Overall => {
            let least: f64 = weights
                .iter()
                .map(|(name, weight)| {
                    let line = line(&Target::Dimension(name.clone())).unwrap_or(0.0);
                    weight * line.max(view.dimension(name).low)
                })
                .sum();
            ("the other lines", least)
        }
        Target::Dimension(name) => {
            let (_, weight) = weights.iter().find(|(weighted, weight)| weighted == name && *weight > 0.0)?;
            let others: f64 = weights
                .iter()
                .filter(|(other, _)| other != name)
                .map(|(other, weight)| weight * view.dimension(other).high)
                .sum();
            ("the line `overall`", (line(&Target::Overall)? - others) / weight)
        }
    };
    if least < bound - EPSILON {
        return None;
    }
    let name = target.name();
    let message = format!(
        "the line `{name}: {}` of `accept` never decides: with {by}, `{name}` is {} at least",
        number(bound),
        number(least)
    );
    let help = format!("remove it (`{name}: null`), or write a bound above {}", number(least));
    Some(Problem::note(code, span, message).help(help))
}

/// Bounds that ask a judge for the highest possible score.
pub(super) fn perfect(view: &View<'_>, code: Code) -> Vec<Problem> {
    of_lines(view, |line| {
        let said = unreachable(view, code, line).or_else(|| follows(view, code, line)).is_some();
        if said || line.bound < 1.0 - EPSILON { None } else { highest(view, code, line) }
    })
}

fn highest(view: &View<'_>, code: Code, line: &Line<'_>) -> Option<Problem> {
    let Line { target, span, .. } = *line;
    let judged = |name: &str| {
        let dimension = view.profile.dimensions.iter().find(|dimension| dimension.name == name);
        let sources = dimension.and_then(|d| d.second.as_ref()).map(|second| second.sources.as_slice());
        sources.unwrap_or_default().iter().any(|source| source.score.is_some())
    };
    let names: Vec<&str> = match (target, &view.policy.overall) {
        (Target::Dimension(name), _) => vec![name],
        (Target::Overall, overall) => overall.dimensions().collect(),
    };
    let name = names.into_iter().find(|name| judged(name))?;
    let message = format!(
        "`{}: 1` is reached only when a judge gives `{name}` the highest score there is",
        target.name()
    );
    let help = "judges seldom do; write a bound below 1, such as 0.95";
    Some(Problem::note(code, span, message).help(help))
}

/// Critical issues that count when candidates are compared, but not when one is accepted.
pub(super) fn ignores_critical(view: &View<'_>, code: Code) -> Vec<Problem> {
    if lines(view).is_empty() && view.policy.accept.issue_limits.is_empty() {
        return Vec::new();
    }
    let critical = IssueKind::Severity(Severity::Critical);
    let cares = |key: &SelectKey| matches!(key, SelectKey::NoCritical) || *key == SelectKey::Fewest(critical);
    let Some(at) = view.policy.select.order.iter().position(cares) else { return Vec::new() };
    let limits = &view.policy.accept.issue_limits;
    let bounded = limits
        .iter()
        .any(|(kind, _)| *kind == critical || *kind == IssueKind::Disposition(Disposition::Correct));
    if bounded || (keeps_out_escalated(view) && all_escalated(view)) {
        return Vec::new();
    }
    let key = view.order_key(at);
    let message = "a candidate with critical issues can be accepted: `accept` does not look at them";
    let problem = Problem::warning(code, view.key(&["accept"]), message);
    let problem = problem.help("add `critical_issues: 0` to `accept`");
    vec![problem.related(key, "here they matter")]
}

/// Returns whether a candidate with an issue that a person must decide is refused.
fn keeps_out_escalated(view: &View<'_>) -> bool {
    let escalated = IssueKind::Disposition(Disposition::Escalate);
    view.policy.on_escalate == OnEscalate::Stop
        || view.policy.accept.issue_limits.iter().any(|(kind, most)| *kind == escalated && *most == 0)
}

/// Returns whether critical issues are for a person to decide, by the table and by the dispositions of rules. Those
/// that are only shown are so on purpose.
fn all_escalated(view: &View<'_>) -> bool {
    let corrected = |disposition| disposition == Disposition::Correct;
    let mut listed = view.policy.dispositions.listed();
    let rules = view.subject.plan.scoring.rules();
    let programs = rules.document_types().map(|document_type| rules.program(document_type));
    let mut issues = programs.flat_map(|program| program.rules()).map(|rule| &rule.issue);
    !listed.any(|(_, fixable, otherwise)| corrected(fixable) || corrected(otherwise))
        && !issues
            .any(|issue| issue.severity == Severity::Critical && issue.disposition.is_some_and(corrected))
}
