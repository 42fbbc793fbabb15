//! The documents that wait for a person, the reasons, and their order.

use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::reviewed::ReviewState;
use crate::policy::FinalStatus;
use crate::result::{DocumentResult, is_for_a_person};
use crate::score::Support;
use crate::value::Severity;
use serde::Serialize;
use std::collections::BTreeSet;

/// The code of the issue about a value that one passage says, and another passage says otherwise.
const CONFLICTING_MENTIONS: &str = "CONFLICTING_MENTIONS";

/// The reason why a document waits for a person. The most urgent one comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Reviewers contradict each other about it, and nothing settles which of them holds.
    Disputed,
    /// An issue that only a person may decide.
    Escalated,
    /// The policy did not let it pass.
    Refused,
    /// The document says two things of a value.
    Conflicting,
    /// The document does not verify a value: it is undecided, not found, or contradicted.
    Unverified,
    /// The condition of the profile holds.
    ReviewWhen,
    /// It was drawn, regardless of its result.
    AuditSample,
}

impl Reason {
    /// Every reason, the most urgent first.
    pub const ALL: [Reason; 7] = [
        Reason::Disputed,
        Reason::Escalated,
        Reason::Refused,
        Reason::Conflicting,
        Reason::Unverified,
        Reason::ReviewWhen,
        Reason::AuditSample,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::Disputed => "disputed",
            Reason::Escalated => "escalated",
            Reason::Refused => "refused",
            Reason::Conflicting => "conflicting",
            Reason::Unverified => "unverified",
            Reason::ReviewWhen => "review_when",
            Reason::AuditSample => "audit_sample",
        }
    }
}

/// The reasons why a result waits for a person by itself, the most urgent first. None for a result that needs no one.
pub fn reasons(result: &DocumentResult) -> Vec<Reason> {
    let validation = result.best_validation.as_ref();
    let issues = || validation.into_iter().flat_map(|validation| &validation.issues);
    let supports = |wanted: &[Support]| {
        validation.is_some_and(|validation| {
            validation.evidence.iter().any(|(_, leaf)| wanted.contains(&leaf.support))
        })
    };
    let is_escalated = result.message.is_some() || issues().any(is_for_a_person);
    let holds = |reason| match reason {
        Reason::Escalated => is_escalated,
        Reason::Refused => !matches!(
            result.final_status,
            FinalStatus::Passed | FinalStatus::Skipped | FinalStatus::Cancelled | FinalStatus::Incomplete
        ),
        Reason::Conflicting => {
            supports(&[Support::Conflicting]) || issues().any(|issue| issue.code == CONFLICTING_MENTIONS)
        }
        Reason::Unverified => supports(&[Support::Undecided, Support::Unsupported, Support::Contradicted]),
        // For a result with an issue for a person, nothing records whether the condition held, too.
        Reason::ReviewWhen => result.review && !is_escalated,
        // Nothing in a result records whether its document was drawn, or what reviewers decided about it.
        Reason::AuditSample | Reason::Disputed => false,
    };
    Reason::ALL.into_iter().filter(|reason| holds(*reason)).collect()
}

/// The doubts that an inspection of a result may find.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Doubts {
    /// Values that its document does not verify, and issues that are more than untidy.
    pub count: usize,
    /// The members of the extraction that they are about, each once: the first few.
    pub fields: Vec<String>,
    /// The number of further members that they are about.
    pub more_fields: usize,
}

/// Most members that are named of a document that waits.
const MOST_NAMED: usize = 3;

/// The doubts that an inspection of a result may find.
pub fn doubts(result: &DocumentResult) -> Doubts {
    let Some(validation) = &result.best_validation else { return Doubts::default() };
    let is_unverified = |support: Support| {
        matches!(
            support,
            Support::Undecided | Support::Unsupported | Support::Contradicted | Support::Conflicting
        )
    };
    let values = validation.evidence.iter().filter(|(_, leaf)| is_unverified(leaf.support));
    let issues = validation.issues.iter().filter(|issue| issue.severity >= Severity::Major);
    let paths = values.map(|(pointer, _)| pointer).chain(issues.map(|issue| issue.path.as_str()));
    let mut doubts = Doubts::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        doubts.count += 1;
        let field = FieldPath::named(path).top();
        // An issue without a path is about the document.
        if path.is_empty() || !seen.insert(field.clone()) {
            continue;
        }
        if doubts.fields.len() < MOST_NAMED {
            doubts.fields.push(field);
        } else {
            doubts.more_fields += 1;
        }
    }
    doubts
}

/// A document of the queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueueEntry {
    /// Its id.
    pub document: String,
    /// Its type.
    pub document_type: String,
    /// The reasons why it waits.
    pub reasons: Vec<Reason>,
    /// The status in which its run ended.
    pub final_status: FinalStatus,
    /// Its score; none without a candidate.
    pub overall: Option<f64>,
    /// The progress of its review.
    pub state: ReviewState,
    /// The reviewers who decided about it.
    pub reviewers: Vec<String>,
    /// The fields that reviewers differ about, and the document as a whole.
    pub disputed: Vec<String>,
    /// Decisions about an earlier result, which do not count.
    pub outdated: usize,
}

impl QueueEntry {
    /// A document as the queue shows it; `None` of one that neither waits nor was decided about.
    pub fn of(document: &ReviewDocument) -> Option<Self> {
        let (mut reasons, reviewed) = (document.reasons(), document.reviewed());
        if reasons.is_empty() && document.decisions.is_empty() {
            return None;
        }
        if reviewed.state == ReviewState::Disputed {
            reasons.insert(0, Reason::Disputed);
        }
        Some(QueueEntry {
            document: document.id().to_owned(),
            document_type: document.result.document_type.clone(),
            reasons,
            final_status: document.result.final_status,
            overall: document.result.best_validation.as_ref().map(|validation| validation.overall),
            state: reviewed.state,
            disputed: reviewed.disputes(),
            reviewers: reviewed.reviewers.into_iter().collect(),
            outdated: reviewed.outdated,
        })
    }
}

/// Puts the most urgent first; those of one urgency by id.
pub fn sort(queue: &mut [QueueEntry]) {
    // One without a reason was decided about all the same, and waits for no one.
    let urgency =
        |entry: &QueueEntry| entry.reasons.first().map_or(Reason::ALL.len(), |first| *first as usize);
    queue.sort_by(|a, b| (urgency(a), &a.document).cmp(&(urgency(b), &b.document)));
}

/// The number of documents of a run in each state of review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ReviewCounts {
    /// The number of documents that wait for a reviewer, with nothing decided about them.
    pub waiting: u64,
    /// The number of documents about which something is decided, but not all.
    pub in_review: u64,
    /// The number of documents that a reviewer accepted.
    pub accepted: u64,
    /// The number of documents that a reviewer rejected.
    pub rejected: u64,
    /// The number of documents about which reviewers contradict each other, with nothing to settle it.
    pub disputed: u64,
}

impl ReviewCounts {
    /// Counts one more.
    pub fn add(&mut self, state: ReviewState) {
        let count = match state {
            ReviewState::Waiting => &mut self.waiting,
            ReviewState::InReview => &mut self.in_review,
            ReviewState::Accepted => &mut self.accepted,
            ReviewState::Rejected => &mut self.rejected,
            ReviewState::Disputed => &mut self.disputed,
        };
        *count += 1;
    }

    /// For people; `None` where there is nothing to say.
    pub fn line(&self) -> Option<String> {
        let parts = [
            (self.waiting, if self.waiting == 1 { "waits" } else { "wait" }),
            (self.in_review, "in review"),
            (self.accepted, "accepted"),
            (self.rejected, "rejected"),
            (self.disputed, "disputed"),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}
