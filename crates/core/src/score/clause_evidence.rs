//! Values held against the clauses of a document, where a rubric has words for its type: the facts that clauses state
//! about a field.

use super::grounded::steps;
use super::item_name::{claimed_field, is_index};
use super::source::{KnownField, Source};
use super::verdict::{Finding, Method, Support, Verdict};
use crate::rules::GroundingSettings;
use crate::value::{Fuel, unescape};
use foldhash::fast::FixedState;
use loopctl_ground::{
    Claim, Doubt, Known, Passage, Reading, Trusted, is_denied_at, is_exact, is_nowhere, read_claim,
};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Verdicts on claims of one document, kept from one candidate to the next.
#[derive(Debug, Default)]
pub(super) struct Readings {
    known: Mutex<HashMap<u64, Option<Verdict>>>,
}

/// Most verdicts that are kept.
const KEPT: usize = 20_000;

impl Readings {
    /// The verdict that is kept under a key, or the one that is read now; none where nothing more may be read.
    fn of(&self, key: u64, read: impl FnOnce() -> Option<Option<Verdict>>) -> Option<Verdict> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let verdict = read()?;
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() < KEPT {
                known.insert(key, verdict.clone());
            }
            verdict
        })
    }
}

/// Holds values of a candidate against clauses.
pub(super) struct ClauseEvidence<'a> {
    pub(super) source: &'a Source,
    pub(super) candidate: &'a Value,
    pub(super) settings: &'a GroundingSettings,
    /// The stretches of the part of the document that the leaf is held against, if its item is about one.
    pub(super) within: Option<&'a [Range<usize>]>,
    /// Gives the member that names each item of the list at a pointer, if a rubric or schema names one.
    pub(super) item_key: &'a dyn Fn(&str) -> Option<&'a str>,
    pub(super) fuel: &'a Fuel,
}

/// The fuel that it takes to read the passages of one claim: most of them, and the words of one.
const READING: u64 = 10_000;

impl ClauseEvidence<'_> {
    /// The verdict on a leaf; none on `false`, for a field that the document does not mention.
    pub(super) fn verdict(&self, pointer: &str, value: &Value, quotes: &[String]) -> Option<Verdict> {
        let (key, item) = self.field(pointer);
        let trust = (self.settings.trust.get().to_bits(), self.settings.patterns.fingerprint());
        let asked = FixedState::default().hash_one((key, item, pointer, value, quotes, trust, self.within));
        // A reading with too little fuel leaves the verdict unknown.
        let read = || {
            let verdict = self.fuel.spend(READING).then(|| self.read(pointer, value, quotes))?;
            (!self.fuel.is_spent()).then_some(verdict)
        };
        self.source.readings().of(asked, read)
    }

    fn read(&self, pointer: &str, value: &Value, quotes: &[String]) -> Option<Verdict> {
        let document = self.source.structure();
        let mut places = self.source.quote_places(quotes, self.fuel);
        let is_own = |place: &Range<usize>| {
            let holds = |part: &Range<usize>| part.start <= place.start && place.end <= part.end;
            self.within.is_none_or(|parts| parts.iter().any(holds))
        };
        places.retain(is_own);
        if places.is_empty() && !quotes.is_empty() {
            return Some(Verdict::new(Support::Unsupported, Finding::QuoteNotFound));
        }
        let words = self.source.wordings(self.vocabulary(pointer), value);
        let known = Known {
            quotes: &places,
            wordings: &words.same,
            others: &words.others,
            is_preferred: words.is_preferred,
            describing: self.source.describing(),
            added: self.source.added(),
            apart: &self.source.apart(&unescape(self.field(pointer).0)),
            is_listed: !(words.same.is_empty() && words.others.is_empty()),
            within: self.within,
            likeness: self.settings.fuzzy.get(),
        };
        let trusted = Trusted { counts: &self.settings.patterns, least: self.settings.trust.get() };
        let reading = self.claim(pointer, value, |claim| read_claim(document, claim, known, trusted));
        let says = |passage: Passage| Verdict {
            pattern: Some(passage.pattern),
            by_quote: places
                .iter()
                .any(|quote| quote.start <= passage.bytes.start && passage.bytes.end <= quote.end),
            ..self.found(value, passage.bytes)
        };
        Some(match reading {
            Reading::Says(passage) => says(passage),
            Reading::SaysBoth(passage, other) => Verdict {
                support: Support::Conflicting,
                finding: Finding::SaysAnother,
                other: Some(other.bytes),
                ..says(passage)
            },
            Reading::SaysAnother(other) => Verdict {
                pattern: Some(other.pattern),
                ..Verdict::contradicted(Finding::SaysAnother, other.bytes)
            },
            Reading::Untrusted(passage) => {
                let pattern = passage.pattern;
                says(passage).open(Finding::Untrusted(pattern))
            }
            Reading::Doubted(Doubt::Denied, bytes) if self.is_denied(pointer, value, &bytes) => {
                Verdict::contradicted(Finding::Denied, bytes)
            }
            Reading::Doubted(doubt, bytes) => self.found(value, bytes).open(Finding::Doubted(doubt)),
            Reading::Nothing => match places.first() {
                Some(quote) => Verdict {
                    by_quote: true,
                    ..Verdict::found(quote.clone(), Method::Normalized).open(Finding::QuoteUndecided)
                },
                // A value that an item's own part does not have is not stated about it, whatever other parts say.
                None if self.within.is_some() || self.is_nowhere(pointer, value) => {
                    if *value == Value::Bool(false) {
                        return None;
                    }
                    Verdict::not_found()
                }
                None => Verdict::not_found().open(Finding::NotFound),
            },
        })
    }

    /// A value that is printed at some bytes.
    fn found(&self, value: &Value, bytes: Range<usize>) -> Verdict {
        // With the signs at the end of a text.
        let whole = |text: &str| {
            let bytes = bytes.start..bytes.start.checked_add(text.len())?;
            (self.source.text().get(bytes.clone()) == Some(text)).then_some(bytes)
        };
        let bytes = value.as_str().and_then(whole).unwrap_or(bytes.clone());
        let printed = self.source.text().get(bytes.clone()).unwrap_or_default();
        let method = Method::of(value, printed);
        Verdict::found(bytes, method)
    }

    /// Returns whether a denial right before a text leaves no other wording of it.
    fn is_denied(&self, pointer: &str, value: &Value, bytes: &Range<usize>) -> bool {
        let is_listed = self.known_field(pointer).is_some_and(|field| field.has_values);
        let denies =
            |claim: &Claim<'_>| !is_exact(claim) && is_denied_at(self.source.structure(), claim, bytes);
        !is_listed && self.claim(pointer, value, denies)
    }

    fn is_nowhere(&self, pointer: &str, value: &Value) -> bool {
        let has_values = self.known_field(pointer).is_some_and(|field| field.has_values);
        self.claim(pointer, value, |claim| is_nowhere(self.source.structure(), claim, has_values))
    }

    /// Asks something of a leaf's claim.
    fn claim<T>(&self, pointer: &str, value: &Value, ask: impl FnOnce(&Claim<'_>) -> T) -> T {
        let (key, item) = self.field(pointer);
        let synonyms = self.known_field(pointer).map_or(&[][..], |field| &field.synonyms);
        ask(&Claim { key: &unescape(key), synonyms, item, value })
    }

    /// The vocabulary of a leaf's field: the one that the rubric names, else that of its key or of its parent.
    fn vocabulary(&self, pointer: &str) -> Option<usize> {
        let named = self.known_field(pointer).and_then(|field| field.vocabulary);
        named.or_else(|| {
            let (_, item) = self.field(pointer);
            let keys = steps(pointer).filter(|step| !is_index(step));
            let keys: Vec<&str> = keys.chain(item).collect();
            keys.into_iter().rev().find_map(|key| self.source.vocabulary_of(&unescape(key)))
        })
    }

    /// The field of the rubric, of a value at the top of the candidate or of an item that is about a part of the document.
    fn known_field(&self, pointer: &str) -> Option<&KnownField> {
        let (above, key) = pointer.rsplit_once('/')?;
        (above.is_empty() || self.within.is_some()).then(|| self.source.known_field(&unescape(key)))?
    }

    fn field<'p>(&'p self, pointer: &'p str) -> (&'p str, Option<&'p str>) {
        if self.within.is_some() {
            let key = steps(pointer).filter(|step| !is_index(step)).last().unwrap_or_default();
            return (key, None);
        }
        claimed_field(self.candidate, pointer, self.item_key)
    }
}

/// Leaves open each value at a position that another field of the record has by its name, where its own field is not
/// named.
pub(super) fn settle_claims(verdicts: &mut [Option<Verdict>], named: &mut Vec<(usize, usize)>) {
    let is_own = |verdict: &Verdict| verdict.pattern.is_some_and(|pattern| pattern.naming.is_own());
    let place = |verdict: &Verdict| verdict.bytes.as_ref().map(|bytes| (bytes.start, bytes.end));
    named.clear();
    named.extend(verdicts.iter().flatten().filter(|verdict| is_own(verdict)).filter_map(place));
    named.sort_unstable();
    for verdict in verdicts.iter_mut().flatten() {
        let is_claimed = place(verdict).is_some_and(|place| named.binary_search(&place).is_ok());
        if is_claimed && verdict.pattern.is_some() && !is_own(verdict) {
            let open = verdict.clone().open(Finding::Doubted(Doubt::ClaimedByAnother));
            *verdict = Verdict { pattern: None, other: None, ..open };
        }
    }
}
