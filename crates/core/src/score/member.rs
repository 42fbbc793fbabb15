//! A judge or validator: the meaning of one of its answers.

use super::issue::{Issue, LazyText};
use super::judged;
use super::scores::Scores;
use crate::profile::{AfterRetries, MOST_VALUES, Scale};
use crate::value::{Disposition, Score, Severity, is_blank, is_present};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// A judge or a validator.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub id: Arc<str>,
    /// The number of times that it is asked again after a failure.
    pub retries: u32,
    /// The substitute when it gives no answer.
    pub(super) then: AfterRetries,
    /// `true` if the profile sets the handling of a failure.
    pub(super) on_failure_is_said: bool,
    pub(super) kind: MemberKind,
}

/// The code of the issue that a judge gave no answer.
pub const JUDGE_FAILED: &str = "JUDGE_FAILED";

/// The kind of a member, and the source of its issues.
#[derive(Debug, Clone)]
pub(super) enum MemberKind {
    Judge {
        scale: Scale,
        issues: Option<String>,
        severity: Severity,
        /// `true` if it is shown all of a document that was not read, or the right answer for it.
        sees: bool,
    },
    /// A judge of single values. It measures nothing itself: its verdicts go into grounding.
    ValueJudge {
        /// The most values that one call asks about.
        at_once: usize,
        /// The most calls about a document.
        calls: Option<u32>,
    },
    Validator {
        stages: Vec<String>,
    },
}

/// The outcome of asking a member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It answered, and [`super::Panel::read`] can read the answer.
    Given(Arc<Value>),
    /// It gave no answer that can be read, as often as it was asked.
    Failed(String),
    /// It was not asked, because there was nothing to ask.
    NotNeeded,
}

impl Answer {
    /// Returns whether it says anything: that of an unavailable validator does not.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self, Answer::Given(_)) && !self.is_unavailable()
    }

    /// Returns whether it is that of an unavailable validator.
    pub(super) fn is_unavailable(&self) -> bool {
        matches!(self, Answer::Given(answer) if unavailable(answer).is_some())
    }
}

impl Member {
    /// Returns whether it is a validator.
    #[must_use]
    pub fn is_validator(&self) -> bool {
        matches!(self.kind, MemberKind::Validator { .. })
    }

    /// Returns whether it is the judge of single values, which is asked only where some are undecided.
    #[must_use]
    pub fn is_value_judge(&self) -> bool {
        matches!(self.kind, MemberKind::ValueJudge { .. })
    }

    /// The most values that it is asked about in one call, where it is the judge of single values.
    #[must_use]
    pub fn values_at_once(&self) -> Option<usize> {
        match self.kind {
            MemberKind::ValueJudge { at_once, .. } => Some(at_once),
            MemberKind::Judge { .. } | MemberKind::Validator { .. } => None,
        }
    }

    /// Returns whether it may be asked once more about a document after this many questions.
    #[must_use]
    pub fn may_be_asked_after(&self, questions: u32) -> bool {
        match self.kind {
            MemberKind::ValueJudge { calls, .. } => calls.is_none_or(|most| questions < most),
            MemberKind::Judge { .. } | MemberKind::Validator { .. } => true,
        }
    }

    /// Returns whether there is room for another question about the values of a candidate after this many.
    #[must_use]
    pub fn may_ask_more_after(&self, questions: usize) -> bool {
        let asked = |at_once: usize| at_once.saturating_mul(questions);
        self.values_at_once().is_some_and(|at_once| asked(at_once) < MOST_VALUES as usize)
    }

    /// This member, if it is a judge, as one that is shown all of a document that was not read, or not.
    pub(super) fn seeing(mut self, shown: bool) -> Self {
        match &mut self.kind {
            MemberKind::Judge { sees, .. } => *sees = shown,
            MemberKind::ValueJudge { .. } | MemberKind::Validator { .. } => {}
        }
        self
    }

    /// Returns whether it has answered about a document that it saw, though not all of that was read.
    pub(super) fn has_seen(&self, answer: &Answer) -> bool {
        matches!((&self.kind, answer), (MemberKind::Judge { sees: true, .. }, Answer::Given(_)))
    }

    /// Checks that an answer can be read; `scores` are the pointers to the scores that dimensions take from a judge.
    pub(super) fn read<'p>(
        &self,
        answer: &Value,
        scores: impl Iterator<Item = &'p str>,
    ) -> Result<(), String> {
        match &self.kind {
            MemberKind::ValueJudge { .. } => match judged::read(answer) {
                Ok(_) => Ok(()),
                Err(why) => Err(format!("the answer of `{}` has {why}", self.id)),
            },
            MemberKind::Validator { .. } => {
                let stages = answer.get("stages");
                if unavailable(answer).is_some() {
                    return match stages {
                        None => Ok(()),
                        Some(_) => Err(format!("the answer of `{}` has `unavailable` and `stages`", self.id)),
                    };
                }
                let well_formed = |stage: &&Value| {
                    stage.get("name").is_some_and(Value::is_string)
                        && stage.get("passed").is_some_and(Value::is_boolean)
                };
                let Some(stages) = stages
                    .and_then(Value::as_array)
                    .filter(|stages| stages.iter().all(|stage| well_formed(&stage)))
                else {
                    return Err(format!(
                        "the answer of `{}` has no list `stages` with `name` and `passed`",
                        self.id
                    ));
                };
                if stages.iter().any(|stage| !may_be_issues(stage.get("issues"))) {
                    return Err(format!(
                        "the answer of `{}` has a stage whose `issues` are not a list of issues",
                        self.id
                    ));
                }
                // They would be ignored.
                if answer.get("issues").is_some_and(says_something) {
                    return Err(format!(
                        "the answer of `{}` has `issues` beside its stages, not in one",
                        self.id
                    ));
                }
                // One of the two could have passed, and the other not.
                let mut names = HashSet::new();
                if stages.iter().filter_map(|stage| stage.get("name")).any(|name| !names.insert(name)) {
                    return Err(format!("the answer of `{}` has a stage twice", self.id));
                }
                let found = stages.iter().filter_map(|stage| stage.get("issues")?.as_array()).flatten();
                self.check_severities(found)
            }
            MemberKind::Judge { issues, scale, .. } => {
                for pointer in scores {
                    let Some(number) = answer.pointer(pointer).and_then(Value::as_f64) else {
                        return Err(format!("the answer of `{}` has no number at `{pointer}`", self.id));
                    };
                    if scale.score(number).is_none() {
                        return Err(format!(
                            "the answer of `{}` has {number} at `{pointer}`, which is not on its scale of {scale}",
                            self.id
                        ));
                    }
                }
                match issues.as_deref().and_then(|pointer| Some((pointer, answer.pointer(pointer)?))) {
                    // A value that is neither an issue nor a text could not be corrected, and must not be lost.
                    Some((pointer, found @ Value::Array(_))) if !may_be_issues(Some(found)) => {
                        Err(format!("the answer of `{}` has no list of issues at `{pointer}`", self.id))
                    }
                    Some((_, Value::Array(found))) => self.check_severities(found.iter()),
                    None => match issues.as_deref().and_then(|pointer| misspelt(answer, pointer)) {
                        Some(name) => Err(format!(
                            "the answer of `{}` has `{name}` where `{}` is read",
                            self.id,
                            issues.as_deref().unwrap_or_default()
                        )),
                        None => Ok(()),
                    },
                    Some((_, Value::Null)) => Ok(()),
                    // Some models count instead of naming. The counted issues could not be corrected, and must not be
                    // lost.
                    Some((_, Value::Number(count))) if count.as_f64() == Some(0.0) => Ok(()),
                    Some((pointer, _)) => {
                        Err(format!("the answer of `{}` has no list of issues at `{pointer}`", self.id))
                    }
                }
            }
        }
    }

    /// Checks that every issue with a severity uses the loop's words: `blocker`, treated like an issue without a
    /// severity, could pass for less than it is.
    fn check_severities<'v>(&self, mut issues: impl Iterator<Item = &'v Value>) -> Result<(), String> {
        let unread = |issue: &Value| {
            let fields = issue.as_object()?;
            let said = member(fields, "severity").filter(|severity| !severity.is_null())?;
            (said.as_str() != Some("") && word::<Severity>(fields, "severity").is_none()).then_some(())
        };
        if issues.any(|issue| unread(issue).is_some()) {
            return Err(format!(
                "the answer of `{}` has an issue whose `severity` is none of `critical`, `major` and `minor`",
                self.id
            ));
        }
        Ok(())
    }

    /// Returns whether it failed without a substitute: a person is to decide, or the dimension that should replace it
    /// was not measured. `fallbacks` are the scores of dimensions as substitutes for a judge.
    pub(super) fn has_failed(&self, answer: &Answer, fallbacks: &Scores) -> bool {
        matches!(answer, Answer::Failed(_)) && self.score(answer, None, fallbacks).is_none()
    }

    /// The score that it gives a dimension; `None` when it says nothing about it.
    pub(super) fn score(&self, answer: &Answer, pointer: Option<&str>, fallbacks: &Scores) -> Option<Score> {
        match (answer, &self.kind) {
            (Answer::NotNeeded, _) | (Answer::Given(_), MemberKind::ValueJudge { .. }) => None,
            (Answer::Given(answer), MemberKind::Judge { scale, .. }) => {
                answer.pointer(pointer?).and_then(Value::as_f64).and_then(|number| scale.score(number))
            }
            (Answer::Given(answer), MemberKind::Validator { stages }) => {
                unavailable(answer).is_none().then(|| stages_score(stages, answer))
            }
            (Answer::Failed(_), _) => match &self.then {
                AfterRetries::Escalate => None,
                AfterRetries::Score(score) => Some(*score),
                AfterRetries::Dimension(name) => fallbacks.get(name),
            },
        }
    }

    /// The issues that follow from an answer. `needed` says whether its dimensions can't do without it: then a person
    /// may have to decide when there is none.
    pub(super) fn issues(
        &self,
        answer: &Answer,
        needed: bool,
        disposition: &dyn Fn(&str, bool) -> Disposition,
    ) -> Vec<Issue> {
        match (answer, &self.kind) {
            (Answer::NotNeeded, _) | (Answer::Given(_), MemberKind::ValueJudge { .. }) => Vec::new(),
            (Answer::Failed(why), MemberKind::Judge { .. } | MemberKind::ValueJudge { .. }) => {
                let message = format!("judge `{}` gave no answer: {why}", self.id);
                vec![self.failure(JUDGE_FAILED, needed, message)]
            }
            (Answer::Failed(why), MemberKind::Validator { .. }) => {
                let message = format!("validator `{}` failed: {why}", self.id);
                vec![self.failure("VALIDATOR_FAILED", needed, message)]
            }
            (Answer::Given(answer), MemberKind::Judge { issues, severity, .. }) => {
                let found = issues.as_deref().and_then(|pointer| answer.pointer(pointer)?.as_array());
                let code = format!("JUDGE_{}", self.id.to_uppercase().replace('-', "_"));
                let read = |issue: &Value| read_issue(issue, &code, *severity, disposition);
                found.into_iter().flatten().filter_map(read).collect()
            }
            (Answer::Given(answer), MemberKind::Validator { stages: declared }) => {
                if let Some(why) = unavailable(answer) {
                    let message = format!("validator `{}` was not run: {why}", self.id);
                    return vec![note("VALIDATOR_UNAVAILABLE", Severity::Minor, Disposition::Warn, message)];
                }
                let code = format!("VALIDATOR_{}", self.id.to_uppercase().replace('-', "_"));
                let stages = answer.get("stages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                if stages.is_empty() {
                    let message = format!("validator `{}` ran none of its stages", self.id);
                    return vec![self.failure("VALIDATOR_FAILED", true, message)];
                }
                let mut found = Vec::new();
                for stage in stages {
                    let before = found.len();
                    let issues = stage.get("issues").and_then(Value::as_array).into_iter().flatten();
                    found.extend(issues.filter_map(|i| read_issue(i, &code, Severity::Major, disposition)));
                    if found.len() == before && stage.get("passed").and_then(Value::as_bool) == Some(false) {
                        let name = stage.get("name").and_then(Value::as_str).unwrap_or_default();
                        let message = format!(
                            "stage `{name}` of validator `{}` failed and does not say what is wrong",
                            self.id
                        );
                        found.push(self.failure("VALIDATOR_FAILED", true, message));
                    }
                }
                // Stages after one that failed need not run; otherwise one that did not run has not passed.
                let named = |name: &str| stages.iter().any(|stage| stage.get("name") == Some(&json!(name)));
                let all_passed = stages.iter().all(|stage| stage.get("passed") == Some(&Value::Bool(true)));
                if let Some(missing) = declared.iter().find(|name| all_passed && !named(name)) {
                    let message = format!("stage `{missing}` of validator `{}` did not run", self.id);
                    found.push(self.failure("VALIDATOR_FAILED", true, message));
                }
                found
            }
        }
    }

    fn failure(&self, code: &str, needed: bool, message: String) -> Issue {
        match self.then {
            AfterRetries::Escalate if needed => {
                note(code, Severity::Critical, Disposition::Escalate, message)
            }
            AfterRetries::Escalate | AfterRetries::Score(_) | AfterRetries::Dimension(_) => {
                note(code, Severity::Minor, Disposition::Warn, message)
            }
        }
    }
}

fn note(code: &str, severity: Severity, disposition: Disposition, message: String) -> Issue {
    Issue { disposition, message: message.into(), ..Issue::new(code.to_owned(), severity) }
}

/// Returns whether the value at the pointer of issues can be read as such; a value that is neither an object nor a text
/// could not be fixed, and must not be lost.
fn may_be_issues(found: Option<&Value>) -> bool {
    match found {
        None | Some(Value::Null) => true,
        Some(Value::Number(count)) => count.as_f64() == Some(0.0),
        Some(Value::Array(found)) => found.iter().all(|issue| issue.is_object() || issue.is_string()),
        Some(_) => false,
    }
}

/// Returns whether a value holds anything that could be an issue.
fn says_something(value: &Value) -> bool {
    !value.is_number() && !value.is_boolean() && is_present(value)
}

/// A member beside the target of this pointer that says something and has a similar name: `Issues`, `issue`.
fn misspelt<'v>(answer: &'v Value, pointer: &str) -> Option<&'v str> {
    let (holder, name) = pointer.rsplit_once('/')?;
    let plain = |name: &str| {
        let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        letters.to_lowercase().trim_end_matches('s').to_owned()
    };
    let members = answer.pointer(holder)?.as_object()?;
    let found = members.iter().find(|(key, value)| plain(key) == plain(name) && says_something(value));
    found.map(|(key, _)| key.as_str())
}

/// A member of this name, in whatever case it is written.
fn member<'v>(fields: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    fields
        .get(key)
        .or_else(|| fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value))
}

/// Reads an issue of a judge or validator: an object, or a text that is its message. Anything else is left out.
fn read_issue(
    issue: &Value,
    code: &str,
    severity: Severity,
    disposition: &dyn Fn(&str, bool) -> Disposition,
) -> Option<Issue> {
    let silent = |code: &str| format!("it names `{code}` without saying what is wrong");
    if let Some(message) = issue.as_str() {
        let message = if is_blank(message) { silent(code) } else { message.to_owned() };
        return Some(note(code, severity, disposition(code, false), message));
    }
    let fields = issue.as_object()?;
    let said = |key: &str| member(fields, key).and_then(Value::as_str);
    let text = |key: &str| said(key).filter(|text| !is_blank(text)).map(str::to_owned);
    let code = text("code").unwrap_or_else(|| code.to_owned());
    let auto_fixable = fields.get("auto_fixable").and_then(Value::as_bool).unwrap_or(false);
    let severity = word(fields, "severity").unwrap_or(severity);
    let handled = word(fields, "disposition");
    let path = text("path").map(|path| pointer_of(&path)).unwrap_or_default();
    Some(Issue {
        disposition: handled.unwrap_or_else(|| disposition(&code, auto_fixable)),
        path: path.into(),
        message: text("message")
            .or_else(|| ["issue", "description", "text", "reason"].iter().find_map(|key| text(key)))
            .unwrap_or_else(|| silent(&code))
            .into(),
        auto_fixable,
        suggested_fix: fields
            .get("suggested_fix")
            .filter(|fix| !fix.is_null())
            .map(plain)
            .map(LazyText::from),
        ..Issue::new(code, severity)
    })
}

/// A text as it is, any other value as JSON: the right value of a number is a number.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The JSON Pointer that a path means: models write `/grade`, `grade`, `$.grade` and `authors[0].name`. A path in no
/// such form would make templates and reports point nowhere.
fn pointer_of(path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let steps = path.trim().trim_start_matches('$').replace('[', ".").replace(']', "");
    let steps = steps.trim_start_matches('.');
    let is_step =
        |step: &str| !step.is_empty() && step.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    if steps.split('.').all(is_step) { format!("/{}", steps.replace('.', "/")) } else { String::new() }
}

/// One of the loop's words for issues, however it is capitalized: `Critical` is not less than `critical`.
fn word<T: serde::de::DeserializeOwned>(fields: &Map<String, Value>, key: &str) -> Option<T> {
    let said = member(fields, key)?.as_str()?.trim().to_lowercase();
    serde_json::from_value(Value::String(said)).ok()
}

/// The reason that a validator could not be run, if it could not.
fn unavailable(answer: &Value) -> Option<&str> {
    answer.get("unavailable").and_then(Value::as_str)
}

/// The mean over the declared stages: 1 for one that passed; for one that failed less, the more issues it has; 0 for
/// one that did not run (`docs/stages.md`). So fixing an error never lowers the score.
fn stages_score(stages: &[String], answer: &Value) -> Score {
    let ran = answer.get("stages").and_then(Value::as_array);
    let score = |name: &String| {
        let stage =
            ran.into_iter().flatten().find(|stage| stage.get("name").and_then(Value::as_str) == Some(name));
        match stage {
            None => 0.0,
            Some(stage) if stage.get("passed").and_then(Value::as_bool) == Some(true) => 1.0,
            Some(stage) => {
                let issues = stage.get("issues").and_then(Value::as_array).map_or(1, Vec::len).max(1);
                #[expect(clippy::cast_precision_loss, reason = "counts of issues are small")]
                let share = 1.0 / (1.0 + issues as f64);
                share
            }
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "a handful of stages")]
    let count = stages.len().max(1) as f64;
    Score::clamped(stages.iter().map(score).sum::<f64>() / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixing_an_error_never_lowers_a_validator_s_score() {
        let stages = ["one".to_owned(), "two".to_owned()];
        let issues = |n: usize| vec![json!({"message": "m"}); n];
        let course = [
            json!({"stages": [{"name": "one", "passed": false, "issues": issues(3)}]}),
            json!({"stages": [{"name": "one", "passed": false, "issues": issues(1)}]}),
            json!({"stages": [{"name": "one", "passed": true}, {"name": "two", "passed": false, "issues": issues(90)}]}),
            json!({"stages": [{"name": "one", "passed": true}, {"name": "two", "passed": false, "issues": issues(1)}]}),
            json!({"stages": [{"name": "one", "passed": true}, {"name": "two", "passed": true}]}),
        ];
        let scores: Vec<f64> = course.iter().map(|answer| stages_score(&stages, answer).get()).collect();
        assert!(scores.is_sorted_by(|a, b| a < b), "{scores:?}");
        assert_eq!(scores.last(), Some(&1.0));
    }
}
