//! The content of a correction request, before it is put into words.

use super::hint;
use crate::profile::{LoopPolicy, Target};
use crate::score::{Assessment, Issue};
use crate::value::{Disposition, Severity};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// What a correction starts from.
#[derive(Debug, Clone, Copy)]
pub struct Correction<'a> {
    /// The iteration being produced, from 1.
    pub iteration: usize,
    /// The iteration it starts from.
    pub base: usize,
    /// Every candidate so far.
    pub candidates: &'a [Arc<Value>],
    /// Their assessments.
    pub assessments: &'a [Assessment],
    /// The iterations that were rolled back, each with the iteration that it started from.
    pub rolled_back: &'a [(usize, usize)],
    /// How many failed attempts are remembered.
    pub history: usize,
}

/// One issue as templates and providers see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What kind.
    pub code: String,
    /// How bad.
    pub severity: Severity,
    /// Where, as a JSON Pointer.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would put it right.
    pub suggested_fix: Option<String>,
}

impl From<&Issue> for Finding {
    fn from(issue: &Issue) -> Self {
        Finding {
            code: issue.code.clone(),
            severity: issue.severity,
            path: issue.path.clone(),
            message: issue.message.clone(),
            suggested_fix: issue.suggested_fix.clone(),
        }
    }
}

/// Everything that a feedback template may use; field names are the variables of templates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guidance {
    /// The iteration being produced.
    pub iteration: usize,
    /// The overall score of the base.
    pub score: f64,
    /// The overall score that acceptance asks for, if it asks for one.
    pub target: Option<f64>,
    /// Issues to be corrected, by severity.
    pub critical: Vec<Finding>,
    /// The same.
    pub major: Vec<Finding>,
    /// The same.
    pub minor: Vec<Finding>,
    /// Fields of the rubric that are not present.
    pub missing: Vec<String>,
    /// The fields to look at first: those with critical issues, then missing required ones.
    pub priority: Vec<String>,
    /// What may help, each once.
    pub suggestions: Vec<String>,
    /// What rolled-back attempts did wrong, oldest first.
    pub failed_attempts: Vec<String>,
    /// How many points were left out to keep the request small.
    pub dropped: usize,
    /// The base candidate as indented JSON.
    pub previous: String,
}

impl Guidance {
    /// Gathers what the correction needs. Only issues that the loop is to correct are fed back. `None` when the base
    /// does not exist.
    #[must_use]
    pub fn gather(policy: &LoopPolicy, correction: Correction<'_>) -> Option<Self> {
        let base = correction.candidates.get(correction.base)?;
        let assessment = correction.assessments.get(correction.base)?;
        let with = |severity: Severity| -> Vec<Finding> {
            let fed_back =
                |issue: &&Issue| issue.severity == severity && issue.disposition == Disposition::Correct;
            assessment.issues.iter().filter(fed_back).map(Finding::from).collect()
        };
        let missing: Vec<String> = assessment.missing.iter().map(|field| field.to_string()).collect();
        let mut priority: Vec<String> = Vec::new();
        let critical_fields = assessment
            .issues
            .iter()
            .filter(|issue| issue.severity == Severity::Critical)
            .filter_map(Issue::field);
        let missing_required = assessment
            .issues
            .iter()
            .filter(|issue| issue.code == "MISSING_FIELD" && issue.severity >= Severity::Major)
            .filter_map(Issue::field);
        for field in critical_fields.chain(missing_required) {
            if !priority.contains(&field) {
                priority.push(field);
            }
        }
        let mut suggestions: Vec<String> = Vec::new();
        for issue in assessment.issues.iter().filter(|issue| issue.disposition == Disposition::Correct) {
            if let Some(fix) = &issue.suggested_fix
                && !suggestions.contains(fix)
            {
                suggestions.push(fix.clone());
            }
        }
        let skipped = correction.rolled_back.len().saturating_sub(correction.history);
        let failed_attempts = correction
            .rolled_back
            .iter()
            .skip(skipped)
            .filter_map(|&(at, from)| {
                let side =
                    |n: usize| Some((correction.candidates.get(n)?.as_ref(), correction.assessments.get(n)?));
                Some(hint(side(from)?, side(at)?, at))
            })
            .collect();
        let target = policy
            .accept
            .thresholds
            .iter()
            .find(|(target, _)| *target == Target::Overall)
            .map(|(_, bound)| bound.get());
        Some(Guidance {
            iteration: correction.iteration,
            score: assessment.overall,
            target,
            critical: with(Severity::Critical),
            major: with(Severity::Major),
            minor: with(Severity::Minor),
            missing,
            priority,
            suggestions,
            failed_attempts,
            dropped: 0,
            previous: serde_json::to_string_pretty(base).unwrap_or_default(),
        })
    }

    /// Every issue, the most severe first.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.critical.iter().chain(&self.major).chain(&self.minor)
    }

    /// How many points could be left out.
    #[must_use]
    pub fn points(&self) -> usize {
        self.findings().count() + self.failed_attempts.len() + self.missing.len()
    }

    /// Leaves out the `count` least important points, and the suggestions that belonged to no other issue: the least
    /// severe issues first, then the oldest failed attempts, then the least wanted of the missing fields. `false` when there
    /// was nothing left.
    pub fn drop_least(&mut self, count: usize) -> bool {
        let before = self.dropped;
        for _ in 0..count {
            let issue = self.minor.pop().or_else(|| self.major.pop()).or_else(|| self.critical.pop());
            let dropped = issue.is_some()
                || (!self.failed_attempts.is_empty() && !self.failed_attempts.remove(0).is_empty())
                || self.missing.pop().is_some();
            self.dropped += usize::from(dropped);
        }
        let kept: HashSet<String> = self.findings().filter_map(|f| f.suggested_fix.clone()).collect();
        self.suggestions.retain(|suggestion| kept.contains(suggestion));
        self.priority.retain(|field| {
            self.missing.contains(field)
                || self.critical.iter().any(|f| f.path.starts_with(&format!("/{field}")))
        });
        self.dropped > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::profile::{Library, load};
    use serde_json::json;

    #[test]
    fn a_hint_is_about_what_the_attempt_started_from() {
        let loaded = load("balanced", &Library::embedded(), &[], &|_| None, &mut Problems::new()).unwrap();
        // Attempt 1 changed `a` and failed; attempt 2 changed `b` and became the base.
        let candidates =
            [json!({"a": 1, "b": 1}), json!({"a": 2, "b": 1}), json!({"a": 1, "b": 2})].map(Arc::new);
        let assessments = [0.8, 0.5, 0.9].map(|overall| Assessment { overall, ..Assessment::default() });
        let correction = Correction {
            iteration: 3,
            base: 2,
            candidates: &candidates,
            assessments: &assessments,
            rolled_back: &[(1, 0)],
            history: 10,
        };
        let guidance = Guidance::gather(&loaded.profile.policy, correction).unwrap();
        assert_eq!(guidance.failed_attempts, ["attempt 1 changed /a: overall went from 0.800 to 0.500"]);
    }
}
