//! One finding, and its texts, which are written when they are read.

use super::assessment::top_level_field;
use super::wording::{Finding, cut_message};
use crate::value::{Disposition, PagePassage, Severity};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// The kind of finding, such as `MISSING_FIELD`.
    pub code: LazyText,
    /// The severity of the finding.
    pub severity: Severity,
    /// The party that handles it.
    #[serde(default)]
    pub disposition: Disposition,
    /// `true` if it declares that the loop can fix it, for profiles whose `dispositions` ask.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto_fixable: bool,
    /// `true` if the document had this mistake before the edit that is assessed, which does not touch it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pre_existing: bool,
    /// JSON Pointer into the candidate; empty for the whole.
    #[serde(default)]
    pub path: LazyText,
    /// The description of the problem, for people and for the model.
    #[serde(default)]
    pub message: LazyText,
    /// The id of the rule that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Arc<str>>,
    /// A change that would fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<LazyText>,
    /// The passage of the source that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_span: Option<SourceSpan>,
    /// The places of that passage on the pages of a document that has pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<PagePassage>,
}

impl Issue {
    /// An issue with a code and a severity, and nothing else set.
    #[must_use]
    pub fn new(code: impl Into<LazyText>, severity: Severity) -> Self {
        Issue {
            code: code.into(),
            severity,
            disposition: Disposition::default(),
            path: LazyText::default(),
            message: LazyText::default(),
            rule: None,
            suggested_fix: None,
            source_span: None,
            places: Vec::new(),
            auto_fixable: false,
            pre_existing: false,
        }
    }

    /// The top-level field that the issue is about, without escapes; `None` for the whole candidate.
    #[must_use]
    pub fn field(&self) -> Option<String> {
        top_level_field(&self.path)
    }
}

/// A passage of the source text, in Unicode scalar values from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceSpan {
    /// First character.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
}

impl From<Range<usize>> for SourceSpan {
    fn from(range: Range<usize>) -> Self {
        SourceSpan { start: range.start, end: range.end }
    }
}

/// A text of an issue: a `str` that is shared with the rules where possible, and otherwise written when it is first
/// read. Most candidates are scored for numbers, and the messages of their issues are never read.
#[derive(Clone)]
pub struct LazyText(Repr);

#[derive(Clone)]
enum Repr {
    Fixed(&'static str),
    Shared(Arc<str>),
    /// The message of a finding.
    Later(Arc<Finding>),
}

impl LazyText {
    /// A message that is written when it is read.
    pub(super) fn later(finding: Finding) -> Self {
        LazyText(Repr::Later(Arc::new(finding)))
    }

    /// A message, cut if it is too long.
    pub(super) fn message(text: &str) -> Self {
        cut_message(text).into()
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Fixed(text) => text,
            Repr::Shared(text) => text,
            Repr::Later(finding) => finding.message(),
        }
    }
}

impl Default for LazyText {
    fn default() -> Self {
        LazyText(Repr::Fixed(""))
    }
}

impl Deref for LazyText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for LazyText {
    fn as_ref(&self) -> &str {
        self
    }
}

impl From<&'static str> for LazyText {
    fn from(text: &'static str) -> Self {
        LazyText(Repr::Fixed(text))
    }
}

impl From<String> for LazyText {
    fn from(text: String) -> Self {
        if text.is_empty() { Self::default() } else { LazyText(Repr::Shared(text.into())) }
    }
}

impl From<Arc<str>> for LazyText {
    fn from(text: Arc<str>) -> Self {
        LazyText(Repr::Shared(text))
    }
}

impl From<&Arc<str>> for LazyText {
    fn from(text: &Arc<str>) -> Self {
        Arc::clone(text).into()
    }
}

impl From<LazyText> for String {
    fn from(text: LazyText) -> Self {
        text.as_str().to_owned()
    }
}

impl PartialEq for LazyText {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for LazyText {}

impl PartialEq<str> for LazyText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for LazyText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for LazyText {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialOrd for LazyText {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LazyText {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl std::hash::Hash for LazyText {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for LazyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for LazyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for LazyText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for LazyText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(LazyText::from)
    }
}
