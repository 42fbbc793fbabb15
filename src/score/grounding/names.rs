//! Names of fields: what a field may be called in a text, and where those names stand.

use super::fold::{Word, fold_eq};
use super::index::{SourceIndex, gap, has_capital};
use super::token::{Style, Token, letters, tokenize};
use crate::value::Fuel;
use std::collections::HashMap;

/// A field, by its number in the vocabulary; the names that only a candidate has follow after those.
pub(super) type Concept = u32;

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

/// All fields that a rubric knows, with every name each may have in a text, so that a value is never taken from
/// beside another field's name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    table: NameTable,
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
        let mut table = NameTable::default();
        for (concept, (field, synonyms)) in (0_u32..).zip(fields) {
            table.add(concept, field.as_ref());
            for synonym in synonyms {
                table.add(concept, synonym.as_ref());
            }
            table.concepts = concept + 1;
        }
        Self { table }
    }

    pub(super) fn table(&self) -> &NameTable {
        &self.table
    }

    pub(super) fn locate(&self, source: &SourceIndex, hits: &mut Vec<Hit>) {
        self.table.locate(source, hits, &Fuel::of(u64::MAX));
        hits.sort_unstable();
    }
}

#[derive(Clone, Copy, Debug)]
struct Name {
    concept: Concept,
    /// First of its tokens in the table, and the one after its last.
    from: u32,
    to: u32,
    /// So short that it could be an ordinary word (`er`, `pr`): must be written with a capital or as a label.
    short: bool,
    /// The name before it whose tokens have the same hashes.
    same_hash: Option<u32>,
}

/// Names with their tokens, in arenas that can be cleared and filled again without allocating.
#[derive(Clone, Debug, Default)]
pub(super) struct NameTable {
    text: String,
    tokens: Vec<Token>,
    names: Vec<Name>,
    /// The last name whose tokens have these hashes.
    by_hash: HashMap<u64, u32>,
    pub(super) concepts: Concept,
    spaced: String,
    variant: String,
}

/// Names longer than this many tokens are prose, not names. The long names of laboratory tests have some 15.
const LONGEST: usize = 20;

impl NameTable {
    /// Empties the table; concepts are counted on from `first`.
    pub(super) fn clear(&mut self, first: Concept) {
        self.text.clear();
        self.tokens.clear();
        self.names.clear();
        self.by_hash.clear();
        self.concepts = first;
    }

    /// Adds `name`, in all its spellings.
    pub(super) fn add(&mut self, concept: Concept, name: &str) {
        let mut spaced = std::mem::take(&mut self.spaced);
        let mut variant = std::mem::take(&mut self.variant);
        for spelling in [Spelling::AsIs, Spelling::Words, Spelling::DigitsApart, Spelling::Merged] {
            spaced.clear();
            spell(name, spelling, &mut spaced);
            self.add_spelling(concept, &spaced);
            variant.clear();
            variant.push_str(spaced.trim_end());
            if letters(&variant) >= 4 && variant.ends_with(char::is_alphabetic) {
                if variant.ends_with(['s', 'S']) {
                    variant.pop();
                } else {
                    variant.push('s');
                }
                self.add_spelling(concept, &variant);
            }
        }
        self.spaced = spaced;
        self.variant = variant;
    }

    fn add_spelling(&mut self, concept: Concept, spelling: &str) {
        let (from, offset) = (self.tokens.len(), self.text.len());
        self.text.push_str(spelling);
        // Separated, so that two names never run into one token.
        self.text.push('\n');
        let Ok(shift) = u32::try_from(offset) else {
            return;
        };
        let tokens = &mut self.tokens;
        tokenize(spelling, &mut Style::default(), &mut |token| {
            tokens.push(Token { start: token.start + shift, end: token.end + shift, ..token });
        });
        let hash = hash_of(self.tokens.get(from..).unwrap_or_default());
        let known = self.alike(hash).any(|name| name.concept == concept && self.same(name, from));
        if self.tokens.len() == from || self.tokens.len() - from > LONGEST || known {
            self.tokens.truncate(from);
            self.text.truncate(offset);
            return;
        }
        let (Ok(first), Ok(to)) = (u32::try_from(from), u32::try_from(self.tokens.len())) else {
            return;
        };
        let short = self.tokens.len() - from == 1 && letters(spelling) <= 3;
        let Ok(number) = u32::try_from(self.names.len()) else {
            return;
        };
        let same_hash = self.by_hash.insert(hash, number);
        self.names.push(Name { concept, from: first, to, short, same_hash });
    }

    /// The names whose tokens have these hashes, the last one first.
    fn alike(&self, hash: u64) -> impl Iterator<Item = &Name> {
        let name = |number: u32| self.names.get(number as usize);
        std::iter::successors(self.by_hash.get(&hash).and_then(|number| name(*number)), move |before| {
            before.same_hash.and_then(name)
        })
    }

    /// Whether the tokens of `name` equal all tokens from `from` on.
    fn same(&self, name: &Name, from: usize) -> bool {
        let own = self.tokens.get(name.from as usize..name.to as usize).unwrap_or_default();
        let other = self.tokens.get(from..).unwrap_or_default();
        own.len() == other.len()
            && own
                .iter()
                .zip(other)
                .all(|(a, b)| a.hash == b.hash && fold_eq(a.text(&self.text), b.text(&self.text)))
    }

    /// Adds to `into` every concept that has a name in common with `probe`, a table with one name.
    pub(super) fn resolve(&self, probe: &NameTable, into: &mut Vec<Concept>, fuel: &Fuel) {
        for other in &probe.names {
            let tokens = probe.tokens.get(other.from as usize..other.to as usize).unwrap_or_default();
            for name in self.alike(hash_of(tokens)).take_while(|_| fuel.spend(1)) {
                let own = self.tokens.get(name.from as usize..name.to as usize).unwrap_or_default();
                let same = || {
                    own.len() == tokens.len()
                        && own.iter().zip(tokens).all(|(a, b)| {
                            a.hash == b.hash && fold_eq(a.text(&self.text), b.text(&probe.text))
                        })
                };
                if !into.contains(&name.concept) && same() {
                    into.push(name.concept);
                }
            }
        }
    }

    /// Finds all names in `source`.
    pub(super) fn locate(&self, source: &SourceIndex, hits: &mut Vec<Hit>, fuel: &Fuel) {
        for name in &self.names {
            let tokens = self.tokens.get(name.from as usize..name.to as usize).unwrap_or_default();
            let Some(first) = tokens.first() else {
                continue;
            };
            let places = source.occurrences(first.hash);
            if !fuel.spend_on(1 + places.len()) {
                return;
            }
            for &at in places {
                if self.stands(name, tokens, source, at as usize) {
                    let len = name.to - name.from;
                    hits.push(Hit { start: at, end: std::cmp::Reverse(at + len), concept: name.concept });
                }
            }
        }
    }

    fn stands(&self, name: &Name, tokens: &[Token], source: &SourceIndex, at: usize) -> bool {
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
        if !all || !name.short {
            return all;
        }
        let labelled = gap(source.text(), source.tokens(), at).trim_start().starts_with([':', '=']);
        labelled || source.token(at).is_some_and(|token| has_capital(token.text(source.text())))
    }
}

/// One number for the hashes of several tokens.
fn hash_of(tokens: &[Token]) -> u64 {
    tokens.iter().fold(0x9e37_79b9_7f4a_7c15, |all: u64, token| {
        (all ^ u64::from(token.hash)).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
    })
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

/// The key folded and without separators, for looking it up among generic and label keys.
pub(super) fn key_is(key: &str, listed: impl Fn(&str) -> bool) -> bool {
    Word::new(key).is_some_and(|word| listed(word.as_str().trim_matches(['_', '-'])))
}

/// The unit that the last word of a key names, and the key without it: `sizeMm`, `weight_g`. A key of one word names none.
pub(super) fn unit_in_key(key: &str) -> Option<(super::number::Unit, &str)> {
    let (at, c) = key.char_indices().rev().find(|(_, c)| c.is_uppercase() || matches!(c, '_' | '-' | ' '))?;
    let from = if c.is_uppercase() { at } else { at + c.len_utf8() };
    let stem =
        key.get(..at).filter(|stem| stem.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))?;
    Some((super::number::unit_of_word(key.get(from..)?)?, stem))
}
