//! The parts of a text, for people.

use super::super::issue::SourceSpan;
use super::super::mentions::FieldMention;
use super::super::parted::heading;
use super::super::source::{Names, Source};
use crate::rules::EvidenceRules;
use std::sync::Arc;

/// A part of a document, in the form that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundPart {
    /// The kind, such as `specimen`.
    pub kind: String,
    /// The list of the extraction that has one item for each part.
    pub list: String,
    /// The name that headings give it, such as `A`.
    pub label: String,
    /// The line of its first heading, from 1.
    pub line: usize,
    /// The first words of it.
    pub heading: String,
    /// Its stretches, in characters. A stretch that is about several parts is one of each.
    pub spans: Vec<SourceSpan>,
}

/// The parts of a text for the list `list` of an extraction; none where it has fewer than two, unless they are below
/// headings of their own. `None` when no kind of the rubrics has that list.
#[must_use]
pub fn read_parts(rules: &EvidenceRules, list: &str, text: &str) -> Option<Vec<FoundPart>> {
    let (number, (kind, each)) =
        rules.each.iter().enumerate().find(|(_, (_, each))| each.list.value == list)?;
    let source = Source::new(text, &Arc::new(Names::new(rules)));
    let Some(parts) = source.parts(number, each) else { return Some(Vec::new()) };
    let found = parts.iter().map(|part| {
        let first = heading(text, part);
        FoundPart {
            kind: kind.clone(),
            list: list.to_owned(),
            label: part.label.clone(),
            line: source.line(first.start),
            heading: text.get(first).unwrap_or_default().to_owned(),
            spans: part.stretches.iter().map(|stretch| source.span(stretch)).collect(),
        }
    });
    Some(found.collect())
}

/// Reads the statements of one part of a text about a field of its item, in the order of the text. `part` is the part's
/// label, or its index in the order of labels, from 0. `None` where no vocabulary reads the field, or there is no such
/// part.
#[must_use]
pub fn read_mentions_of_part(
    rules: &EvidenceRules,
    list: &str,
    part: &str,
    field: &str,
    text: &str,
) -> Option<(String, Vec<FieldMention>)> {
    let (number, (_, each)) = rules.each.iter().enumerate().find(|(_, (_, each))| each.list.value == list)?;
    let source = Source::new(text, &Arc::new(Names::new(rules)));
    let parts = source.parts(number, each)?;
    let by_place = || part.parse().ok().filter(|place| *place < parts.len());
    let part = parts.get(parts.named(part).or_else(by_place)?)?;
    Some((part.label.clone(), source.mentions(field, Some(&part.stretches))?))
}
