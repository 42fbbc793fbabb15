//! Tier 2: what judges and validators answer, and the assessment that follows (LOOP, Scoring: judge, external,
//! ensemble).

use super::assessment::{Assessment, Issue};
use super::combine::combine;
use crate::profile::{AfterRetries, Combine, Measure, Overall, Profile};
use crate::value::{Disposition, Score, Severity};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Who looks at a candidate after the gate, and what their answers mean.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    members: Vec<Member>,
    dimensions: Vec<Combined>,
}

/// A judge or a validator.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub id: Arc<str>,
    /// How often it is asked again after a failure.
    pub retries: u32,
    then: AfterRetries,
    kind: MemberKind,
}

#[derive(Debug, Clone)]
enum MemberKind {
    Judge { issues: Option<String>, severity: Severity },
    Validator { stages: Vec<String> },
}

/// A dimension that the panel has a say in.
#[derive(Debug, Clone)]
struct Combined {
    name: Arc<str>,
    /// Members by position, each with the pointer to its score; a validator has none.
    sources: Vec<(usize, Option<String>)>,
    combine: Combine,
    /// Whether a measure of tier 1 is one of those that are combined.
    with_measure: bool,
}

/// What came of asking a member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It answered, and [`Panel::read`] can read the answer.
    Given(Value),
    /// It gave no answer that can be read, as often as it was asked.
    Failed(String),
}

impl Panel {
    /// The panel of a profile: validators first, because they cost nothing, then the judges that are to be asked.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let validators = profile.validators.iter().map(|validator| Member {
            id: validator.id.value.as_str().into(),
            retries: 0,
            then: AfterRetries::Escalate,
            kind: MemberKind::Validator { stages: validator.stages.clone() },
        });
        let judges = profile.judges.iter().filter(|judge| judge.is_asked()).map(|judge| Member {
            id: judge.id.value.as_str().into(),
            retries: judge.on_failure.retry,
            then: judge.on_failure.then.clone(),
            kind: MemberKind::Judge {
                issues: judge.issues.as_ref().map(|pointer| pointer.value.clone()),
                severity: judge.severity,
            },
        });
        let members: Vec<Member> = validators.chain(judges).collect();
        let dimensions = profile
            .dimensions
            .iter()
            .filter_map(|dimension| {
                let second = dimension.second.as_ref()?;
                let sources: Vec<(usize, Option<String>)> = second
                    .sources
                    .iter()
                    .filter_map(|source| {
                        let at = members.iter().position(|member| *member.id == *source.name.value)?;
                        Some((at, source.score.as_ref().map(|pointer| pointer.value.clone())))
                    })
                    .collect();
                let name = dimension.name.as_str().into();
                let combine = second.combine;
                let with_measure = combine != Combine::First && !matches!(dimension.measure, Measure::Given);
                (!sources.is_empty()).then_some(Combined { name, sources, combine, with_measure })
            })
            .collect();
        Panel { members, dimensions }
    }

    /// Whom to ask, in order.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Checks that the answer of the member at `at` can be read: every score that a dimension takes from a judge is a
    /// number, its issues are a list, and a validator names its stages or why it is not available.
    ///
    /// # Errors
    /// What is missing, without any of the answer's text.
    pub fn read(&self, at: usize, answer: &Value) -> Result<(), String> {
        let Some(member) = self.members.get(at) else { return Ok(()) };
        match &member.kind {
            MemberKind::Validator { .. } => {
                let readable = unavailable(answer).is_some()
                    || answer.get("stages").and_then(Value::as_array).is_some_and(|stages| {
                        stages.iter().all(|stage| {
                            stage.get("name").is_some_and(Value::is_string)
                                && stage.get("passed").is_some_and(Value::is_boolean)
                        })
                    });
                if readable {
                    Ok(())
                } else {
                    Err(format!(
                        "the answer of `{}` has no list `stages` with `name` and `passed`",
                        member.id
                    ))
                }
            }
            MemberKind::Judge { issues, .. } => {
                let pointers = self.dimensions.iter().flat_map(|dimension| &dimension.sources);
                for (_, pointer) in pointers.filter(|(source, _)| *source == at) {
                    let pointer = pointer.as_deref().unwrap_or_default();
                    if answer.pointer(pointer).and_then(Value::as_f64).is_none_or(|score| !score.is_finite())
                    {
                        return Err(format!("the answer of `{}` has no number at `{pointer}`", member.id));
                    }
                }
                match issues.as_deref().and_then(|pointer| Some((pointer, answer.pointer(pointer)?))) {
                    Some((_, Value::Array(_) | Value::Null)) | None => Ok(()),
                    // Some models count instead of naming. What they count could not be put right, and must not be lost.
                    Some((_, Value::Number(count))) if count.as_f64() == Some(0.0) => Ok(()),
                    Some((pointer, _)) => {
                        Err(format!("the answer of `{}` has no list of issues at `{pointer}`", member.id))
                    }
                }
            }
        }
    }

    /// The assessment that follows from tier 1 and the answers, one for each member that was asked.
    ///
    /// `disposition` says who handles an issue that does not say, by its code and whether a machine could fix it.
    #[must_use]
    pub fn merge(
        &self,
        overall: &Overall,
        disposition: &dyn Fn(&str, bool) -> Disposition,
        tier1: &Assessment,
        answers: &[Answer],
    ) -> Assessment {
        let mut merged = tier1.clone();
        for (member, answer) in self.members.iter().zip(answers) {
            merged.issues.extend(member.issues(answer, disposition));
        }
        for dimension in &self.dimensions {
            let local = tier1.scores.get(&dimension.name);
            let asked = |(at, _): &(usize, Option<String>)| Some((self.members.get(*at)?, answers.get(*at)?));
            let failed = |(member, answer): (&Member, &Answer)| member.has_failed(answer, tier1);
            if (dimension.with_measure && local.is_none())
                || dimension.sources.iter().filter_map(asked).any(failed)
            {
                // Neither what stands otherwise nor the rest of an ensemble may pass for what could not be had.
                merged.scores.take(&dimension.name);
                continue;
            }
            let heard = dimension.sources.iter().filter_map(|(at, pointer)| {
                let (member, answer) = (self.members.get(*at)?, answers.get(*at)?);
                member.score(answer, pointer.as_deref(), tier1)
            });
            let scores = heard.chain(local).collect();
            if let Some(score) = combine(dimension.combine, scores) {
                merged.scores.set(&dimension.name, score);
            }
        }
        merged.overall = overall.of(|name| merged.scores.get(name)).get();
        merged
    }
}

impl Member {
    /// Whether it is a validator.
    #[must_use]
    pub fn is_validator(&self) -> bool {
        matches!(self.kind, MemberKind::Validator { .. })
    }

    /// Whether it failed and nothing stands in for it: a person is to decide, or the dimension that should was not
    /// measured.
    fn has_failed(&self, answer: &Answer, tier1: &Assessment) -> bool {
        matches!(answer, Answer::Failed(_)) && self.score(answer, None, tier1).is_none()
    }

    /// What it says a dimension is worth; `None` when it says nothing of it.
    fn score(&self, answer: &Answer, pointer: Option<&str>, tier1: &Assessment) -> Option<Score> {
        match (answer, &self.kind) {
            (Answer::Given(answer), MemberKind::Judge { .. }) => {
                answer.pointer(pointer?).and_then(Value::as_f64).map(Score::clamped)
            }
            (Answer::Given(answer), MemberKind::Validator { stages }) => {
                unavailable(answer).is_none().then(|| stages_score(stages, answer))
            }
            (Answer::Failed(_), _) => match &self.then {
                AfterRetries::Escalate => None,
                AfterRetries::Score(score) => Some(*score),
                AfterRetries::Dimension(name) => tier1.scores.get(name),
            },
        }
    }

    fn issues(&self, answer: &Answer, disposition: &dyn Fn(&str, bool) -> Disposition) -> Vec<Issue> {
        match (answer, &self.kind) {
            (Answer::Failed(why), MemberKind::Judge { .. }) => {
                vec![self.failure("JUDGE_FAILED", format!("judge `{}` gave no answer: {why}", self.id))]
            }
            (Answer::Failed(why), MemberKind::Validator { .. }) => {
                vec![self.failure("VALIDATOR_FAILED", format!("validator `{}` failed: {why}", self.id))]
            }
            (Answer::Given(answer), MemberKind::Judge { issues, severity }) => {
                let found = issues.as_deref().and_then(|pointer| answer.pointer(pointer)?.as_array());
                let code = format!("JUDGE_{}", self.id.to_uppercase().replace('-', "_"));
                let read = |issue: &Value| read_issue(issue, &code, *severity, disposition);
                found.into_iter().flatten().filter_map(read).collect()
            }
            (Answer::Given(answer), MemberKind::Validator { .. }) => {
                if let Some(why) = unavailable(answer) {
                    let message = format!("validator `{}` was not run: {why}", self.id);
                    return vec![note("VALIDATOR_UNAVAILABLE", Severity::Minor, Disposition::Warn, message)];
                }
                let code = format!("VALIDATOR_{}", self.id.to_uppercase().replace('-', "_"));
                let stages = answer.get("stages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                if stages.is_empty() {
                    let message = format!("validator `{}` ran none of its stages", self.id);
                    return vec![self.failure("VALIDATOR_FAILED", message)];
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
                        found.push(self.failure("VALIDATOR_FAILED", message));
                    }
                }
                found
            }
        }
    }

    fn failure(&self, code: &str, message: String) -> Issue {
        match self.then {
            AfterRetries::Escalate => note(code, Severity::Critical, Disposition::Escalate, message),
            AfterRetries::Score(_) | AfterRetries::Dimension(_) => {
                note(code, Severity::Minor, Disposition::Warn, message)
            }
        }
    }
}

fn note(code: &str, severity: Severity, disposition: Disposition, message: String) -> Issue {
    Issue { disposition, message, ..Issue::new(code, severity) }
}

/// Reads an issue of a judge or validator: an object, or a text that is its message. What is neither is left out.
fn read_issue(
    issue: &Value,
    code: &str,
    severity: Severity,
    disposition: &dyn Fn(&str, bool) -> Disposition,
) -> Option<Issue> {
    if let Some(message) = issue.as_str() {
        return Some(note(code, severity, disposition(code, false), message.to_owned()));
    }
    let fields = issue.as_object()?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let code = text("code").unwrap_or_else(|| code.to_owned());
    let auto_fixable = fields.get("auto_fixable").and_then(Value::as_bool).unwrap_or(false);
    let severity = word(fields, "severity").unwrap_or(severity);
    let said = word(fields, "disposition");
    // A path that is no pointer would make templates and reports point nowhere.
    let path = text("path").filter(|path| path.is_empty() || path.starts_with('/')).unwrap_or_default();
    Some(Issue {
        disposition: said.unwrap_or_else(|| disposition(&code, auto_fixable)),
        path,
        message: text("message")
            .or_else(|| ["issue", "description", "text", "reason"].iter().find_map(|key| text(key)))
            .unwrap_or_else(|| format!("it names `{code}` without saying what is wrong")),
        auto_fixable,
        suggested_fix: text("suggested_fix"),
        ..Issue::new(&code, severity)
    })
}

/// One of the loop's words for issues, however it is capitalized: `Critical` is not less than `critical`.
fn word<T: serde::de::DeserializeOwned>(fields: &Map<String, Value>, key: &str) -> Option<T> {
    let said = fields.get(key)?.as_str()?.trim().to_lowercase();
    serde_json::from_value(Value::String(said)).ok()
}

/// Why a validator could not be run, if it could not.
fn unavailable(answer: &Value) -> Option<&str> {
    answer.get("unavailable").and_then(Value::as_str)
}

/// The mean over the declared stages: 1 for one that passed; for one that failed less, the more issues it has; 0 for
/// one that did not run (LOOP, Scoring: external). So fixing an error never lowers the score.
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
    use crate::diag::Problems;
    use crate::profile::{Library, Override, load};
    use crate::rules::memory::{Memory, compiled};
    use serde_json::json;

    fn panel(assess: &str, judges: &str) -> (Panel, Overall) {
        let sets = [
            format!("assess={assess}"),
            format!("judges={judges}"),
            "overall={from: a}".to_owned(),
            "validators={v: {command: [x], stages: [one, two]}}".to_owned(),
        ];
        let mut problems = Problems::new();
        let overrides: Vec<Override> =
            sets.iter().filter_map(|set| Override::from_flag(set, &mut problems)).collect();
        let profile = load("marc", &Library::embedded(), &overrides, &|_| None, &mut problems);
        let profile = profile.unwrap().profile;
        (Panel::of(&profile), profile.policy.overall)
    }

    const JUDGE: &str =
        "{j: {provider: x, prompt: p.md, issues: /issues, on_failure: {then: {fallback: 0.5}}}}";

    fn merged(panel: &(Panel, Overall), local: Option<f64>, answers: &[Answer]) -> Assessment {
        let scores = local.map(|score| ("a", Score::clamped(score))).into_iter().collect();
        let tier1 = Assessment { scores, ..Assessment::default() };
        panel.0.merge(&panel.1, &|_, _| Disposition::Correct, &tier1, answers)
    }

    #[test]
    fn a_judge_replaces_what_stands_otherwise() {
        let panel = panel("{a: {judge: j, score: /s, otherwise: {grounding: {}}}}", JUDGE);
        let skipped = Answer::Given(json!({"unavailable": "not installed"}));
        let given = Answer::Given(
            json!({"s": 1.5, "issues": ["is wrong", {"code": "X", "path": "/a", "severity": "minor"}, 3]}),
        );
        let found = merged(&panel, Some(0.9), &[skipped.clone(), given]);
        assert_eq!(found.overall, 1.0);
        let codes: Vec<&str> = found.issues.iter().map(|issue| issue.code.as_str()).collect();
        assert_eq!(codes, ["VALIDATOR_UNAVAILABLE", "JUDGE_J", "X"]);
        let failed = merged(&panel, Some(0.9), &[skipped, Answer::Failed("gone".into())]);
        assert_eq!((failed.overall, failed.issues[1].disposition), (0.5, Disposition::Warn));
    }

    #[test]
    fn answers_that_cannot_be_read_are_never_scores() {
        let (panel, _) = panel("{a: {judge: j, score: /s, otherwise: grounding}}", JUDGE);
        for (answer, readable) in [
            (json!({"s": 0.5}), true),
            (json!({"s": 0.5, "issues": []}), true),
            (json!({"s": "0.5"}), false),
            (json!({}), false),
            (json!("fine"), false),
            (json!({"s": 0.5, "issues": "none"}), false),
            (json!({"s": 0.5, "issues": 0}), true),
            (json!({"s": 0.5, "issues": 3}), false),
        ] {
            assert_eq!(panel.read(1, &answer).is_ok(), readable, "{answer}");
        }
        assert!(panel.read(0, &json!({"stages": [{"name": "one", "passed": true}]})).is_ok());
        assert!(panel.read(0, &json!({"stages": [{"name": "one"}]})).is_err());
    }

    #[test]
    fn ensembles_combine_what_is_there() {
        let of = |how: &str| {
            panel(
                &format!(
                    "{{a: {{ensemble: {{members: [grounding, {{judge: j, score: /s}}, {{external: {{validator: v}}}}], combine: {how}}}}}}}"
                ),
                JUDGE,
            )
        };
        let stages = Answer::Given(json!({"stages": [{"name": "one", "passed": true}]}));
        let answers = [stages, Answer::Given(json!({"s": 0.9}))];
        for (how, expected) in [("min", 0.5), ("max", 0.9), ("mean", 2.0 / 3.0), ("median", 0.6)] {
            let overall = merged(&of(how), Some(0.6), &answers).overall;
            assert!((overall - expected).abs() < 1e-12, "{how}: {overall}");
        }
    }

    #[test]
    fn what_could_not_be_had_leaves_a_dimension_without_a_score() {
        let skipped = || Answer::Given(json!({"unavailable": "not installed"}));
        let given = || Answer::Given(json!({"s": 1}));
        let members =
            "{a: {ensemble: {members: [{rules: r, penalty: 0.1}, {judge: j, score: /s}], combine: min}}}";
        let ensemble = panel(members, JUDGE);
        assert_eq!(merged(&ensemble, Some(0.9), &[skipped(), given()]).overall, 0.9);
        // The measure of tier 1 failed.
        assert_eq!(merged(&ensemble, None, &[skipped(), given()]).scores.get("a"), None);
        // Without a measure among the members there is nothing to miss.
        let judges = panel(
            "{a: {ensemble: {members: [{judge: j, score: /s}, {external: {validator: v}}], combine: min}}}",
            JUDGE,
        );
        assert_eq!(merged(&judges, None, &[skipped(), given()]).overall, 1.0);
        // The dimension that should stand in was not measured.
        let to_b = "{j: {provider: x, prompt: p.md, on_failure: {then: {fallback: b}}}}";
        let assess = "{a: {judge: j, score: /s, otherwise: grounding}, b: {given: true}}";
        let failed = merged(&panel(assess, to_b), Some(1.0), &[skipped(), Answer::Failed("gone".into())]);
        assert_eq!((failed.scores.get("a"), failed.overall), (None, 0.0));
    }

    #[test]
    fn severities_are_read_however_they_are_capitalized() {
        let (panel, overall) = panel("{a: {judge: j, score: /s}}", JUDGE);
        let issues = json!([{"severity": "CRITICAL"}, {"severity": "Minor", "disposition": "Escalate"}, {"severity": 3}]);
        let answers = [
            Answer::Given(json!({"unavailable": "not installed"})),
            Answer::Given(json!({"s": 1, "issues": issues})),
        ];
        let found = panel.merge(&overall, &|_, _| Disposition::Correct, &Assessment::default(), &answers);
        let said: Vec<_> = found.issues[1..].iter().map(|i| (i.severity, i.disposition)).collect();
        assert_eq!(
            said,
            [
                (Severity::Critical, Disposition::Correct),
                (Severity::Minor, Disposition::Escalate),
                (Severity::Major, Disposition::Correct)
            ]
        );
    }

    #[test]
    fn a_validator_that_does_not_say_what_is_wrong_is_a_matter_for_a_person() {
        let panel = panel("{a: {external: {validator: v}}}", "{}");
        for (stages, codes) in [
            (json!([]), &["VALIDATOR_FAILED"][..]),
            (json!([{"name": "one", "passed": false}]), &["VALIDATOR_FAILED"]),
            (json!([{"name": "one", "passed": false, "issues": [7]}]), &["VALIDATOR_FAILED"]),
            (json!([{"name": "one", "passed": false, "issues": ["m"]}]), &["VALIDATOR_V"]),
            (json!([{"name": "one", "passed": true}]), &[]),
        ] {
            let found = merged(&panel, None, &[Answer::Given(json!({ "stages": stages }))]);
            assert_eq!(found.issues.iter().map(|i| i.code.as_str()).collect::<Vec<_>>(), codes, "{stages}");
            let escalated = found.issues.iter().filter(|i| i.disposition == Disposition::Escalate);
            assert_eq!(escalated.count(), codes.iter().filter(|code| **code == "VALIDATOR_FAILED").count());
        }
    }

    #[test]
    fn ensembles_of_measures_combine_before_anyone_is_asked() {
        let assess = |how: &str| {
            format!(
                "{{a: {{ensemble: {{members: [{{rubric: r}}, {{rules: r, penalty: 0.5}}], combine: {how}}}}}}}"
            )
        };
        let files = Memory::default()
            .with("rules/rubrics/r.yaml", "types: {unknown: {required: [x, y]}}")
            .with("rules/r.yaml", "rules: [{id: z, require: z}, {id: w, require: w}]");
        let mut out = Assessment::default();
        let measured = |how: &str, candidate: &Value, out: &mut Assessment| {
            let rules = compiled(&assess(how), &files);
            let scoring = crate::score::Scoring::new(rules.unwrap());
            crate::score::Assessor::new(scoring).assess("unknown", candidate, None, &[], out);
            out.scores.iter().map(|(name, score)| (name.to_owned(), score.get())).collect::<Vec<_>>()
        };
        // Half of the rubric's fields are there; one of two rules finds something.
        let candidate = json!({"x": 1, "z": 1});
        for (how, expected) in [("min", 0.5), ("max", 0.5), ("mean", 0.5), ("median", 0.5)] {
            assert_eq!(measured(how, &candidate, &mut out), [("a".to_owned(), expected)], "{how}");
        }
        for (how, expected) in [("min", 0.0), ("max", 0.5), ("mean", 0.25), ("median", 0.25)] {
            assert_eq!(measured(how, &json!({"x": 1}), &mut out), [("a".to_owned(), expected)], "{how}");
            assert_eq!(out.issues.len(), 3);
        }
    }

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
