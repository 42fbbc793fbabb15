//! Grounding: where in the source does an extracted value stand?
//!
//! A value is looked for as it is written; then without regard to case, spaces, hyphenation, accents and typography;
//! then by the numbers it holds, in their units; then through scanning errors. A match is a whole word or number, never
//! part of one. Short and common values (`negative`, `2`, `left`) count only beside a name of their own field.
//! A wrong match harms more than a missed one, so what is not clear is not grounded.
//!
//! Work is counted in tokens and names that are compared. A value that is not there costs what the places of its rarest word
//! cost, once, however it is then asked whether it stands there denied or as something else's; none is looked at where one of its
//! words stands nowhere. `MOST_REFUSED` bounds how many such places are read, `as_written::work_limit` how many are compared; each
//! takes fuel, which bounds what all values of a candidate may cost: what is looked for afterwards is not found.

mod alone;
mod answers;
mod as_written;
mod boundary;
mod date;
mod evidence;
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

use std::cell::Cell;
use std::fmt::Write as _;
use std::ops::Range;

use crate::rules::Assertion;
use crate::value::Fuel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use alone::{TextAlone, UnitOfField};
pub use evidence::Support;
pub(crate) use evidence::{Finding, Lexicon, Passages, Scope, Verdict, shown_apart, shown_around};
pub(crate) use index::{Identity, SourceIndex};
pub(crate) use names::Vocabulary;
pub(crate) use walk::LeafContext;

use answers::Answers;
use boundary::{is_negated, is_whole};
use evidence::{Document, Field, Judge, Searched, is_quantity, quote_tokens, write_words};
use keys::Keys;
use names::{Concept, Hit, Hits};
use neighbourhood::{Names, belongs};
use probe::{Evidence, Probe};
use sequence::TokenMatch;
use token::{Style, Token, TokenKind, tokenize};

/// How a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// By a judge that was shown the passage.
    Judge,
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
    others: Vec<Token>,
    words: String,
    number: String,
    pointer: String,
    keys: Keys,
    /// Where names stand in the source, if the candidate has names of its own there; else they are the source's.
    hits: Option<Hits>,
    answers: Answers,
    /// The source and settings that the hits and answers are for.
    source: Option<(Identity, Settings)>,
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

/// A place where a document says a value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mentioned {
    /// The canonical value.
    pub value: String,
    /// How it is asserted.
    pub context: Assertion,
    /// How final the part of the document is that it stands in.
    pub finality: u8,
    /// Where it stands, in bytes.
    pub bytes: Range<usize>,
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
const OF_NUMBERS: [Assertion; 4] =
    [Assertion::Negated, Assertion::Uncertain, Assertion::Historical, Assertion::Hypothetical];

/// What it costs to look at what is around one match, in token comparisons.
const ACCEPTING: u64 = 32;

/// At how many places where its words stand together a value may be refused in one search: one that is denied or another's at so
/// many is not found at a later one.
const MOST_REFUSED: usize = 1_000;

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
                hits.extend(source.hits());
                hits.settle();
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
    #[cfg(test)]
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

    #[cfg(test)]
    fn find(&mut self, text: &str, place: &LeafContext<'_>, tokens: &mut Vec<Token>) -> Option<Match> {
        if let Some(whole) = self.whole(text) {
            return Some(whole);
        }
        let probe = self.probe(text, place, tokens)?;
        let (bytes, method) = self.search(&probe, place, false, &Cell::new(false), &|_| true)?;
        Some(self.span(bytes, method))
    }

    /// The source itself, given as a value.
    fn whole(&self, text: &str) -> Option<Match> {
        let is_all = text == self.source.text() && !text.trim().is_empty();
        is_all.then(|| self.span(0..text.len(), Method::Exact))
    }

    /// A value cut into tokens.
    fn probe<'t>(
        &self,
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
        if !self.fuel.spend_on(text.len()) {
            return None;
        }
        let mut probe = Probe { text, tokens, hint: None };
        if probe.is_bare_number() {
            probe.hint = self.scratch.keys.at(place.id).unit;
        }
        Some(probe)
    }

    /// Looks for a value in the whole source: the first place that `also` takes. Denied places count only if `denied`. `stands`
    /// becomes true where the value's words stand together at all.
    fn search(
        &self,
        probe: &Probe<'_>,
        place: &LeafContext<'_>,
        denied: bool,
        stands: &Cell<bool>,
        also: &dyn Fn(TokenMatch) -> bool,
    ) -> Option<(Range<usize>, Method)> {
        let (source, fuel) = (self.source, self.fuel);
        let keys = self.scratch.keys.at(place.id);
        let is_worded_label =
            keys.is_label && !probe.tokens.iter().all(|token| token.kind == TokenKind::Number);
        let evidence =
            if is_worded_label || date::is_date(probe) { Evidence::Free } else { probe.evidence() };
        let names = self.names(place);
        let accept = |found: TokenMatch| {
            stands.set(true);
            // What is around a match is looked at as far as the constants below reach.
            fuel.spend(ACCEPTING)
                && is_whole(found, probe, source, names.hits.sorted())
                && (denied || !is_negated(found, probe, source, evidence))
                && (evidence != Evidence::Free || capitals_agree(found, probe, source))
                && (keys.is_label || !names.speaks_of_another(found, source))
                && (evidence == Evidence::Free
                    || belongs(found, probe, source, &names, evidence)
                    || place.label.is_some_and(|label| neighbourhood::labels_row(found, source, label.text)))
                && also(found)
        };
        if let Some(found) = as_written::find(probe, source, fuel, accept) {
            return Some(found);
        }
        let whole = |found| {
            stands.set(true);
            is_whole(found, probe, source, names.hits.sorted()) && also(found)
        };
        if let Some(found) = date::find(probe, source, fuel, whole) {
            return Some((bytes_of(found, source), Method::Numeric));
        }
        if evidence != Evidence::Free {
            return None;
        }
        let found = fuzzy::find(probe, source, self.settings.fuzzy, fuel, accept)?;
        Some((bytes_of(found, source), Method::Fuzzy))
    }

    fn names(&self, place: &LeafContext<'_>) -> Names<'_> {
        let (own, neutral) = self.scratch.keys.concepts(self.scratch.keys.at(place.id));
        Names { hits: self.scratch.hits.as_ref().unwrap_or(self.source.hits()), own, neutral }
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
        let text = match value {
            Value::String(text) => Some(text.as_str()),
            Value::Number(given) => write_plain(given, &mut number).then_some(number.as_str()),
            Value::Bool(given) => Some(if *given { "true" } else { "false" }),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        let kind = (value.is_boolean(), place.is_of_several);
        let question = text.and_then(|text| self.scratch.answers.question(place.id, kind, text, quotes));
        let known = question.as_ref().and_then(|question| self.scratch.answers.get(question)).cloned();
        let verdict = known.unwrap_or_else(|| {
            let verdict = match (value, text) {
                (Value::Bool(given), _) => {
                    self.judge_truth(*given, place, quotes, reading, &mut tokens, &mut others)
                }
                (_, Some(text)) => self.judge_text(text, place, quotes, reading, &mut tokens, &mut others),
                (_, None) => None,
            };
            if let Some(question) = question.filter(|_| !self.fuel.is_spent()) {
                self.scratch.answers.keep(question, verdict.clone());
            }
            verdict
        });
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
        let listed = self.vocabulary_of(place, reading, &mut words);
        let is_listed = listed.is_some();
        let vocabulary = listed.or_else(|| reading.lexicon.of_text(text));
        let reader = vocabulary.and_then(|number| reading.lexicon.reader(number));
        let canonical = reader.and_then(|reader| reader.read(text)).map(|read| (read.value, read.whole));
        let document = self.document(reading);
        words.clear();
        write_words(place.key, &mut words);
        let key = words.clone();
        let accepts: &[Assertion] = match reader {
            // A side or a modality is what it is, whatever is said of it.
            Some(reader) if canonical.is_some() && reader.counts_anywhere() => &ANY,
            _ if is_quantity(&probe) || date::is_date(&probe) || date::month(&probe).is_some() => &OF_NUMBERS,
            _ => reading.lexicon.accepted(&words),
        };
        words.clear();
        place.write_words(&mut words);
        let mut qualities = Vec::new();
        document.qualities(&words, &mut qualities);
        let label = place.label.map(|label| label.text);
        let field = Field { names: self.names(place), text: &words, key: &key, label, qualities: &qualities };
        let is_of_several = place.is_of_several;
        let is_of_all = is_listed && place.outer.is_none() && !is_of_several;
        let judge = Judge { document, field, is_of_several, is_listed, is_of_all, accepts, vocabulary };
        let may_stand = Cell::new(true);
        let search = || self.searched(&probe, place, &judge, &may_stand);
        let mut verdict = judge.judge(&probe, canonical, quotes, others, search);
        if verdict.finding == Finding::NotFound
            && may_stand.get()
            && let Some(elsewhere) = self.stands(&probe, judge.field.names.hits.sorted())
        {
            verdict = Verdict::stands_elsewhere(elsewhere);
        }
        self.scratch.words = words;
        Some(verdict.widened(&probe, self.source.text()))
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
        let key = words.clone();
        words.clear();
        place.write_words(&mut words);
        let mut qualities = Vec::new();
        document.qualities(&words, &mut qualities);
        let label = place.label.map(|label| label.text);
        let field = Field { names: self.names(place), text: &words, key: &key, label, qualities: &qualities };
        let is_of_several = place.is_of_several;
        let judge = Judge {
            document,
            field,
            is_of_several,
            is_listed: false,
            is_of_all: false,
            accepts,
            vocabulary: Some(vocabulary),
        };
        let verdict = judge.judge(&probe, Some((said, true)), quotes, others, Searched::default);
        self.scratch.words = words;
        let is_silent = verdict.finding == Finding::NotFound;
        (given || !is_silent).then_some(verdict)
    }

    /// The place of a field at the top of candidates.
    fn at_top<'k>(&mut self, key: &'k str) -> LeafContext<'k> {
        let Grounder { vocabulary, fuel, .. } = *self;
        let keys = &mut self.scratch.keys;
        let mut place = LeafContext::named(key, keys.read(key, vocabulary, fuel));
        place.id = keys.place(&place, vocabulary, fuel);
        place
    }

    /// The mentions of a field at the top of candidates, in the order of the text: each as its canonical value, how it is asserted,
    /// and its bytes. None where no vocabulary reads the field.
    pub(crate) fn mentions(&mut self, field: &str, reading: Reading<'_>) -> Option<Vec<Mentioned>> {
        let place = self.at_top(field);
        let vocabulary = self.vocabulary_of(&place, reading, &mut String::new())?;
        let reader = reading.lexicon.reader(vocabulary)?;
        let mentions = self.document(reading).mentions(vocabulary, reader, &self.names(&place), true);
        let told = mentions.into_iter().map(|mention| Mentioned {
            value: reader.value(mention.value).to_owned(),
            context: mention.asserted.how,
            finality: mention.finality,
            bytes: mention.bytes,
        });
        Some(told.collect())
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
        let (own, _) = self.scratch.keys.concepts(self.scratch.keys.at(place.id));
        let declared = |own: &Concept| reading.values.get(*own as usize).copied().flatten();
        if let Some(declared) = own.iter().find_map(declared) {
            return Some(declared);
        }
        let mut listed = |name: &str| {
            words.clear();
            write_words(name, words);
            reading.lexicon.of_field(words)
        };
        if let Some(listed) = place.label.map(|label| label.text).and_then(&mut listed) {
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

    /// Where a value stands in the whole source: affirmed, else otherwise. `may_stand` becomes false where it stands nowhere.
    fn searched(
        &self,
        probe: &Probe<'_>,
        place: &LeafContext<'_>,
        judge: &Judge<'_>,
        may_stand: &Cell<bool>,
    ) -> Searched {
        let asserted = |found: TokenMatch| judge.document.assertion(&bytes_of(found, self.source)).how;
        let holds = |found: TokenMatch| judge.accepts_or_affirmed(asserted(found));
        may_stand.set(false);
        if let Some(affirmed) = self.search(probe, place, false, may_stand, &holds) {
            return Searched { affirmed: Some(affirmed), otherwise: None };
        }
        if let Some((bytes, how)) = judge.worded(probe) {
            if judge.accepts_or_affirmed(how) {
                return Searched { affirmed: Some((bytes, Method::Fuzzy)), otherwise: None };
            }
            return Searched { affirmed: None, otherwise: Some((bytes, how)) };
        }
        // What stands nowhere does not stand there denied.
        let denied = may_stand.get().then(|| self.search(probe, place, true, may_stand, &|_| true)).flatten();
        let denied = denied.map(|(bytes, _)| {
            let how = judge.document.assertion(&bytes).how;
            let how = if how == Assertion::Affirmed { Assertion::Negated } else { how };
            (bytes, how)
        });
        Searched { affirmed: None, otherwise: denied }
    }

    /// Where a value stands at all, whatever the text speaks of there.
    fn stands(&self, probe: &Probe<'_>, hits: &[Hit]) -> Option<Range<usize>> {
        let whole = |found| is_whole(found, probe, self.source, hits);
        let found = as_written::find(probe, self.source, self.fuel, whole).map(|(bytes, _)| bytes);
        found.or_else(|| {
            date::find(probe, self.source, self.fuel, whole).map(|found| bytes_of(found, self.source))
        })
    }

    fn span(&self, bytes: Range<usize>, method: Method) -> Match {
        Match { chars: self.source.chars(&bytes), bytes, method }
    }
}

/// Where a quote stands in a text, in bytes.
pub(crate) fn quote_places(quote: &str, source: &SourceIndex, fuel: &Fuel) -> Vec<Range<usize>> {
    let found = quote_tokens(quote, source, fuel, &mut Vec::new());
    let whole = |tokens: Range<usize>| TokenMatch { from: tokens.start, to: tokens.end, numeric: false };
    found.into_iter().map(|tokens| bytes_of(whole(tokens), source)).collect()
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
