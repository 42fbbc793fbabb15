//! Values that rest on a word with digits that OCR may have misread: they stay open, and the issue shows both readings.

use super::issue::Issue;
use super::source::Source;
use super::verdict::{Finding, Support, Verdict};
use super::wording::plain_issue;
use crate::value::Severity;
use std::ops::Range;

/// The code of the issue about such a value.
pub(super) const DOUBTFUL_READING: &str = "DOUBTFUL_READING";

/// A word with digits that OCR may have misread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulPassage {
    /// Its bytes in the text.
    pub text: Range<usize>,
    /// A clause with both readings, or with the confidence of the only one.
    pub why: String,
}

/// A verdict that rests on a doubtful word, left open. `None` for one that does not, or that leaves the value open or
/// without support anyway.
pub(super) fn left_open(source: &Source, verdict: &Verdict) -> Option<Verdict> {
    let decides = match verdict.support {
        Support::Verified | Support::Entailed | Support::Contradicted => true,
        Support::Undecided | Support::Conflicting | Support::Unsupported => false,
    };
    let bytes = passage(verdict).filter(|_| decides)?;
    source.doubtful_word(bytes)?;
    Some(verdict.clone().open(Finding::DoubtfulReading))
}

/// The issue about a value that was left open for that; `where_it_is` names the line.
pub(super) fn issue(
    source: &Source,
    verdict: &Verdict,
    pointer: &str,
    value: &str,
    where_it_is: &str,
) -> Issue {
    let word = passage(verdict).and_then(|bytes| source.doubtful_word(bytes));
    let why = word.map_or_else(String::new, |word| format!(": {}", word.why));
    let message = format!("`{value}` rests on {where_it_is}, which OCR may have misread{why}");
    Issue {
        suggested_fix: Some("compare the value with the picture of the page".into()),
        ..plain_issue(DOUBTFUL_READING, Severity::Major, pointer.to_owned(), message)
    }
}

fn passage(verdict: &Verdict) -> Option<&Range<usize>> {
    verdict.bytes.as_ref().or(verdict.other.as_ref())
}
