//! The compiled vocabularies, and the fields that each reads.

mod phrases;
mod table;
mod texts;
mod written_out;

pub(super) use phrases::PhraseSearch;

use crate::rules::{Phrase, Vocabulary};
use loopctl_ground::folded;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// A canonical value, by its number in its vocabulary.
pub(super) type ValueId = u16;

/// All vocabularies of a profile, compiled once and shared by all documents.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    readers: Vec<Reader>,
    by_field: HashMap<String, usize>,
    by_name: HashMap<String, usize>,
}

/// One vocabulary, compiled.
#[derive(Debug)]
pub(super) struct Reader {
    /// Canonical values as written.
    values: Vec<String>,
    phrases: Vec<(Phrase, ValueId)>,
    search: OnceLock<PhraseSearch>,
    opposite: Vec<Option<ValueId>>,
    prefer: Option<ValueId>,
    anywhere: bool,
    named: Option<(ValueId, ValueId)>,
    booleans: Option<(ValueId, ValueId)>,
}

/// A phrase found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::score) struct PhraseHit {
    pub(super) bytes: Range<usize>,
    pub(super) value: ValueId,
}

/// The meaning of a candidate's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Canonical {
    pub(super) value: ValueId,
    /// True if the text says that and nothing else.
    pub(super) whole: bool,
}

impl Lexicon {
    /// Compiles vocabularies, by name.
    pub(super) fn new<'a>(vocabularies: impl IntoIterator<Item = (&'a str, &'a Vocabulary)>) -> Self {
        let mut lexicon = Self::default();
        for (name, vocabulary) in vocabularies {
            let number = lexicon.readers.len();
            lexicon.readers.push(Reader::new(vocabulary));
            lexicon.by_name.entry(name.to_owned()).or_insert(number);
            for field in &vocabulary.fields {
                lexicon.by_field.entry(field_words(field)).or_insert(number);
            }
        }
        lexicon
    }

    /// The number of vocabularies.
    pub(super) fn len(&self) -> usize {
        self.readers.len()
    }

    pub(super) fn reader(&self, number: usize) -> Option<&Reader> {
        self.readers.get(number)
    }

    /// The vocabulary of this name.
    pub(super) fn named(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The vocabulary that reads a field of this key, if one says so.
    pub(super) fn of_key(&self, key: &str) -> Option<usize> {
        self.of_field(&field_words(key))
    }

    /// The vocabulary that reads a field of this name, given as words, if one says so.
    pub(super) fn of_field(&self, words: &str) -> Option<usize> {
        let singular = || words.strip_suffix('s').and_then(|one| self.by_field.get(one));
        self.by_field.get(words).or_else(singular).copied()
    }

    /// The canonical value that a candidate's text means in a vocabulary.
    pub(super) fn read(&self, vocabulary: usize, text: &str) -> Option<&str> {
        let reader = self.readers.get(vocabulary)?;
        reader.read(text).map(|read| reader.value(read.value))
    }

    /// The canonical value that `true` or `false` of a candidate means in a vocabulary.
    pub(super) fn read_truth(&self, vocabulary: usize, truth: bool) -> Option<&str> {
        let reader = self.readers.get(vocabulary)?;
        reader.boolean(truth).map(|value| reader.value(value))
    }

    /// The first vocabulary that knows truth values.
    pub(super) fn of_booleans(&self) -> Option<usize> {
        let presence = self
            .named("presence")
            .filter(|number| self.reader(*number).is_some_and(|one| one.booleans.is_some()));
        presence.or_else(|| self.readers.iter().position(|reader| reader.booleans.is_some()))
    }
}

impl Reader {
    fn new(vocabulary: &Vocabulary) -> Self {
        let values: Vec<String> = vocabulary.values.keys().cloned().collect();
        let id = |name: &str| {
            let at = values.iter().position(|value| value == name)?;
            ValueId::try_from(at).ok()
        };
        let pair = |named: &crate::rules::Named| Some((id(&named.affirmed)?, id(&named.negated)?));
        let mut phrases = Vec::new();
        for (value, own) in &vocabulary.values {
            let Some(value_id) = id(value) else { continue };
            phrases.push((Phrase::of_value(value), value_id));
            phrases.extend(own.iter().map(|phrase| (Phrase::new(&phrase.value), value_id)));
        }
        // If two phrases begin at one position, the longer says more: `not involved` before `not`.
        phrases.sort_by_cached_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
        Reader {
            opposite: values
                .iter()
                .map(|value| vocabulary.opposite.get(value).and_then(|name| id(name)))
                .collect(),
            prefer: vocabulary.prefer.as_deref().and_then(id),
            anywhere: vocabulary.anywhere,
            named: vocabulary.named.as_ref().and_then(pair),
            booleans: vocabulary.booleans.as_ref().and_then(pair),
            search: OnceLock::new(),
            phrases,
            values,
        }
    }

    /// Returns true if a whole text may be one of its values or phrases; `false` is certain.
    fn may_have(&self, text: &str) -> bool {
        let text = text.trim();
        self.phrases.iter().any(|(phrase, _)| phrase.may_be(text))
            || self.values.iter().any(|value| value.eq_ignore_ascii_case(text))
    }

    fn search(&self) -> &PhraseSearch {
        self.search.get_or_init(|| PhraseSearch::new(self.phrases.iter().map(|(phrase, _)| phrase)))
    }

    /// Every phrase in a text, in order; none within another.
    pub(super) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = PhraseHit> + 't {
        self.search().find_iter(text).filter_map(|found| {
            let (_, value) = self.phrases.get(found.phrase)?;
            (!found.bytes.is_empty() && !is_part_of_number(text, &found.bytes))
                .then_some(PhraseHit { bytes: found.bytes, value: *value })
        })
    }

    /// Reads a candidate's text as one value, even if it says more (`positive (90%)`); `None` if it says several
    /// values or none.
    pub(super) fn read(&self, text: &str) -> Option<Canonical> {
        let trimmed = text.trim();
        if let Some(value) = self.whole(trimmed) {
            return Some(Canonical { value, whole: true });
        }
        if trimmed.len() > MAX_VALUE {
            return None;
        }
        let mut said = None;
        for hit in self.find(trimmed) {
            match said {
                None => said = Some(hit.value),
                Some(value) if value == hit.value => {}
                Some(_) => return None,
            }
        }
        said.map(|value| Canonical { value, whole: false })
    }

    /// The value whose name or phrase a trimmed text is.
    fn whole(&self, text: &str) -> Option<ValueId> {
        if let Some(at) = self.values.iter().position(|value| value.eq_ignore_ascii_case(text)) {
            return ValueId::try_from(at).ok();
        }
        if text.len() > MAX_VALUE || !self.may_have(text) {
            return None;
        }
        let found = self.search().at_start(text).filter(|found| found.bytes.len() == text.len())?;
        self.phrases.get(found.phrase).map(|(_, value)| *value)
    }

    /// The value that `true` or `false` means.
    pub(super) fn boolean(&self, value: bool) -> Option<ValueId> {
        self.booleans.map(|(yes, no)| if value { yes } else { no })
    }

    /// The values that the name of a field means, affirmed and negated.
    pub(super) fn named(&self) -> Option<(ValueId, ValueId)> {
        self.named
    }

    /// The value that a negated value means.
    pub(super) fn opposite(&self, value: ValueId) -> Option<ValueId> {
        self.opposite.get(value as usize).copied().flatten()
    }

    /// The value that a careful reader reports when mentions differ.
    pub(super) fn prefers(&self) -> Option<ValueId> {
        self.prefer
    }

    /// Returns true if phrases count wherever they appear.
    pub(super) fn counts_anywhere(&self) -> bool {
        self.anywhere
    }

    /// The canonical value as written.
    pub(super) fn value(&self, id: ValueId) -> &str {
        self.values.get(id as usize).map_or("", String::as_str)
    }
}

/// Returns true if digits at the edge of a match continue beyond it: the `2` of `2.5`.
fn is_part_of_number(text: &str, found: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let at = |i: Option<usize>| i.and_then(|i| bytes.get(i)).copied().unwrap_or(b' ');
    let point = |b: u8| matches!(b, b'.' | b',');
    let after = at(found.end.checked_sub(1)).is_ascii_digit()
        && point(at(Some(found.end)))
        && at(found.end.checked_add(1)).is_ascii_digit();
    let before = at(Some(found.start)).is_ascii_digit()
        && point(at(found.start.checked_sub(1)))
        && at(found.start.checked_sub(2)).is_ascii_digit();
    after || before
}

/// Longest candidate's text that is read as a value of a vocabulary, in bytes.
const MAX_VALUE: usize = 200;

/// The words of a field's name, folded, with a space between: `marginStatus`, `margin_status` and `Margin status` are one.
pub(super) fn field_words(key: &str) -> String {
    let mut words = String::with_capacity(key.len() + 4);
    write_words(key, &mut words);
    words
}

/// Appends the words of a field's name to a text, as [`field_words`] gives them.
pub(super) fn write_words(key: &str, into: &mut String) {
    let mut from = 0;
    let mut before: Option<char> = None;
    let mut rest = key.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let hump = before.is_some_and(|b| (b.is_lowercase() || b.is_ascii_digit()) && c.is_uppercase())
            || (before.is_some_and(char::is_uppercase)
                && c.is_uppercase()
                && rest.peek().is_some_and(|(_, next)| next.is_lowercase()));
        let parts = matches!(c, '_' | '-' | '.' | '/' | ' ');
        // `deletion1p`, but not `pT1` and `CK20`.
        let figures = c.is_ascii_digit() && at - from >= 5 && before.is_some_and(char::is_lowercase);
        if hump || parts || figures {
            write_word(key.get(from..at).unwrap_or_default(), into);
            from = if parts { at + c.len_utf8() } else { at };
        }
        before = Some(c);
    }
    write_word(key.get(from..).unwrap_or_default(), into);
}

fn write_word(word: &str, into: &mut String) {
    if word.is_empty() {
        return;
    }
    if !into.is_empty() {
        into.push(' ');
    }
    into.push_str(&folded(word));
}
