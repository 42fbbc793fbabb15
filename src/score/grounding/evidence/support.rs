//! The words for what supports a leaf, and the verdict on one.

use super::super::Method;
use super::super::probe::Probe;
use super::reading::Statement;
use crate::rules::Assertion;
use loopctl_ground::{Doubt, Pattern};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// So often what was read is looked for in the value, so that long values of one repeated word stay cheap.
const MOST_PLACES: usize = 64;

/// What the document says for one leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Hash)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Support {
    /// A passage says this value, affirmed, and nothing says otherwise.
    Verified,
    /// A judge that was shown the passage said that it supports the value.
    Entailed,
    /// The document has the value, or its quote, but nothing shows that it is of this field of this item.
    #[serde(alias = "quoted")]
    Undecided,
    /// A passage says this value, and another one says another.
    Conflicting,
    /// No passage says this value.
    Unsupported,
    /// The passages say another value, or the opposite.
    Contradicted,
}

impl Support {
    /// The word in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Support::Verified => "verified",
            Support::Entailed => "entailed",
            Support::Undecided => "undecided",
            Support::Conflicting => "conflicting",
            Support::Unsupported => "unsupported",
            Support::Contradicted => "contradicted",
        }
    }
}

/// Why a leaf has its support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Finding {
    /// A passage says the value.
    Said,
    /// Nothing in the document says it.
    NotFound,
    /// The document has the value's words or number, but not where it speaks of the field.
    StandsElsewhere,
    /// The quote is not in the document.
    QuoteNotFound,
    /// The quote is about a field of another name.
    QuoteOfAnother,
    /// The quote is there, and says nothing that could be read.
    QuoteUndecided,
    /// The document has the value, but neither in the row and column of its field and item, nor under its label.
    NotBound,
    /// A passage has the value, and a clause that leaves open if it says it.
    Doubted(Doubt),
    /// A passage has the value, and passages like it are right too seldom.
    Untrusted(Pattern),
    /// A passage says another value.
    SaysAnother,
    /// A passage that would say another value holds this one, too: it may be of something else, or a bound.
    OwnerInDoubt,
    /// The value stands in the document, and says opposite things itself.
    SaysBoth,
    /// The value stands in the document, and ends before what the document says there.
    EndsBefore,
    /// The value is there, but not as a fact about this document's subject now.
    Asserted(Assertion),
}

/// The support of one leaf, and the passages that decide it. Offsets are bytes of the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Verdict {
    pub(crate) support: Support,
    pub(crate) finding: Finding,
    pub(crate) method: Option<Method>,
    /// The passage that says the value; where none does, the quote.
    pub(crate) bytes: Option<Range<usize>>,
    /// The passage that says otherwise.
    pub(crate) other: Option<Range<usize>>,
    /// Whether a quote that was offered decided.
    pub(crate) by_quote: bool,
    /// The pattern of the passage, where its clause was read.
    pub(crate) pattern: Option<Pattern>,
}

impl Verdict {
    pub(super) fn new(support: Support, finding: Finding) -> Self {
        Verdict { support, finding, method: None, bytes: None, other: None, by_quote: false, pattern: None }
    }

    /// A value that was found.
    pub(crate) fn found(bytes: Range<usize>, method: Method) -> Self {
        Verdict { method: Some(method), bytes: Some(bytes), ..Verdict::new(Support::Verified, Finding::Said) }
    }

    /// A value that nothing says.
    pub(crate) fn not_found() -> Self {
        Verdict::new(Support::Unsupported, Finding::NotFound)
    }

    /// A value that stands at some bytes, where the document does not speak of its field.
    pub(in super::super) fn stands_elsewhere(other: Range<usize>) -> Self {
        Verdict { other: Some(other), ..Verdict::new(Support::Unsupported, Finding::StandsElsewhere) }
    }

    pub(super) fn said(statement: &Statement, by_quote: bool) -> Self {
        Verdict {
            method: Some(statement.method),
            bytes: Some(statement.bytes.clone()),
            by_quote,
            ..Verdict::new(Support::Verified, Finding::Said)
        }
    }

    /// With the whole value as its passage, where the value stands literally around the part of it that a vocabulary or a
    /// comparison of words has read.
    pub(in super::super) fn widened(mut self, probe: &Probe<'_>, text: &str) -> Self {
        let value = probe.text.trim();
        let Some(bytes) = self.bytes.clone().filter(|_| self.finding == Finding::Said) else { return self };
        let passage = text.get(bytes.clone()).unwrap_or_default();
        if passage.is_empty() || value.len() < passage.len() {
            return self;
        }
        let whole = |(before, _)| {
            let start = bytes.start.checked_sub(before)?;
            let place = start..start.checked_add(value.len())?;
            (text.get(place.clone()) == Some(value)).then_some(place)
        };
        if let Some(place) = value.match_indices(passage).take(MOST_PLACES).find_map(whole) {
            (self.bytes, self.method) = (Some(place), Some(Method::Exact));
        }
        self
    }

    pub(crate) fn contradicted(finding: Finding, other: Range<usize>) -> Self {
        Verdict { other: Some(other), ..Verdict::new(Support::Contradicted, finding) }
    }
}
