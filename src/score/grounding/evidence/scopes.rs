//! How a document asserts its text, stretch by stretch: for whoever extracts from it before there is a value to be read.

use super::super::index::SourceIndex;
use super::context::{Role, TriggerHit, Triggers};
use super::passages::Passages;
use crate::rules::Assertion;
use std::ops::Range;

/// Most phrases of one document that are told.
const MOST: usize = 2_000;

/// What a phrase of the context reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scope {
    /// What begins here, or ends here.
    pub(crate) bytes: Range<usize>,
    pub(crate) how: Assertion,
    /// Whether the phrase looks at what follows it.
    pub(crate) is_ahead: bool,
}

impl Triggers {
    /// What each phrase in a text reaches, by the same rules by which a single value is looked at.
    pub(crate) fn scopes(&self, source: &SourceIndex, passages: &Passages) -> Vec<Scope> {
        let hits = passages.triggers(self, source.text());
        let scope = |(at, hit): (usize, &TriggerHit)| {
            let sentence = passages.sentence(&hit.bytes, source);
            let (bytes, how, is_ahead) = match hit.role {
                Role::Before(how) => {
                    let ends = hits.get(at + 1..).unwrap_or_default().iter();
                    let ended = ends.take_while(|other| other.bytes.start < sentence.end);
                    let terminator =
                        ended.filter(|other| other.role == Role::Terminator).map(|other| other.bytes.start);
                    let upto = terminator.min().map_or(sentence.end, |end| end.min(sentence.end));
                    (self.ahead(hit.bytes.end..upto.max(hit.bytes.end), source.text()), how, true)
                }
                Role::After(how) => {
                    let begins = hits.get(..at).unwrap_or_default().iter().rev();
                    let begun = begins.take_while(|other| other.bytes.start >= sentence.start);
                    let terminator =
                        begun.filter(|other| other.role == Role::Terminator).map(|other| other.bytes.end);
                    let from = terminator.max().map_or(sentence.start, |from| from.max(sentence.start));
                    (self.behind(from.min(hit.bytes.start)..hit.bytes.start, source.text()), how, false)
                }
                // What stands beside these is read together with them, if at all.
                Role::JustBefore(_) | Role::JustAfter(_) | Role::Ignored | Role::Terminator => return None,
            };
            (!bytes.is_empty()).then_some(Scope { bytes, how, is_ahead })
        };
        hits.iter().enumerate().filter_map(scope).take(MOST).collect()
    }

    /// The places in `within` at which a word may begin that a phrase before them reaches.
    fn ahead(&self, within: Range<usize>, text: &str) -> Range<usize> {
        let here = text.get(within.clone()).unwrap_or_default();
        let mut end = within.start;
        for word in here.split_whitespace() {
            let at = word.as_ptr() as usize - here.as_ptr() as usize;
            if !self.reaches(here.get(..at).unwrap_or_default(), true) {
                return within.start..end;
            }
            end = within.start + at + word.len();
        }
        within
    }

    /// The places in `within` at which a word may end that a phrase after them reaches.
    fn behind(&self, within: Range<usize>, text: &str) -> Range<usize> {
        let here = text.get(within.clone()).unwrap_or_default();
        let mut start = within.end;
        for word in here.split_whitespace().rev() {
            let at = word.as_ptr() as usize - here.as_ptr() as usize;
            if !self.reaches(here.get(at + word.len()..).unwrap_or_default(), false) {
                return start..within.end;
            }
            start = within.start + at;
        }
        within
    }
}
