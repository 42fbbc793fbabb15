//! Other policies applied to a recorded run, as far as the record allows.
//!
//! The record tells how a run would have ended under another policy as long as that policy asks for the recorded
//! candidates. A policy that accepts, stops or selects differently is exact on what was recorded. One that continues
//! where the record ends, or corrects another candidate, is unknown from there on ([`Beyond`](super::Beyond)). One with
//! other prompts, measures or feedback would have had other candidates from the beginning.

use super::trajectory::{IterationRecord, StepIssue, Trajectory};
use crate::engine::{DocumentState, IterationState};
use crate::policy::Spent;
use crate::score::{Assessment, Scores};
use crate::statistics::real;
use crate::value::{Millis, Score, Usd};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The keys of a profile that decide what is done with an assessed candidate. All others determine how candidates are
/// made and measured.
const DECIDING: [&str; 14] = [
    "accept",
    "budget",
    "description",
    "extends",
    "gate",
    "name",
    "network",
    "on_escalate",
    "on_regression",
    "overall",
    "review",
    "select",
    "stop",
    "certify",
];

/// The keys, among those that make and measure candidates, in which two profiles differ; both are merged settings.
#[must_use]
pub fn differing_keys(recorded: &Value, other: &Value) -> Vec<String> {
    let members = |settings: &Value| settings.as_object().cloned().unwrap_or_default();
    let (recorded, other) = (members(recorded), members(other));
    let all = recorded.keys().chain(other.keys().filter(|key| !recorded.contains_key(*key)));
    let differ = |key: &&String| recorded.get(*key) != other.get(*key);
    let mut keys: Vec<String> =
        all.filter(|key| !DECIDING.contains(&key.as_str())).filter(differ).cloned().collect();
    // Judges are asked only about candidates that do not miss the gate.
    let has_panel = |settings: &serde_json::Map<String, Value>| {
        ["judges", "validators"].iter().any(|key| {
            settings.get(*key).and_then(Value::as_object).is_some_and(|members| !members.is_empty())
        })
    };
    if recorded.get("gate") != other.get("gate") && (has_panel(&recorded) || has_panel(&other)) {
        keys.push("gate".to_owned());
    }
    keys
}

/// The names of the files of prompts and of the feedback template in merged settings, sorted, each once.
#[must_use]
pub fn prompt_names(settings: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut settings = settings.clone();
    each_prompt(&mut settings, &mut |prompt| names.extend(prompt.as_str().map(str::to_owned)));
    names
}

/// Merged settings with the text of each prompt, and of the feedback template, in place of the name of its file: two
/// profiles that would ask with the same words are equal, wherever these are stored. A name that `text_of` does not
/// know is kept.
#[must_use]
pub fn with_texts(settings: &Value, text_of: impl Fn(&str) -> Option<String>) -> Value {
    let mut settings = settings.clone();
    each_prompt(&mut settings, &mut |prompt| {
        if let Some(text) = prompt.as_str().and_then(&text_of) {
            *prompt = json!({ "text": text });
        }
    });
    settings
}

fn each_prompt(settings: &mut Value, each: &mut dyn FnMut(&mut Value)) {
    for key in ["stages", "judges"] {
        let members: Vec<&mut Value> = match settings.get_mut(key) {
            Some(Value::Array(stages)) => stages.iter_mut().collect(),
            Some(Value::Object(judges)) => judges.values_mut().collect(),
            _ => Vec::new(),
        };
        members.into_iter().filter_map(|member| member.get_mut("prompt")).for_each(&mut *each);
    }
    settings.pointer_mut("/feedback/template").into_iter().for_each(each);
}

/// The keys of the profile by which feedback would have differed under the other of two profiles. `template` is the
/// text of the feedback template, which need not mention them.
#[must_use]
pub fn told_otherwise(recorded: &Value, other: &Value, template: &str) -> Vec<&'static str> {
    let told = [("accept.overall", "/accept/overall", "target"), ("overall", "/overall", "score")];
    let differs = |pointer: &str| recorded.pointer(pointer) != other.pointer(pointer);
    let told = told.into_iter().filter(|(_, pointer, word)| differs(pointer) && template.contains(word));
    told.map(|(key, _, _)| key).collect()
}

impl Trajectory {
    /// The record of a document's loop; `None` if no candidate was assessed.
    #[must_use]
    pub fn of_run(id: Value, state: &DocumentState) -> Option<Self> {
        let mut before = Spent::default();
        let iterations: Vec<IterationRecord> = state
            .iterations()
            .iter()
            .take_while(|of| of.decision.is_some())
            .map_while(|of| {
                let record = IterationRecord::of_run(of, before)?;
                before = of.spent;
                Some(record)
            })
            .collect();
        (!iterations.is_empty()).then(|| Trajectory { id, iterations, slips: Vec::new() })
    }
}

impl IterationRecord {
    /// `before` is what the run had used up when the previous candidate was decided upon.
    fn of_run(of: &IterationState, before: Spent) -> Option<Self> {
        let assessment = of.assessment()?;
        let (spent, was) = (of.spent.usage, before.usage);
        let Millis(elapsed) = of.spent.elapsed - before.elapsed;
        let cost = (spent.known_cost_usd.get() - was.known_cost_usd.get()).max(0.0);
        let measured = of.measured.as_deref().map_or(&assessment.scores, |measured| &measured.scores);
        Some(IterationRecord {
            scores: listed(&assessment.scores),
            issues: issues_of(assessment),
            issues_unknown: false,
            elapsed_ms: real(elapsed),
            cost_usd: Usd::new(cost).unwrap_or_default(),
            tokens: spent.tokens.saturating_sub(was.tokens),
            calls: Some(spent.calls.saturating_sub(was.calls)),
            calls_of_unknown_cost: spent.calls_of_unknown_cost.saturating_sub(was.calls_of_unknown_cost),
            candidate: of.candidate.as_ref().map(Arc::clone),
            base: of.base,
            tier1: (*measured != assessment.scores).then(|| listed(measured)),
        })
    }
}

fn listed(scores: &Scores) -> Vec<(String, Score)> {
    scores.iter().map(|(name, score)| (name.to_owned(), score)).collect()
}

fn issues_of(assessment: &Assessment) -> Vec<StepIssue> {
    let issue = |issue: &crate::score::Issue| StepIssue {
        code: issue.code.to_string(),
        severity: issue.severity,
        disposition: Some(issue.disposition),
        path: issue.path.to_string(),
        auto_fixable: issue.auto_fixable,
    };
    assessment.issues.iter().map(issue).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_may_differ_and_what_makes_candidates_may_not() {
        let recorded = json!({"stages": [1], "feedback": {"history": 10}, "accept": {"overall": 0.9}, "gate": {"a": 0.5}});
        let stricter = json!({"stages": [1], "feedback": {"history": 10}, "accept": {"overall": 0.99}, "stop": {"max_iterations": 9}});
        assert_eq!(differing_keys(&recorded, &stricter), Vec::<String>::new());
        assert_eq!(told_otherwise(&recorded, &stricter, "{{ target }} is needed"), ["accept.overall"]);
        assert_eq!(told_otherwise(&recorded, &stricter, "try again"), Vec::<&str>::new());
        let other = json!({"stages": [1], "feedback": {"history": 3}, "variables": {}});
        assert_eq!(differing_keys(&recorded, &other), ["feedback", "variables"]);
    }

    #[test]
    fn prompts_are_compared_by_their_words() {
        let profile = |prompt: &str, judge: &str, feedback: &str| {
            json!({"stages": [{"id": "a", "prompt": prompt}, {"id": "b"}], "judges": {"tone": {"prompt": judge}},
                "feedback": {"template": feedback}})
        };
        let (recorded, moved) = (profile("a.md", "j.md", "f.md"), profile("b/a.md", "j2.md", "f2.md"));
        assert_eq!(differing_keys(&recorded, &moved), ["stages", "judges", "feedback"]);
        let text_of = |name: &str| match name {
            "a.md" | "b/a.md" => Some("Extract.".to_owned()),
            "j.md" | "j2.md" => Some("Judge.".to_owned()),
            "f.md" => Some("Again.".to_owned()),
            "f2.md" => Some("Again!".to_owned()),
            _ => None,
        };
        let differ =
            |other: &Value| differing_keys(&with_texts(&recorded, text_of), &with_texts(other, text_of));
        assert_eq!(differ(&moved), ["feedback"]);
        assert_eq!(differ(&profile("b/a.md", "unknown.md", "f.md")), ["judges"]);
        assert_eq!(prompt_names(&moved).into_iter().collect::<Vec<_>>(), ["b/a.md", "f2.md", "j2.md"]);
    }

    #[test]
    fn another_gate_lets_judges_see_other_candidates() {
        let recorded = json!({"judges": {"tone": {}}, "gate": {"a": 0.5}});
        assert_eq!(differing_keys(&recorded, &json!({"judges": {"tone": {}}})), ["gate"]);
    }
}
