//! Issues that a person must decide, in a profile that accepts them unseen.

use super::view::View;
use crate::diag::{Code, Problem, Span};
use crate::profile::{
    AfterRetries, Dimension, Disagreement, IssueKind, Measure, OnEscalate, Overall, Target,
};
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Severity};

/// Issues that a person must decide are accepted unseen.
pub(super) fn nobody_decides(view: &View<'_>, code: Code) -> Vec<Problem> {
    let limits = &view.policy.accept.issue_limits;
    let escalated = IssueKind::Disposition(Disposition::Escalate);
    if view.policy.on_escalate == OnEscalate::Stop || limits.iter().any(|(kind, _)| *kind == escalated) {
        return Vec::new();
    }
    // One line for each severity would keep out escalated issues, too.
    let every = |severity| limits.iter().any(|(kind, _)| *kind == IssueKind::Severity(severity));
    if [Severity::Critical, Severity::Major, Severity::Minor].into_iter().all(every) {
        return Vec::new();
    }
    // Some issues are critical whenever a person must decide them.
    let no_critical =
        limits.iter().any(|(kind, most)| *kind == IssueKind::Severity(Severity::Critical) && *most == 0);
    let always_critical = || disagreement(view).or_else(|| quorum(view)).or_else(|| failure(view));
    let found = disposition(view)
        .or_else(|| rule(view, no_critical))
        .or_else(|| if no_critical { None } else { always_critical() });
    let Some((span, what)) = found else { return Vec::new() };
    let message =
        format!("{what} is for a person to decide, and nothing waits for one: the candidate can be accepted");
    let problem = Problem::warning(code, &span, message);
    vec![problem.help("set `on_escalate: stop`, or add `escalate_issues: 0` to `accept`")]
}

/// The setting that leaves a disagreement of judges to a person.
fn disagreement(view: &View<'_>) -> Option<(Span, String)> {
    let escalates = |bound: Disagreement| bound.then == Disposition::Escalate && bound.above.get() < 1.0;
    let dimension = view.profile.dimensions.iter().find(|d| bound_of(d).is_some_and(escalates))?;
    let path = ["assess", dimension.name.as_str(), "ensemble", "disagreement"];
    Some((view.key(&path).clone(), format!("a disagreement about `{}`", dimension.name)))
}

/// The quorum of a dimension that acceptance can do without: with too few answers it has no score.
fn quorum(view: &View<'_>) -> Option<(Span, String)> {
    let asks =
        |dimension: &&Dimension| dimension.second.as_ref().is_some_and(|second| second.quorum.is_some());
    let dimension = view.profile.dimensions.iter().filter(asks).find(|d| !is_needed(view, &[&d.name]))?;
    let path = ["assess", dimension.name.as_str(), "ensemble", "quorum"];
    Some((view.key(&path).clone(), format!("a missed quorum of `{}`", dimension.name)))
}

/// The judge or validator that leaves the candidate to a person when it gives no answer, where acceptance can do
/// without the dimensions that then have no score.
fn failure(view: &View<'_>) -> Option<(Span, String)> {
    let judges = view.profile.judges.iter().filter(|judge| judge.is_asked());
    let judges = judges.filter(|judge| judge.on_failure.then == AfterRetries::Escalate);
    let judges = judges.map(|judge| ("judges", "judge", judge.id.value.as_str()));
    let validators = view.profile.validators.iter();
    let validators = validators.map(|validator| ("validators", "validator", validator.id.value.as_str()));
    let (key, what, id) = judges.chain(validators).find(|(_, _, id)| {
        let measures = |dimension: &&Dimension| {
            dimension.second.iter().flat_map(|second| &second.sources).any(|source| source.name.value == *id)
        };
        let own: Vec<&Dimension> = view.profile.dimensions.iter().filter(measures).collect();
        // Where a quorum is met without it, its failure is only shown.
        let without = own
            .iter()
            .filter(|dimension| dimension.second.as_ref().is_none_or(|second| second.quorum.is_none()));
        let without: Vec<&str> = without.map(|dimension| dimension.name.as_str()).collect();
        (own.is_empty() || !without.is_empty()) && !is_needed(view, &without)
    })?;
    let said = view.entry(&[key, id, "on_failure"]).map(|entry| &entry.key_span);
    let span = said.unwrap_or_else(|| view.key(&[key, id]));
    Some((span.clone(), format!("a {what} `{id}` that gives no answer")))
}

/// Returns whether no candidate is accepted in which these dimensions score 0.
fn is_needed(view: &View<'_>, names: &[&str]) -> bool {
    let is_one = |name: &String| names.contains(&name.as_str());
    let without = match &view.policy.overall {
        Overall::From(from) => f64::from(u8::from(!is_one(from))),
        Overall::Weighted(weights) => {
            let others = weights.iter().filter(|(other, _)| !is_one(other));
            others.map(|(other, weight)| weight * view.dimension(other).high).sum()
        }
    };
    view.policy.accept.thresholds.iter().any(|threshold| match &threshold.target {
        Target::Dimension(dimension) => is_one(dimension) && threshold.bound.get() > 1e-9,
        Target::Overall => threshold.bound.get() > without + 1e-9,
    })
}

/// Bounds on disagreement that no two scores can exceed.
pub(super) fn never_disagrees(view: &View<'_>, code: Code) -> Vec<Problem> {
    let bounds = view.profile.dimensions.iter().filter_map(|d| Some((&d.name, bound_of(d)?.above.get())));
    let far = bounds.filter(|(_, above)| *above >= 1.0).map(|(name, above)| {
        let span = view.key(&["assess", name, "ensemble", "disagreement"]);
        let message = format!("no disagreement about `{name}` is ever found: scores differ by at most 1");
        let help = format!("write how far apart is too far, such as `above: 0.3`, below {above}");
        view.doubt(code, span, message).help(help)
    });
    far.collect()
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

/// The entry of the table of codes that leaves one to a person.
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

/// A rule that leaves its issue to a person: any, or one whose issue is not critical.
fn rule(view: &View<'_>, not_critical: bool) -> Option<(Span, String)> {
    let rules = view.subject.plan.scoring.rules();
    let programs = rules.document_types().map(|document_type| rules.program(document_type));
    let mut issues = programs.flat_map(|program| program.rules()).map(|rule| &rule.issue);
    let issue = issues.find(|issue| {
        issue.disposition == Some(Disposition::Escalate)
            && !(not_critical && issue.severity == Severity::Critical)
    })?;
    Some((view.key(&["accept"]).clone(), format!("an issue of the rule `{}`", issue.rule)))
}
