//! Text that a judge must not pass on: its issues are fed back to the stages, which never see the material that it was
//! shown to judge by.

use super::Task;
use crate::profile::{Judge, Sees};
use serde_json::Value;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// A run of this many words is a quotation; a shorter one only if it is all of a value, a line or a sentence.
const RUN: usize = 4;

/// A value of fewer letters and digits (`no`, `3`) appears in too many sentences to be a quotation.
const LEAST_VALUE: usize = 3;

/// The replacement for a quotation.
const INSTEAD: &str = "[withheld]";

/// Members of an issue that say no more than who handles it.
const WORDS_OF_ISSUES: [&str; 2] = ["severity", "disposition"];

/// A filter for text that one judge sees and the stages do not.
pub struct ReferenceLeakFilter {
    /// The JSON Pointer to its issues.
    issues: String,
    withheld: Vec<String>,
    /// The texts that the stages have seen.
    shown: [String; 2],
}

impl ReferenceLeakFilter {
    /// `None` for a judge that sees no more than the stages, or names no issues.
    pub fn of(judge: &Judge, task: Task<'_>, candidate: &Value) -> Option<Self> {
        let issues = judge.issues.as_ref()?.value.clone();
        let unmasked =
            (judge.sees == Sees::Unmasked && task.unmasked != task.source).then_some(task.unmasked);
        let reference = task.references.get(&judge.id.value).map(String::as_str);
        let withheld: Vec<String> = reference.into_iter().chain(unmasked).map(str::to_owned).collect();
        let shown = || [task.source.to_owned(), candidate.to_string()];
        (!withheld.is_empty()).then(|| ReferenceLeakFilter { issues, withheld, shown: shown() })
    }

    /// Removes from the issues any quotation of text that only the judge sees; `None` when it quotes nothing.
    pub fn kept(&self, answer: &Value) -> Option<Value> {
        let mut quoted = self.quotable();
        let issues = answer.pointer(&self.issues)?;
        let mut said = HashSet::new();
        each_text(issues, &mut |text| said.extend(windows(&words(text)).map(|(_, hash)| hash)));
        quoted.retain(|hash| said.contains(hash));
        for text in &self.shown {
            if quoted.is_empty() {
                return None;
            }
            for (_, hash) in windows(&words(text)) {
                quoted.remove(&hash);
            }
        }
        let mut kept = answer.clone();
        let mut found = false;
        take_out(kept.pointer_mut(&self.issues)?, &quoted, &mut found);
        found.then_some(kept)
    }

    /// The hashes of all quotations of the withheld texts.
    fn quotable(&self) -> HashSet<u64> {
        let mut quotable = HashSet::new();
        for text in &self.withheld {
            quotable.extend(words(text).windows(RUN).map(hash_of));
            let mut value = |value: &str| {
                let words = words(value);
                let letters: usize = words.iter().map(|word| word.letters).sum();
                if (1..RUN).contains(&words.len()) && letters >= LEAST_VALUE {
                    quotable.insert(hash_of(&words));
                }
            };
            match serde_json::from_str::<Value>(text) {
                Ok(values) => each_value(&values, &mut value),
                Err(_) => text.split(['\n', '\r', '.', ';', ':']).for_each(value),
            }
        }
        quotable
    }
}

/// A word of a text: its position, and its hash regardless of case.
struct HashedWord {
    at: Range<usize>,
    letters: usize,
    hash: u64,
}

/// The words of a text: letters and digits in a row.
fn words(text: &str) -> Vec<HashedWord> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let word = rest.get(start..).unwrap_or_default();
        let length = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
        let (word, after) = word.split_at(length);
        let mut hasher = DefaultHasher::new();
        word.to_lowercase().hash(&mut hasher);
        let from = text.len() - rest.len() + start;
        words.push(HashedWord {
            at: from..from + length,
            letters: word.chars().count(),
            hash: hasher.finish(),
        });
        rest = after;
    }
    words
}

/// Every run of at most [`RUN`] words: where it begins and how long it is, and its hash.
fn windows(words: &[HashedWord]) -> impl Iterator<Item = (Range<usize>, u64)> + '_ {
    (1..=RUN).flat_map(move |length| {
        words.windows(length).enumerate().map(move |(at, run)| (at..at + length, hash_of(run)))
    })
}

fn hash_of(words: &[HashedWord]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.iter().for_each(|word| word.hash.hash(&mut hasher));
    words.len().hash(&mut hasher);
    hasher.finish()
}

fn each_value(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::Object(members) => members.values().for_each(|inner| each_value(inner, visit)),
        Value::Array(items) => items.iter().for_each(|item| each_value(item, visit)),
        Value::String(text) => visit(text),
        Value::Number(number) => visit(&number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Calls `visit` with every text of issues that could hold a quotation.
fn each_text(issues: &Value, visit: &mut dyn FnMut(&str)) {
    match issues {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, visit)),
        Value::Object(members) => {
            let said = members.iter().filter(|(name, _)| !WORDS_OF_ISSUES.contains(&name.as_str()));
            said.for_each(|(_, inner)| each_text(inner, visit));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces each quotation with [`INSTEAD`]; `found` says whether there was one.
fn take_out(issues: &mut Value, quoted: &HashSet<u64>, found: &mut bool) {
    match issues {
        Value::String(text) => {
            if let Some(kept) = without_quotations(text, quoted) {
                *text = kept;
                *found = true;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| take_out(item, quoted, found)),
        Value::Object(members) => {
            let said = members.iter_mut().filter(|(name, _)| !WORDS_OF_ISSUES.contains(&name.as_str()));
            said.for_each(|(_, inner)| take_out(inner, quoted, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn without_quotations(text: &str, quoted: &HashSet<u64>) -> Option<String> {
    let words = words(text);
    let mut out: Vec<bool> = vec![false; words.len()];
    for (run, hash) in windows(&words) {
        if quoted.contains(&hash) {
            out.iter_mut().skip(run.start).take(run.len()).for_each(|word| *word = true);
        }
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    let mut words = words.iter().zip(out).peekable();
    while let Some((word, taken)) = words.next() {
        if !taken {
            continue;
        }
        kept.push_str(text.get(from..word.at.start).unwrap_or_default());
        kept.push_str(INSTEAD);
        from = word.at.end;
        while let Some((next, _)) = words.next_if(|(_, taken)| *taken) {
            from = next.at.end;
        }
    }
    if from == 0 {
        return None;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(withheld: &str, message: &str) -> String {
        let discretion = ReferenceLeakFilter {
            issues: "/issues".to_owned(),
            withheld: vec![withheld.to_owned()],
            shown: [
                "A mass of 12 mm in the left upper lobe.".to_owned(),
                json!({"stage": "pT1a"}).to_string(),
            ],
        };
        let answer = json!({ "issues": [{ "message": message, "severity": "critical" }], "score": 0.5 });
        let kept = discretion.kept(&answer).unwrap_or(answer);
        assert_eq!((&kept["score"], &kept["issues"][0]["severity"]), (&json!(0.5), &json!("critical")));
        kept["issues"][0]["message"].as_str().unwrap().to_owned()
    }

    #[test]
    fn quotations_are_taken_out_and_what_the_stages_know_stays() {
        let gold =
            r#"{"diagnosis": "Adenocarcinoma, acinar", "severity": "critical", "node": "no", "size": 12.5}"#;
        for (message, expected) in [
            ("it is ADENOCARCINOMA acinar, not this", "it is [withheld], not this"),
            ("the size is 12.5 mm", "the size is [withheld] mm"),
            (
                "there is no node; adenocarcinoma is too little",
                "there is no node; adenocarcinoma is too little",
            ),
        ] {
            assert_eq!(kept(gold, message), expected);
        }
        let impression = "IMPRESSION: Likely primary lung cancer of the left upper lobe.\nNo pneumothorax.";
        for (message, expected) in [
            ("says “likely primary lung cancer of the left”", "says “[withheld]”"),
            ("look for lung cancer", "look for lung cancer"),
            (
                "a mass of 12 mm in the left upper lobe is missing",
                "a mass of 12 mm in the left upper lobe is missing",
            ),
            ("stage pT1a is wrong: no pneumothorax!", "stage pT1a is wrong: [withheld]!"),
        ] {
            assert_eq!(kept(impression, message), expected);
        }
    }
}
