//! The story that a record tells.

use super::choice::chosen;
use super::losses::{costs, dimensions, other_losses};
use super::next_step::{what_next, why_stopped};
use super::record::{Candidate, Record};
use super::story::{CandidateStory, Cost, Ended, IssueChange, IssueStory, Story};
use super::verdict::{acceptance, decision, gate, why_review};
use crate::explain::json_diff::diff;
use crate::repair::{Operation, RepairStep};
use crate::score::Issue;

impl Story {
    /// The story that a record tells.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        let candidates: Vec<CandidateStory> =
            (0..record.candidates.len()).filter_map(|at| candidate_story(record, at)).collect();
        let ended = record.outcome.as_ref().map(|outcome| Ended {
            final_status: outcome.final_status,
            stop_reason: outcome.stop_reason.clone(),
            candidates: outcome.iteration_count,
            usage: outcome.usage,
            elapsed_ms: outcome.elapsed_ms.0,
        });
        Story {
            document: record.document.clone(),
            document_type: record.document_type.clone(),
            profile: record.profile.clone(),
            run: record.run.clone(),
            ended,
            why_stopped: why_stopped(record),
            chosen: chosen(record),
            review: record.review,
            why_review: why_review(record),
            message: record.message.clone(),
            warnings: record.warnings.clone(),
            next: what_next(record, record.outcome.as_ref(), &candidates),
            gaps: record.gaps.clone(),
            candidates,
        }
    }
}

fn candidate_story(record: &Record, at: usize) -> Option<CandidateStory> {
    let candidate = record.candidates.get(at)?;
    let base = candidate.base.and_then(|base| record.candidates.get(base));
    let terms = record.terms.as_ref();
    let changes = base.and_then(|base| Some(diff(base.value.as_ref()?, candidate.value.as_ref()?)));
    let known = base.and_then(|base| base.assessment.as_ref());
    let own = candidate.assessment.as_ref();
    let issues = own.map_or_else(Vec::new, |assessment| {
        let story = |(place, issue): (usize, &Issue)| {
            let standing = match known {
                None => IssueChange::Only,
                Some(known) if known.issues.iter().any(|other| alike(other, issue)) => IssueChange::Remains,
                Some(_) => IssueChange::New,
            };
            issue_story(issue, standing, costs(candidate.account.as_ref(), place, terms))
        };
        let mut issues: Vec<IssueStory> = assessment.issues.iter().enumerate().map(story).collect();
        let lost = |issue: &IssueStory| issue.costs.iter().map(|cost| cost.points).sum::<f64>();
        issues.sort_by(|a, b| {
            b.overall_lost()
                .total_cmp(&a.overall_lost())
                .then(lost(b).total_cmp(&lost(a)))
                .then(b.severity.cmp(&a.severity))
        });
        issues
    });
    let solved = match (known, own) {
        (Some(known), Some(own)) => {
            known.issues.iter().filter(|old| !own.issues.iter().any(|new| alike(old, new))).cloned().collect()
        }
        _ => Vec::new(),
    };
    Some(CandidateStory {
        iteration: at,
        base: candidate.base,
        origin: origin(candidate, at),
        troubles: candidate.troubles.clone(),
        repairs: candidate.repairs.iter().map(repair).collect(),
        notes: candidate.notes.clone(),
        feedback: candidate.feedback.clone(),
        changes,
        dimensions: dimensions(candidate, terms),
        overall: candidate.overall,
        issues,
        issues_known: own.is_some(),
        other_losses: other_losses(candidate.account.as_ref(), terms),
        solved,
        gate: gate(candidate, terms),
        acceptance: acceptance(candidate),
        rolled_back: candidate.rolled_back,
        decision: decision(record, candidate, at),
    })
}

/// Returns whether two issues of different candidates are the same one.
fn alike(a: &Issue, b: &Issue) -> bool {
    a.code == b.code && a.path == b.path && a.rule == b.rule
}

fn issue_story(issue: &Issue, standing: IssueChange, costs: Vec<Cost>) -> IssueStory {
    IssueStory {
        code: issue.code.to_string(),
        severity: issue.severity,
        disposition: issue.disposition,
        path: issue.path.to_string(),
        message: issue.message.to_string(),
        rule: issue.rule.clone(),
        places: issue.places.clone(),
        standing,
        costs,
    }
}

fn origin(candidate: &Candidate, at: usize) -> String {
    let came = candidate.value.is_some() || candidate.overall.is_some();
    match (candidate.base, at) {
        (_, 0) if candidate.supplied => "supplied".to_owned(),
        (_, 0) if came => "generated".to_owned(),
        (_, 0) => "never came".to_owned(),
        (Some(base), _) if came => format!("corrected from candidate {base}"),
        (Some(base), _) => format!("a correction of candidate {base} that never came"),
        (None, _) => "a correction".to_owned(),
    }
}

fn repair(step: &RepairStep) -> String {
    let path = step.patch.first().map(|operation| match operation {
        Operation::Add { path, .. } | Operation::Remove { path } | Operation::Replace { path, .. } => path,
    });
    let times = if step.times > 1 { format!(" ({} times)", step.times) } else { String::new() };
    match path.filter(|path| !path.is_empty()) {
        Some(path) => format!("{} at `{path}`{times}", step.reason),
        None => format!("{}{times}", step.reason),
    }
}
