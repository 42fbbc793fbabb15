//! Verdicts held against the clauses around their passages: a value is verified only where its clause is understood.

use super::grounded::{KnownField, Source, steps};
use super::grounding::{Finding, Method, Support, Verdict};
use crate::rules::{Assertion, GroundingSettings};
use crate::value::unescape;
use foldhash::fast::FixedState;
use loopctl_ground::{
    Claim, Doubt, Found, Naming, Pattern, find_passage, is_denied_at, is_exact, is_named, is_nowhere,
    read_opposite, read_passage,
};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Verdicts on claims of one document, kept from one candidate to the next; none where the one by words stays.
#[derive(Debug, Default)]
pub(super) struct Readings {
    known: Mutex<HashMap<u64, Option<Verdict>>>,
}

/// Most verdicts that are kept.
const KEPT: usize = 20_000;

impl Readings {
    fn of(&self, key: u64, read: impl FnOnce() -> Option<Verdict>) -> Option<Verdict> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let verdict = read();
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() < KEPT {
                known.insert(key, verdict.clone());
            }
            verdict
        })
    }
}

/// Holds the verdicts on a candidate against clauses.
#[derive(Debug)]
pub(super) struct ClauseEvidence<'a> {
    pub(super) source: &'a Source,
    pub(super) candidate: &'a Value,
    pub(super) settings: &'a GroundingSettings,
    /// If the leaf is held against its own part of the document, which is what its item is about.
    pub(super) of_part: bool,
}

impl ClauseEvidence<'_> {
    /// The verdict on a leaf, given the one that its words and quotes led to.
    pub(super) fn verdict(&self, pointer: &str, value: &Value, by_words: &Verdict) -> Option<Verdict> {
        if value.as_str().is_some_and(|text| text == self.source.text()) {
            return None;
        }
        let (key, item) = self.field(pointer);
        let trust = (self.settings.trust.get().to_bits(), self.settings.patterns.fingerprint());
        let asked =
            FixedState::default().hash_one((key, item, pointer, value, by_words, trust, self.of_part));
        self.source.readings().of(asked, || self.read(pointer, value, by_words))
    }

    fn read(&self, pointer: &str, value: &Value, by_words: &Verdict) -> Option<Verdict> {
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

    /// The passage of the document that says the value, or its opposite, where the field is named; if it is trusted.
    fn elsewhere(&self, pointer: &str, value: &Value) -> Option<Verdict> {
        let found = self.claim(pointer, value, |claim| find_passage(self.source.structure(), claim))?;
        let verdict = match found {
            Found::Says(passage) => Verdict {
                pattern: Some(passage.pattern),
                ..Verdict::found(passage.bytes, Method::Normalized)
            },
            Found::SaysOpposite(passage) => Verdict {
                pattern: Some(passage.pattern),
                ..Verdict::contradicted(Finding::SaysAnother, passage.bytes)
            },
        };
        verdict.pattern.is_some_and(|pattern| self.is_trusted(pattern)).then_some(verdict)
    }

    /// The verdict on a leaf as the clause of its passage has it.
    fn at_passage(&self, pointer: &str, value: &Value, by_words: &Verdict) -> Option<Verdict> {
        match by_words.support {
            Support::Verified => self.said_at(pointer, value, by_words.clone()),
            Support::Contradicted => self.contradicted_at(pointer, value, by_words),
            Support::Conflicting => {
                let structure = self.source.structure();
                let speaks_against = |bytes: &Range<usize>| {
                    self.claim(pointer, value, |claim| read_opposite(structure, claim, bytes)).is_ok()
                };
                if by_words.other.as_ref().is_none_or(speaks_against) {
                    return None;
                }
                let method = by_words.method.unwrap_or(Method::Normalized);
                self.said_at(pointer, value, Verdict::found(by_words.bytes.clone()?, method))
            }
            Support::Unsupported => {
                let has_values = self.known_field(pointer).is_some_and(|field| field.has_values);
                let document = self.source.structure();
                let is_said = || !self.claim(pointer, value, |claim| is_nowhere(document, claim, has_values));
                let is_open = matches!(
                    by_words.finding,
                    Finding::NotFound | Finding::StandsElsewhere | Finding::OwnerInDoubt
                );
                // What an item's own part does not have is not said of it, whatever other parts say.
                (is_open && !self.of_part && is_said()).then(|| open(by_words, by_words.finding))
            }
            Support::Entailed | Support::Undecided => None,
        }
    }

    /// The verdict on a leaf that the passage of another one says, if its clause does so.
    fn said_at(&self, pointer: &str, value: &Value, said: Verdict) -> Option<Verdict> {
        Some(match self.says(pointer, value, said.bytes.as_ref()?) {
            Ok(pattern) if self.is_trusted(pattern) => Verdict { pattern: Some(pattern), ..said },
            Ok(pattern) => Verdict { pattern: Some(pattern), ..open(&said, Finding::Untrusted(pattern)) },
            Err(doubt) => open(&said, Finding::Doubted(doubt)),
        })
    }

    /// The verdict on a leaf against which a passage speaks, if its clause does not do so surely.
    fn contradicted_at(&self, pointer: &str, value: &Value, by_words: &Verdict) -> Option<Verdict> {
        let bytes = by_words.other.as_ref()?;
        let structure = self.source.structure();
        let reading = self.claim(pointer, value, |claim| read_opposite(structure, claim, bytes));
        let is_listed = self.known_field(pointer).is_some_and(|field| field.has_values);
        let is_exact = is_listed || self.claim(pointer, value, is_exact);
        // What denies a text leaves no other wording of it.
        let is_denied = by_words.finding == Finding::Asserted(Assertion::Negated) && !is_exact;
        // Told of another time, a plan or a person, while the field is named: there the document may say it.
        if self.is_told_otherwise(by_words) && !is_denied && self.is_named(pointer) {
            return Some(Verdict { support: Support::Unsupported, ..by_words.clone() });
        }
        let keeps = |pattern: Pattern| is_exact && pattern.naming != Naming::OtherWords;
        let is_sure = reading.is_ok_and(keeps)
            || is_denied && self.claim(pointer, value, |claim| is_denied_at(structure, claim, bytes));
        let here = Verdict { bytes: Some(bytes.clone()), other: None, ..by_words.clone() };
        let why = match reading {
            Ok(pattern) => Finding::Untrusted(pattern),
            Err(doubt) => Finding::Doubted(doubt),
        };
        (!is_sure).then(|| open(&here, why))
    }

    /// If a passage has the value as something that is no fact of now.
    fn is_told_otherwise(&self, by_words: &Verdict) -> bool {
        match by_words.finding {
            Finding::Asserted(how) => how != Assertion::Negated,
            Finding::Said
            | Finding::NotFound
            | Finding::StandsElsewhere
            | Finding::QuoteNotFound
            | Finding::QuoteOfAnother
            | Finding::QuoteUndecided
            | Finding::NotBound
            | Finding::Doubted(_)
            | Finding::Untrusted(_)
            | Finding::SaysAnother
            | Finding::OwnerInDoubt
            | Finding::SaysBoth
            | Finding::EndsBefore => false,
        }
    }

    /// If the document names the field somewhere.
    fn is_named(&self, pointer: &str) -> bool {
        self.claim(pointer, &Value::Null, |claim| is_named(self.source.structure(), claim))
    }

    fn is_trusted(&self, pattern: Pattern) -> bool {
        self.settings.patterns.of(pattern).bound >= self.settings.trust.get()
    }

    fn says(&self, pointer: &str, value: &Value, bytes: &Range<usize>) -> Result<Pattern, Doubt> {
        self.claim(pointer, value, |claim| read_passage(self.source.structure(), claim, bytes))
    }

    /// Asks something of a leaf's claim.
    fn claim<T>(&self, pointer: &str, value: &Value, ask: impl FnOnce(&Claim<'_>) -> T) -> T {
        let (key, item) = self.field(pointer);
        ask(&Claim { key: &unescape(key), synonyms: self.synonyms(pointer), item, value })
    }

    /// The field of the rubric, of a value at the top of the candidate or of an item that is about a part of the document.
    fn known_field(&self, pointer: &str) -> Option<&KnownField> {
        let (above, key) = pointer.rsplit_once('/')?;
        (above.is_empty() || self.of_part).then(|| self.source.known_field(&unescape(key)))?
    }

    fn synonyms(&self, pointer: &str) -> &[String] {
        self.known_field(pointer).map_or(&[], |field| &field.synonyms)
    }

    fn field<'p>(&'p self, pointer: &'p str) -> (&'p str, Option<&'p str>) {
        if self.of_part {
            let key = steps(pointer).filter(|step| !is_index(step)).last().unwrap_or_default();
            return (key, None);
        }
        claimed_field(self.candidate, pointer)
    }
}

/// A verdict that leaves a value open.
fn open(verdict: &Verdict, finding: Finding) -> Verdict {
    Verdict { support: Support::Undecided, finding, ..verdict.clone() }
}

/// The key of a leaf, as it is written in its pointer, and the text that names the item that it is a member of.
pub(crate) fn claimed_field<'p>(candidate: &'p Value, pointer: &'p str) -> (&'p str, Option<&'p str>) {
    let key = steps(pointer).filter(|step| !is_index(step)).last().unwrap_or_default();
    let Some((of_item, member)) = pointer.rsplit_once('/') else { return (key, None) };
    if !of_item.rsplit('/').next().is_some_and(is_index) {
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

/// If a step of a pointer is the index of an item.
fn is_index(step: &str) -> bool {
    !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit())
}

/// If a text can name an item: it has two letters in a row.
fn names_item(text: &str) -> bool {
    text.chars().zip(text.chars().skip(1)).any(|(one, other)| one.is_alphabetic() && other.is_alphabetic())
}
