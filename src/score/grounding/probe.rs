//! A value to look for: its tokens, and how much evidence it needs.

use super::index::{has_capital, is_negative};
use super::number::{Decimal, PERCENT, Unit};
use super::token::{Token, TokenKind, letters};
use super::words::WordClass;

/// How much a match of the value proves by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// Distinctive: wherever it stands, it is this value.
    Free,
    /// A quantity with its unit: must not stand beside another field's name.
    Lenient,
    /// Short or common: must stand beside a name of its own field.
    Strict,
}

/// The value, cut into tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    /// The unit that the field's key or a sibling gives a bare number.
    pub(super) hint: Option<Unit>,
}

impl Probe<'_> {
    pub(super) fn token(&self, i: usize) -> Option<Token> {
        self.tokens.get(i).copied()
    }

    /// The unit that token `i` names.
    pub(super) fn unit(&self, i: usize) -> Option<Unit> {
        self.token(i)?.listed().unit
    }

    pub(super) fn word(&self, i: usize) -> &str {
        self.token(i).map_or("", |token| token.text(self.text))
    }

    /// One number and nothing else, without a unit.
    pub(super) fn is_bare_number(&self) -> bool {
        matches!(self.tokens, [only] if only.kind == TokenKind::Number && !only.percent)
    }

    /// A number of parts of a hundred.
    pub(super) fn is_percent(&self) -> bool {
        self.tokens.first().is_some_and(|token| token.percent)
    }

    /// The list that token `i` is in.
    pub(super) fn listed(&self, i: usize) -> Option<WordClass> {
        self.token(i)?.listed().class
    }

    pub(super) fn has(&self, kind: WordClass) -> bool {
        (0..self.tokens.len()).any(|i| self.listed(i) == Some(kind))
    }

    /// How much evidence the value needs.
    pub(super) fn evidence(&self) -> Evidence {
        let (mut words, mut total, mut longest, mut numbers, mut units) = (0, 0, 0, 0, 0);
        for (i, token) in self.tokens.iter().enumerate() {
            let text = token.text(self.text);
            match token.kind {
                TokenKind::Number => {
                    numbers += 1;
                    units += usize::from(token.percent && self.tokens.len() > 1);
                }
                TokenKind::Symbol => {}
                TokenKind::Word if i > 0 && token.listed().unit.is_some() => units += 1,
                TokenKind::Word
                    if self.listed(i).is_some() || (numbers > 0 && is_times(self.text, self.tokens, i)) => {}
                TokenKind::Word => {
                    let count = letters(text);
                    let figures = text.chars().filter(char::is_ascii_digit).count();
                    let digits = figures > 0;
                    if digits && text.starts_with(char::is_alphabetic) && text.chars().count() >= 3
                        || is_acronym(text)
                        // `1934delG`
                        || (figures >= 2 && count >= 2 && figures + count >= 6)
                    {
                        return Evidence::Free;
                    }
                    words += 1;
                    total += count;
                    longest = longest.max(count);
                }
            }
        }
        // Codes such as `NM_000106.5:c.886C>T`, whose `c` and `g` are no units.
        let code = self.text.contains(['_', '>', ':']) && !self.text.trim().contains(char::is_whitespace);
        let figures = self.text.chars().filter(char::is_ascii_digit).count();
        // `145C>T`
        let substitution =
            code && self.text.contains('>') && figures >= 2 && figures + letters(self.text) >= 5;
        let identifier = substitution
            || (((code && numbers >= 1) || (words >= 1 && units == 0 && numbers >= 2))
                && self.text.chars().any(char::is_alphabetic)
                && self.text.chars().filter(|c| c.is_alphanumeric()).count() >= 8);
        if longest >= 6 || (words >= 2 && total >= 8) || identifier {
            Evidence::Free
        } else if numbers > 0 && units > 0 && words == 0 {
            Evidence::Lenient
        } else {
            Evidence::Strict
        }
    }
}

/// `KRAS`, `HSIL`: four capitals or more, but not a Roman numeral.
pub(super) fn is_acronym(text: &str) -> bool {
    text.chars().count() >= 4
        && text.chars().all(char::is_uppercase)
        && !text.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'L' | 'C'))
}

/// The number at token `i`, with its sign.
pub(super) fn number_at(text: &str, tokens: &[Token], i: usize, decimal_comma: bool) -> Option<Decimal> {
    let token = tokens.get(i)?;
    Some(Decimal::parse(token.text(text), decimal_comma)?.signed(is_negative(text, *token)))
}

/// Whether token `i` multiplies the numbers beside it: `2.5 x 1 cm`.
pub(super) fn is_times(text: &str, tokens: &[Token], i: usize) -> bool {
    tokens.get(i).is_some_and(|token| matches!(token.text(text), "x" | "X" | "\u{d7}" | "by" | "por"))
}

/// The unit of the number at token `i`: its own, or that at the end of the dimensions it opens.
pub(super) fn unit_at(text: &str, tokens: &[Token], i: usize) -> Option<Unit> {
    let mut at = i;
    for _ in 0..4 {
        if tokens.get(at)?.percent {
            return Some(PERCENT);
        }
        let gap = super::index::gap(text, tokens, at);
        // Scanned texts have a full stop at each line's end: `11.0. cm`.
        let spaced =
            gap.strip_prefix('.').filter(|rest| rest.starts_with(char::is_whitespace)).unwrap_or(gap);
        if gap.len() > 4 || !spaced.chars().all(|c| c.is_whitespace() || c == '-') {
            return None;
        }
        if let Some(unit) = tokens.get(at + 1)?.listed().unit {
            return Some(unit);
        }
        if !is_times(text, tokens, at + 1) || tokens.get(at + 2)?.kind != TokenKind::Number {
            return None;
        }
        at += 2;
    }
    None
}

/// Whether a text is written with a capital, as names of three letters and fewer must be.
pub(super) fn is_capitalised(text: &str) -> bool {
    has_capital(text)
}
