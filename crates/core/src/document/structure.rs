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
    /// A picture that is large enough to say something, of which no text is read. Its place in the text is empty.
    Picture,
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

    /// This structure, with so many pictures of which no text is read, and whose place in the text is not known.
    #[must_use]
    pub fn with_pictures(self, count: usize) -> Self {
        let picture = MarkedPart { text: 0..0, role: PartRole::Picture };
        let mut parts = vec![picture; count];
        parts.extend(self.0);
        Structure::new(parts)
    }

    /// A clause about the pictures of which no text is read; `None` if there are none.
    #[must_use]
    pub fn unread_pictures(&self) -> Option<String> {
        match self.0.iter().filter(|part| part.role == PartRole::Picture).count() {
            0 => None,
            1 => Some("it shows a picture, of which no text is read".to_owned()),
            several => Some(format!("it shows {several} pictures, of which no text is read")),
        }
    }

    /// The parts, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, MarkedPart> {
        self.0.iter()
    }
}
