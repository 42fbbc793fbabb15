//! A document's source text, indexed once and asked many times.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::date::DateOrder;
use super::fold::{Hash, fold_eq, fold_str};
use super::names::{Hits, Vocabulary};
use super::token::{Style, Token, TokenKind, tokenize};

/// Bytes between two stored character counts.
const BLOCK: usize = 128;

/// Tells one thing from another of its kind: equal only to its clones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity(Arc<()>);

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A source text with its tokens, a lookup from token to places, and the places of all field names.
///
/// Built in O(n log n); takes about five times the memory of ordinary prose (20 bytes for each word, plus the text).
/// Of a text above 4 GiB only the first 4 GiB can ground anything.
#[derive(Debug)]
pub(crate) struct SourceIndex {
    text: String,
    tokens: Vec<Token>,
    /// Token numbers, sorted by hash, then by position.
    order: Vec<u32>,
    /// Each hash, and where its tokens begin in the order. Sorted.
    groups: Vec<(u32, u32)>,
    /// Words hyphenated over a line break: hash of the joined word, and its first token. Sorted.
    joins: Vec<(u32, u32)>,
    /// How many characters start before each block of bytes; empty when each byte is one.
    chars: Vec<u32>,
    decimal_comma: bool,
    hits: Hits,
    /// Its different words; read when a value is not there as it should be.
    date_order: OnceLock<Option<DateOrder>>,
}

impl SourceIndex {
    /// Indexes `text` for grounding the fields of `vocabulary`.
    #[must_use]
    pub(crate) fn new(text: &str, vocabulary: &Vocabulary) -> Self {
        let mut tokens = Vec::with_capacity(text.len() / 8);
        let mut style = Style::default();
        tokenize(text, &mut style, &mut |token| tokens.push(token));
        let mut keyed: Vec<u64> =
            (0_u32..).zip(&tokens).map(|(i, token)| u64::from(token.hash) << 32 | u64::from(i)).collect();
        keyed.sort_unstable();
        let mut groups: Vec<(u32, u32)> = Vec::new();
        let mut order = Vec::with_capacity(keyed.len());
        for (at, key) in (0_u32..).zip(keyed) {
            let (hash, i) = (
                u32::try_from(key >> 32).unwrap_or_default(),
                u32::try_from(key & 0xffff_ffff).unwrap_or_default(),
            );
            if groups.last().is_none_or(|group| group.0 != hash) {
                groups.push((hash, at));
            }
            order.push(i);
        }
        let mut joins = Vec::new();
        for (i, pair) in (0_u32..).zip(tokens.windows(2)) {
            if let [first, second] = pair
                && first.broken
            {
                joins.push((joined_hash(first.text(text), second.text(text)), i));
            }
        }
        joins.sort_unstable();
        let blocks = if text.is_ascii() { &[] } else { text.as_bytes() };
        let chars = blocks
            .chunks(BLOCK)
            .scan(0_u32, |before, block| {
                let start = *before;
                *before = before.saturating_add(u32::try_from(starts(block)).unwrap_or(u32::MAX));
                Some(start)
            })
            .collect();
        let mut index = Self {
            text: text.to_owned(),
            tokens,
            order,
            groups,
            joins,
            chars,
            decimal_comma: style.decimal_comma(),
            hits: Hits::default(),
            date_order: OnceLock::new(),
        };
        index.hits = vocabulary.locate(&index);
        index
    }

    /// The source text as given.
    #[must_use]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn decimal_comma(&self) -> bool {
        self.decimal_comma
    }

    /// Whether its dates in figures have the day or the month first, as far as they tell.
    pub(super) fn date_order(&self) -> Option<DateOrder> {
        *self.date_order.get_or_init(|| DateOrder::of(self))
    }

    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    pub(super) fn token(&self, i: usize) -> Option<Token> {
        self.tokens.get(i).copied()
    }

    /// Where names of the vocabulary stand; none inside another.
    pub(super) fn hits(&self) -> &Hits {
        &self.hits
    }

    /// The folded token equals `text`, folded.
    pub(super) fn token_is(&self, i: usize, text: &str) -> bool {
        self.token(i).is_some_and(|token| fold_eq(token.text(&self.text), text))
    }

    /// The text between token `i` and token `i + 1`; before the first and after the last token, the rest.
    pub(super) fn gap_after(&self, i: usize) -> &str {
        gap(&self.text, &self.tokens, i)
    }

    /// The text before token `i`.
    pub(super) fn gap_before(&self, i: usize) -> &str {
        match i.checked_sub(1) {
            Some(before) => self.gap_after(before),
            None => {
                let end = self.token(0).map_or(self.text.len(), |token| token.start as usize);
                self.text.get(..end).unwrap_or_default()
            }
        }
    }

    /// The token numbers with this hash, in order of position.
    pub(super) fn occurrences(&self, hash: u32) -> &[u32] {
        match self.groups.binary_search_by_key(&hash, |group| group.0) {
            Ok(at) => self.group(at),
            Err(_) => &[],
        }
    }

    /// The hash of each group of tokens.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u32> + '_ {
        self.groups.iter().map(|group| group.0)
    }

    /// The token numbers of a group, in order of position.
    pub(super) fn group(&self, at: usize) -> &[u32] {
        let from = self.groups.get(at).map_or(self.order.len(), |group| group.1 as usize);
        let to = self.groups.get(at + 1).map_or(self.order.len(), |group| group.1 as usize);
        self.order.get(from..to).unwrap_or_default()
    }

    /// The first tokens of line-broken words whose joined form has this hash.
    pub(super) fn joined(&self, hash: u32) -> &[(u32, u32)] {
        let from = self.joins.partition_point(|join| join.0 < hash);
        let len = self.joins.get(from..).map_or(0, |rest| rest.partition_point(|join| join.0 == hash));
        self.joins.get(from..from + len).unwrap_or_default()
    }

    /// Whether tokens `i` and `i + 1`, split by a line break, together are the word `text`.
    pub(super) fn joined_is(&self, i: usize, text: &str, hash: u32) -> bool {
        let (Some(first), Some(second)) = (self.token(i), self.token(i + 1)) else {
            return false;
        };
        first.broken
            && joined_hash(first.text(&self.text), second.text(&self.text)) == hash
            && super::fold::fold_len(first.text(&self.text)) + super::fold::fold_len(second.text(&self.text))
                == super::fold::fold_len(text)
    }

    /// The characters (Unicode scalar values) of a range of bytes.
    pub(crate) fn chars(&self, bytes: &Range<usize>) -> Range<usize> {
        if self.chars.is_empty() {
            let end = self.text.len();
            return bytes.start.min(end)..bytes.end.min(end);
        }
        let at = |byte: usize| {
            let block = (byte / BLOCK).min(self.chars.len() - 1);
            let before = self.chars.get(block).map_or(0, |count| *count as usize);
            before + self.text.as_bytes().get(block * BLOCK..byte).map_or(0, starts)
        };
        at(bytes.start)..at(bytes.end)
    }

    /// The bytes of a range of characters.
    pub(crate) fn bytes(&self, chars: &Range<usize>) -> Range<usize> {
        if self.chars.is_empty() {
            let end = self.text.len();
            return chars.start.min(end)..chars.end.min(end);
        }
        let at = |char: usize| {
            let block = self.chars.partition_point(|before| (*before as usize) <= char).saturating_sub(1);
            let from = block * BLOCK;
            let before = self.chars.get(block).map_or(0, |before| *before as usize);
            let rest = self.text.as_bytes().get(from..).unwrap_or_default();
            let starts = rest.iter().enumerate().filter(|(_, byte)| is_start(**byte));
            starts.map(|(at, _)| from + at).nth(char.saturating_sub(before)).unwrap_or(self.text.len())
        };
        at(chars.start)..at(chars.end)
    }
}

/// The text between tokens `i` and `i + 1` of `tokens`.
pub(super) fn gap<'a>(text: &'a str, tokens: &[Token], i: usize) -> &'a str {
    let from = tokens.get(i).map_or(text.len(), |token| token.end as usize);
    let to = tokens.get(i + 1).map_or(text.len(), |token| token.start as usize);
    text.get(from..to).unwrap_or_default()
}

/// How many characters start in these bytes.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| is_start(**byte)).count()
}

/// Whether a character starts with this byte.
fn is_start(byte: u8) -> bool {
    (byte & 0xc0) != 0x80
}

/// Hash of the two halves of a hyphenated word, joined.
fn joined_hash(first: &str, second: &str) -> u32 {
    let mut hash = Hash::default();
    fold_str(first, &mut |c| hash.push(c));
    fold_str(second, &mut |c| hash.push(c));
    hash.short()
}

/// Whether the token at `i` looks like an abbreviation in capitals.
pub(super) fn has_capital(text: &str) -> bool {
    text.chars().any(char::is_uppercase)
}

/// Whether a number token is negative: a minus sign directly before it that is neither a hyphen nor a range.
pub(super) fn is_negative(text: &str, token: Token) -> bool {
    if token.kind != TokenKind::Number {
        return false;
    }
    let before = text.get(..token.start as usize).unwrap_or_default();
    let Some(rest) = before.strip_suffix(['-', '\u{2212}', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}'])
    else {
        return false;
    };
    rest.chars().next_back().is_none_or(|c| {
        c.is_whitespace() || matches!(c, '(' | '[' | ':' | '=' | '<' | '>' | '~' | ',' | '|' | '"')
    })
}
