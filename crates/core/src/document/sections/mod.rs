//! Sections of a file that holds several documents, such as a pathology report followed by a laboratory report.
//!
//! A file is cut where a paragraph begins that looks like the beginning of a document, and only if what follows is another
//! one: the type changes, another document's head, page 1 or headings are repeated, or few words are shared. What
//! titles, heads, beginnings and ends look like is declared in the classification (`sections:`). A file of one document
//! has one section.

mod boundaries;
mod division;
mod evidence;
mod head;
mod labels;
mod page_look;
mod signs;
#[cfg(test)]
mod tests;
mod vocabulary;

pub(super) use signs::SectionSigns;

use division::DividedPart;

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
    /// A heading stands here with which documents begin.
    Opening,
    /// The text after it has few words of that before it.
    OtherWords,
    /// The headings of a document begin again, in their order.
    HeadingsAgain,
    /// A heading stands here.
    NewHeading,
    /// The text before it is about another kind of subject.
    OtherSubject,
    /// The page that begins here has another size than the one before, or is printed otherwise.
    OtherPrint,
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
            CutReason::Opening => "a heading with which documents begin",
            CutReason::OtherWords => "other words",
            CutReason::HeadingsAgain => "the headings begin again",
            CutReason::NewHeading => "a heading",
            CutReason::OtherSubject => "another subject",
            CutReason::OtherPrint => "another print",
        }
    }
}

impl Classifier {
    /// The sections of a text, in its order: together they are all of it that is not blank, each without blanks at its end. One for a text of one
    /// document, and for a classification that says nothing of sections.
    #[must_use]
    pub fn sections(&self, text: &str, pages: Option<&Pages>, structure: &Structure) -> Vec<Section> {
        let divided = match self.section_signs() {
            None => Vec::new(),
            Some(signs) => {
                let labels = labels::labels(text);
                let found = boundaries::boundaries(text, pages, structure, signs, &labels);
                division::divided(self, signs, text, &found, &labels)
            }
        };
        let whole = || vec![DividedPart { text: 0..text.len(), title: None, reasons: Vec::new() }];
        let divided = if divided.len() < 2 { whole() } else { divided };
        let mut sections: Vec<Section> = Vec::new();
        for part in divided {
            let mut next = self.section(text, part);
            let is_other = |before: &Section| {
                let is_known = |section: &Section| known(&section.document_type, section.confidence);
                is_known(before) && is_known(&next) && before.document_type != next.document_type
            };
            if sections.last().is_some_and(is_other) {
                next.reasons.push(CutReason::OtherType);
            }
            sections.push(next);
        }
        sections
    }

    fn section(&self, text: &str, part: DividedPart) -> Section {
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

/// The confidence in a type that suffices to cut by it.
const ENOUGH: f64 = 0.7;

/// A type that is known, with enough confidence to cut by it.
fn known(document_type: &str, confidence: Score) -> bool {
    document_type != UNKNOWN && confidence.get() >= ENOUGH
}
