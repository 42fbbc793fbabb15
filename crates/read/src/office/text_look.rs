//! The look of a text: what decides whether a person sees it, and which characters.

use super::ink::{Backdrop, Ink, UNSEEN_POINTS};
use super::symbol_fonts::{self, SymbolFont};
use crate::script_digits;

/// The look of a text, as far as it is set.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct TextLook {
    pub(super) hidden: Option<bool>,
    /// Its size in points.
    pub(super) points: Option<f64>,
    /// Its colour; `Some(None)` for that of the reader's choice.
    pub(super) ink: Option<Option<Ink>>,
    /// The colour behind it, if it has one of its own.
    pub(super) shade: Option<Option<Ink>>,
    /// Its font, if that is one of symbols.
    pub(super) font: Option<Option<SymbolFont>>,
    /// `true` if it is smaller and above the line, as powers and marks of notes are.
    pub(super) raised: Option<bool>,
}

impl TextLook {
    /// This look, changed by what another one sets.
    #[must_use]
    pub(super) fn with(self, other: Self) -> Self {
        TextLook {
            hidden: other.hidden.or(self.hidden),
            points: other.points.or(self.points),
            ink: other.ink.or(self.ink),
            shade: other.shade.or(self.shade),
            font: other.font.or(self.font),
            raised: other.raised.or(self.raised),
        }
    }

    /// Returns whether text of this look is seen on a background.
    pub(super) fn is_seen_on(&self, backdrop: Backdrop) -> bool {
        let backdrop = self.shade.flatten().map_or(backdrop, Backdrop::Plain);
        let is_tiny = self.points.is_some_and(|points| points <= UNSEEN_POINTS);
        let is_in_its_colour = self.ink.flatten().is_some_and(|ink| !ink.is_seen_on(backdrop));
        !(self.hidden.unwrap_or_default() || is_tiny || is_in_its_colour)
    }

    /// The characters that are seen of a text.
    pub(super) fn shown(&self, text: &str) -> String {
        let shown = symbol_fonts::shown(text, self.font.flatten());
        if self.raised.unwrap_or_default() { raised(shown) } else { shown }
    }
}

/// A number above the line in the digits for that: `10` and a raised `9` are not 109. A text that is more than a number
/// stays as it is.
pub(super) fn raised(text: String) -> String {
    let number: String = text.chars().map(script_digits::raised).collect();
    let is_number = text.chars().zip(number.chars()).all(|(before, after)| before != after);
    if is_number { number } else { text }
}
