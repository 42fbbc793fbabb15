//! The words for the support of a leaf, and the verdict on one.

use loopctl_ground::{Doubt, Pattern};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;

/// The support of a document for one leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Hash)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// A passage states this value, affirmed, and nothing states otherwise.
    Verified,
    /// A judge that was shown the passage said that it supports the value.
    Entailed,
    /// The document has the value, or its quote, but nothing shows that it belongs to this field of this item.
    #[serde(alias = "quoted")]
    Undecided,
    /// A passage states this value, and another one states another.
    Conflicting,
    /// No passage states this value.
    Unsupported,
    /// The passages state another value, or the opposite.
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

/// The way in which a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Method {
    /// Character for character.
    Exact,
    /// But for case, spaces, hyphenation, accents, typography; or in other words that a vocabulary knows.
    Normalized,
    /// A number, quantity or date that is equal, written otherwise.
    Numeric,
    /// But for the order or form of its words, and for scanning errors.
    Fuzzy,
    /// By a judge that was shown the passage.
    Judge,
}

impl Method {
    /// The way in which a document prints a value.
    pub(super) fn of(value: &Value, printed: &str) -> Self {
        match value {
            Value::String(text) if text == printed => Method::Exact,
            Value::Number(number) if number.to_string() == printed => Method::Exact,
            Value::Number(_) => Method::Numeric,
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                Method::Normalized
            }
        }
    }
}

/// The reason why a leaf has its support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Finding {
    /// A passage states the value.
    Said,
    /// Nothing in the document states it.
    NotFound,
    /// The quote is not in the document.
    QuoteNotFound,
    /// The quote is there, and does not have the value.
    QuoteUndecided,
    /// The document has the value, but neither in the row and column of its field and item, nor under its label.
    NotBound,
    /// A passage has the value, in a clause that leaves open whether it states it.
    Doubted(Doubt),
    /// A passage has the value, and passages like it are right too rarely.
    Untrusted(Pattern),
    /// A passage states another value.
    SaysAnother,
    /// A passage denies it.
    Denied,
    /// The passage has a word with digits that OCR may have misread.
    DoubtfulReading,
    /// A judge took the value in a passage for one of something else, or for a bound.
    OwnerInDoubt,
}

/// The support of one leaf, and the passages that decide it. Offsets are bytes of the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Verdict {
    pub support: Support,
    pub finding: Finding,
    pub method: Option<Method>,
    /// The passage that states the value; where none does, the quote.
    pub bytes: Option<Range<usize>>,
    /// The passage that states otherwise.
    pub other: Option<Range<usize>>,
    /// True if a quote that was offered holds the passage.
    pub by_quote: bool,
    /// The pattern of the passage, where its clause was read.
    pub pattern: Option<Pattern>,
}

impl Verdict {
    pub(super) fn new(support: Support, finding: Finding) -> Self {
        Verdict { support, finding, method: None, bytes: None, other: None, by_quote: false, pattern: None }
    }

    /// A value that was found.
    pub(super) fn found(bytes: Range<usize>, method: Method) -> Self {
        Verdict { method: Some(method), bytes: Some(bytes), ..Verdict::new(Support::Verified, Finding::Said) }
    }

    /// A value that nothing states.
    pub(super) fn not_found() -> Self {
        Verdict::new(Support::Unsupported, Finding::NotFound)
    }

    pub(super) fn contradicted(finding: Finding, other: Range<usize>) -> Self {
        Verdict { other: Some(other), ..Verdict::new(Support::Contradicted, finding) }
    }

    /// The verdict that leaves a value open, with the passage of this one.
    pub(super) fn open(self, finding: Finding) -> Self {
        Verdict { support: Support::Undecided, finding, ..self }
    }
}
