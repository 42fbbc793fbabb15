//! A value to look for: its tokens, and how much evidence it needs.

use super::index::is_negative;
use super::number::{Decimal, PERCENT, Unit};
use super::token::{Token, TokenKind};
use super::words::WordClass;

/// The value, cut into tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'a> {
    pub(super) tokens: &'a [Token],
}

impl Probe<'_> {
    pub(super) fn token(&self, i: usize) -> Option<Token> {
        self.tokens.get(i).copied()
    }

    /// One number and nothing else, without a unit.
    pub(super) fn is_bare_number(&self) -> bool {
        matches!(self.tokens, [only] if only.kind == TokenKind::Number && !only.percent)
    }

    /// The list that token `i` is in.
    pub(super) fn listed(&self, i: usize) -> Option<WordClass> {
        self.token(i)?.listed().class
    }

    pub(super) fn has(&self, kind: WordClass) -> bool {
        (0..self.tokens.len()).any(|i| self.listed(i) == Some(kind))
    }
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
