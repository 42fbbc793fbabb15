//! Grounding: where in the source does an extracted value stand?
//!
//! A value is looked for as it is written; then without regard to case, spaces, hyphenation, accents and typography;
//! then by the numbers it holds, in their units; then through scanning errors. A match is a whole word or number, never
//! part of one. Short and common values (`negative`, `2`, `left`) count only beside a name of their own field.
//! A wrong match harms more than a missed one, so what is not clear is not grounded.
//!
//! Work is counted in tokens and names that are compared. One value that is not found takes a time linear in the source;
//! all of a candidate's take what the fuel allows, and what is looked for afterwards is not found.

mod boundary;
mod date;
mod evidence;
mod fold;
mod fuzzy;
mod index;
mod names;
mod neighbourhood;
mod number;
mod probe;
mod sequence;
mod token;
mod walk;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod sentences;

use std::fmt::Write as _;
use std::ops::Range;

use crate::rules::Assertion;
use crate::value::Fuel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use evidence::Support;
pub(crate) use evidence::{Finding, Lexicon, Passages, Verdict};
pub(crate) use index::SourceIndex;
pub(crate) use names::Vocabulary;
pub(crate) use walk::LeafContext;

use boundary::{is_negated, is_whole};
use evidence::{Document, Field, Judge, Searched, is_quantity, write_words};
use names::{Concept, Hit, NameTable, unit_in_key};
use neighbourhood::{Names, belongs};
use probe::{Evidence, Probe};
use sequence::{TokenMatch, align};
use token::{Style, Token, TokenKind, tokenize};

/// How a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Method {
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

/// Buffers that one grounding leaves to the next: once warm, grounding allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    tokens: Vec<Token>,
    others: Vec<Token>,
    words: String,
    number: String,
    pointer: String,
    names: NameTable,
    probe: NameTable,
    hits: Vec<Hit>,
    own: Vec<Concept>,
    neutral: Vec<Concept>,
}

/// What reads a document beyond its words: vocabularies and context, and what they find in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'a> {
    /// The compiled vocabularies and context.
    pub lexicon: &'a Lexicon,
    /// What they find in the document.
    pub passages: &'a Passages,
    /// The vocabulary of each field that the names know, if the rubric says one.
    pub values: &'a [Option<usize>],
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

/// What a passage may do to a value that is what it is, whatever is said of it: a side, a modality.
const ANY: [Assertion; 5] = [
    Assertion::Negated,
    Assertion::Uncertain,
    Assertion::Historical,
    Assertion::Hypothetical,
    Assertion::OfAnother,
];
/// What a passage may do to a number or a date: what is denied or doubted beside it is something else.
const OF_NUMBERS: [Assertion; 3] = [Assertion::Negated, Assertion::Uncertain, Assertion::Hypothetical];

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
        let mut grounder = Self { vocabulary, source, settings, scratch, fuel };
        grounder.scratch.names.clear(vocabulary.table().concepts);
        walk::names(candidate, &mut |name| grounder.learn(name));
        let scratch = &mut *grounder.scratch;
        scratch.hits.clear();
        scratch.hits.extend_from_slice(source.hits());
        scratch.names.locate(source, &mut scratch.hits, fuel);
        scratch.hits.sort_unstable();
        // Within `progesterone receptor`, `receptor` is no name of its own. Sorted: a longer name comes first.
        let mut widest = (0, 0);
        scratch.hits.retain(|hit| {
            let here = (hit.start, hit.end.0);
            let inside = here != widest && here.1 <= widest.1;
            if here.1 > widest.1 {
                widest = here;
            }
            !inside
        });
        grounder
    }

    /// Adds a name that the vocabulary does not know.
    fn learn(&mut self, name: &str) {
        let scratch = &mut *self.scratch;
        if !self.fuel.spend_on(8 + name.len()) {
            return;
        }
        scratch.probe.clear(0);
        scratch.probe.add(0, name);
        scratch.own.clear();
        self.vocabulary.table().resolve(&scratch.probe, &mut scratch.own, self.fuel);
        scratch.names.resolve(&scratch.probe, &mut scratch.own, self.fuel);
        if scratch.own.is_empty() {
            let concept = scratch.names.concepts;
            scratch.names.add(concept, name);
            scratch.names.concepts = concept.saturating_add(1);
        }
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
        let found = text.and_then(|text| self.find(text, place, &mut tokens));
        self.scratch.number = number;
        self.scratch.tokens = tokens;
        found
    }

    fn find(&mut self, text: &str, place: &LeafContext<'_>, tokens: &mut Vec<Token>) -> Option<Match> {
        if let Some(whole) = self.whole(text) {
            return Some(whole);
        }
        let probe = self.probe(text, place, tokens)?;
        let (bytes, method) = self.search(&probe, place, false, &|_| true)?;
        Some(self.span(bytes, method))
    }

    /// The source itself, given as a value.
    fn whole(&self, text: &str) -> Option<Match> {
        let is_all = text == self.source.text() && !text.trim().is_empty();
        is_all.then(|| self.span(0..text.len(), Method::Exact))
    }

    /// A value cut into tokens, and whose names count for it.
    fn probe<'t>(
        &mut self,
        text: &'t str,
        place: &LeafContext<'_>,
        tokens: &'t mut Vec<Token>,
    ) -> Option<Probe<'t>> {
        if text.len() > self.source.text().len().saturating_mul(4) {
            return None;
        }
        tokens.clear();
        tokenize(text, &mut Style::default(), &mut |token| tokens.push(token));
        if tokens.is_empty() {
            return None;
        }
        self.resolve(place);
        if !self.fuel.spend_on(text.len()) {
            return None;
        }
        let mut probe = Probe { text, tokens, hint: None };
        if probe.is_bare_number() {
            probe.hint = place
                .unit
                .and_then(number::unit_of_phrase)
                .or_else(|| unit_in_key(place.key).map(|(unit, _)| unit));
        }
        Some(probe)
    }

    /// Looks for a value in the whole source: the first place that `also` takes. Denied places count only if `denied`.
    fn search(
        &self,
        probe: &Probe<'_>,
        place: &LeafContext<'_>,
        denied: bool,
        also: &dyn Fn(TokenMatch) -> bool,
    ) -> Option<(Range<usize>, Method)> {
        let (source, fuel) = (self.source, self.fuel);
        let is_worded_label =
            place.is_label() && !probe.tokens.iter().all(|token| token.kind == TokenKind::Number);
        let evidence =
            if is_worded_label || date::is_date(probe) { Evidence::Free } else { probe.evidence() };
        let names = self.names();
        let accept = |found: TokenMatch| {
            // What is around a match is looked at as far as the constants below reach.
            fuel.spend(ACCEPTING)
                && is_whole(found, probe, source, names.hits)
                && (denied || !is_negated(found, probe, source, evidence))
                && (evidence != Evidence::Free || capitals_agree(found, probe, source))
                && (place.is_label() || !names.speaks_of_another(found, source))
                && (evidence == Evidence::Free
                    || belongs(found, probe, source, &names, evidence)
                    || place.label.is_some_and(|label| neighbourhood::labels_row(found, source, label)))
                && also(found)
        };
        if let Some(found) = as_written(probe, source, fuel, accept) {
            return Some(found);
        }
        let whole = |found| is_whole(found, probe, source, names.hits) && also(found);
        if let Some(found) = date::find(probe, source, whole) {
            return Some((bytes_of(found, source), Method::Numeric));
        }
        if evidence != Evidence::Free {
            return None;
        }
        let found = fuzzy::find(probe, source, self.settings.fuzzy, fuel, accept)?;
        Some((bytes_of(found, source), Method::Fuzzy))
    }

    fn names(&self) -> Names<'_> {
        let scratch = &*self.scratch;
        Names { hits: &scratch.hits, own: &scratch.own, neutral: &scratch.neutral }
    }

    /// The support of a leaf: of a text that is not blank, a number, or a truth value. None for what does not count: `false`
    /// where the document does not speak of the field.
    pub(crate) fn judge(
        &mut self,
        value: &Value,
        place: &LeafContext<'_>,
        quotes: &[String],
        reading: Reading<'_>,
    ) -> Option<Verdict> {
        let mut number = std::mem::take(&mut self.scratch.number);
        let mut tokens = std::mem::take(&mut self.scratch.tokens);
        let mut others = std::mem::take(&mut self.scratch.others);
        number.clear();
        let verdict = match value {
            Value::String(text) => self.judge_text(text, place, quotes, reading, &mut tokens, &mut others),
            Value::Number(given) if write_plain(given, &mut number) => {
                self.judge_text(&number, place, quotes, reading, &mut tokens, &mut others)
            }
            Value::Bool(given) => self.judge_truth(*given, place, quotes, reading, &mut tokens, &mut others),
            Value::Number(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        self.scratch.number = number;
        self.scratch.tokens = tokens;
        self.scratch.others = others;
        verdict
    }

    fn judge_text(
        &mut self,
        text: &str,
        place: &LeafContext<'_>,
        quotes: &[String],
        reading: Reading<'_>,
        tokens: &mut Vec<Token>,
        others: &mut Vec<Token>,
    ) -> Option<Verdict> {
        if let Some(found) = self.whole(text) {
            return Some(Verdict::found(found.bytes, found.method));
        }
        let Some(probe) = self.probe(text, place, tokens) else { return Some(Verdict::not_found()) };
        self.scratch.words.clear();
        let mut words = std::mem::take(&mut self.scratch.words);
        let vocabulary =
            self.vocabulary_of(place, reading, &mut words).or_else(|| reading.lexicon.of_text(text));
        let reader = vocabulary.and_then(|number| reading.lexicon.reader(number));
        let canonical = reader.and_then(|reader| reader.read(text)).map(|read| (read.value, read.whole));
        let document = self.document(reading);
        words.clear();
        write_words(place.key, &mut words);
        let accepts: &[Assertion] = match reader {
            // A side or a modality is what it is, whatever is said of it.
            Some(reader) if canonical.is_some() && reader.counts_anywhere() => &ANY,
            _ if is_quantity(&probe) || date::is_date(&probe) => &OF_NUMBERS,
            _ => reading.lexicon.accepted(&words),
        };
        words.clear();
        place.write_words(&mut words);
        let field = Field { names: self.names(), text: &words };
        let is_of_several = place.is_of_several;
        let judge = Judge { document, field, is_of_several, accepts, vocabulary };
        let search = || self.searched(&probe, place, &judge);
        let verdict = judge.judge(&probe, canonical, quotes, others, search);
        self.scratch.words = words;
        Some(verdict)
    }

    fn judge_truth(
        &mut self,
        given: bool,
        place: &LeafContext<'_>,
        quotes: &[String],
        reading: Reading<'_>,
        tokens: &mut Vec<Token>,
        others: &mut Vec<Token>,
    ) -> Option<Verdict> {
        let knows =
            |number: &usize| reading.lexicon.reader(*number).is_some_and(|one| one.boolean(given).is_some());
        let mut words = std::mem::take(&mut self.scratch.words);
        let vocabulary = self
            .vocabulary_of(place, reading, &mut words)
            .filter(knows)
            .or_else(|| reading.lexicon.of_booleans())?;
        let said = reading.lexicon.reader(vocabulary)?.boolean(given)?;
        let text = if given { "true" } else { "false" };
        let probe = self.probe(text, place, tokens)?;
        let document = self.document(reading);
        words.clear();
        write_words(place.key, &mut words);
        let accepts = reading.lexicon.accepted(&words);
        words.clear();
        place.write_words(&mut words);
        let field = Field { names: self.names(), text: &words };
        let is_of_several = place.is_of_several;
        let judge = Judge { document, field, is_of_several, accepts, vocabulary: Some(vocabulary) };
        let verdict = judge.judge(&probe, Some((said, true)), quotes, others, Searched::default);
        self.scratch.words = words;
        let is_silent = verdict.finding == Finding::NotFound;
        (given || !is_silent).then_some(verdict)
    }

    fn document<'d>(&self, reading: Reading<'d>) -> Document<'d>
    where
        'a: 'd,
    {
        Document {
            source: self.source,
            passages: reading.passages,
            lexicon: reading.lexicon,
            fuel: self.fuel,
        }
    }

    /// The vocabulary that reads a field: the one that the rubric names for it, else the one that lists its name, else that of
    /// what it stands in.
    fn vocabulary_of(
        &self,
        place: &LeafContext<'_>,
        reading: Reading<'_>,
        words: &mut String,
    ) -> Option<usize> {
        let declared = |own: &Concept| reading.values.get(*own as usize).copied().flatten();
        if let Some(declared) = self.scratch.own.iter().find_map(declared) {
            return Some(declared);
        }
        let mut listed = |name: &str| {
            words.clear();
            write_words(name, words);
            reading.lexicon.of_field(words)
        };
        if let Some(listed) = place.label.and_then(&mut listed) {
            return Some(listed);
        }
        let mut at = Some(place);
        while let Some(here) = at {
            if let Some(listed) = listed(here.key) {
                return Some(listed);
            }
            at = here.outer;
        }
        None
    }

    /// Where a value stands in the whole source: affirmed, else otherwise.
    fn searched(&self, probe: &Probe<'_>, place: &LeafContext<'_>, judge: &Judge<'_>) -> Searched {
        let asserted = |found: TokenMatch| judge.document.assertion(&bytes_of(found, self.source)).how;
        let holds = |found: TokenMatch| judge.accepts_or_affirmed(asserted(found));
        if let Some(affirmed) = self.search(probe, place, false, &holds) {
            return Searched { affirmed: Some(affirmed), otherwise: None };
        }
        if let Some((bytes, how)) = judge.worded(probe) {
            if judge.accepts_or_affirmed(how) {
                return Searched { affirmed: Some((bytes, Method::Fuzzy)), otherwise: None };
            }
            return Searched { affirmed: None, otherwise: Some((bytes, how)) };
        }
        let denied = self.search(probe, place, true, &|_| true).map(|(bytes, _)| {
            let how = judge.document.assertion(&bytes).how;
            let how = if how == Assertion::Affirmed { Assertion::Negated } else { how };
            (bytes, how)
        });
        Searched { affirmed: None, otherwise: denied }
    }

    /// Whose names count as the field's own.
    fn resolve(&mut self, place: &LeafContext<'_>) {
        let Scratch { names, probe, own, neutral, .. } = &mut *self.scratch;
        let fuel = self.fuel;
        own.clear();
        neutral.clear();
        let table = self.vocabulary.table();
        let mut add = |name: &str, into: &mut Vec<Concept>| {
            probe.clear(0);
            probe.add(0, name);
            table.resolve(probe, into, fuel);
            names.resolve(probe, into, fuel);
        };
        if let Some(label) = place.label {
            add(label, own);
        }
        // `status` says nothing about whose status it is; the key above it does.
        let mut named = place.label.is_some();
        let mut at = Some(place);
        while let Some(here) = at {
            let generic = here.is_generic();
            if !named && (!generic || here.outer.is_none()) || (std::ptr::eq(here, place) && !generic) {
                add(here.key, own);
                if let Some((_, stem)) = unit_in_key(here.key) {
                    add(stem, own);
                }
                named = true;
            } else {
                add(here.key, neutral);
            }
            at = here.outer;
        }
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
        let unit = *i > 0 && number::unit_of_word(probe.word(*i)).is_some();
        !unit && !probe::is_times(probe.text, probe.tokens, *i)
    });
    let anchor = anchors.min_by_key(|i| candidates(*i))?;
    let hash = probe.token(anchor)?.hash;
    let limit = work_limit(source);
    let (mut work, mut other) = (0, None);
    let places =
        source.occurrences(hash).iter().copied().chain(source.joined(hash).iter().map(|join| join.1));
    let mut counted = 0;
    for place in places {
        if !fuel.spend_on(work - counted) {
            return None;
        }
        counted = work;
        // Words joined over a line break and repeated units before the anchor shift it a little.
        for shift in [0_usize, 1, 2] {
            work += 1;
            let Some(from) = (place as usize).checked_sub(anchor + shift) else {
                break;
            };
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
            if anchor == 0 {
                break;
            }
        }
        if work > limit {
            break;
        }
    }
    other
}

/// The bytes of an exact match, with the punctuation around the value's words.
fn exactly(probe: &Probe<'_>, source: &SourceIndex, bytes: &Range<usize>) -> Option<Range<usize>> {
    let value = probe.text.trim();
    let offset = probe.text.len() - probe.text.trim_start().len();
    let lead = (probe.token(0)?.start as usize).checked_sub(offset)?;
    let start = bytes.start.checked_sub(lead)?;
    let end = start.checked_add(value.len())?;
    // The number 12.5 is not exactly 12.50, but 90 is exactly in 90%.
    let rest = if end < bytes.end { source.text().get(end..bytes.end)? } else { "" };
    let whole = rest.trim_start_matches([' ', '%']).is_empty();
    (whole && source.text().get(start..end) == Some(value)).then_some(start..end)
}
