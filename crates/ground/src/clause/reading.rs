//! Reading a claim: of all the passages that may say its value or another one, what the document says of it.

use super::claim::{Claim, ParsedClaim, ValueKind};
use super::cues::is_same;
use super::naming::Naming;
use super::passage::{Doubt, Pattern, is_exact, read_passage};
use super::search::{Passage, speaking};
use super::sentence::Clause;
use super::tokens::Token;
use super::trust::Trust;
use crate::document::Document;
use serde_json::Value;
use std::cell::OnceCell;
use std::ops::Range;

/// Places that are known for a claim before it is read, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The quotes that were given for it.
    pub quotes: &'a [Range<usize>],
    /// Other wordings of its value, in the order of the text.
    pub wordings: &'a [Range<usize>],
    /// Wordings of other values of its field.
    pub others: &'a [Range<usize>],
    /// The choice of a careful reader between passages that differ: its value (`true`), another (`false`), or neither.
    pub is_preferred: Option<bool>,
    /// The parts of the document that say nothing of its subject now, each with the doubt that it leaves.
    pub apart: &'a [(Range<usize>, Doubt)],
    /// The parts that describe, where others conclude: they don't outweigh a labelled value.
    pub describing: &'a [Range<usize>],
    /// The parts that were added when the others were finished, and replace what those say.
    pub added: &'a [Range<usize>],
    /// A vocabulary knows the values of its field.
    pub is_listed: bool,
    /// The parts of the document that it is about; none for all of it.
    pub within: Option<&'a [Range<usize>]>,
    /// Least likeness of a misspelt word, in [0, 1]: 1 minus errors per letter.
    pub likeness: f64,
}

impl Default for Known<'_> {
    fn default() -> Self {
        Known {
            quotes: &[],
            wordings: &[],
            others: &[],
            is_preferred: None,
            apart: &[],
            describing: &[],
            added: &[],
            is_listed: false,
            within: None,
            likeness: 0.9,
        }
    }
}

/// The trust that a passage needs to decide.
#[derive(Debug, Clone, Copy)]
pub struct Trusted<'a> {
    /// The counts of patterns.
    pub counts: &'a Trust,
    /// The least precision.
    pub least: f64,
}

/// A reading of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// A passage says the value.
    Says(Passage),
    /// A passage says the value, and another one says another value.
    SaysBoth(Passage, Passage),
    /// A passage says another value, and none this one.
    SaysAnother(Passage),
    /// A passage has the value, and passages like it are right too seldom.
    Untrusted(Passage),
    /// A passage has the value, and there is a reason to doubt that it says it.
    Doubted(Doubt, Range<usize>),
    /// No passage has the value.
    Nothing,
}

/// Reads a claim in a document.
#[must_use]
pub fn read_claim(document: &Document, claim: &Claim<'_>, known: Known<'_>, trusted: Trusted<'_>) -> Reading {
    let read = ParsedClaim::new(claim);
    let reader = ClaimReader { document, claim, read: &read, known, trusted, labels: OnceCell::new() };
    let mut said: Option<Passage> = None;
    let mut doubted: Option<(Doubt, Range<usize>)> = None;
    for bytes in reader.candidates() {
        let read = reader.read(&bytes).and_then(|pattern| reader.of_own_label(pattern, &bytes));
        let read = match reader.doubt_of_part(&bytes) {
            Some(doubt) => read.and(Err(doubt)),
            None => read,
        };
        match read {
            // A general word for presence that is beside something else says nothing of the field.
            Ok(Pattern {
                kind: ValueKind::Presence | ValueKind::Mention,
                naming: Naming::Unnamed | Naming::Elsewhere,
            }) => {}
            Ok(pattern) => {
                let passage = Passage { pattern, bytes };
                if said.as_ref().is_none_or(|best| reader.rank(&passage) > reader.rank(best)) {
                    said = Some(passage);
                }
            }
            Err(doubt) => {
                if doubted
                    .as_ref()
                    .is_none_or(|(_, other)| !reader.is_quoted(other) && reader.is_quoted(&bytes))
                {
                    doubted = Some((doubt, bytes));
                }
            }
        }
    }
    let against = reader.against(said.as_ref());
    match (said, against) {
        (Some(said), Some(against)) if reader.is_trusted(&said) => reader.weighed(said, against),
        (Some(said), None) if reader.is_trusted(&said) => Reading::Says(said),
        (said, Some(against)) if reader.speaks_against(&against) => match said {
            // Of a value that a vocabulary reads from other words, there may be wordings that it does not know.
            Some(said)
                if read.is_figure()
                    || said.pattern.naming <= against.pattern.naming
                    || read.presence.is_none() && reader.is_worded(&said.bytes) =>
            {
                Reading::Untrusted(said)
            }
            Some(_) => Reading::SaysAnother(against),
            // A figure that the document prints may be the field's there, though the passage was not understood.
            None => match doubted.filter(|(doubt, _)| read.is_figure() && !doubt.is_part_of_another()) {
                Some((doubt, bytes)) => Reading::Doubted(doubt, bytes),
                None => Reading::SaysAnother(against),
            },
        },
        (Some(said), _) => Reading::Untrusted(said),
        (None, _) => match doubted {
            Some((doubt, bytes)) => Reading::Doubted(doubt, bytes),
            None => Reading::Nothing,
        },
    }
}

/// Returns whether some bytes lie in one of several stretches.
fn lies_in(bytes: &Range<usize>, stretches: &[Range<usize>]) -> bool {
    stretches.iter().any(|stretch| stretch.start <= bytes.start && bytes.end <= stretch.end)
}

/// The distance below a label within which values are its own, in tokens.
const ABOVE: usize = 90;

/// Reads the passages of one claim.
pub(super) struct ClaimReader<'a> {
    pub(super) document: &'a Document,
    pub(super) claim: &'a Claim<'a>,
    pub(super) read: &'a ParsedClaim,
    pub(super) known: Known<'a>,
    trusted: Trusted<'a>,
    /// The last words of the labels of its field, when they are first asked for.
    labels: OnceCell<Vec<usize>>,
}

impl ClaimReader<'_> {
    /// The reading where one passage says the value and another one says another value.
    fn weighed(&self, said: Passage, against: Passage) -> Reading {
        if said.pattern.naming != Naming::Statement {
            return Reading::Doubted(Doubt::LabelElsewhere, said.bytes);
        }
        let is_by_label = self.is_labelled(&said.bytes) && !self.is_labelled(&against.bytes);
        let in_passing =
            is_by_label && (!self.known.is_listed || lies_in(&against.bytes, self.known.describing));
        let replaced = lies_in(&said.bytes, self.known.added) && !lies_in(&against.bytes, self.known.added);
        if in_passing || replaced || self.known.is_preferred == Some(true) {
            Reading::Says(said)
        } else {
            Reading::SaysBoth(said, against)
        }
    }

    /// Reads a passage for the value, or for the wording of it that the passage has.
    fn read(&self, bytes: &Range<usize>) -> Result<Pattern, Doubt> {
        let as_given = read_passage(self.document, self.claim, bytes);
        let is_silent = matches!(as_given, Err(Doubt::NotAffirmed | Doubt::NotDenied));
        if !is_silent || !self.is_worded(bytes) {
            return as_given;
        }
        let printed = self.printed(bytes);
        // Of figures and signs, a vocabulary has several for one value.
        let is_words = printed
            .as_str()
            .is_some_and(|text| text.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || c == '-'));
        if !is_words || self.read.has_digits() {
            return as_given;
        }
        let read = read_passage(self.document, &Claim { value: &printed, ..*self.claim }, bytes);
        read.map(|pattern| Pattern { kind: ValueKind::Choice, ..pattern }).or(as_given)
    }

    pub(super) fn printed(&self, bytes: &Range<usize>) -> Value {
        Value::from(self.document.text().get(bytes.clone()).unwrap_or_default())
    }

    pub(super) fn is_within(&self, bytes: &Range<usize>) -> bool {
        self.known.within.is_none_or(|parts| lies_in(bytes, parts))
    }

    pub(super) fn describes(&self, bytes: &Range<usize>) -> bool {
        lies_in(bytes, self.known.describing)
    }

    pub(super) fn doubt_of_part(&self, bytes: &Range<usize>) -> Option<Doubt> {
        let holds = |part: &Range<usize>| lies_in(bytes, std::slice::from_ref(part));
        self.known.apart.iter().find(|(part, _)| holds(part)).map(|(_, doubt)| *doubt)
    }

    pub(super) fn is_quoted(&self, bytes: &Range<usize>) -> bool {
        lies_in(bytes, self.known.quotes)
    }

    /// Returns whether a token is a word of a name.
    fn is_word_of(&self, names: &[String], at: usize) -> bool {
        let is_same = |token: &Token| names.iter().any(|name| is_same(name, &token.folded));
        self.document.tokens().all.get(at).is_some_and(|token| token.is_word() && is_same(token))
    }

    /// Returns whether the sign of a label is right behind a word of the field's name.
    fn is_label_end(&self, name: usize) -> bool {
        let mut behind = self.document.tokens().all.iter().skip(name + 1).take(2);
        behind.any(|token| token.is(":") || token.is("=") || token.is("|"))
    }

    /// Returns whether a value is behind the label of its field, or its place is the label itself.
    fn is_labelled(&self, bytes: &Range<usize>) -> bool {
        let tokens = self.document.tokens();
        let Some(clause) = Clause::around(tokens, tokens.over(bytes.start, bytes.end)) else { return false };
        clause.statement.iter().any(|at| self.is_word_of(&self.read.names, *at) && self.is_label_end(*at))
    }

    /// The pattern of a passage that names its field in other words or not at all, unless the document has a label for
    /// the field, and the passage is not below it.
    fn of_own_label(&self, pattern: Pattern, bytes: &Range<usize>) -> Result<Pattern, Doubt> {
        if !pattern.naming.is_weak() {
            return Ok(pattern);
        }
        let tokens = self.document.tokens();
        let value = tokens.over(bytes.start, bytes.end).start;
        let is_above = |label: &usize| *label < value && value - label <= ABOVE;
        let names = || std::iter::once(&self.read.names).chain(&self.read.synonyms);
        let labels = self.labels.get_or_init(|| names().flat_map(|names| self.labels_of(names)).collect());
        let is_elsewhere = !labels.is_empty() && !labels.iter().any(is_above);
        if is_elsewhere { Err(Doubt::LabelElsewhere) } else { Ok(pattern) }
    }

    /// The last words of the labels that have all of some words.
    fn labels_of(&self, names: &[String]) -> Vec<usize> {
        let tokens = self.document.tokens();
        let is_name = |at: &usize| self.is_word_of(names, *at);
        let end = |named: Range<usize>| {
            let at = tokens.over(named.start, named.end).start;
            let clause = Clause::around(tokens, at..at + 1)?;
            clause.statement.iter().copied().rfind(is_name).filter(|last| self.is_label_end(*last))
        };
        let here = speaking(tokens, names).into_iter().filter(|named| self.is_within(named));
        here.filter_map(end).collect()
    }

    /// Returns whether a passage is a wording of the value, by the vocabulary.
    pub(super) fn is_worded(&self, bytes: &Range<usize>) -> bool {
        let place = |bytes: &Range<usize>| (bytes.start, bytes.end);
        self.known.wordings.binary_search_by_key(&place(bytes), place).is_ok()
    }

    fn bound(&self, passage: &Passage) -> f64 {
        self.trusted.counts.of(passage.pattern).bound
    }

    fn is_trusted(&self, passage: &Passage) -> bool {
        self.bound(passage) >= self.trusted.least
    }

    /// The order of passages that say the value.
    fn rank(&self, passage: &Passage) -> (bool, bool, f64) {
        let trusted = self.is_trusted(passage);
        (trusted, self.is_quoted(&passage.bytes), self.bound(passage))
    }

    /// Returns whether a passage that says another value contradicts this one.
    fn speaks_against(&self, against: &Passage) -> bool {
        is_exact(self.claim) && against.pattern.naming == Naming::Statement && self.is_trusted(against)
    }
}
