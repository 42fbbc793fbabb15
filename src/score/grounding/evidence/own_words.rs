//! What a value's own words leave out of what the document says there, or say twice and oppositely.

use super::super::probe::Probe;
use super::judging::Judge;
use super::labels::is_parted;
use super::support::{Support, Verdict};
use crate::rules::Assertion;
use std::ops::Range;

/// So many words may stand between a value and what the document says of it.
const NEXT: usize = 3;
/// Most phrases within a value that are compared.
const MOST_WITHIN: usize = 32;

impl Judge<'_> {
    /// Where a text is as the document has it, but ends before what the document says there: of `perirenal fat: negative` the
    /// name alone. A number may be all that there is to say.
    pub(super) fn said_right_after(&self, verdict: &Verdict, probe: &Probe<'_>) -> Option<Range<usize>> {
        // Of one of several things, a text may be its name.
        let vocabulary =
            self.vocabulary.filter(|_| self.is_of_all && verdict.support == Support::Verified)?;
        let reader = self.document.lexicon.reader(vocabulary).filter(|reader| !reader.counts_anywhere())?;
        if probe.text.bytes().any(|b| b.is_ascii_digit()) || reader.find(probe.text).next().is_some() {
            return None;
        }
        let bytes = verdict.bytes.as_ref()?;
        let end = self.document.sentence_with_label(bytes).end;
        let hit = self.document.phrases(vocabulary, &(bytes.end..end.max(bytes.end))).first()?;
        let between = bytes.end..hit.bytes.start;
        let gap = self.document.text().get(between.clone())?;
        // What a colon follows is a name.
        let is_next = self.document.tokens(&between).len() <= NEXT && !is_parted(gap);
        (is_next || gap.trim_start().starts_with(':')).then(|| hit.bytes.clone())
    }

    /// Where a text is as the document has it, but itself says opposite things: `uninvolved …, while the margin is involved`.
    pub(super) fn opposite_within(&self, verdict: &Verdict, probe: &Probe<'_>) -> Option<Range<usize>> {
        let vocabulary =
            self.vocabulary.filter(|_| self.is_listed && verdict.support == Support::Verified)?;
        let reader = self.document.lexicon.reader(vocabulary).filter(|reader| !reader.counts_anywhere())?;
        reader.find(probe.text).nth(1)?;
        let mut first = None;
        for hit in self.document.phrases(vocabulary, verdict.bytes.as_ref()?).iter().take(MOST_WITHIN) {
            let (said, asserted) = self.document.stated(reader, hit);
            if asserted.how != Assertion::Affirmed {
                continue;
            }
            let first = *first.get_or_insert(said);
            if reader.opposite(first) == Some(said) || reader.opposite(said) == Some(first) {
                return Some(hit.bytes.clone());
            }
        }
        None
    }
}
