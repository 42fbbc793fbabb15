//! Names of fields: what a field may be called in a text, and where those names stand.

use super::fold::{Mixer, Word, fold_str};
use super::index::{Identity, SourceIndex, gap, has_capital};
use super::number::{Unit, unit_of_word};
use super::token::{Style, Token, TokenKind, letters, tokenize};
use super::words::{is_generic_key, is_label_key};
use crate::value::Fuel;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

/// A field, by its number in the vocabulary; the names that only a candidate has follow after those.
pub(super) type Concept = u32;

/// A key or label, by its number in the vocabulary; those that only candidates have follow after those.
pub(super) type NameId = u32;

/// One way to write a name, by its number; numbered like names.
pub(super) type SpellingId = u32;

/// A name found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    /// First token.
    pub(super) start: u32,
    /// Token after the last. Sorts longer names first.
    pub(super) end: std::cmp::Reverse<u32>,
    /// Whose name.
    pub(super) concept: Concept,
}

/// Where names stand in a text; none inside another.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    sorted: Vec<Hit>,
    /// The same, those of each concept together: what asks for one field's names does not pass by all others'.
    by_concept: Vec<Hit>,
}

impl Hits {
    pub(super) fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    pub(super) fn push(&mut self, hit: Hit) {
        self.sorted.push(hit);
    }

    /// Adds those of the same text that are settled.
    pub(super) fn extend(&mut self, hits: &Hits) {
        self.sorted.extend_from_slice(&hits.sorted);
    }

    /// Sorts hits and leaves out those inside another: within `progesterone receptor`, `receptor` is no name of its own.
    pub(super) fn settle(&mut self) {
        // Two sorted lists, one after the other, are merged in linear time.
        self.sorted.sort();
        // Sorted: a longer name comes first.
        let mut widest = (0, 0);
        self.sorted.retain(|hit| {
            let here = (hit.start, hit.end.0);
            let inside = here != widest && here.1 <= widest.1;
            if here.1 > widest.1 {
                widest = here;
            }
            !inside
        });
        self.by_concept.clear();
        self.by_concept.extend_from_slice(&self.sorted);
        self.by_concept.sort_unstable_by_key(|hit| (hit.concept, *hit));
    }

    /// All, in order.
    pub(super) fn sorted(&self) -> &[Hit] {
        &self.sorted
    }

    /// The names of one concept that begin within some tokens, in order.
    pub(super) fn of(&self, concept: Concept, tokens: &Range<usize>) -> &[Hit] {
        let before = |to: usize| {
            self.by_concept.partition_point(|hit| (hit.concept, hit.start as usize) < (concept, to))
        };
        self.by_concept.get(before(tokens.start)..before(tokens.end.max(tokens.start))).unwrap_or_default()
    }
}

/// All fields that a rubric knows, with every name each may have in a text, so that a value is never taken from
/// beside another field's name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    identity: Identity,
    book: Book,
    /// Each field's names, those that begin with one word together.
    fields: Vec<(Concept, SpellingOf)>,
    /// Where the names that begin with a word stand among them, by its hash.
    by_first: HashMap<u32, Range<usize>, BuildHasherDefault<Mixer>>,
    /// How many fields there are.
    concepts: Concept,
}

impl Vocabulary {
    /// Reads fields and their synonyms: `("ER", ["estrogen receptor", "oestrogen receptor"])`.
    ///
    /// The field's own key is one of its names; keys in camelCase, snake_case and kebab-case are also read as words.
    /// Plurals and spellings with and without hyphen (`Ki-67`, `Ki67`) need no synonym of their own.
    pub(crate) fn new<F, S, I>(fields: I) -> Self
    where
        F: AsRef<str>,
        S: IntoIterator,
        S::Item: AsRef<str>,
        I: IntoIterator<Item = (F, S)>,
    {
        let (mut vocabulary, mut concepts_of) = (Self::default(), Vec::<Vec<Concept>>::new());
        for (concept, (field, synonyms)) in (0_u32..).zip(fields) {
            let mut add = |name: &str| {
                let id = vocabulary.book.read(name, None);
                let spellings =
                    vocabulary.book.names.get(id as usize).map_or(&[][..], |name| &name.spellings);
                for spelling in spellings {
                    let at = spelling.id as usize;
                    concepts_of.resize(concepts_of.len().max(at + 1), Vec::new());
                    if let Some(known) = concepts_of.get_mut(at).filter(|known| !known.contains(&concept)) {
                        known.push(concept);
                        vocabulary.fields.push((concept, *spelling));
                    }
                }
            };
            add(field.as_ref());
            for synonym in synonyms {
                add(synonym.as_ref());
            }
            vocabulary.concepts = concept + 1;
        }
        vocabulary.book.concepts_of = concepts_of;
        vocabulary.book.settle();
        let Self { book, fields, by_first, .. } = &mut vocabulary;
        let first = |spelling: SpellingOf| book.tokens_of(spelling).first().map(|token| token.hash);
        fields.sort_by_key(|(_, spelling)| first(*spelling));
        for (at, (_, spelling)) in fields.iter().enumerate() {
            if let Some(hash) = first(*spelling) {
                by_first.entry(hash).or_insert(at..at).end = at + 1;
            }
        }
        vocabulary
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn book(&self) -> &Book {
        &self.book
    }

    pub(super) fn concepts(&self) -> Concept {
        self.concepts
    }

    /// Where the names stand in `source`; none inside another.
    pub(super) fn locate(&self, source: &SourceIndex) -> Hits {
        let mut hits = Hits::default();
        let fuel = Fuel::of(u64::MAX);
        // A text has fewer words than there are names.
        for names in source.hashes().filter_map(|hash| self.by_first.get(&hash)) {
            for (concept, spelling) in self.fields.get(names.clone()).unwrap_or_default() {
                self.book.locate(*spelling, *concept, source, &mut hits, &fuel);
            }
        }
        hits.settle();
        hits
    }
}

/// One spelling of one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpellingOf {
    pub(super) id: SpellingId,
    /// So short that it could be an ordinary word (`er`, `pr`): must be written with a capital or as a label.
    pub(super) short: bool,
}

/// What is known of one key or label, whatever candidate and source it stands in.
#[derive(Clone, Debug, Default)]
pub(super) struct Name {
    /// Says what kind of value it holds, not what it is about.
    pub(super) is_generic: bool,
    /// Names what its siblings are about.
    pub(super) is_label: bool,
    /// The unit that its last word names, and how many bytes are before that word.
    pub(super) unit: Option<(Unit, usize)>,
    /// The fields of the vocabulary that are called so.
    pub(super) known: Vec<Concept>,
    pub(super) spellings: Vec<SpellingOf>,
}

/// Keys and labels, each read once; and all their spellings.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    names: Vec<Name>,
    by_text: HashMap<Box<str>, NameId, RandomState>,
    spellings: HashMap<Box<str>, SpellingId, RandomState>,
    /// Which fields are spelt so, by spelling.
    concepts_of: Vec<Vec<Concept>>,
    /// The tokens of all spellings, with the text they are cut from; and where each spelling's end.
    text: String,
    tokens: Vec<Token>,
    ends: Vec<usize>,
    /// Buffers.
    spaced: String,
    variant: String,
    folded: String,
    /// How many bytes the names have.
    pub(super) bytes: usize,
}

/// With so few places to look at, it is quicker to look than to ask where the other words of a name stand.
const FEW: usize = 16;

/// Names longer than this many tokens are prose, not names. The long names of laboratory tests have some 15.
const LONGEST: usize = 20;

impl Book {
    pub(super) fn names(&self) -> usize {
        self.names.len()
    }

    pub(super) fn spellings(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn find(&self, text: &str) -> Option<NameId> {
        self.by_text.get(text).copied()
    }

    pub(super) fn name(&self, id: NameId) -> Option<&Name> {
        self.names.get(id as usize)
    }

    /// Settles which fields each name is known as.
    fn settle(&mut self) {
        for name in &mut self.names {
            for spelling in &name.spellings {
                let concepts = self.concepts_of.get(spelling.id as usize).map_or(&[][..], Vec::as_slice);
                name.known.extend_from_slice(concepts);
            }
            name.known.sort_unstable();
            name.known.dedup();
        }
    }

    /// Reads `text` in all its spellings, if that is not done yet. Numbers count on from those of `base`, where
    /// spellings may have a number already; the name itself has none there.
    pub(super) fn read(&mut self, text: &str, base: Option<&Book>) -> NameId {
        if let Some(known) = self.find(text) {
            return known;
        }
        let mut name = Name {
            is_generic: key_is(text, is_generic_key),
            is_label: key_is(text, is_label_key),
            unit: unit_in_key(text).map(|(unit, stem)| (unit, stem.len())),
            ..Name::default()
        };
        let mut spaced = std::mem::take(&mut self.spaced);
        let mut variant = std::mem::take(&mut self.variant);
        for spelling in [Spelling::AsIs, Spelling::Words, Spelling::DigitsApart, Spelling::Merged] {
            spaced.clear();
            spell(text, spelling, &mut spaced);
            self.add(&mut name, &spaced, base);
            variant.clear();
            variant.push_str(spaced.trim_end());
            if letters(&variant) >= 4 && variant.ends_with(char::is_alphabetic) {
                if variant.ends_with(['s', 'S']) {
                    variant.pop();
                } else {
                    variant.push('s');
                }
                self.add(&mut name, &variant, base);
            }
        }
        (self.spaced, self.variant) = (spaced, variant);
        if let Some(base) = base {
            for spelling in &name.spellings {
                let concepts = base.concepts_of.get(spelling.id as usize).map_or(&[][..], Vec::as_slice);
                name.known.extend(concepts);
            }
            name.known.sort_unstable();
            name.known.dedup();
        }
        let id = u32::try_from(base.map_or(0, Book::names) + self.names.len()).unwrap_or(u32::MAX);
        self.bytes += text.len();
        self.names.push(name);
        self.by_text.insert(text.into(), id);
        id
    }

    fn add(&mut self, name: &mut Name, spelling: &str, base: Option<&Book>) {
        let (from, offset) = (self.tokens.len(), self.text.len());
        let Ok(shift) = u32::try_from(offset) else {
            return;
        };
        let tokens = &mut self.tokens;
        tokenize(spelling, &mut Style::default(), &mut |token| {
            tokens.push(Token { start: token.start + shift, end: token.end + shift, ..token });
        });
        let count = self.tokens.len() - from;
        if count == 0 || count > LONGEST {
            self.tokens.truncate(from);
            return;
        }
        self.text.push_str(spelling);
        self.folded.clear();
        for token in self.tokens.get(from..).unwrap_or_default() {
            self.folded.push(if token.kind == TokenKind::Number { '\u{1}' } else { '\u{2}' });
            fold_str(token.text(&self.text), &mut |c| self.folded.push(c));
        }
        let known = base
            .and_then(|base| base.spellings.get(self.folded.as_str()))
            .or_else(|| self.spellings.get(self.folded.as_str()));
        let id = match known {
            Some(known) => {
                self.tokens.truncate(from);
                self.text.truncate(offset);
                *known
            }
            None => {
                let id = u32::try_from(base.map_or(0, Book::spellings) + self.ends.len()).unwrap_or(u32::MAX);
                self.spellings.insert(self.folded.as_str().into(), id);
                self.ends.push(self.tokens.len());
                self.bytes += spelling.len();
                id
            }
        };
        if !name.spellings.iter().any(|known| known.id == id) {
            name.spellings.push(SpellingOf { id, short: count == 1 && letters(spelling) <= 3 });
        }
    }

    /// The tokens of a spelling, which is one of this book's counted from 0.
    fn tokens_of(&self, spelling: SpellingOf) -> &[Token] {
        let at = spelling.id as usize;
        let from = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(at).and_then(|to| self.tokens.get(from..*to)).unwrap_or_default()
    }

    /// Adds every place where `spelling`, which is one of this book's counted from 0, stands in `source`.
    pub(super) fn locate(
        &self,
        spelling: SpellingOf,
        concept: Concept,
        source: &SourceIndex,
        hits: &mut Hits,
        fuel: &Fuel,
    ) {
        let tokens = self.tokens_of(spelling);
        let Some(first) = tokens.first() else {
            return;
        };
        let (mut before, mut places) = (0_u32, source.occurrences(first.hash));
        if places.len() > FEW {
            // A name that begins with a word that stands everywhere is looked for where its rarest word stands.
            let words = (0_u32..).zip(tokens).map(|(i, token)| (i, source.occurrences(token.hash)));
            (before, places) = words.min_by_key(|(_, places)| places.len()).unwrap_or((0, places));
        }
        if !fuel.spend_on(1 + places.len()) {
            return;
        }
        let len = u32::try_from(tokens.len()).unwrap_or_default();
        for at in places.iter().filter_map(|at| at.checked_sub(before)) {
            if self.stands(spelling.short, tokens, source, at as usize) {
                hits.push(Hit { start: at, end: std::cmp::Reverse(at + len), concept });
            }
        }
    }

    fn stands(&self, short: bool, tokens: &[Token], source: &SourceIndex, at: usize) -> bool {
        let all = tokens.iter().enumerate().all(|(i, token)| {
            let here = source.token(at + i);
            let close = i == 0
                || source
                    .gap_before(at + i)
                    .chars()
                    .all(|c| c.is_whitespace() || matches!(c, '-' | '/' | '\u{2010}' | '\u{2011}'));
            close
                && here.is_some_and(|here| here.hash == token.hash && here.kind == token.kind)
                && source.token_is(at + i, token.text(&self.text))
        });
        if !all || !short {
            return all;
        }
        let labelled = gap(source.text(), source.tokens(), at).trim_start().starts_with([':', '=']);
        labelled || source.token(at).is_some_and(|token| has_capital(token.text(source.text())))
    }
}

enum Spelling {
    AsIs,
    Words,
    DigitsApart,
    Merged,
}

/// Writes `name` in one spelling.
fn spell(name: &str, spelling: Spelling, into: &mut String) {
    let mut before: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let hump = before.is_some_and(|b| b.is_lowercase() && c.is_uppercase())
            || before.is_some_and(char::is_uppercase)
                && c.is_uppercase()
                && next.is_some_and(char::is_lowercase);
        let digits = before.is_some_and(char::is_alphabetic) && c.is_ascii_digit();
        match spelling {
            Spelling::AsIs => into.push(c),
            Spelling::Words if matches!(c, '_' | '-' | '.') => into.push(' '),
            Spelling::Words if hump => into.extend([' ', c]),
            Spelling::DigitsApart if digits => into.extend([' ', c]),
            Spelling::Merged if matches!(c, '-' | ' ') && next.is_some_and(|n| n.is_ascii_digit()) => {}
            Spelling::Words | Spelling::DigitsApart | Spelling::Merged => into.push(c),
        }
        before = Some(c);
    }
}

/// Whether the key, folded and without separators, is in a list.
fn key_is(key: &str, listed: impl Fn(&str) -> bool) -> bool {
    Word::new(key).is_some_and(|word| listed(word.as_str().trim_matches(['_', '-'])))
}

/// The unit that the last word of a key names, and the key without it: `sizeMm`, `weight_g`; of `doseMgPerKg` that of its number. A
/// key of one word names none.
pub(super) fn unit_in_key(key: &str) -> Option<(Unit, &str)> {
    let (at, c) = key.char_indices().rev().find(|(_, c)| c.is_uppercase() || matches!(c, '_' | '-' | ' '))?;
    let from = if c.is_uppercase() { at } else { at + c.len_utf8() };
    let stem =
        key.get(..at).filter(|stem| stem.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))?;
    let unit = unit_of_word(key.get(from..)?)?;
    let share = ["Per", "per"].iter().find_map(|per| stem.strip_suffix(per));
    match share.map(|of| of.trim_end_matches(['_', '-', ' '])) {
        Some(of) => unit_in_key(of),
        None => Some((unit, stem)),
    }
}
