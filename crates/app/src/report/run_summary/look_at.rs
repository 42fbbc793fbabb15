//! The documents to inspect first.

use crate::policy::FinalStatus;
use crate::result::DocumentResult;
use crate::score::{Issue, Support};
use crate::value::Severity;
use crate::value::prose::cut;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The number of documents that are named.
pub(super) const MOST_DOCUMENTS: usize = 10;
/// The number of issues of each.
const MOST_ISSUES: usize = 5;
/// The number of pages of an issue.
const MOST_PAGES: usize = 3;
/// Longest texts that are kept, in characters.
pub(super) const LONGEST_ID: usize = 200;
const LONGEST_REASON: usize = 300;

/// The reason to inspect a document, in the order of urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// It failed.
    Failed,
    /// It was tried, and given up.
    GivenUp,
    /// The returned candidate has critical issues.
    CriticalIssues,
    /// It needs review.
    NeedsReview,
    /// It did not pass.
    NotPassed,
    /// Its text contradicts itself about a value.
    Conflicts,
    /// It passed, with one of the lowest scores.
    LowestScore,
}

impl Why {
    /// In words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Why::Failed => "failed",
            Why::GivenUp => "given up",
            Why::CriticalIssues => "critical issues",
            Why::NeedsReview => "needs review",
            Why::NotPassed => "not passed",
            Why::Conflicts => "conflicting passages",
            Why::LowestScore => "lowest score of those that passed",
        }
    }
}

/// A document to inspect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LookAt {
    /// The document.
    pub id: String,
    /// The reason.
    pub why: Why,
    /// Its type; none where it has no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
    /// The status in which its run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_status: Option<String>,
    /// The reason why its run stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Its overall score, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "overall", with = "millionths")]
    pub overall_millionths: Option<u32>,
    /// Its critical issues.
    #[serde(default)]
    pub critical: u64,
    /// The error, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The worst issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<LookAtIssue>,
    /// The number of further issues.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_issues: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An issue of such a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LookAtIssue {
    /// The severity.
    pub severity: Severity,
    /// Its code.
    pub code: String,
    /// The location.
    pub path: String,
    /// The pages of the document on which the passage is that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<usize>,
    /// Its message, where that was asked for: it may quote the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The urgency of a document: smaller is more urgent.
type Urgency = (u8, u64);

fn urgency(why: Why, critical: u64, overall: Option<u32>) -> Urgency {
    match why {
        // One class: both have nothing that could be used.
        Why::Failed | Why::GivenUp => (0, 0),
        Why::CriticalIssues => (1, u64::MAX - critical),
        others => (others as u8, overall.map_or(0, u64::from)),
    }
}

impl LookAt {
    fn urgency(&self) -> Urgency {
        urgency(self.why, self.critical, self.overall_millionths)
    }

    /// The order of two documents; only identical ones are equal.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.urgency().cmp(&other.urgency()).then_with(|| self.cmp(other))
    }

    /// Its overall score.
    #[must_use]
    pub fn overall(&self) -> Option<f64> {
        self.overall_millionths.map(|millionths| f64::from(millionths) / 1e6)
    }

    /// One that has no result.
    pub(super) fn without_result(id: &str, why: Why, reason: &str) -> Self {
        LookAt {
            id: cut(id, LONGEST_ID),
            why,
            document_type: None,
            final_status: None,
            stop_reason: None,
            overall_millionths: None,
            critical: 0,
            reason: Some(cut(reason, LONGEST_REASON)).filter(|reason| !reason.is_empty()),
            issues: Vec::new(),
            more_issues: 0,
        }
    }
}

/// The facts of a result that decide how urgent it is.
pub(super) struct Glance<'r> {
    result: &'r DocumentResult,
    why: Why,
    critical: u64,
    overall: Option<u32>,
}

impl<'r> Glance<'r> {
    /// `None` for a document that no one has to inspect: nothing was to be done, or it was stopped and is run again.
    pub(super) fn at(result: &'r DocumentResult, critical: u64, conflicts: bool) -> Option<Self> {
        let why = match result.final_status {
            FinalStatus::Cancelled => return None,
            FinalStatus::Failed => Why::Failed,
            _ if critical > 0 => Why::CriticalIssues,
            _ if result.review => Why::NeedsReview,
            FinalStatus::Skipped => return None,
            FinalStatus::MaxIterationsReached | FinalStatus::StoppedEarly | FinalStatus::Incomplete => {
                Why::NotPassed
            }
            FinalStatus::Passed if conflicts => Why::Conflicts,
            FinalStatus::Passed => Why::LowestScore,
        };
        let overall = result.best_validation.as_ref().map(|validation| millionths(validation.overall));
        Some(Glance { result, why, critical, overall })
    }

    /// Returns whether it comes after one for certain.
    pub(super) fn is_after(&self, other: &LookAt) -> bool {
        let own = urgency(self.why, self.critical, self.overall);
        (own, self.result.id.as_str()) > (other.urgency(), other.id.as_str())
            && self.result.id.as_str().len() < LONGEST_ID
    }

    /// The part of it that is kept.
    pub(super) fn look(&self, with_messages: bool) -> LookAt {
        let result = self.result;
        let all = result.best_validation.iter().flat_map(|validation| &validation.issues);
        let mut issues: Vec<&Issue> = all.filter(|issue| issue.severity != Severity::Info).collect();
        issues.sort_by_key(|issue| std::cmp::Reverse(issue.severity));
        let kept = issues.iter().take(MOST_ISSUES).map(|issue| LookAtIssue {
            severity: issue.severity,
            code: cut(&issue.code, super::LONGEST_CODE),
            path: cut(&issue.path, 120),
            pages: issue.places.iter().map(|place| place.page).take(MOST_PAGES).collect(),
            message: with_messages.then(|| cut(&issue.message, LONGEST_REASON)),
        });
        LookAt {
            document_type: Some(cut(&result.document_type, super::LONGEST_TYPE)),
            final_status: Some(result.final_status.as_str().to_owned()),
            stop_reason: Some(cut(&result.stop_reason.to_string(), super::LONGEST_CODE)),
            overall_millionths: self.overall,
            critical: self.critical,
            issues: kept.collect(),
            more_issues: issues.len().saturating_sub(MOST_ISSUES) as u64,
            ..LookAt::without_result(
                result.id.as_str(),
                self.why,
                result.detail.as_deref().unwrap_or_default(),
            )
        }
    }
}

/// Returns whether the text contradicts itself about some value of the returned candidate.
pub(super) fn has_conflicts(result: &DocumentResult) -> bool {
    result.best_validation.as_ref().is_some_and(|validation| {
        validation.evidence.iter().any(|(_, leaf)| leaf.support == Support::Conflicting)
            || validation.issues.iter().any(|issue| &*issue.code == "CONFLICTING_MENTIONS")
    })
}

pub(super) fn millionths(score: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0..=1e6")]
    let millionths = (score.clamp(0.0, 1.0) * 1e6).round() as u32;
    millionths
}

/// A score as it is written.
mod millionths {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(score: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
        score.map(|millionths| f64::from(millionths) / 1e6).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.map(super::millionths))
    }
}
