//! The text of one part as a document of its own, and where it stands in the whole.

use super::super::grounding::{Lexicon, Passages, SourceIndex, Vocabulary};
use super::Parts;
use std::ops::Range;
use std::sync::OnceLock;

/// What stands between two stretches: no sentence goes on from one to the other.
const BETWEEN: &str = "\n\n";

/// Stretches of a text, put together.
#[derive(Debug)]
pub(crate) struct PartText {
    pub(crate) index: SourceIndex,
    pub(crate) passages: Passages,
    /// Where each stretch begins here, and where it stands in the whole.
    map: Vec<(usize, Range<usize>)>,
}

impl PartText {
    fn new(
        text: &str,
        stretches: &[Range<usize>],
        whole: &Passages,
        names: &Vocabulary,
        lexicon: &Lexicon,
    ) -> Self {
        let mut own = String::with_capacity(stretches.iter().map(|one| one.len() + BETWEEN.len()).sum());
        let mut map = Vec::with_capacity(stretches.len());
        for stretch in stretches {
            if !own.is_empty() {
                own.push_str(BETWEEN);
            }
            map.push((own.len(), stretch.clone()));
            own.push_str(text.get(stretch.clone()).unwrap_or_default());
        }
        let passages = whole.of_stretches(lexicon, &map);
        PartText { index: SourceIndex::new(&own, names), passages, map }
    }

    /// Where bytes of this text stand in the whole one.
    pub(crate) fn in_whole(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.place(bytes.start);
        let end = bytes.end.checked_sub(1).map_or(start, |last| self.place(last) + 1);
        start..end.max(start)
    }

    fn place(&self, byte: usize) -> usize {
        let upto = self.map.partition_point(|(start, _)| *start <= byte);
        let stretch = upto.checked_sub(1).and_then(|last| self.map.get(last));
        stretch.map_or(0, |(start, whole)| (whole.start + (byte - start)).min(whole.end))
    }
}

/// A document with its parts; each part's text is put together when it is first asked for.
#[derive(Debug)]
pub(crate) struct PartedText {
    pub(crate) parts: Parts,
    texts: Vec<OnceLock<PartText>>,
}

impl PartedText {
    pub(crate) fn new(parts: Parts) -> Self {
        let texts = (0..parts.len()).map(|_| OnceLock::new()).collect();
        PartedText { parts, texts }
    }

    /// The text of one part.
    pub(crate) fn part(
        &self,
        part: usize,
        text: &str,
        whole: &Passages,
        names: &Vocabulary,
        lexicon: &Lexicon,
    ) -> Option<&PartText> {
        let stretches = &self.parts.get(part)?.stretches;
        Some(self.texts.get(part)?.get_or_init(|| PartText::new(text, stretches, whole, names, lexicon)))
    }
}
