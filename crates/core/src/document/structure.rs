//! Structure of a document, as its file marks it: headings, tables, lists and notes.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The parts of a document's text that its file marks, in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Structure(Vec<MarkedPart>);

/// A part of a document's text, and its role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedPart {
    /// Its bytes in the text.
    pub text: Range<usize>,
    /// Its role.
    pub role: PartRole,
}

/// The role of a part of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartRole {
    /// A heading.
    Heading {
        /// Its level, from 1.
        level: u8,
    },
    /// A table.
    Table,
    /// A list.
    List,
    /// A footnote, endnote or comment.
    Note,
}

impl Structure {
    /// These parts, sorted by where they begin.
    #[must_use]
    pub fn new(mut parts: Vec<MarkedPart>) -> Self {
        parts.sort_by_key(|part| part.text.start);
        Structure(parts)
    }

    /// Returns whether the file marks nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts at their new places in a text of which parts were replaced; those without one are left out.
    #[must_use]
    pub fn moved(&self, to: impl Fn(&Range<usize>) -> Option<Range<usize>>) -> Self {
        let moved = |part: &MarkedPart| Some(MarkedPart { text: to(&part.text)?, role: part.role });
        Structure::new(self.0.iter().filter_map(moved).collect())
    }

    /// The parts that lie in a section of the text.
    #[must_use]
    pub fn within(&self, text: &Range<usize>) -> Self {
        let inside = self.0.iter().filter(|part| part.text.start >= text.start && part.text.end <= text.end);
        let moved = inside.map(|part| MarkedPart {
            text: part.text.start - text.start..part.text.end - text.start,
            ..part.clone()
        });
        Structure(moved.collect())
    }

    /// The parts, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, MarkedPart> {
        self.0.iter()
    }
}
