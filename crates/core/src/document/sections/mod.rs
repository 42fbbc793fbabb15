//! Sections of a file that holds several documents, such as a pathology report followed by a laboratory report.
//!
//! A file is cut only where a page, a title or a block of the head of a document begins, and only if the type changes
//! there or another document's head is repeated: with the head of another patient or order, or as page 1 again. What a
//! title and a head look like is declared in the classification (`sections:`). A file of one document has one section.

mod boundaries;
mod head;
mod joining;
mod signs;
#[cfg(test)]
mod tests;

pub(super) use signs::SectionSigns;

use super::{Classifier, Pages, Structure, UNKNOWN};
use crate::value::Score;
use serde::Serialize;
use std::ops::Range;

/// A part of a file that is a document of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Section {
    /// Its bytes in the text of the file.
    pub text: Range<usize>,
    /// A declared type, or `UNKNOWN`.
    pub document_type: String,
    /// The confidence in the type.
    pub confidence: Score,
    /// Its first line, if that looks like a title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The reasons why the file was cut before it; none for the first one.
    pub reasons: Vec<CutReason>,
}

/// A reason why a file was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CutReason {
    /// A page begins here.
    NewPage,
    /// A title stands here.
    NewTitle,
    /// The text after it is of another type than that before it.
    OtherType,
    /// The head of a document is repeated, and names another patient, order or sample.
    OtherHead,
    /// The numbers of the pages begin again at 1.
    FirstPage,
}

impl CutReason {
    /// The reason in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            CutReason::NewPage => "a page begins",
            CutReason::NewTitle => "a title",
            CutReason::OtherType => "another type",
            CutReason::OtherHead => "the head of another document",
            CutReason::FirstPage => "page 1 again",
        }
    }
}

impl Classifier {
    /// The sections of a text, in its order: together they are all of it that is not blank, each without blanks at its end. One for a text of one
    /// document, and for a classification that says nothing of sections.
    #[must_use]
    pub fn sections(&self, text: &str, pages: Option<&Pages>, structure: &Structure) -> Vec<Section> {
        let joined = match self.section_signs() {
            None => Vec::new(),
            Some(signs) => {
                let found = boundaries::boundaries(text, pages, structure, signs);
                joining::joined(self, signs, text, &found)
            }
        };
        let whole = || joining::JoinedPart { text: 0..text.len(), title: None, reasons: Vec::new() };
        let joined = match joined.len() {
            0 | 1 => vec![whole()],
            _ => joined.into_iter().map(|part| part.without_blank_end(text)).collect(),
        };
        joined.into_iter().map(|part| self.section(text, part)).collect()
    }

    fn section(&self, text: &str, part: joining::JoinedPart) -> Section {
        let found = self.classify(text.get(part.text.clone()).unwrap_or_default());
        Section {
            text: part.text,
            document_type: found.document_type,
            confidence: found.confidence,
            title: part.title,
            reasons: part.reasons,
        }
    }
}

/// A type that is known, with enough confidence to cut by it.
fn known(document_type: &str, confidence: Score) -> bool {
    const ENOUGH: f64 = 0.7;
    document_type != UNKNOWN && confidence.get() >= ENOUGH
}
