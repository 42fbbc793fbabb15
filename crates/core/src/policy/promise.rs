//! Conditions about a run that has ended.

use super::condition::{Condition, ConditionError};
use super::history::Selection;
use super::script_criteria::so_far;
use super::{FinalStatus, History, IterationSummary, Spent, StopReason};
use crate::diag::nearest;
use crate::profile::IssueKind;
use crate::value::Comparisons;
use serde_json::{Map, Value, json};

/// A run that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// The assessed candidates.
    pub history: &'a History,
    /// The reason why it ended.
    pub reason: &'a StopReason,
    /// The candidate that is returned; `None` if nothing was assessed.
    pub selection: Option<Selection>,
    /// The resources that it used up.
    pub spent: Spent,
}

/// The names that a condition may use besides the dimensions and the statuses, each with its meaning.
const NAMES: [(&str, &str); 15] = [
    ("status", "how the run ended: `passed`, `stopped_early` and so on"),
    ("stop_reason", "why: `accepted`, `gate`, `max_iterations` and so on"),
    ("iterations", "how many candidates were assessed"),
    ("calls", "calls to providers"),
    ("tokens", "tokens, read and written"),
    ("cost_usd", "US dollars, as far as they are known"),
    ("elapsed_ms", "milliseconds"),
    ("rollbacks", "how many candidates were rolled back"),
    ("returned", "the overall score of the candidate that is returned"),
    ("overall", "the same"),
    ("best_seen", "the highest overall score of those that did not miss the gate; of all, where all did"),
    ("first", "the overall score of candidate 0"),
    ("last", "the overall score of the latest candidate"),
    ("missed_gate", "whether the candidate that is returned missed the gate"),
    ("issues", "its issues by kind: `issues.critical`, `issues.escalate` and so on"),
];

/// Names of overall scores, of which one constant is compared with all.
const OVERALLS: [&str; 5] = ["returned", "overall", "best_seen", "first", "last"];

/// Names of whole numbers, of which every value is tried.
const COUNTS: [&str; 3] = ["iterations", "calls", "rollbacks"];

/// Scores come from sums: 0.80 may be 0.7999999999999999 (every comparison allows 1e-9).
fn rounded(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}

impl Ended<'_> {
    /// The candidate that is returned.
    #[must_use]
    pub fn returned(&self) -> Option<&IterationSummary> {
        let at = self.selection?.iteration;
        self.history.iterations().get(at).map(|iteration| &iteration.facts)
    }

    /// The highest overall score of the candidates that did not miss the gate, or of all if all did.
    fn best_seen(&self) -> f64 {
        let iterations = self.history.iterations();
        let all_missed = iterations.iter().all(|iteration| iteration.missed_gate);
        let may_be = iterations.iter().filter(|iteration| all_missed || !iteration.missed_gate);
        may_be.map(|iteration| iteration.facts.overall).fold(0.0, f64::max)
    }

    /// The value of a name; a dimension that was not measured is 0.
    fn value(&self, name: &str) -> Value {
        let iterations = self.history.iterations();
        let overall = |facts: Option<&IterationSummary>| rounded(facts.map_or(0.0, |facts| facts.overall));
        let status = self.reason.status();
        if let Some(word) = FinalStatus::ALL.iter().find(|word| word.as_str() == name) {
            // A status by itself is true of a run that ended so, and can be compared with `status`.
            return if status == *word { word.as_str().into() } else { "".into() };
        }
        match name {
            "status" => status.as_str().into(),
            "stop_reason" => self.reason.to_string().into(),
            "iterations" => iterations.len().into(),
            "calls" => self.spent.usage.calls.into(),
            "tokens" => self.spent.usage.tokens.into(),
            "cost_usd" => rounded(self.spent.usage.known_cost_usd.get()).into(),
            "elapsed_ms" => self.spent.elapsed.0.into(),
            "rollbacks" => self.history.rollbacks().into(),
            "returned" | "overall" => overall(self.returned()).into(),
            "best_seen" => rounded(self.best_seen()).into(),
            "first" => overall(iterations.first().map(|iteration| &iteration.facts)).into(),
            "last" => overall(iterations.last().map(|iteration| &iteration.facts)).into(),
            "missed_gate" => {
                let returned = self.selection.and_then(|selection| iterations.get(selection.iteration));
                returned.is_some_and(|iteration| iteration.missed_gate).into()
            }
            "issues" => {
                let count = |kind: &IssueKind| self.returned().map_or(0, |facts| facts.issues.get(*kind));
                let counted =
                    IssueKind::ALL.iter().map(|kind| (kind.as_str().to_owned(), count(kind).into()));
                Value::Object(counted.collect())
            }
            dimension => rounded(self.returned().map_or(0.0, |facts| facts.score(dimension))).into(),
        }
    }

    /// The argument for a function of the author's own: the run as criteria get it, and how it ended.
    #[must_use]
    pub(super) fn for_script(&self) -> Value {
        let mut run = so_far(self.history, self.spent);
        if let Value::Object(members) = &mut run {
            let ended = json!({
                "status": self.reason.status(),
                "stop_reason": self.reason.to_string(),
                "returned": self.selection.map(|selection| selection.iteration),
            });
            members.extend(ended.as_object().cloned().unwrap_or_default());
        }
        run
    }
}

/// Describes what is wrong with a text that a condition compares: it is neither a status nor a reason to stop that a run can
/// have.
fn unknown_word(word: &str) -> Option<String> {
    let known = || {
        FinalStatus::ALL.iter().map(|status| status.as_str()).chain(StopReason::words()).chain(["script:"])
    };
    // The reason of a group names its members.
    let unknown =
        word.split('+').find(|part| !part.starts_with("script:") && !known().any(|known| known == *part))?;
    Some(match nearest(unknown, known()) {
        Some(guess) => format!("no run ends `{unknown}`: did you mean `{guess}`?"),
        None => format!("no run ends `{unknown}`: it is neither a status nor a reason to stop"),
    })
}

/// A checked condition about a run that has ended, such as `passed and issues.critical > 0`.
#[derive(Debug, Clone)]
pub struct PromiseCondition {
    condition: Condition,
    names: Vec<String>,
    comparisons: Comparisons,
}

impl PromiseCondition {
    /// Checks a condition; `dimensions` are the names that it may use besides those of every run.
    ///
    /// # Errors
    /// Returns an error if it does not parse, uses an unknown name, or can't be computed.
    pub fn parse(text: &str, dimensions: &[&str]) -> Result<Self, ConditionError> {
        let statuses = || FinalStatus::ALL.iter().map(|status| status.as_str());
        let unknown = |name: &str| {
            let mut known =
                NAMES.iter().map(|(known, _)| *known).chain(statuses()).chain(dimensions.iter().copied());
            if known.clone().any(|known| known == name) {
                return None;
            }
            Some(match nearest(name, known.by_ref()) {
                Some(guess) => format!("nothing is called `{name}`: did you mean `{guess}`?"),
                None => format!(
                    "`{name}` is not a dimension, not a status and none of {}",
                    NAMES.map(|(known, _)| format!("`{known}`")).join(", ")
                ),
            })
        };
        let condition = Condition::parse(text, unknown)?;
        let comparisons = condition.comparisons();
        if let Some(message) = comparisons.texts.iter().find_map(|word| unknown_word(word)) {
            return Err(ConditionError::new(message));
        }
        let names = condition.names();
        let promise = PromiseCondition { condition, names, comparisons };
        let nothing = Ended {
            history: &History::new(),
            reason: &StopReason::Accepted,
            selection: None,
            spent: Spent::default(),
        };
        match promise.holds(&nothing) {
            Some(_) => Ok(promise),
            None => Err(ConditionError::cannot_be_computed()),
        }
    }

    /// The condition as it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        self.condition.text()
    }

    /// The numbers that are written in it.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        &self.comparisons.numbers
    }

    /// Returns whether it uses the number of issues of a kind.
    #[must_use]
    pub fn counts(&self, kind: IssueKind) -> bool {
        self.comparisons.members.iter().any(|name| name.strip_prefix("issues.") == Some(kind.as_str()))
    }

    /// Returns whether it distinguishes only what its constants do. It does not if it computes with values, or compares
    /// two that are not known to be tried in every order.
    #[must_use]
    pub fn only_compares_constants(&self) -> bool {
        let is_word = |name: &str| {
            ["status", "stop_reason", "missed_gate"].contains(&name)
                || FinalStatus::ALL.iter().any(|status| status.as_str() == name)
        };
        let both = |pair: &[String; 2], of: &[&str]| pair.iter().all(|name| of.contains(&name.as_str()));
        let pairs = &self.comparisons.pairs;
        let mut overalls = pairs.iter().filter(|pair| both(pair, &OVERALLS));
        let first = overalls.next();
        // With three overall scores in one condition, more of them may lie between two constants than are tried there.
        let ordered =
            overalls.all(|pair| first.is_some_and(|first| both(pair, &first.each_ref().map(String::as_str))));
        let known = pairs.iter().all(|pair| {
            both(pair, &OVERALLS) || both(pair, &COUNTS) || pair.iter().all(|name| is_word(name))
        });
        !self.comparisons.computes && ordered && known
    }

    /// Returns whether it uses a name.
    #[must_use]
    pub fn uses(&self, name: &str) -> bool {
        self.names.iter().any(|used| used == name)
    }

    /// The dimensions that it uses: names that not every run has.
    pub fn dimensions(&self) -> impl Iterator<Item = &str> {
        let of_every_run = |name: &str| {
            NAMES.iter().any(|(known, _)| *known == name)
                || FinalStatus::ALL.iter().any(|status| status.as_str() == name)
        };
        self.names.iter().map(String::as_str).filter(move |name| !of_every_run(name))
    }

    /// The values of its names for a run that has ended.
    #[must_use]
    pub fn values(&self, ended: &Ended<'_>) -> Map<String, Value> {
        self.names.iter().map(|name| (name.clone(), ended.value(name))).collect()
    }

    /// Returns whether it holds for these values; `None` when it can't be computed.
    #[must_use]
    pub fn holds_of(&self, values: &Map<String, Value>) -> Option<bool> {
        self.condition.holds(values)
    }

    /// Returns whether it holds for a run that has ended; `None` when it can't be computed.
    #[must_use]
    pub fn holds(&self, ended: &Ended<'_>) -> Option<bool> {
        self.holds_of(&self.values(ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(text: &str, reason: &StopReason) -> Option<bool> {
        let history = History::new();
        let ended = Ended { history: &history, reason, selection: None, spent: Spent::default() };
        PromiseCondition::parse(text, &["accuracy"]).unwrap().holds(&ended)
    }

    #[test]
    fn a_status_stands_alone_or_is_compared() {
        for (text, of_passed, of_failed) in [
            ("passed", true, false),
            ("status == passed", true, false),
            ("status != passed", false, true),
            ("status in [passed, skipped]", true, false),
            ("not passed or stop_reason == 'accepted'", true, true),
            ("accuracy < 0.5 and issues.critical == 0 and calls <= 6", true, true),
            ("stop_reason not in ['script:plateau', 'stagnation+decline']", true, true),
        ] {
            assert_eq!(ended(text, &StopReason::Accepted), Some(of_passed), "{text}");
            assert_eq!(ended(text, &StopReason::Gate), Some(of_failed), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (text, said) in [
            ("pased", "did you mean `passed`?"),
            ("issues.critcal > 0", "can't be computed"),
            ("returned =< 1", ""),
            ("status == 'pased'", "did you mean `passed`?"),
            ("stop_reason == 'stagnaton'", "did you mean `stagnation`?"),
            ("stop_reason in ['accepted', 'whatever']", "no run ends `whatever`"),
        ] {
            let error = PromiseCondition::parse(text, &[]).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
