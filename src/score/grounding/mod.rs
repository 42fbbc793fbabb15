//! Grounding: where in the source does an extracted value stand?
//!
//! A value is looked for as it is written; then without regard to case, spaces, hyphenation, accents and typography;
//! then by the numbers it holds, in their units; then through scanning errors. A match is a whole word or number, never
//! part of one. Short and common values (`negative`, `2`, `left`) count only beside a name of their own field.
//! A wrong match harms more than a missed one, so what is not clear is not grounded.
//!
//! Work is counted in tokens and names that are compared. One value that is not found takes a time linear in the source;
//! all of a candidate's take what the fuel allows, and what is looked for afterwards is not found.

mod answers;
mod boundary;
mod date;
mod fold;
mod fuzzy;
mod index;
mod keys;
mod names;
mod neighbourhood;
mod number;
mod probe;
mod sequence;
mod spelt;
mod token;
mod walk;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod sentences;

use std::fmt::Write as _;
use std::ops::Range;

use crate::value::Fuel;
use serde_json::Value;

pub(crate) use index::SourceIndex;
pub(crate) use names::Vocabulary;
pub(crate) use walk::LeafContext;

use answers::Answers;
use boundary::{is_negated, is_whole};
use index::Identity;
use keys::Keys;
use names::{Hit, settle};
use neighbourhood::{Names, belongs};
use probe::{Evidence, Probe};
use sequence::{TokenMatch, align};
use token::{Style, Token, TokenKind, tokenize};

/// How a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Method {
    /// Character for character.
    Exact,
    /// But for case, spaces, hyphenation, accents, typography.
    Normalized,
    /// A number, quantity or date that is equal, written otherwise.
    Numeric,
    /// But for scanning errors, within the bound.
    Fuzzy,
}

/// Where a value stands in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    /// Offsets in characters (Unicode scalar values) of the source as given.
    pub chars: Range<usize>,
    /// Offsets in bytes of the source as given; always on character boundaries.
    pub bytes: Range<usize>,
    /// How it was found.
    pub method: Method,
}

/// What grounding may forgive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Least similarity of an approximate match, in [0, 1]: 1 minus errors per letter. 1 finds nothing approximately.
    pub fuzzy: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { fuzzy: 0.9 }
    }
}

/// What one grounding leaves to the next: once warm, grounding allocates nothing, and what was found for the same value
/// in the same place is not looked for again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    tokens: Vec<Token>,
    number: String,
    pointer: String,
    keys: Keys,
    /// Where names stand in the source, if the candidate has names of its own there; else they are the source's.
    hits: Option<Vec<Hit>>,
    answers: Answers,
    /// The source and settings that the hits and answers are for.
    source: Option<(Identity, Settings)>,
}

/// Grounds the leaves of one candidate in one source.
#[derive(Debug)]
pub(crate) struct Grounder<'a> {
    vocabulary: &'a Vocabulary,
    source: &'a SourceIndex,
    settings: Settings,
    scratch: &'a mut Scratch,
    fuel: &'a Fuel,
}

/// What it costs to look at what is around one match, in token comparisons.
const ACCEPTING: u64 = 32;

/// Token comparisons spent on one value before it counts as not found: far above any honest need, linear in the text.
fn work_limit(source: &SourceIndex) -> usize {
    source.tokens().len().saturating_mul(8).saturating_add(1 << 20)
}

impl<'a> Grounder<'a> {
    /// Prepares to ground leaves of `candidate`: its keys and labels join the vocabulary, so that a value is not taken
    /// from beside a name that only this candidate uses. `source` must have been indexed with the same vocabulary.
    pub(crate) fn new(
        candidate: &Value,
        vocabulary: &'a Vocabulary,
        source: &'a SourceIndex,
        settings: Settings,
        scratch: &'a mut Scratch,
        fuel: &'a Fuel,
    ) -> Self {
        let same_names = scratch.keys.learn(candidate, vocabulary, fuel);
        let same_source = scratch
            .source
            .as_ref()
            .is_some_and(|(known, with)| known == source.identity() && *with == settings);
        if !(same_names && same_source) {
            scratch.answers.clear();
            let mut hits = scratch.hits.take().unwrap_or_default();
            hits.clear();
            scratch.keys.locate(vocabulary, source, &mut hits, fuel);
            if !hits.is_empty() {
                hits.extend_from_slice(source.hits());
                settle(&mut hits);
                scratch.hits = Some(hits);
            }
            // Without fuel, hits may be missing.
            scratch.source = (!fuel.is_spent()).then(|| (source.identity().clone(), settings));
        }
        Self { vocabulary, source, settings, scratch, fuel }
    }

    /// Finds the string or number `value`, which stands at `place` in the candidate.
    ///
    /// None when it is not found, and for empty strings, nulls, booleans, arrays and objects.
    pub(crate) fn ground(&mut self, value: &Value, place: &LeafContext<'_>) -> Option<Match> {
        let mut number = std::mem::take(&mut self.scratch.number);
        let mut tokens = std::mem::take(&mut self.scratch.tokens);
        number.clear();
        let text = match value {
            Value::String(text) => Some(text.as_str()),
            Value::Number(given) => write_plain(given, &mut number).then_some(number.as_str()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let found = text.and_then(|text| self.answer(text, place, &mut tokens));
        self.scratch.number = number;
        self.scratch.tokens = tokens;
        found
    }

    /// What was found for `text` before, or is found now.
    fn answer(&mut self, text: &str, place: &LeafContext<'_>, tokens: &mut Vec<Token>) -> Option<Match> {
        if text == self.source.text() && !text.trim().is_empty() {
            return Some(self.span(0..text.len(), Method::Exact));
        }
        let question = self.scratch.answers.question(place.id, text);
        if let Some(known) = question.as_ref().and_then(|question| self.scratch.answers.get(question)) {
            return known.clone();
        }
        let found = self.find(text, place, tokens);
        if let Some(question) = question.filter(|_| !self.fuel.is_spent()) {
            self.scratch.answers.keep(question, found.clone());
        }
        found
    }

    fn find(&self, text: &str, place: &LeafContext<'_>, tokens: &mut Vec<Token>) -> Option<Match> {
        let source = self.source;
        let keys = self.scratch.keys.at(place.id);
        if text.len() > source.text().len().saturating_mul(4) {
            return None;
        }
        tokens.clear();
        tokenize(text, &mut Style::default(), &mut |token| tokens.push(token));
        if tokens.is_empty() {
            return None;
        }
        let fuel = self.fuel;
        if !fuel.spend_on(text.len()) {
            return None;
        }
        let mut probe = Probe { text, tokens, hint: None };
        if probe.is_bare_number() {
            probe.hint = keys.unit;
        }
        let is_worded_label =
            keys.is_label && !probe.tokens.iter().all(|token| token.kind == TokenKind::Number);
        let evidence =
            if is_worded_label || date::is_date(&probe) { Evidence::Free } else { probe.evidence() };
        let (own, neutral) = self.scratch.keys.concepts(keys);
        let names = Names { hits: self.scratch.hits.as_deref().unwrap_or(source.hits()), own, neutral };
        let accept = |found: TokenMatch| {
            // What is around a match is looked at as far as the constants below reach.
            fuel.spend(ACCEPTING)
                && is_whole(found, &probe, source, names.hits)
                && !is_negated(found, &probe, source, evidence)
                && (evidence != Evidence::Free || capitals_agree(found, &probe, source))
                && (keys.is_label || !names.speaks_of_another(found, source))
                && (evidence == Evidence::Free
                    || belongs(found, &probe, source, &names, evidence)
                    || place.label.is_some_and(|label| neighbourhood::labels_row(found, source, label.text)))
        };
        if let Some((bytes, method)) = as_written(&probe, source, fuel, accept) {
            return Some(self.span(bytes, method));
        }
        if let Some(found) = date::find(&probe, source, |found| is_whole(found, &probe, source, names.hits)) {
            return Some(self.span(bytes_of(found, source), Method::Numeric));
        }
        if evidence != Evidence::Free {
            return None;
        }
        let found = fuzzy::find(&probe, source, self.settings.fuzzy, fuel, accept)?;
        Some(self.span(bytes_of(found, source), Method::Fuzzy))
    }

    fn span(&self, bytes: Range<usize>, method: Method) -> Match {
        Match { chars: self.source.chars(&bytes), bytes, method }
    }
}

/// Writes a number without exponent; false when that is no text to look for.
fn write_plain(number: &serde_json::Number, into: &mut String) -> bool {
    if number.is_i64() || number.is_u64() {
        return write!(into, "{number}").is_ok();
    }
    // Rust writes floats in full and as short as reads back the same.
    number.as_f64().is_some_and(|float| write!(into, "{float}").is_ok())
}

fn bytes_of(found: TokenMatch, source: &SourceIndex) -> Range<usize> {
    let start = source.token(found.from).map_or(0, |token| token.start as usize);
    let end =
        found.to.checked_sub(1).and_then(|last| source.token(last)).map_or(start, |token| token.end as usize);
    start..end
}

/// Short labels (`Na`, `K`, `ER`) are found only as they are capitalised.
fn capitals_agree(found: TokenMatch, probe: &Probe<'_>, source: &SourceIndex) -> bool {
    let short = probe.tokens.len() == 1 && token::letters(probe.text) <= 5;
    let here = source.text().get(bytes_of(found, source)).unwrap_or_default();
    !short || !probe::is_capitalised(probe.text) || here == probe.text.trim()
}

/// The first acceptable place where the value stands exactly; else the first where it stands but for spelling.
fn as_written(
    probe: &Probe<'_>,
    source: &SourceIndex,
    fuel: &Fuel,
    accept: impl Fn(TokenMatch) -> bool,
) -> Option<(Range<usize>, Method)> {
    let candidates = |i: usize| {
        probe
            .token(i)
            .map_or(0, |token| source.occurrences(token.hash).len() + source.joined(token.hash).len())
    };
    let anchors = (0..probe.tokens.len().min(16)).filter(|i| {
        let unit = *i > 0 && probe.unit(*i).is_some();
        !unit && !probe::is_times(probe.text, probe.tokens, *i)
    });
    let anchor = anchors.min_by_key(|i| candidates(*i))?;
    let hash = probe.token(anchor)?.hash;
    let limit = work_limit(source);
    let (mut work, mut other) = (0, None);
    let places =
        source.occurrences(hash).iter().copied().chain(source.joined(hash).iter().map(|join| join.1));
    let mut counted = 0;
    let shifts = if anchor == 0 { 0..1_usize } else { 0..3 };
    for place in places {
        if !fuel.spend_on(work - counted) {
            return None;
        }
        counted = work;
        // Words joined over a line break and repeated units before the anchor shift it a little.
        for shift in shifts.clone() {
            work += 1;
            let Some(from) = (place as usize).checked_sub(anchor + shift) else {
                break;
            };
            // Only an exact match is better than one that was found.
            if other.is_some() && !begins_exactly(probe, source, from) {
                continue;
            }
            if let Some(found) = align(probe, source, from, &mut work)
                && accept(found)
            {
                let bytes = bytes_of(found, source);
                if let Some(exact) = exactly(probe, source, &bytes) {
                    return Some((exact, Method::Exact));
                }
                let method = if found.numeric { Method::Numeric } else { Method::Normalized };
                other.get_or_insert((bytes, method));
            }
        }
        if work > limit {
            break;
        }
    }
    other
}

/// Whether the value stands exactly where token `from` begins, as far as it goes.
fn begins_exactly(probe: &Probe<'_>, source: &SourceIndex, from: usize) -> bool {
    let Some(here) = source.token(from) else { return false };
    exact_start(probe, here.start as usize)
        .and_then(|start| source.text().as_bytes().get(start..))
        .is_some_and(|rest| rest.starts_with(probe.text.trim().as_bytes()))
}

/// Where the value begins, with the punctuation before its first word, if that word is at `at`.
fn exact_start(probe: &Probe<'_>, at: usize) -> Option<usize> {
    let offset = probe.text.len() - probe.text.trim_start().len();
    at.checked_sub((probe.token(0)?.start as usize).checked_sub(offset)?)
}

/// The bytes of an exact match, with the punctuation around the value's words.
fn exactly(probe: &Probe<'_>, source: &SourceIndex, bytes: &Range<usize>) -> Option<Range<usize>> {
    let value = probe.text.trim();
    let start = exact_start(probe, bytes.start)?;
    let end = start.checked_add(value.len())?;
    // The number 12.5 is not exactly 12.50, but 90 is exactly in 90%.
    let rest = if end < bytes.end { source.text().get(end..bytes.end)? } else { "" };
    let whole = rest.trim_start_matches([' ', '%']).is_empty();
    (whole && source.text().get(start..end) == Some(value)).then_some(start..end)
}
