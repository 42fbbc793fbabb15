//! Verdicts held against the clauses around their passages: a value is verified only where its clause is understood.

use super::grounded::{Source, steps};
use super::grounding::{Finding, Method, Support, Verdict};
use crate::rules::GroundingSettings;
use crate::value::unescape;
use foldhash::fast::FixedState;
use loopctl_ground::{
    Claim, Doubt, Naming, Passage, Pattern, Trust, find_passage, is_exact, is_printed, read_opposite,
    read_passage,
};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// What was read of a claim at a passage.
type Reading = Result<Pattern, Doubt>;

/// Readings of one document, kept from one candidate to the next.
#[derive(Debug, Default)]
pub(super) struct Readings {
    known: Mutex<HashMap<u64, Reading>>,
    passages: Mutex<HashMap<u64, Option<Passage>>>,
}

/// Most readings that are kept.
const KEPT: usize = 20_000;

impl Readings {
    fn of(&self, key: u64, read: impl FnOnce() -> Reading) -> Reading {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        known.unwrap_or_else(|| {
            let reading = read();
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() < KEPT {
                known.insert(key, reading);
            }
            reading
        })
    }

    fn passage(&self, key: u64, find: impl FnOnce() -> Option<Passage>) -> Option<Passage> {
        let known = self.passages.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let found = find();
            let mut passages = self.passages.lock().unwrap_or_else(PoisonError::into_inner);
            if passages.len() < KEPT {
                passages.insert(key, found.clone());
            }
            found
        })
    }
}

/// Holds the verdicts on a candidate against clauses.
#[derive(Debug)]
pub(super) struct ClauseEvidence<'a> {
    pub(super) source: &'a Source,
    pub(super) candidate: &'a Value,
    pub(super) settings: &'a GroundingSettings,
}

/// The question that a passage is read for.
#[derive(Debug, Clone, Copy, Hash)]
enum Question {
    Says,
    SaysAnother,
    Where,
}

impl ClauseEvidence<'_> {
    /// The verdict on a leaf, given the one that its words and quotes led to.
    pub(super) fn verdict(&self, pointer: &str, value: &Value, by_words: &Verdict) -> Option<Verdict> {
        if value.as_str().is_some_and(|text| text == self.source.text()) {
            return None;
        }
        let here = self.at_passage(pointer, value, by_words);
        let now = here.as_ref().unwrap_or(by_words);
        match now.support {
            Support::Verified | Support::Entailed | Support::Conflicting | Support::Contradicted => here,
            Support::Undecided | Support::Unsupported => match by_words.finding {
                Finding::QuoteNotFound
                | Finding::QuoteOfAnother
                | Finding::SaysBoth
                | Finding::EndsBefore => here,
                Finding::Said
                | Finding::NotFound
                | Finding::StandsElsewhere
                | Finding::QuoteUndecided
                | Finding::NotBound
                | Finding::Doubted(_)
                | Finding::Untrusted(_)
                | Finding::SaysAnother
                | Finding::OwnerInDoubt
                | Finding::Asserted(_) => self.elsewhere(pointer, value).or(here),
            },
        }
    }

    /// The passage of the document that says the value where its field is named, if it is trusted.
    fn elsewhere(&self, pointer: &str, value: &Value) -> Option<Verdict> {
        let (key, item) = self.field(pointer);
        let found =
            self.source.readings().passage(self.hash(pointer, value, &(0..0), Question::Where), || {
                find_passage(self.source.structure(), &Claim { key: &unescape(key), item, value })
            })?;
        let verdict = Verdict::found(found.bytes, Method::Normalized);
        self.is_trusted(found.pattern).then_some(Verdict { pattern: Some(found.pattern), ..verdict })
    }

    /// The verdict on a leaf as the clause of its passage has it.
    fn at_passage(&self, pointer: &str, value: &Value, by_words: &Verdict) -> Option<Verdict> {
        let undecided = |finding| Verdict { support: Support::Undecided, finding, ..by_words.clone() };
        match by_words.support {
            Support::Verified => match self.read(pointer, value, by_words.bytes.as_ref()?, Question::Says) {
                Ok(pattern) if self.is_trusted(pattern) => {
                    Some(Verdict { pattern: Some(pattern), ..by_words.clone() })
                }
                Ok(pattern) => {
                    Some(Verdict { pattern: Some(pattern), ..undecided(Finding::Untrusted(pattern)) })
                }
                Err(doubt) => Some(undecided(Finding::Doubted(doubt))),
            },
            Support::Contradicted => {
                let bytes = by_words.other.as_ref()?;
                let reading = self.read(pointer, value, bytes, Question::SaysAnother);
                let (key, item) = self.field(pointer);
                let is_exact = is_exact(&Claim { key: &unescape(key), item, value });
                let keeps = |pattern: Pattern| is_exact && pattern.naming != Naming::OtherWords;
                let here = Verdict { bytes: Some(bytes.clone()), other: None, ..by_words.clone() };
                let open = |finding| Some(Verdict { support: Support::Undecided, finding, ..here });
                match reading {
                    Ok(pattern) if keeps(pattern) => None,
                    Ok(pattern) => open(Finding::Untrusted(pattern)),
                    Err(doubt) => open(Finding::Doubted(doubt)),
                }
            }
            Support::Unsupported => {
                let stands = matches!(by_words.finding, Finding::StandsElsewhere | Finding::OwnerInDoubt);
                let is_said = || {
                    by_words.finding == Finding::NotFound
                        && is_telling(value)
                        && is_printed(self.source.structure(), value)
                };
                let finding = if stands { by_words.finding } else { Finding::NotBound };
                (stands || is_said()).then(|| undecided(finding))
            }
            Support::Entailed | Support::Undecided | Support::Conflicting => None,
        }
    }

    fn is_trusted(&self, pattern: Pattern) -> bool {
        Trust::shipped().of(pattern).bound >= self.settings.trust.get()
    }

    fn read(&self, pointer: &str, value: &Value, bytes: &Range<usize>, question: Question) -> Reading {
        let (key, item) = self.field(pointer);
        self.source.readings().of(self.hash(pointer, value, bytes, question), || {
            let key = unescape(key);
            let claim = Claim { key: &key, item, value };
            match question {
                Question::Says => read_passage(self.source.structure(), &claim, bytes),
                Question::SaysAnother | Question::Where => {
                    read_opposite(self.source.structure(), &claim, bytes)
                }
            }
        })
    }

    fn hash(&self, pointer: &str, value: &Value, bytes: &Range<usize>, question: Question) -> u64 {
        let (key, item) = self.field(pointer);
        let mut hasher = FixedState::default().build_hasher();
        (key, item, value, bytes, question).hash(&mut hasher);
        hasher.finish()
    }

    fn field<'p>(&'p self, pointer: &'p str) -> (&'p str, Option<&'p str>) {
        claimed_field(self.candidate, pointer)
    }
}

/// The key of a leaf, as it is written in its pointer, and the text that names the item that it is a member of.
pub(crate) fn claimed_field<'p>(candidate: &'p Value, pointer: &'p str) -> (&'p str, Option<&'p str>) {
    let is_index = |step: &&str| step.bytes().all(|byte| byte.is_ascii_digit());
    let key = steps(pointer).filter(|step| !is_index(step)).last().unwrap_or_default();
    let Some((of_item, member)) = pointer.rsplit_once('/') else { return (key, None) };
    if !of_item.rsplit('/').next().is_some_and(|step| !step.is_empty() && is_index(&step)) {
        return (key, None);
    }
    let item = candidate.pointer(of_item).and_then(Value::as_object);
    let named = item.into_iter().flatten().find_map(|(name, value)| {
        let text = value.as_str().filter(|text| names_item(text))?;
        Some((name, text))
    });
    match named {
        Some((name, _)) if *name == *unescape(member) => (key, Some("")),
        Some((_, text)) => (key, Some(text)),
        None => (key, None),
    }
}

/// If a text can name an item: it has two letters in a row.
fn names_item(text: &str) -> bool {
    text.chars().zip(text.chars().skip(1)).any(|(one, other)| one.is_alphabetic() && other.is_alphabetic())
}

/// If it says something that a value stands in a document at all: single words stand in most.
fn is_telling(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::String(text) => {
            text.split_whitespace().nth(1).is_some() || text.contains(|c: char| c.is_ascii_digit())
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}
