//! Issues that a person must decide, in a profile that accepts them unseen.

use super::view::View;
use crate::diag::{Code, Problem, Problems, Span};
use crate::profile::{Dimension, Disagreement, IssueKind, Measure, OnEscalate, Overall, Target};
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Severity};

pub(super) fn look(view: &View<'_>, problems: &mut Problems) {
    never_disagree(view, problems);
    let limits = &view.policy.accept.issue_limits;
    let escalated = IssueKind::Disposition(Disposition::Escalate);
    if view.policy.on_escalate == OnEscalate::Stop || limits.iter().any(|(kind, _)| *kind == escalated) {
        return;
    }
    // One line for each severity would keep out whatever is escalated, too.
    let every = |severity| limits.iter().any(|(kind, _)| *kind == IssueKind::Severity(severity));
    if [Severity::Critical, Severity::Major, Severity::Minor].into_iter().all(every) {
        return;
    }
    let quorum = || if every(Severity::Critical) { None } else { quorum(view) };
    let found = disagreement(view).or_else(|| disposition(view)).or_else(|| rule(view)).or_else(quorum);
    let Some((span, what)) = found else { return };
    let message =
        format!("{what} is for a person to decide, and nothing waits for one: the candidate can be accepted");
    let problem = Problem::warning(Code::NobodyDecides, &span, message);
    problems.push(problem.help("set `on_escalate: stop`, or add `escalate_issues: 0` to `accept`"));
}

/// Where judges that disagree are left to a person.
fn disagreement(view: &View<'_>) -> Option<(Span, String)> {
    let escalates = |bound: Disagreement| bound.then == Disposition::Escalate && bound.above.get() < 1.0;
    let dimension = view.profile.dimensions.iter().find(|d| bound_of(d).is_some_and(escalates))?;
    let path = ["assess", dimension.name.as_str(), "ensemble", "disagreement"];
    Some((view.key(&path).clone(), format!("a disagreement about `{}`", dimension.name)))
}

/// Where too few judges answer about a dimension that acceptance can do without: it then has no score.
fn quorum(view: &View<'_>) -> Option<(Span, String)> {
    let asks =
        |dimension: &&Dimension| dimension.second.as_ref().is_some_and(|second| second.quorum.is_some());
    let dimension = view.profile.dimensions.iter().filter(asks).find(|d| !is_needed(view, &d.name))?;
    let path = ["assess", dimension.name.as_str(), "ensemble", "quorum"];
    Some((view.key(&path).clone(), format!("a missed quorum of `{}`", dimension.name)))
}

/// Whether no candidate is accepted in which a dimension scores 0.
fn is_needed(view: &View<'_>, name: &str) -> bool {
    let without = match &view.policy.overall {
        Overall::From(from) => f64::from(u8::from(from != name)),
        Overall::Weighted(weights) => {
            let others = weights.iter().filter(|(other, _)| other != name);
            others.map(|(other, weight)| weight * view.dimension(other).high).sum()
        }
    };
    view.policy.accept.thresholds.iter().any(|(target, bound)| match target {
        Target::Dimension(dimension) => dimension == name && bound.get() > 0.0,
        Target::Overall => bound.get() > without + 1e-9,
    })
}

/// Says of a bound on disagreement that scores can't lie that far apart.
fn never_disagree(view: &View<'_>, problems: &mut Problems) {
    for dimension in &view.profile.dimensions {
        let Some(bound) = bound_of(dimension).filter(|bound| bound.above.get() >= 1.0) else { continue };
        let span = view.key(&["assess", dimension.name.as_str(), "ensemble", "disagreement"]);
        let message =
            format!("no disagreement about `{}` is ever found: scores lie 1 apart at most", dimension.name);
        let problem = view.doubt(Code::NeverDisagrees, span, message);
        let help =
            format!("write how far apart is too far, such as `above: 0.3`, below {}", bound.above.get());
        problems.push(problem.help(help));
    }
}

/// The bound on disagreement of a dimension's members, whichever tier they are in.
fn bound_of(dimension: &Dimension) -> Option<Disagreement> {
    let second = dimension.second.as_ref().and_then(|second| second.disagreement);
    let local = match &dimension.measure {
        Measure::Ensemble { disagreement, .. } => *disagreement,
        _ => None,
    };
    second.or(local)
}

/// Where the table of codes leaves one to a person.
fn disposition(view: &View<'_>) -> Option<(Span, String)> {
    let Data::Map(entries) = &view.entry(&["dispositions"])?.value.data else { return None };
    let escalates = |node: &Node| node.as_text() == Some("escalate");
    let entry = entries.iter().find(|entry| {
        escalates(&entry.value)
            || ["auto_fixable", "otherwise"].iter().any(|key| entry.value.get(key).is_some_and(escalates))
    })?;
    let what = match entry.key.as_str() {
        "otherwise" => "an issue that the table does not list".to_owned(),
        code => format!("an issue `{code}`"),
    };
    Some((entry.key_span.clone(), what))
}

/// Where a rule leaves its issue to a person.
fn rule(view: &View<'_>) -> Option<(Span, String)> {
    let rules = view.subject.plan.scoring.rules();
    let mut issues = rules.document_types().flat_map(|document_type| &rules.program(document_type).issues);
    let issue = issues.find(|issue| issue.disposition == Some(Disposition::Escalate))?;
    Some((view.key(&["accept"]).clone(), format!("an issue of the rule `{}`", issue.rule)))
}
