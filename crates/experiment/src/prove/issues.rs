//! The issues of the candidates that are tried.

use super::values::{IssueValues, Values};
use crate::profile::{CONDITIONS, IssueKind};
use crate::trajectory::StepIssue;
use crate::value::{Disposition, Severity};

const SEVERITIES: [Severity; 3] = [Severity::Minor, Severity::Major, Severity::Critical];

const DISPOSITIONS: [Disposition; 3] = [Disposition::Correct, Disposition::Warn, Disposition::Escalate];

/// Every combination of numbers of issues that a candidate can have, none first, and the issues of documents that
/// break a condition of `accept`.
pub(super) fn issue_combinations(tried: &Values) -> Vec<Vec<StepIssue>> {
    let values = &tried.issues;
    let mut counted: Vec<Vec<IssueKind>> = vec![Vec::new()];
    for IssueValues { kind, counts } in values {
        let with = |kinds: &Vec<IssueKind>, count: u64| {
            let mut kinds = kinds.clone();
            kinds.extend((0..count).map(|_| *kind));
            kinds
        };
        counted = counted.iter().flat_map(|kinds| counts.iter().map(|count| with(kinds, *count))).collect();
    }
    let mut all: Vec<Vec<StepIssue>> = counted.iter().filter_map(|kinds| issues(kinds, values)).collect();
    let broken = CONDITIONS.iter().zip(tried.broken_conditions).filter(|(_, is_tried)| *is_tried);
    for code in broken.filter_map(|(condition, _)| condition.codes.first()) {
        all.push(vec![issue((*code).to_owned(), Severity::Critical, Disposition::Escalate)]);
    }
    all
}

/// Returns whether issues are about the document, whatever the candidate is.
pub(super) fn is_of_document(issues: &[StepIssue]) -> bool {
    let is_tried = |code: &str| CONDITIONS.iter().any(|condition| condition.codes.first() == Some(&code));
    issues.iter().any(|issue| is_tried(&issue.code))
}

/// Issues that count as these kinds, and as no other one that is inspected; `None` if there are no such issues: each
/// has a severity and a disposition, and if all severities are inspected, one of a disposition counts as one of them,
/// too.
fn issues(kinds: &[IssueKind], looked_at: &[IssueValues]) -> Option<Vec<StepIssue>> {
    let looked = |kind: IssueKind| looked_at.iter().any(|issue| issue.kind == kind);
    let free_severity = SEVERITIES.into_iter().find(|one| !looked(IssueKind::Severity(*one)));
    let free_disposition = DISPOSITIONS.into_iter().find(|one| !looked(IssueKind::Disposition(*one)));
    let mut severities: Vec<Severity> = Vec::new();
    let mut dispositions: Vec<Disposition> = Vec::new();
    for kind in kinds {
        match kind {
            IssueKind::Severity(severity) => severities.push(*severity),
            IssueKind::Disposition(disposition) => dispositions.push(*disposition),
        }
    }
    let named = |kind: IssueKind, severity, disposition| {
        issue(format!("A_{}", kind.as_str()).to_uppercase(), severity, disposition)
    };
    let mut made: Vec<StepIssue> = Vec::new();
    // If none is free, one issue counts as one of each.
    if free_severity.is_none() || free_disposition.is_none() {
        let both = severities.len().min(dispositions.len());
        for (severity, disposition) in severities.drain(..both).zip(dispositions.drain(..both)) {
            made.push(named(IssueKind::Severity(severity), severity, disposition));
        }
    }
    for severity in severities {
        made.push(named(IssueKind::Severity(severity), severity, free_disposition?));
    }
    for disposition in dispositions {
        made.push(named(IssueKind::Disposition(disposition), free_severity?, disposition));
    }
    Some(made)
}

fn issue(code: String, severity: Severity, disposition: Disposition) -> StepIssue {
    StepIssue { code, severity, disposition: Some(disposition), path: String::new(), auto_fixable: false }
}
