//! The result of scoring one candidate.

use super::evidence::Evidence;
use super::issue::{Issue, SourceSpan};
use super::scores::Scores;
use crate::profile::{AcceptCondition, ConditionSet, DOCUMENT_TYPE_UNKNOWN, DOCUMENT_UNSEEN, Overall};
use crate::value::{Disposition, PagePassage, Severity, unescape};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Dimensions, overall score and issues of one candidate.
///
/// Buffers are kept between candidates: [`Assessment::clear`] empties without freeing, so that assessing a document
/// without issues allocates nothing once warm.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Each dimension that could be measured.
    pub scores: Scores,
    /// The overall score: `overall` of the profile says how it follows from the dimensions.
    pub overall: f64,
    /// The issues, in the order of dimensions, rules and document.
    #[serde(default)]
    pub issues: Vec<Issue>,
    /// Rubric fields that are not present: required ones first, then important, then optional ones.
    #[serde(default)]
    pub missing: Vec<Arc<str>>,
    /// The passages of the source that support the candidate.
    #[serde(default)]
    pub evidence: Evidence,
}

impl Assessment {
    /// Empties it and keeps its buffers.
    pub fn clear(&mut self) {
        self.scores.clear();
        self.overall = 0.0;
        self.issues.clear();
        self.missing.clear();
        self.evidence.clear();
    }

    /// Computes the overall score from the dimensions: nowhere else, so that every reader of an assessment gets the
    /// same number. To be called once the last dimension is set.
    pub fn weigh(&mut self, overall: &Overall) {
        self.overall = overall.of(|name| self.scores.get(name)).get();
    }

    /// Sets the places of the passages that it names on the pages of the document, as `places_of` finds them.
    pub(crate) fn locate(&mut self, places_of: &dyn Fn(SourceSpan) -> Vec<PagePassage>) {
        self.evidence.locate(places_of);
        for issue in &mut self.issues {
            issue.places = issue.source_span.map(places_of).unwrap_or_default();
        }
    }

    /// Adds the issue that only a stage has seen the document: it has no text, and no judge has inspected it yet.
    pub fn say_unseen(&mut self) {
        self.issues.push(Issue {
            disposition: Disposition::Escalate,
            message: "no one but a stage has seen the document: it has no text that values could be looked up in, and no judge that is shown it has answered".into(),
            suggested_fix: Some("compare the values with the document; a judge with `attach: document` could do so".into()),
            ..Issue::new(DOCUMENT_UNSEEN, Severity::Critical)
        });
    }

    /// Adds the issue that pages of the document were not read, or not well enough, which `doubts` names, and that no judge
    /// has inspected it yet.
    pub fn say_doubts(&mut self, doubts: &str) {
        self.issues.push(Issue {
            disposition: Disposition::Escalate,
            message: format!("{doubts}; and no judge that is shown the document has answered").into(),
            suggested_fix: Some("look at these pages for what the answer lacks or says otherwise".into()),
            ..Issue::new(DOCUMENT_UNSEEN, Severity::Critical)
        });
    }

    /// Removes the issue that the document, or a part of it, was not seen.
    pub(super) fn was_seen(&mut self) {
        self.issues.retain(|issue| issue.code != DOCUMENT_UNSEEN);
    }

    /// The conditions of `accept` that its issues break.
    pub(crate) fn broken_conditions(&self) -> ConditionSet {
        let mut broken = ConditionSet::default();
        for issue in &self.issues {
            AcceptCondition::note(&mut broken, |code| issue.code == code);
        }
        broken
    }

    /// Adds the issue that the document's type was not recognised, so that its expected content is unknown.
    pub fn say_unknown_type(&mut self) {
        self.issues.push(Issue {
            disposition: Disposition::Escalate,
            message: "the document's type was not recognised, so what must be extracted from it is not known".into(),
            suggested_fix: Some(
                "name its type (`--type`), or add patterns for it to the file that the profile's `classify` names"
                    .into(),
            ),
            ..Issue::new(DOCUMENT_TYPE_UNKNOWN, Severity::Critical)
        });
    }

    /// Returns whether the document's type was not recognised.
    #[must_use]
    pub fn is_of_unknown_type(&self) -> bool {
        self.issues.iter().any(|issue| issue.code == DOCUMENT_TYPE_UNKNOWN)
    }

    /// The number of issues of this severity.
    #[must_use]
    pub fn count_severity(&self, severity: Severity) -> usize {
        self.issues.iter().filter(|issue| issue.severity == severity).count()
    }

    /// The number of issues with this disposition.
    #[must_use]
    pub fn count_disposition(&self, disposition: Disposition) -> usize {
        self.issues.iter().filter(|issue| issue.disposition == disposition).count()
    }
}

/// The top-level field that a JSON Pointer leads to or through, without escapes; `None` for the whole candidate, and
/// for a path that is not a pointer.
#[must_use]
pub fn top_level_field(path: &str) -> Option<String> {
    let first = path.strip_prefix('/')?.split('/').next()?;
    Some(unescape(first).into_owned())
}
