//! What scoring says about one candidate.

use super::evidence::Evidence;
use super::scores::Scores;
use crate::profile::Overall;
use crate::value::{Disposition, Severity, unescape};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The code of the issue that says that nothing was held against the document, because nobody but a stage has seen it.
pub(crate) const DOCUMENT_UNSEEN: &str = "DOCUMENT_UNSEEN";

/// The code of the issue that says that the profile tells document types apart and did not recognise this one's.
pub(crate) const DOCUMENT_TYPE_UNKNOWN: &str = "DOCUMENT_TYPE_UNKNOWN";

/// Dimensions, overall score and issues of one candidate.
///
/// Buffers are kept between candidates: [`Assessment::clear`] empties without freeing, so that assessing a document
/// without issues allocates nothing once warm.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Each dimension that could be measured.
    pub scores: Scores,
    /// How `overall` follows from the dimensions stands in the profile.
    pub overall: f64,
    /// What is wrong, in the order of dimensions, rules and document.
    #[serde(default)]
    pub issues: Vec<Issue>,
    /// Rubric fields that are not present: required ones first, then important, then optional ones.
    #[serde(default)]
    pub missing: Vec<Arc<str>>,
    /// Where the source bears the candidate out.
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

    /// Computes the overall score from the dimensions: nowhere else, so that whatever reads an assessment reads the same
    /// number. To be called by whoever has set the last dimension.
    pub fn weigh(&mut self, overall: &Overall) {
        self.overall = overall.of(|name| self.scores.get(name)).get();
    }

    /// Says that nobody but a stage has seen the document: it has no text, and no judge has looked at it yet.
    pub(crate) fn say_unseen(&mut self) {
        self.issues.push(Issue {
            disposition: Disposition::Escalate,
            message: "nobody but a stage has seen the document: it has no text that values could be looked up in, and no judge that is shown it has answered".to_owned(),
            suggested_fix: Some("compare the values with the document; a judge with `attach: document` could do so".to_owned()),
            ..Issue::new(DOCUMENT_UNSEEN, Severity::Critical)
        });
    }

    /// Takes back that nobody has seen the document.
    pub(super) fn was_seen(&mut self) {
        self.issues.retain(|issue| issue.code != DOCUMENT_UNSEEN);
    }

    /// Whether nobody but a stage has seen the document.
    #[must_use]
    pub fn is_unseen(&self) -> bool {
        self.issues.iter().any(|issue| issue.code == DOCUMENT_UNSEEN)
    }

    /// Says that the document's type was not recognised, so that nobody knows what it should hold.
    pub(crate) fn say_unknown_type(&mut self) {
        self.issues.push(Issue {
            disposition: Disposition::Escalate,
            message: "the document's type was not recognised, so what must be extracted from it is not known".to_owned(),
            suggested_fix: Some(
                "name its type (`--type`), or add patterns for it to the file that the profile's `classify` names"
                    .to_owned(),
            ),
            ..Issue::new(DOCUMENT_TYPE_UNKNOWN, Severity::Critical)
        });
    }

    /// Whether the document's type was not recognised.
    #[must_use]
    pub fn is_of_unknown_type(&self) -> bool {
        self.issues.iter().any(|issue| issue.code == DOCUMENT_TYPE_UNKNOWN)
    }

    /// How many issues have this severity.
    #[must_use]
    pub fn count_severity(&self, severity: Severity) -> usize {
        self.issues.iter().filter(|issue| issue.severity == severity).count()
    }

    /// How many issues have this disposition.
    #[must_use]
    pub fn count_disposition(&self, disposition: Disposition) -> usize {
        self.issues.iter().filter(|issue| issue.disposition == disposition).count()
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Issue {
    /// What kind of finding, such as `MISSING_FIELD`.
    pub code: String,
    /// How bad.
    pub severity: Severity,
    /// Who handles it.
    #[serde(default)]
    pub disposition: Disposition,
    /// Whether it says of itself that the loop can put it right, for profiles whose `dispositions` ask.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto_fixable: bool,
    /// Whether the document had this mistake before the edit that is assessed, which does not touch it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pre_existing: bool,
    /// JSON Pointer into the candidate; empty for the whole.
    #[serde(default)]
    pub path: String,
    /// What is wrong, for people and for the model.
    #[serde(default)]
    pub message: String,
    /// The id of the rule that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Arc<str>>,
    /// What would put it right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
    /// The passage of the source that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_span: Option<SourceSpan>,
}

impl Issue {
    /// An issue with a code and a severity, and nothing else said.
    #[must_use]
    pub fn new(code: &str, severity: Severity) -> Self {
        Issue {
            code: code.to_owned(),
            severity,
            disposition: Disposition::default(),
            path: String::new(),
            message: String::new(),
            rule: None,
            suggested_fix: None,
            source_span: None,
            auto_fixable: false,
            pre_existing: false,
        }
    }

    /// The top-level field that the issue is about, without escapes; `None` for the whole candidate.
    #[must_use]
    pub fn field(&self) -> Option<String> {
        top_level_field(&self.path)
    }
}

/// The top-level field that a JSON Pointer leads to or through, without escapes; `None` for the whole candidate, and
/// for what is no pointer.
#[must_use]
pub(crate) fn top_level_field(path: &str) -> Option<String> {
    let first = path.strip_prefix('/')?.split('/').next()?;
    Some(unescape(first).into_owned())
}

/// A passage of the source text, in Unicode scalar values from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceSpan {
    /// First character.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
}

impl From<Range<usize>> for SourceSpan {
    fn from(range: Range<usize>) -> Self {
        SourceSpan { start: range.start, end: range.end }
    }
}
