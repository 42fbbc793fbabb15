//! The values of an extraction, and what binds each to the document: its structure, and the clause around it.

use super::document_outline::clipped;
use super::positions::{DocumentPosition, Positions};
use crate::score::claimed_field;
use crate::value::unescape;
use loopctl_ground::{
    Claim, Document, Doubt, FieldNames, Known, Pattern, Reading, Support, Trust, Trusted, Verdict, judge,
    read_claim, read_passage,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

/// The minimum precision of a passage that is preferred to others, as by default in profiles.
const TRUST: f64 = 0.95;
/// Deepest nesting that is read, as in assessments.
const DEPTH: usize = 64;

#[derive(Debug, Serialize)]
pub(super) struct LeafValue {
    pub(super) path: String,
    pub(super) value: Value,
    /// `None` for truth values, which no document prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) structure: Option<Structure>,
    /// `None` if no passage has the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) clause: Option<Clause>,
}

/// The position that rows, columns and labels give a value.
#[derive(Debug, Serialize)]
pub(super) struct Structure {
    pub(super) support: &'static str,
    pub(super) binding: &'static str,
    #[serde(skip)]
    pub(super) reason: &'static str,
    #[serde(flatten)]
    pub(super) passage: Option<LeafPassage>,
}

/// A passage of the document.
#[derive(Debug, Serialize)]
pub(super) struct LeafPassage {
    pub(super) text: String,
    #[serde(flatten)]
    pub(super) at: DocumentPosition,
}

/// The reading of the clause around a passage: a pattern with its counts, or a doubt.
#[derive(Debug, Serialize)]
pub(super) struct Clause {
    #[serde(flatten)]
    pub(super) read: ClauseReading,
    #[serde(flatten)]
    pub(super) passage: LeafPassage,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ClauseReading {
    Pattern {
        pattern: String,
        /// Labelled values of the pattern that were right, and wrong.
        right: u64,
        wrong: u64,
        /// The lower bound of its precision.
        bound: f64,
    },
    Doubt {
        doubt: &'static str,
        #[serde(skip)]
        reason: &'static str,
    },
}

/// Reads at most the first `most` values of an extraction, and returns how many were left out.
pub(super) fn leaves(
    document: &Document,
    candidate: &Value,
    positions: &Positions<'_>,
    most: usize,
) -> (Vec<LeafValue>, usize) {
    let judged: HashMap<String, Verdict> = judge(document, candidate, &FieldNames::default())
        .into_iter()
        .map(|verdict| (verdict.pointer.clone(), verdict))
        .collect();
    let (mut found, mut left_out) = (Vec::new(), 0);
    each_leaf(candidate, &mut String::new(), 0, &mut |pointer, value| {
        if found.len() < most {
            found.push(leaf(document, candidate, pointer, value, judged.get(pointer), positions));
        } else {
            left_out += 1;
        }
    });
    (found, left_out)
}

fn each_leaf(value: &Value, pointer: &mut String, depth: usize, visit: &mut dyn FnMut(&str, &Value)) {
    let mut below = |step: &str, value: &Value, visit: &mut dyn FnMut(&str, &Value)| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        if depth < DEPTH {
            each_leaf(value, pointer, depth + 1, visit);
        }
        pointer.truncate(length);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, member)| below(key, member, visit)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| below(&at.to_string(), item, visit));
        }
        Value::Null => {}
        Value::String(text) if text.trim().is_empty() => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) => visit(pointer, value),
    }
}

fn leaf(
    document: &Document,
    candidate: &Value,
    pointer: &str,
    value: &Value,
    verdict: Option<&Verdict>,
    positions: &Positions<'_>,
) -> LeafValue {
    let (key, item) = claimed_field(candidate, pointer, &|_| None);
    let key = unescape(key);
    let claim = Claim { key: &key, synonyms: &[], item, value };
    let passage = |bytes: &Range<usize>| LeafPassage {
        text: clipped(positions.text(bytes)),
        at: positions.of_bytes(bytes),
    };
    // The passage that the structure gives, else the one that says it best.
    let by_structure = verdict.filter(|verdict| verdict.support == Support::Verified);
    let given = |verdict: &Verdict| {
        let bytes = verdict.bytes.clone()?;
        Some((read_passage(document, &claim, &bytes), bytes))
    };
    let trusted = Trusted { counts: Trust::shipped(), least: TRUST };
    let found = || match read_claim(document, &claim, Known::default(), trusted) {
        Reading::Says(passage) | Reading::SaysBoth(passage, _) | Reading::Untrusted(passage) => {
            Some((Ok(passage.pattern), passage.bytes))
        }
        Reading::Doubted(doubt, bytes) => Some((Err(doubt), bytes)),
        Reading::SaysAnother(_) | Reading::Nothing => None,
    };
    let clause = by_structure.and_then(given).or_else(found).or_else(|| verdict.and_then(given));
    let shown = match value {
        Value::String(text) => Value::String(clipped(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.clone(),
    };
    LeafValue {
        path: pointer.to_owned(),
        value: shown,
        structure: verdict.map(|verdict| Structure {
            support: verdict.support.as_str(),
            binding: verdict.binding.as_str(),
            reason: reason(verdict),
            passage: verdict.bytes.as_ref().map(passage),
        }),
        clause: clause
            .map(|(reading, bytes)| Clause { read: ClauseReading::of(reading), passage: passage(&bytes) }),
    }
}

fn reason(verdict: &Verdict) -> &'static str {
    match verdict.support {
        Support::Verified => verdict.binding.reason(),
        Support::Undecided => {
            verdict.doubt.map_or("printed, and nothing binds it to the field", Doubt::reason)
        }
        Support::Unsupported => "printed nowhere in any spelling",
        Support::Contradicted => "another number is in the row of its item and the column of its field",
    }
}

impl ClauseReading {
    fn of(reading: Result<Pattern, Doubt>) -> Self {
        match reading {
            Ok(pattern) => {
                let precision = Trust::shipped().of(pattern);
                ClauseReading::Pattern {
                    pattern: pattern.to_string(),
                    right: precision.counts.right,
                    wrong: precision.counts.wrong,
                    bound: (precision.bound * 1e4).round() / 1e4,
                }
            }
            Err(doubt) => ClauseReading::Doubt { doubt: doubt.as_str(), reason: doubt.reason() },
        }
    }
}
