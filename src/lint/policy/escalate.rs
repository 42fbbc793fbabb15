//! Issues that a person must decide, in a profile that accepts them unseen.

use super::view::View;
use crate::diag::{Code, Problem, Problems, Span};
use crate::profile::{IssueKind, OnEscalate};
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Severity};

pub(super) fn look(view: &View<'_>, problems: &mut Problems) {
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
    let Some((span, what)) = disagreement(view).or_else(|| disposition(view)).or_else(|| rule(view)) else {
        return;
    };
    let message =
        format!("{what} is for a person to decide, and nothing waits for one: the candidate can be accepted");
    let problem: Problem = view.doubt(Code::NobodyDecides, &span, message);
    problems.push(problem.help("set `on_escalate: stop`, or add `escalate_issues: 0` to `accept`"));
}

/// Where judges that disagree are left to a person.
fn disagreement(view: &View<'_>) -> Option<(Span, String)> {
    let dimension = view.profile.dimensions.iter().find(|dimension| {
        let second = dimension.second.as_ref().and_then(|second| second.disagreement);
        let local = match &dimension.measure {
            crate::profile::Measure::Ensemble { disagreement, .. } => *disagreement,
            _ => None,
        };
        second.or(local).is_some_and(|bound| bound.then == Disposition::Escalate)
    })?;
    let path = ["assess", dimension.name.as_str(), "ensemble", "disagreement"];
    Some((view.key(&path).clone(), format!("a disagreement about `{}`", dimension.name)))
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
