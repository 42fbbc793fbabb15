//! Mentions: the places where a document says a value of a field that a vocabulary reads, each in its context.

mod alone;
mod boundary;
mod date;
mod evidence;
mod fold;
mod index;
mod keys;
mod names;
mod neighbourhood;
mod number;
mod probe;
mod sequence;
mod token;
mod walk;
mod words;

use std::ops::Range;

use crate::rules::Assertion;
use crate::value::Fuel;
use serde_json::Value;

pub(crate) use alone::{TextAlone, UnitOfField};
pub(crate) use evidence::{Lexicon, Passages, Scope, Wordings};
pub(crate) use index::{Identity, SourceIndex};
pub(crate) use names::Vocabulary;
use walk::LeafContext;

use evidence::{Document, quote_tokens, write_words};
use keys::Keys;
use names::{Concept, Hits};
use neighbourhood::Names;
use sequence::TokenMatch;

/// The names of a candidate's fields, and where they stand in a source, kept from one field to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    keys: Keys,
    /// Where names stand in the source, if the candidate has names of its own there; else they are the source's.
    hits: Option<Hits>,
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

/// Looks for mentions of the fields of one candidate in one source.
#[derive(Debug)]
pub(crate) struct Grounder<'a> {
    vocabulary: &'a Vocabulary,
    source: &'a SourceIndex,
    scratch: &'a mut Scratch,
    fuel: &'a Fuel,
}

impl<'a> Grounder<'a> {
    /// Prepares to look for fields of `candidate`: its keys join the vocabulary, so that a value is not taken from beside a name that
    /// only this candidate uses. `source` must have been indexed with the same vocabulary.
    pub(crate) fn new(
        candidate: &Value,
        vocabulary: &'a Vocabulary,
        source: &'a SourceIndex,
        scratch: &'a mut Scratch,
        fuel: &'a Fuel,
    ) -> Self {
        scratch.keys.learn(candidate, vocabulary, fuel);
        let mut hits = Hits::default();
        scratch.keys.locate(vocabulary, source, &mut hits, fuel);
        if !hits.is_empty() {
            hits.extend(source.hits());
            hits.settle();
            scratch.hits = Some(hits);
        }
        Self { vocabulary, source, scratch, fuel }
    }

    fn names(&self, place: &LeafContext<'_>) -> Names<'_> {
        let (own, neutral) = self.scratch.keys.concepts(self.scratch.keys.at(place.id));
        Names { hits: self.scratch.hits.as_ref().unwrap_or(self.source.hits()), own, neutral }
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

    /// The mentions of a field by a vocabulary of this number, each with its canonical value and how it is asserted.
    pub(crate) fn mentions_of(
        &mut self,
        field: &str,
        vocabulary: usize,
        reading: Reading<'_>,
    ) -> Vec<(String, Assertion)> {
        let Some(reader) = reading.lexicon.reader(vocabulary) else { return Vec::new() };
        let place = self.at_top(field);
        let mentions = self.document(reading).mentions(vocabulary, reader, &self.names(&place), true);
        mentions
            .into_iter()
            .map(|mention| (reader.value(mention.value).to_owned(), mention.asserted.how))
            .collect()
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
}

/// Where a quote stands in a text, in bytes.
pub(crate) fn quote_places(quote: &str, source: &SourceIndex, fuel: &Fuel) -> Vec<Range<usize>> {
    let found = quote_tokens(quote, source, fuel, &mut Vec::new());
    let whole = |tokens: Range<usize>| TokenMatch { from: tokens.start, to: tokens.end, numeric: false };
    found.into_iter().map(|tokens| bytes_of(whole(tokens), source)).collect()
}

fn bytes_of(found: TokenMatch, source: &SourceIndex) -> Range<usize> {
    let start = source.token(found.from).map_or(0, |token| token.start as usize);
    let end =
        found.to.checked_sub(1).and_then(|last| source.token(last)).map_or(start, |token| token.end as usize);
    start..end
}
