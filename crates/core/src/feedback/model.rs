//! The content of a correction request, before it is put into words.

use super::previous::Previous;
use super::{hint, lock};
use crate::profile::{Feedback, Lock, LoopPolicy, Target};
use crate::score::{Assessment, Issue, top_level_field};
use crate::value::{Disposition, Score, Severity, unescape};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// The basis of a correction.
#[derive(Debug, Clone)]
pub struct Correction<'a> {
    /// The iteration being produced, from 1.
    pub iteration: usize,
    /// The iteration it starts from.
    pub base: usize,
    /// Every candidate so far, with its assessment.
    pub tried: Vec<(&'a Arc<Value>, &'a Assessment)>,
    /// The iterations that were rolled back, each with the iteration that it started from.
    pub rolled_back: Vec<(usize, usize)>,
}

/// One issue as templates and providers see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The kind of issue.
    pub code: String,
    /// The severity of the issue.
    pub severity: Severity,
    /// The location, as a JSON Pointer.
    pub path: String,
    /// The description of the problem.
    pub message: String,
    /// The rule that found it.
    pub rule: Option<String>,
    /// A change that would fix it.
    pub suggested_fix: Option<String>,
}

impl From<&Issue> for Finding {
    fn from(issue: &Issue) -> Self {
        Finding {
            code: issue.code.to_string(),
            severity: issue.severity,
            path: issue.path.to_string(),
            message: issue.message.to_string(),
            rule: issue.rule.as_deref().map(str::to_owned),
            suggested_fix: issue.suggested_fix.as_ref().map(ToString::to_string),
        }
    }
}

/// Everything that a feedback template may use; field names are the variables of templates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guidance {
    /// The iteration being produced.
    pub iteration: usize,
    /// The id of the stage that is addressed.
    pub stage: String,
    /// The overall score of the base.
    pub score: f64,
    /// The overall score that acceptance asks for, if it asks for one.
    pub target: Option<f64>,
    /// Issues to be corrected, by severity.
    pub critical: Vec<Finding>,
    /// Major issues to be corrected.
    pub major: Vec<Finding>,
    /// Minor issues to be corrected.
    pub minor: Vec<Finding>,
    /// Fields of the rubric that are not present.
    pub missing: Vec<String>,
    /// The fields to look at first: those with critical issues, then missing required ones.
    pub priority: Vec<String>,
    /// Suggestions that may help, each once.
    pub suggestions: Vec<String>,
    /// The fields that must stay as they are.
    pub locked: Vec<String>,
    /// The mistakes of rolled-back attempts, oldest first.
    pub failed_attempts: Vec<String>,
    /// The number of points left out to keep the request small.
    pub dropped: usize,
    /// The part of the base candidate that is shown, as indented JSON; `None` when nothing is.
    pub previous: Option<String>,
    /// `true` if `previous` holds only the fields that have issues.
    pub partial: bool,
    /// The source of `previous`.
    #[serde(skip)]
    pub(super) source: Previous,
}

/// Returns whether issues with this code say that a field is missing.
fn says_missing(code: &str) -> bool {
    ["MISSING_FIELD", "REQUIRED_FIELD", "SCHEMA_REQUIRED"].contains(&code)
}

impl Guidance {
    /// Omits the top-level fields that `is_known`: the stage is not asked for them.
    pub fn leave_out(&mut self, is_known: impl Fn(&str) -> bool) {
        let about = |path: &str| path.strip_prefix('/').is_some_and(|field| is_known(&unescape(field)));
        for findings in [&mut self.critical, &mut self.major, &mut self.minor] {
            findings.retain(|finding| !about(&finding.path));
        }
        for fields in [&mut self.missing, &mut self.priority, &mut self.locked] {
            fields.retain(|field| !is_known(field) && !about(field));
        }
    }

    /// Gathers what `stage` needs for its part of a correction. Only issues that the loop is to correct are fed back.
    /// `part` is what the stage answers for in the base: the base itself for the only stage of a profile. `None` when
    /// the base does not exist.
    #[must_use]
    pub fn gather(
        policy: &LoopPolicy,
        settings: &Feedback,
        stage: &str,
        part: Option<&Arc<Value>>,
        correction: &Correction<'_>,
    ) -> Option<Self> {
        let (base, assessment) = *correction.tried.get(correction.base)?;
        let is_fed_back =
            |issue: &&Issue| issue.disposition == Disposition::Correct && issue.severity != Severity::Info;
        let fed_back = || assessment.issues.iter().filter(is_fed_back);
        let with = |severity: Severity| -> Vec<Finding> {
            fed_back().filter(|issue| issue.severity == severity).map(Finding::from).collect()
        };
        let missing: Vec<String> = assessment.missing.iter().map(|field| field.to_string()).collect();
        let mut priority: Vec<String> = Vec::new();
        let critical_fields = fed_back().filter(|issue| issue.severity == Severity::Critical);
        let missing_required =
            fed_back().filter(|issue| says_missing(&issue.code) && issue.severity >= Severity::Major);
        let mut known = HashSet::new();
        for field in critical_fields.chain(missing_required).filter_map(Issue::field) {
            if known.insert(field.clone()) {
                priority.push(field);
            }
        }
        let mut known = HashSet::new();
        let fixes = fed_back().filter_map(|issue| issue.suggested_fix.as_ref());
        let suggestions: Vec<String> =
            fixes.filter(|fix| known.insert(fix.as_str())).map(ToString::to_string).collect();
        let locked = match settings.lock {
            Lock::Passing => lock::locked_fields(base, assessment),
            Lock::None => Vec::new(),
        };
        let skipped = correction.rolled_back.len().saturating_sub(settings.history);
        let failed_attempts = correction
            .rolled_back
            .iter()
            .skip(skipped)
            .filter_map(|&(at, from)| {
                let side = |n: usize| correction.tried.get(n).map(|(tried, known)| (tried.as_ref(), *known));
                Some(hint(side(from)?, side(at)?, at))
            })
            .collect();
        let target = policy.accept.bound(&Target::Overall).map(Score::get);
        let mut guidance = Guidance {
            iteration: correction.iteration,
            stage: stage.to_owned(),
            score: assessment.overall,
            target,
            critical: with(Severity::Critical),
            major: with(Severity::Major),
            minor: with(Severity::Minor),
            missing,
            priority,
            suggestions,
            locked,
            failed_attempts,
            dropped: 0,
            previous: None,
            partial: false,
            source: Previous::new(base, part, settings.previous_output),
        };
        guidance.show_previous();
        Some(guidance)
    }

    fn show_previous(&mut self) {
        (self.previous, self.partial) = self.source.shown(self.findings());
    }

    /// Every issue, the most severe first.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.critical.iter().chain(&self.major).chain(&self.minor)
    }

    /// The number of points that could be left out.
    #[must_use]
    pub fn points(&self) -> usize {
        self.findings().count() + self.failed_attempts.len() + self.missing.len() + self.locked.len()
    }

    /// Leaves out the `count` least important points, and what belongs to them alone (suggestions, priorities, shown
    /// fields of the base): the least severe issues first; before critical ones the failed attempts but the latest, and
    /// the missing fields, the least wanted first; then locked fields and at last the latest attempt. `false` when there
    /// was nothing left.
    pub fn drop_least(&mut self, count: usize) -> bool {
        let before = self.dropped;
        for _ in 0..count {
            let issue = self.minor.pop().or_else(|| self.major.pop());
            let dropped = issue.is_some()
                || (self.failed_attempts.len() > 1 && !self.failed_attempts.remove(0).is_empty())
                || self.missing.pop().is_some()
                || self.critical.pop().is_some()
                || self.locked.pop().is_some()
                || self.failed_attempts.pop().is_some();
            self.dropped += usize::from(dropped);
        }
        let kept: HashSet<String> = self.findings().filter_map(|f| f.suggested_fix.clone()).collect();
        self.suggestions.retain(|suggestion| kept.contains(suggestion));
        let pressing: HashSet<String> = self
            .findings()
            .filter(|finding| finding.severity == Severity::Critical || says_missing(&finding.code))
            .filter_map(|finding| top_level_field(&finding.path))
            .collect();
        self.priority.retain(|field| self.missing.contains(field) || pressing.contains(field));
        if self.source.depends_on_findings() {
            self.show_previous();
        }
        self.dropped > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::profile::{Library, PreviousOutput, Profile, load};
    use serde_json::json;

    fn balanced() -> Profile {
        load("balanced", &Library::embedded(), &[], &|_| None, &mut Problems::new()).unwrap().profile
    }

    fn gathered(
        profile: &Profile,
        base: usize,
        candidates: &[Arc<Value>],
        assessments: &[Assessment],
        rolled_back: &[(usize, usize)],
    ) -> Guidance {
        let rolled_back = rolled_back.to_vec();
        let tried = candidates.iter().zip(assessments).collect();
        let correction = Correction { iteration: candidates.len(), base, tried, rolled_back };
        Guidance::gather(&profile.policy, &profile.feedback, "extract", candidates.get(base), &correction)
            .unwrap()
    }

    fn with_issues(issues: Value) -> Assessment {
        Assessment { issues: serde_json::from_value(issues).unwrap(), ..Assessment::default() }
    }

    #[test]
    fn a_hint_is_about_what_the_attempt_started_from() {
        // Attempt 1 changed `a` and failed; attempt 2 changed `b` and became the base.
        let candidates =
            [json!({"a": 1, "b": 1}), json!({"a": 2, "b": 1}), json!({"a": 1, "b": 2})].map(Arc::new);
        let assessments = [0.8, 0.5, 0.9].map(|overall| Assessment { overall, ..Assessment::default() });
        let guidance = gathered(&balanced(), 2, &candidates, &assessments, &[(1, 0)]);
        assert_eq!(guidance.failed_attempts, ["attempt 1 changed /a: overall fell from 0.800 to 0.500"]);
    }

    #[test]
    fn the_oldest_attempts_are_forgotten_first() {
        let mut profile = balanced();
        profile.feedback.history = 2;
        let candidates: Vec<Arc<Value>> = (0..5).map(|n| Arc::new(json!({ "a": n }))).collect();
        let assessments = vec![Assessment::default(); 5];
        let rolled_back = [(1, 0), (2, 0), (3, 0), (4, 0)];
        let guidance = gathered(&profile, 0, &candidates, &assessments, &rolled_back);
        let starts: Vec<&str> = guidance.failed_attempts.iter().map(|hint| &hint[..9]).collect();
        assert_eq!(starts, ["attempt 3", "attempt 4"]);
    }

    #[test]
    fn only_what_the_loop_corrects_is_fed_back_and_critical_fields_come_first() {
        let assessment = with_issues(json!([
            {"code": "MISSING_FIELD", "severity": "major", "path": "/grade", "suggested_fix": "look again"},
            {"code": "X", "severity": "critical", "disposition": "escalate", "path": "/date", "suggested_fix": "ask"},
            {"code": "X", "severity": "minor", "path": "/size", "suggested_fix": "look again"},
            {"code": "X", "severity": "critical", "path": "/margins/deep"},
            {"code": "MISSING_FIELD", "severity": "minor", "path": "/stage"},
            {"code": "SCHEMA_REQUIRED", "severity": "major", "path": "/site"},
        ]));
        let guidance = gathered(&balanced(), 0, &[Arc::new(json!({}))], &[assessment], &[]);
        assert_eq!(guidance.priority, ["margins", "grade", "site"]);
        assert_eq!(guidance.suggestions, ["look again"]);
        let counts = [&guidance.critical, &guidance.major, &guidance.minor].map(Vec::len);
        assert_eq!(counts, [1, 2, 2]);
    }

    #[test]
    fn the_profile_says_how_much_of_the_base_is_shown() {
        let base = Arc::new(json!({"grade": "x", "date": "d", "n": {"a": 1}}));
        let shown = |show: PreviousOutput, issues: Value| {
            let mut profile = balanced();
            profile.feedback.previous_output = show;
            let guidance = gathered(&profile, 0, std::slice::from_ref(&base), &[with_issues(issues)], &[]);
            (guidance.previous.map(|text| serde_json::from_str::<Value>(&text).unwrap()), guidance.partial)
        };
        let wrong = json!([
            {"code": "X", "severity": "minor", "path": "/n/a"},
            {"code": "X", "severity": "minor", "disposition": "warn", "path": "/date"},
        ]);
        let whole = Some(base.as_ref().clone());
        assert_eq!(shown(PreviousOutput::Include, wrong.clone()), (whole.clone(), false));
        assert_eq!(shown(PreviousOutput::Omit, wrong.clone()), (None, false));
        assert_eq!(shown(PreviousOutput::FailingFields, wrong), (Some(json!({"n": {"a": 1}})), true));
        let missing = json!([{"code": "MISSING_FIELD", "severity": "major", "path": "/site"}]);
        assert_eq!(shown(PreviousOutput::FailingFields, missing), (None, false));
        let somewhere = json!([{"code": "X", "severity": "major", "path": ""}]);
        assert_eq!(shown(PreviousOutput::FailingFields, somewhere), (whole, false));
    }

    #[test]
    fn a_stage_of_several_is_shown_its_own_part() {
        let mut profile = balanced();
        profile.feedback.previous_output = PreviousOutput::FailingFields;
        let candidates = [Arc::new(json!({"tags": ["x"], "grade": "fourth", "date": "d"}))];
        let assessments = [with_issues(json!([
            {"code": "X", "severity": "major", "path": "/grade"}, {"code": "X", "severity": "major", "path": "/tags/0"},
        ]))];
        let shown = |part: Option<Value>| {
            let correction = Correction {
                iteration: 1,
                base: 0,
                tried: candidates.iter().zip(&assessments).collect(),
                rolled_back: Vec::new(),
            };
            let part = part.map(Arc::new);
            let (policy, settings) = (&profile.policy, &profile.feedback);
            let guidance = Guidance::gather(policy, settings, "s", part.as_ref(), &correction).unwrap();
            (guidance.previous.map(|text| serde_json::from_str::<Value>(&text).unwrap()), guidance.partial)
        };
        let last = json!({"grade": "fourth", "date": "d"});
        assert_eq!(shown(Some(last)), (Some(json!({"grade": "fourth"})), true));
        // What became one field has no fields of the candidate; what became none is not in it.
        assert_eq!(shown(Some(json!(["x"]))), (Some(json!(["x"])), false));
        assert_eq!(shown(Some(json!({"grade": 3}))), (Some(json!({"grade": 3})), false));
        assert_eq!(shown(None), (None, false));
    }

    #[test]
    fn what_is_dropped_takes_its_fields_and_suggestions_along() {
        let mut profile = balanced();
        profile.feedback.previous_output = PreviousOutput::FailingFields;
        let assessment = with_issues(json!([
            {"code": "X", "severity": "minor", "path": "/a", "suggested_fix": "mend a"},
            {"code": "X", "severity": "critical", "path": "/b", "suggested_fix": "mend b"},
        ]));
        let base = Arc::new(json!({"a": 1, "b": 2, "c": 3}));
        let mut guidance = gathered(&profile, 0, &[base], &[assessment], &[]);
        assert!(guidance.drop_least(1));
        assert_eq!((guidance.dropped, guidance.suggestions.as_slice()), (1, &["mend b".to_owned()][..]));
        assert_eq!(guidance.previous.as_deref(), Some("{\n  \"b\": 2\n}"));
        assert!(guidance.drop_least(5) && !guidance.drop_least(1));
        assert_eq!((guidance.dropped, guidance.previous), (2, None));
    }
}
