//! The lists that words of a source are in.

use super::index::SourceIndex;
use super::token::TokenKind;
use super::words::WordClass;

/// The list that a source token is in.
pub(super) fn listed_at(source: &SourceIndex, i: usize) -> Option<WordClass> {
    source.token(i).filter(|token| token.kind == TokenKind::Word)?.listed().class
}
