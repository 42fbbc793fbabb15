//! Parts of a file between places where documents may begin, joined to documents.

use super::super::Classifier;
use super::boundaries::Boundary;
use super::head::PartHead;
use super::signs::SectionSigns;
use super::{CutReason, known};
use std::ops::Range;

/// Parts of a file that are one document.
#[derive(Debug)]
pub(super) struct JoinedPart {
    pub(super) text: Range<usize>,
    pub(super) title: Option<String>,
    pub(super) reasons: Vec<CutReason>,
}

impl JoinedPart {
    /// The part without line ends and page breaks at its end.
    pub(super) fn without_blank_end(mut self, text: &str) -> Self {
        let own = text.get(self.text.clone()).unwrap_or_default();
        self.text.end = self.text.start + own.trim_end().len();
        self
    }
}

/// A document that is being joined, with all that is known of it.
struct OpenDocument {
    part: JoinedPart,
    head: PartHead,
    document_type: Option<String>,
}

/// The documents of a text, given the places at which some may begin.
pub(super) fn joined(
    classifier: &Classifier,
    signs: &SectionSigns,
    text: &str,
    boundaries: &[Boundary],
) -> Vec<JoinedPart> {
    let start = Boundary::default();
    let ends = boundaries.iter().map(|boundary| boundary.at).chain([text.len()]);
    let parts = [&start].into_iter().chain(boundaries).zip(ends);
    let mut done = Vec::new();
    let mut open: Option<OpenDocument> = None;
    for (boundary, end) in parts {
        let range = boundary.at..end;
        let own = text.get(range.clone()).unwrap_or_default();
        // Nothing is before the first word of a text.
        if own.trim().is_empty() {
            continue;
        }
        let found = classifier.classify(own);
        let document_type = known(&found.document_type, found.confidence).then_some(found.document_type);
        let next = OpenDocument {
            part: JoinedPart { text: range, title: boundary.title.clone(), reasons: Vec::new() },
            head: PartHead::of(own, signs),
            document_type,
        };
        open = Some(match open {
            None => next,
            Some(before) => match before.reasons_for_a_cut(&next, boundary, signs) {
                reasons if reasons.is_empty() => before.continued(next),
                reasons => {
                    done.push(before.part);
                    OpenDocument { part: JoinedPart { reasons, ..next.part }, ..next }
                }
            },
        });
    }
    done.extend(open.map(|open| open.part));
    done
}

impl OpenDocument {
    /// The reasons why `next` is another document; none if it continues this one.
    fn reasons_for_a_cut(&self, next: &Self, boundary: &Boundary, signs: &SectionSigns) -> Vec<CutReason> {
        let page = next.head.page;
        if page.is_some_and(|page| page > 1) {
            return Vec::new();
        }
        let first_page = page == Some(1) && self.head.page.is_some();
        let other_head = next.head.contradicts(&self.head);
        let (from, to) = (self.document_type.as_deref(), next.document_type.as_deref());
        let types = from.zip(to).filter(|(from, to)| from != to);
        // The head that each page of a document has says that it goes with the one before.
        let is_part = types.is_some_and(|(from, to)| signs.is_held_by(to, from))
            || (next.head.repeats(&self.head) && boundary.title.is_none());
        let other_type = types.is_some() && (!is_part || first_page || other_head);
        if !(first_page || other_head || other_type) {
            return Vec::new();
        }
        let reasons = [
            (boundary.page, CutReason::NewPage),
            (boundary.title.is_some(), CutReason::NewTitle),
            (other_type, CutReason::OtherType),
            (other_head, CutReason::OtherHead),
            (first_page, CutReason::FirstPage),
        ];
        reasons.into_iter().filter_map(|(holds, reason)| holds.then_some(reason)).collect()
    }

    /// This document with a part that continues it.
    fn continued(mut self, next: Self) -> Self {
        self.part.text.end = next.part.text.end;
        self.part.title = self.part.title.or(next.part.title);
        self.head.continue_with(next.head);
        self.document_type = self.document_type.or(next.document_type);
        self
    }
}
