//! The support that an assessment finds for each leaf.

use super::issue::SourceSpan;
use super::verdict::{Method, Support};
use crate::rules::Assertion;
use crate::value::PagePassage;
use loopctl_ground::{Doubt, Pattern};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Range;

/// For each leaf that counts: its path, its support, and the passage that decides it. Texts share one buffer,
/// and so do the places of passages on pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    texts: String,
    places: Vec<PagePassage>,
    leaves: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    path: Range<usize>,
    support: Support,
    method: Option<Method>,
    span: Option<SourceSpan>,
    quote: Option<Range<usize>>,
    context: Assertion,
    unjudged: bool,
    part: Option<Range<usize>>,
    pattern: Option<Pattern>,
    doubt: Option<Doubt>,
    places: Range<usize>,
}

/// The support of one leaf.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafEvidence<'a> {
    /// The support in the document.
    pub support: Support,
    /// The method by which the value was found in its passage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// The passage, in characters of the source: the one that states the value or, where none does, the one that states
    /// otherwise.
    #[serde(flatten)]
    pub span: Option<SourceSpan>,
    /// The quote that was offered, if it decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<&'a str>,
    /// The way in which the passage asserts it.
    #[serde(default, skip_serializing_if = "is_affirmed")]
    pub context: Assertion,
    /// `true` if the judge of single values is to be asked about it, or gave no answer: the quote is there, and nothing
    /// could decide what it says about the value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unjudged: bool,
    /// The part of the document that it is held against, where it is of one of several: `B`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<&'a str>,
    /// The kind of the value and how the words around it name its field, where its clause was read: `number/statement`.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "pattern")]
    pub pattern: Option<Pattern>,
    /// The reason that its clause leaves the value open: `range_end`.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "doubt")]
    pub doubt: Option<Doubt>,
    /// The places of the passage on the pages of a document that has pages.
    #[serde(default, skip_deserializing, skip_serializing_if = "<[PagePassage]>::is_empty")]
    pub places: &'a [PagePassage],
}

/// Patterns as they are written in results.
mod pattern {
    use loopctl_ground::Pattern;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        pattern: &Option<Pattern>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match pattern {
            Some(pattern) => serializer.collect_str(pattern),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Pattern>, D::Error> {
        // One of another version is no longer known.
        Ok(Option::<String>::deserialize(deserializer)?.and_then(|text| text.parse().ok()))
    }
}

/// Reasons for doubt as they are written in results.
mod doubt {
    use loopctl_ground::Doubt;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(doubt: &Option<Doubt>, serializer: S) -> Result<S::Ok, S::Error> {
        match doubt {
            Some(doubt) => serializer.serialize_str(doubt.as_str()),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Doubt>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(text.and_then(|text| Doubt::ALL.into_iter().find(|doubt| doubt.as_str() == text)))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_affirmed(context: &Assertion) -> bool {
    *context == Assertion::Affirmed
}

impl<'a> LeafEvidence<'a> {
    /// The support of a leaf, with all other fields empty.
    #[must_use]
    pub fn new(support: Support) -> Self {
        LeafEvidence {
            support,
            method: None,
            span: None,
            quote: None,
            context: Assertion::Affirmed,
            unjudged: false,
            part: None,
            pattern: None,
            doubt: None,
            places: &[],
        }
    }

    pub(super) fn with(
        self,
        method: Option<Method>,
        span: Option<SourceSpan>,
        quote: Option<&'a str>,
        context: Assertion,
    ) -> Self {
        LeafEvidence { method, span, quote, context, ..self }
    }

    pub(super) fn left_unjudged(self, unjudged: bool) -> Self {
        LeafEvidence { unjudged, ..self }
    }

    /// Adds the reading of its clause.
    pub(super) fn read_as(self, pattern: Option<Pattern>, doubt: Option<Doubt>) -> Self {
        LeafEvidence { pattern, doubt, ..self }
    }

    pub(super) fn at(self, places: &'a [PagePassage]) -> Self {
        LeafEvidence { places, ..self }
    }

    /// Adds the part of the document that the leaf is held against.
    pub(super) fn of_part(self, part: Option<&'a str>) -> Self {
        LeafEvidence { part, ..self }
    }
}

impl Evidence {
    /// Empties it and keeps its buffers.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.places.clear();
        self.leaves.clear();
    }

    /// Records the support of the leaf at `path` (anything that displays as a JSON Pointer).
    pub fn push(&mut self, path: impl fmt::Display, leaf: LeafEvidence<'_>) {
        let path = self.keep(path);
        let quote = leaf.quote.map(|quote| self.keep(quote));
        let part = leaf.part.map(|part| self.keep(part));
        let places = self.places.len()..self.places.len() + leaf.places.len();
        self.places.extend_from_slice(leaf.places);
        let LeafEvidence { support, method, span, context, unjudged, pattern, doubt, .. } = leaf;
        self.leaves.push(Entry {
            path,
            support,
            method,
            span,
            quote,
            context,
            unjudged,
            part,
            pattern,
            doubt,
            places,
        });
    }

    /// Sets the places of each passage on the pages of the document.
    pub(super) fn locate(&mut self, places_of: &dyn Fn(SourceSpan) -> Vec<PagePassage>) {
        self.places.clear();
        for leaf in &mut self.leaves {
            let start = self.places.len();
            self.places.extend(leaf.span.into_iter().flat_map(places_of));
            leaf.places = start..self.places.len();
        }
    }

    fn keep(&mut self, text: impl fmt::Display) -> Range<usize> {
        use fmt::Write;
        let start = self.texts.len();
        // Writing to a String can't fail.
        let _ = write!(self.texts, "{text}");
        start..self.texts.len()
    }

    /// Returns whether no leaf was looked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Paths with the evidence for the leaf there.
    pub fn iter(&self) -> impl Iterator<Item = (&str, LeafEvidence<'_>)> {
        let text = |range: &Range<usize>| self.texts.get(range.clone()).unwrap_or_default();
        self.leaves.iter().map(move |entry| {
            let quote = entry.quote.as_ref().map(text);
            let leaf = LeafEvidence::new(entry.support).with(entry.method, entry.span, quote, entry.context);
            let leaf = leaf.left_unjudged(entry.unjudged).read_as(entry.pattern, entry.doubt);
            let places = self.places.get(entry.places.clone()).unwrap_or_default();
            (text(&entry.path), leaf.of_part(entry.part.as_ref().map(text)).at(places))
        })
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.leaves.len()))?;
        for (path, leaf) in self.iter() {
            map.serialize_entry(path, &leaf)?;
        }
        map.end()
    }
}

/// The written form; `support` is missing in records from before there was any but `verified`.
#[derive(Deserialize)]
struct Written {
    #[serde(default = "verified")]
    support: Support,
    method: Option<Method>,
    start: Option<usize>,
    end: Option<usize>,
    quote: Option<String>,
    #[serde(default)]
    context: Assertion,
    #[serde(default)]
    unjudged: bool,
    part: Option<String>,
    #[serde(default, with = "pattern")]
    pattern: Option<Pattern>,
    #[serde(default, with = "doubt")]
    doubt: Option<Doubt>,
    #[serde(default)]
    places: Vec<PagePassage>,
}

fn verified() -> Support {
    Support::Verified
}

impl<'de> Deserialize<'de> for Evidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = serde_json::Map::deserialize(deserializer)?;
        let mut evidence = Evidence::default();
        for (path, leaf) in map {
            let leaf: Written = serde_json::from_value(leaf).map_err(serde::de::Error::custom)?;
            let span = leaf.start.zip(leaf.end).map(|(start, end)| SourceSpan { start, end });
            let read =
                LeafEvidence::new(leaf.support).with(leaf.method, span, leaf.quote.as_deref(), leaf.context);
            let read = read.left_unjudged(leaf.unjudged).read_as(leaf.pattern, leaf.doubt);
            evidence.push(path, read.of_part(leaf.part.as_deref()).at(&leaf.places));
        }
        Ok(evidence)
    }
}
